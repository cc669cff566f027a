import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { microsOf } from '../../src/shared/domain/base/money.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import { NightHarness, profileWith, row, rows } from '../support/night-harness.ts';
import { accepted, notSent, unknownOutcome } from '../support/scripted-gateway.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const SONG: OperationPath = 'musicgen/music/generate';
const FILM: OperationPath = 'videogen-a/video/generate';
const IMAGE: OperationPath = 'videogen-b/image/generate';

function priced(prices: Partial<Record<OperationPath, number>>, currency = 'EUR'): Profile {
  const profile = profileWith({ activePerFamily: { musicgen: 4, 'videogen-a': 4, 'videogen-b': 4 } });
  const given = Object.entries(prices).map(([path, amount]) => [path, { amount, currency }] as const);
  return { ...profile, prices: Object.fromEntries(given) };
}

function mixed(prefix: string, operations: readonly OperationPath[]) {
  return operations.map((operation, i) => row(`${prefix}${i + 1}`, i + 2, { operation }));
}

function noonAfter(at: number): number {
  const noon = new Date(at).setHours(12, 0, 0, 0);
  return noon > at ? noon : new Date(at).setHours(36, 0, 0, 0);
}

async function pauseOf(night: NightHarness, id: string) {
  const pause = (await night.store.batch(id))?.pause;
  return pause?.by === 'failure' ? pause.failure : undefined;
}

/** Starts batches and lets time pass until nothing more is sent. */
async function goOn(night: NightHarness, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => night.scheduler.start(id)));
  await night.clock.advance(30 * MINUTE);
}

describe('a ceiling of the process', () => {
  test('holds over batches and a kill, and no limit of the user raises it', async () => {
    const night = new NightHarness();
    const ceiling = { requests: 7 };
    night.open(undefined, ceiling);
    const ids = [await night.bringIn(rows(6)), await night.bringIn(rows(6))];
    await night.scheduler.attach(ids[0] ?? '');
    await night.scheduler.setLimits({ night: { requests: 40 } });
    await Promise.all(ids.map((id) => night.scheduler.start(id)));
    await night.clock.advanceUntil(() => night.gateway.submits.length >= 3);
    night.open(undefined, ceiling);
    await goOn(night, ids);
    await night.scheduler.setLimits({});
    await goOn(night, ids);
    expect(night.gateway.submits).toHaveLength(7);
    expect(await pauseOf(night, ids[1] ?? '')).toMatchObject({ code: 'CAP_REACHED', data: { limit: 7 } });
    // Another process has none.
    night.open();
    await goOn(night, ids);
    expect(night.gateway.submits).toHaveLength(12);
  });

  test('that goes with a batch holds it by what the whole night has spent, in every process, and no other batch', async () => {
    const night = new NightHarness();
    night.open();
    const own = await night.bringIn(rows(3));
    const ofDoor = await night.bringIn(rows(6), { ceiling: { requests: 5 } });
    await goOn(night, [own]);
    await goOn(night, [ofDoor]);
    expect(night.gateway.submits).toHaveLength(5);
    expect(await pauseOf(night, ofDoor)).toMatchObject({ code: 'CAP_REACHED', data: { limit: 5, cap: 'night' } });
    await goOn(night, [await night.bringIn(rows(2))]);
    expect(night.gateway.submits).toHaveLength(7);
  });

  test('of nothing lets nothing be sent but a rehearsal', async () => {
    const night = new NightHarness();
    night.open(undefined, { requests: 0 });
    const id = await night.bringIn(rows(3));
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(0);
    expect(await pauseOf(night, id)).toMatchObject({ code: 'CAP_REACHED', data: { limit: 0 } });
    await goOn(night, [await night.bringIn(rows(2), { rehearsal: true })]);
    expect(night.gateway.submits).toHaveLength(2);
  });

  test('leaves the lower limit of the user alone, also one in another currency; and a rehearsal', async () => {
    const night = new NightHarness();
    night.open(undefined, { cost: { amount: 0.5, currency: 'EUR' } });
    const profile = priced({ [SONG]: 0.1 });
    const id = await night.bringIn(rows(9), { profile });
    await night.scheduler.attach(id);
    await night.scheduler.setLimits({ night: { requests: 3 } });
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(3);
    await night.scheduler.setLimits({});
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(5);
    await night.scheduler.setLimits({ night: { cost: { amount: 90, currency: 'USD' } } });
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(5);
    const rehearsal = await night.bringIn(rows(2), { rehearsal: true });
    await goOn(night, [rehearsal]);
    expect(night.gateway.submits).toHaveLength(7);
  });
});

describe('several limits that are reached', () => {
  test('are all named: raising only the first leads to the next pause', async () => {
    const night = new NightHarness();
    const cost = { amount: 0.2, currency: 'EUR' };
    const id = await night.bringIn(rows(5), { maxSubmits: 2, profile: priced({ [SONG]: 0.1 }) });
    await night.scheduler.attach(id);
    await night.scheduler.setLimits({ night: { requests: 4 }, month: { cost } });
    await goOn(night, [id]);
    const why = await pauseOf(night, id);
    expect(why).toMatchObject({ code: 'CAP_REACHED', data: { cap: 'batch', lacks: 'requests', limit: 2 } });
    expect(why?.message).toBe(
      'This batch has used all 2 paid requests of its limit. You allow 0.20 EUR for one month. ' +
        '0.20 EUR of that is used, and no waiting request fits into the rest.',
    );
  });

  test('name none that leaves room for another row that waits', async () => {
    const night = new NightHarness();
    const sheet = mixed('r', [SONG, SONG, SONG, FILM]);
    const id = await night.bringIn(sheet, { maxSubmits: 2, profile: priced({ [SONG]: 0.1, [FILM]: 1 }) });
    await night.scheduler.attach(id);
    await night.scheduler.setLimits({ night: { cost: { amount: 0.5, currency: 'EUR' } } });
    await goOn(night, [id]);
    expect((await pauseOf(night, id))?.message).toBe('This batch has used all 2 paid requests of its limit.');
  });
});

describe('a limit for a night', () => {
  test('is shared by batches that run at once, holds after a kill, and lets the rest go once it is raised', async () => {
    const night = new NightHarness();
    const ids = [await night.bringIn(rows(30)), await night.bringIn(rows(30))];
    await night.scheduler.attach(ids[0] ?? '');
    await night.scheduler.setLimits({ night: { requests: 40 } });
    await Promise.all(ids.map((id) => night.scheduler.start(id)));
    await night.clock.advanceUntil(() => night.gateway.submits.length >= 17);
    night.open();
    await goOn(night, ids);
    expect(night.gateway.submits).toHaveLength(40);
    expect(await pauseOf(night, ids[0] ?? '')).toMatchObject({
      code: 'CAP_REACHED',
      data: { cap: 'night', lacks: 'requests', limit: 40, spent: 40 },
    });
    expect(await pauseOf(night, ids[1] ?? '')).toMatchObject({ code: 'CAP_REACHED', data: { cap: 'night' } });
    // What was under way at the kill may have been charged.
    await goOn(night, ids);
    expect(night.gateway.submits).toHaveLength(40);
    await night.scheduler.setLimits({ night: { requests: 45 } });
    await goOn(night, ids);
    expect(night.gateway.submits).toHaveLength(45);
  });

  test('is there anew in the next night, which resumes nothing by itself; a limit for a month goes on', async () => {
    const night = new NightHarness();
    const id = await night.bringIn(rows(20));
    await night.scheduler.attach(id);
    await night.scheduler.setLimits({ night: { requests: 4 }, month: { requests: 6 } });
    await goOn(night, [id]);
    night.clock.jump(DAY);
    await night.clock.advance(30 * MINUTE);
    expect(night.gateway.submits).toHaveLength(4);
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(6);
    expect(await pauseOf(night, id)).toMatchObject({ code: 'CAP_REACHED', data: { cap: 'month' } });
    night.clock.jump(31 * DAY);
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(10);
  });

  test('is not there twice between one noon and the next, whenever a night has begun', async () => {
    const night = new NightHarness();
    const noon = noonAfter(night.clock.now());
    const schedule = { startAt: noon + MINUTE, windows: [], zone: 'UTC' };
    const id = await night.bringIn(rows(20), { schedule });
    await night.scheduler.attach(id);
    await night.scheduler.setLimits({ night: { requests: 4 } });
    night.clock.jump(noon - MINUTE - night.clock.now());
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(4);
    night.clock.jump(4 * 60 * MINUTE);
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(4);
    night.clock.jump(DAY);
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(8);
  });

  test('counts no rehearsal, and holds none up', async () => {
    const night = new NightHarness();
    const rehearsal = await night.bringIn(rows(5), { rehearsal: true });
    const real = await night.bringIn(rows(5));
    await night.scheduler.attach(real);
    await night.scheduler.setLimits({ night: { requests: 2 } });
    await goOn(night, [rehearsal, real]);
    expect(night.gateway.submits).toHaveLength(7);
    expect(await night.state(rehearsal)).toBe('finished');
  });

  test('counts what was refused no longer, and what is unknown for good', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) => {
      if (nth === 1) return { outcome: { kind: 'rejected', failure: failure('INPUT_INVALID', 'no') } };
      return nth === 2 ? unknownOutcome() : accepted(`code-${nth}`);
    };
    const id = await night.bringIn(rows(6));
    await night.scheduler.attach(id);
    await night.scheduler.setLimits({ night: { requests: 3 } });
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(4);
  });
});

describe('a limit in money', () => {
  test('counts a refusal that cost something by the gateway’s own words', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => ({
      outcome: { kind: 'rejected', failure: failure('INPUT_INVALID', 'no') },
      cost: { amount: 0.5, currency: 'EUR' },
    });
    const id = await night.bringIn(rows(8), {
      profile: priced({ [SONG]: 0.4 }),
      maxCost: { amount: 2, currency: 'EUR' },
    });
    await goOn(night, [id]);
    const charged = await night.store.submitsUsed(id);
    expect(charged * 0.5).toBeLessThanOrEqual(2);
    expect(charged).toBe(night.gateway.submits.length);
    expect(await pauseOf(night, id)).toMatchObject({ code: 'CAP_REACHED', data: { lacks: 'cost' } });
  });

  test.each(['rate-limited', 'held'] as const)('sends nothing again that was charged, and yet %s', async (kind) => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => ({
      outcome: { kind, failure: failure('RATE_LIMITED', 'later') },
      cost: { amount: 0.5, currency: 'EUR' },
    });
    const id = await night.bringIn(rows(1));
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(1);
    expect((await night.tasks(id)).map(({ status }) => status)).toEqual(['submit-unknown']);
    expect(await night.store.submitsUsed(id)).toBe(1);
  });

  test('is never passed, and as much of it is used as rows fit: a dear row waits, cheaper ones behind it go', async () => {
    const night = new NightHarness();
    const profile = priced({ [SONG]: 0.4, [FILM]: 0.1, [IMAGE]: 0.07 });
    const id = await night.bringIn(mixed('r', [SONG, SONG, SONG, FILM, SONG, FILM, IMAGE]), {
      profile,
      maxCost: { amount: 1, currency: 'EUR' },
    });
    await goOn(night, [id]);
    expect(night.gateway.submits.map(({ operation }) => operation).toSorted()).toEqual([SONG, SONG, FILM, FILM]);
    expect(await pauseOf(night, id)).toMatchObject({
      code: 'CAP_REACHED',
      // The cheapest that waits is what the limit is short of.
      data: { cap: 'batch', lacks: 'cost', limit: 1, spent: 1, currency: 'EUR', next: 0.07 },
    });
  });

  test('of ten requests of 0.1 holds ten, and of three of 0.1 holds 0.3', async () => {
    const night = new NightHarness();
    const profile = priced({ [SONG]: 0.1 });
    const tenth = await night.bringIn(rows(12), { profile, maxCost: { amount: 1, currency: 'EUR' } });
    const third = await night.bringIn(rows(12), { profile, maxCost: { amount: 0.3, currency: 'EUR' } });
    await goOn(night, [tenth, third]);
    expect(await night.store.submitsUsed(tenth)).toBe(10);
    expect(await night.store.submitsUsed(third)).toBe(3);
  });

  test('pauses before the first request where an operation has no price, or one in another currency', async () => {
    const night = new NightHarness();
    const maxCost = { amount: 5, currency: 'EUR' };
    const none = await night.bringIn(mixed('a', [SONG, FILM]), { profile: priced({ [SONG]: 1 }), maxCost });
    const other = await night.bringIn(mixed('b', [SONG]), { profile: priced({ [SONG]: 1 }, 'USD'), maxCost });
    await goOn(night, [none, other]);
    expect(night.gateway.submits).toHaveLength(0);
    expect(await pauseOf(night, none)).toMatchObject({ code: 'PRICE_UNKNOWN', data: { operations: [FILM] } });
    expect((await pauseOf(night, other))?.message).toContain(SONG);
  });

  test('counts requests that had no price at the price that they have now', async () => {
    const night = new NightHarness();
    const before = await night.bringIn(rows(3), { profile: priced({}) });
    await goOn(night, [before]);
    expect(night.gateway.submits).toHaveLength(3);
    const id = await night.bringIn(rows(6), { profile: priced({ [SONG]: 0.1 }) });
    await night.scheduler.setLimits({ night: { cost: { amount: 0.5, currency: 'EUR' } } });
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(5);
    expect(await pauseOf(night, id)).toMatchObject({ code: 'CAP_REACHED', data: { cap: 'night', spent: 0.5 } });
  });

  test('reserves what the gateway was seen to charge, once that is more than the price, after a kill as well', async () => {
    const night = new NightHarness();
    const dear = { amount: 0.5, currency: 'EUR' };
    night.gateway.onSubmit = (_, nth) => ({ ...accepted(`code-${nth}`), cost: dear });
    const one = { ...priced({ [SONG]: 0.1 }), limits: profileWith({ activePerFamily: { musicgen: 1 } }).limits };
    const id = await night.bringIn(rows(6), { profile: one, maxCost: { amount: 1.2, currency: 'EUR' } });
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(2);
    const why = await pauseOf(night, id);
    expect(why).toMatchObject({ code: 'CAP_REACHED', data: { lacks: 'cost', spent: 1 } });
    expect(why?.message).toContain(`0.50 EUR for ${SONG}`);
    const other = await night.bringIn(rows(3), { profile: one, maxCost: { amount: 0.4, currency: 'EUR' } });
    night.open();
    await goOn(night, [id, other]);
    expect(night.gateway.submits).toHaveLength(2);
  });

  test('lets a cheap row go that waits for a dear one, and pauses where only dear ones are left', async () => {
    const night = new NightHarness();
    const profile = priced({ [SONG]: 0.9, [FILM]: 0.1 });
    const text = [{ row: 'r1', path: { kind: 'task-code' as const }, text: 'r1.taskId' }];
    const cheap = row('after', 5, { operation: FILM, links: [{ column: 'prompt', value: { kind: 'text', text } }] });
    const id = await night.bringIn([...mixed('r', [SONG, SONG]), cheap], {
      profile,
      maxCost: { amount: 1, currency: 'EUR' },
    });
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(2);
    expect(await night.state(id)).toBe('paused');
  });
});

test('whatever ends the process and whatever the gateway answers, no limit is passed, not for a moment', async () => {
  const prices = fc.record({ song: fc.integer({ min: 1, max: 40 }), film: fc.integer({ min: 1, max: 40 }) });
  const plan = fc.record({
    prices,
    sheets: fc.array(fc.array(fc.constantFrom(SONG, FILM), { minLength: 1, maxLength: 12 }), {
      minLength: 1,
      maxLength: 3,
    }),
    requests: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    cents: fc.option(fc.integer({ min: 10, max: 300 }), { nil: undefined }),
    own: fc.option(fc.integer({ min: 10, max: 200 }), { nil: undefined }),
    answers: fc.array(fc.constantFrom('accepted', 'accepted', 'rejected', 'unknown', 'not-sent'), { minLength: 5 }),
    lives: fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ prices: { song, film }, sheets, requests, cents, own, answers, lives }) => {
      const night = new NightHarness();
      const profile = priced({ [SONG]: song / 100, [FILM]: film / 100 });
      const micros = { [SONG]: microsOf(song / 100), [FILM]: microsOf(film / 100) } as Record<string, number>;
      // As the gateway counts: what it was sent and has not refused.
      const charged: { readonly sheet: string; readonly micros: number }[] = [];
      const passed: string[] = [];
      const sumOf = (sheet?: string): number =>
        charged.filter((one) => sheet === undefined || one.sheet === sheet).reduce((all, one) => all + one.micros, 0);
      night.gateway.onSubmit = async ({ operation, body }, nth) => {
        const one = { sheet: /about (\w)/.exec(body)?.[1] ?? '', micros: micros[operation] ?? 0 };
        charged.push(one);
        if (requests !== undefined && charged.length > requests) passed.push('requests');
        if (cents !== undefined && sumOf() > cents * 10_000) passed.push('cost');
        if (own !== undefined && sumOf(one.sheet) > own * 10_000) passed.push('own cost');
        const answer = answers[(nth - 1) % answers.length];
        await Promise.resolve();
        if (answer === 'rejected' || answer === 'not-sent') charged.splice(charged.indexOf(one), 1);
        if (answer === 'rejected') return { outcome: { kind: 'rejected', failure: failure('INPUT_INVALID', 'no') } };
        if (answer === 'not-sent') return notSent();
        return answer === 'unknown' ? unknownOutcome() : accepted(`code-${nth}`);
      };
      const maxCost = own === undefined ? {} : { maxCost: { amount: own / 100, currency: 'EUR' } };
      const ids: string[] = [];
      for (const [i, operations] of sheets.entries()) {
        ids.push(await night.bringIn(mixed('abc'.charAt(i), operations), { profile, fuse: 0, ...maxCost }));
      }
      await night.scheduler.attach(ids[0] ?? '');
      await night.scheduler.setLimits({
        night: {
          ...(requests === undefined ? {} : { requests }),
          ...(cents === undefined ? {} : { cost: { amount: cents / 100, currency: 'EUR' } }),
        },
      });
      for (const submits of lives) {
        await Promise.all(ids.map((id) => night.scheduler.start(id)));
        const until = night.gateway.submits.length + submits;
        await night.clock.advanceUntil(() => night.gateway.submits.length >= until, 5 * MINUTE).catch(() => undefined);
        night.open();
      }
      await goOn(night, ids);
      expect(passed).toEqual([]);
      expect(night.bugs).toEqual([]);
      night.close();
    }),
    { numRuns: 10 },
  );
});

describe('the fuse of a gateway', () => {
  const failing = (code: 'REMOTE_FAILED' | 'MODERATED' | 'INPUT_INVALID') => ({
    outcome: { kind: 'rejected' as const, failure: failure(code, 'it says no') },
  });

  test('blows after five failures of one kind in a row, names them, and counts anew once it is resumed', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) => (nth === 3 ? accepted('code-3') : failing('REMOTE_FAILED'));
    const slow = profileWith({ activePerFamily: { musicgen: 1 } });
    const id = await night.bringIn(rows(30), { profile: slow });
    const other = await night.bringIn(rows(1, { operation: FILM }), { profile: slow });
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(9);
    expect(await pauseOf(night, id)).toMatchObject({
      code: 'FUSE_BLOWN',
      data: { of: 'REMOTE_FAILED', rows: ['r5', 'r6', 'r7', 'r8', 'r9'] },
    });
    await goOn(night, [id, other]);
    expect(night.gateway.submits.length).toBeGreaterThanOrEqual(14);
    expect(await pauseOf(night, id)).toMatchObject({ code: 'FUSE_BLOWN' });
  });

  test('lets rows be refused by moderation one after another, as long as most of the last 20 succeed', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) => (nth > 12 && nth <= 23 ? failing('MODERATED') : accepted(`code-${nth}`));
    const id = await night.bringIn(rows(40), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    await goOn(night, [id]);
    expect(night.gateway.submits).toHaveLength(23);
    expect((await pauseOf(night, id))?.message).toContain('11 of the last 20');
  });

  test('has the length that its batch gives it, or none', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => failing('INPUT_INVALID');
    const profile = profileWith({ activePerFamily: { musicgen: 1 } });
    const short = await night.bringIn(rows(10), { profile, fuse: 2 });
    await goOn(night, [short]);
    expect(night.gateway.submits).toHaveLength(2);
    const off = await night.bringIn(rows(30), { profile, fuse: 0 });
    await goOn(night, [off]);
    expect(night.gateway.submits).toHaveLength(32);
    // Longer than the window in which the share of failures counts for others.
    const long = await night.bringIn(rows(40), { profile, fuse: 30 });
    await goOn(night, [long]);
    expect(night.gateway.submits).toHaveLength(62);
    expect(await night.state(off)).toBe('finished');
  });

  test('is as long as its batch says even beside a batch that looks back less far', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => failing('INPUT_INVALID');
    const profile = profileWith({ activePerFamily: { musicgen: 1 } });
    const off = await night.bringIn(rows(40), { profile, fuse: 0 });
    const long = await night.bringIn(rows(40), { profile, fuse: 30 });
    await goOn(night, [off, long]);
    expect(await pauseOf(night, long)).toMatchObject({ code: 'FUSE_BLOWN' });
    expect(night.gateway.submits.length).toBeLessThanOrEqual(31);
  });
});
