import { describe, expect, test } from 'vitest';
import { failure, type FailureCode } from '../../src/shared/domain/base/failure.ts';
import type { BatchAccounts } from '../../src/shared/domain/task/accounts/account.ts';
import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import type { PollReport, SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import { nightOf, profileAt } from '../support/accounts-night.ts';
import { NightHarness, row, rows } from '../support/night-harness.ts';
import { accepted, notSent, rendered, RUNNING, unknownOutcome } from '../support/scripted-gateway.ts';

const MINUTE = 60_000;
const FILM: OperationPath = 'videogen-a/video/generate';

function held(code: FailureCode): SubmitReport {
  return { outcome: { kind: 'held', failure: failure(code, 'no') } };
}

const REFUSED: SubmitReport = { outcome: { kind: 'rejected', failure: failure('INPUT_INVALID', 'no') } };

async function pauseOf(night: NightHarness, id: string) {
  const pause = (await night.store.batch(id))?.pause;
  return pause?.by === 'failure' ? pause.failure.code : pause?.by;
}

describe('rows that were never sent', () => {
  test('go to the first account that has room, and to the next while it has none', async () => {
    const { night, gateways, settings, sent } = nightOf({ a: {}, b: { places: 3 } });
    gateways.a.onPoll = () => RUNNING;
    gateways.b.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(9), settings);
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    expect(sent()).toEqual({ a: ['r1', 'r2'], b: ['r3', 'r4', 'r5'] });
    gateways.a.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await night.clock.advance(20 * MINUTE);
    expect(sent()).toEqual({ a: ['r1', 'r2', 'r6', 'r7', 'r8', 'r9'], b: ['r3', 'r4', 'r5'] });
  });

  test('go to the one where they cost least, if the user wants that', async () => {
    const prices = { a: { price: 0.3 }, b: { price: 0.1, places: 1 } };
    const { night, gateways, settings, sent } = nightOf(prices, 'cheapest');
    gateways.a.onPoll = () => RUNNING;
    gateways.b.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(2), settings);
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    expect(sent()).toEqual({ a: ['r2'], b: ['r1'] });
  });

  test('go where their cell says, and wait for it', async () => {
    const { night, settings, sent } = nightOf({ a: {}, b: { places: 1 } });
    const pinned = [row('r1', 2, { account: 'b' }), row('r2', 3, { account: 'b' }), row('r3', 4, { account: 'a' })];
    const id = await night.bringIn(pinned, settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(sent()).toEqual({ a: ['r3'], b: ['r1', 'r2'] });
    expect(await night.state(id)).toBe('finished');
  });

  test('go elsewhere once one that could not be reached has sent nothing', async () => {
    const { night, gateways, settings } = nightOf({ a: { places: 1 }, b: {} });
    gateways.a.onSubmit = () => notSent();
    const id = await night.bringIn(rows(4), settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done', 'done']);
    expect(gateways.b.submits).toHaveLength(4);
  });

  test('go to the account that made the row that they refer to', async () => {
    const { night, gateways, settings, sent } = nightOf({ a: { places: 1 }, b: {} });
    gateways.a.onPoll = () => RUNNING;
    const part = { row: 'r2', path: { kind: 'task-code' }, text: '{{r2.taskId}}' } as const;
    const links = [{ column: 'title', value: { kind: 'text', text: [part] } }] as const;
    const id = await night.bringIn([row('r1', 2), row('r2', 3), row('r3', 4, { links })], settings);
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    gateways.a.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await night.untilRest(id);
    expect(sent().a).toEqual(['r1']);
    expect(gateways.b.submits).toHaveLength(2);
  });
});

describe('what was sent', () => {
  test('is polled and known where it was sent, also where two gateways give the same code', async () => {
    const { night, gateways, settings } = nightOf({ a: { places: 1 }, b: { places: 1 } });
    gateways.a.onSubmit = () => accepted('same');
    gateways.b.onSubmit = () => accepted('same');
    const id = await night.bringIn(rows(2), settings);
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => gateways.a.submits.length + gateways.b.submits.length === 2);
    night.open();
    await night.scheduler.attach(id);
    await night.clock.advance(10 * MINUTE);
    const [first, second] = await night.tasks(id);
    expect([first?.account, second?.account]).toEqual(['a', 'b']);
    expect((await night.store.attempts(second?.id ?? 0))[0]).toMatchObject({
      account: 'b',
      origin: 'https://b.example',
      keyFingerprint: 'key-of-b',
    });
  });

  test('and was accepted under the same code by two gateways is two tasks', async () => {
    const { night, gateways, settings } = nightOf({ a: { places: 1 }, b: { places: 1 } });
    gateways.a.onSubmit = () => accepted('same');
    gateways.b.onSubmit = () => accepted('same');
    const id = await night.bringIn(rows(2), settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done']);
    expect([gateways.a.polls.length > 0, gateways.b.polls.length > 0]).toEqual([true, true]);
  });

  test('and has an unknown outcome is never sent with another account, not even when it is resubmitted', async () => {
    const { night, gateways, settings, sent } = nightOf({ a: { places: 1 }, b: {} });
    gateways.a.onSubmit = (_, nth) => (nth === 1 ? unknownOutcome() : accepted(`a-${nth}`));
    const id = await night.bringIn(rows(6), settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(sent().b).not.toContain('r1');
    const [unknown] = await night.tasks(id);
    await night.scheduler.decide([{ taskId: unknown?.id ?? 0, event: { kind: 'user-resubmit' } }]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(sent().a.filter((name) => name === 'r1')).toHaveLength(2);
    expect(sent().b).not.toContain('r1');
  });

  test('and failed is retried where it failed', async () => {
    const { night, gateways, settings, sent } = nightOf({ a: {}, b: {} });
    gateways.a.onSubmit = () => REFUSED;
    const id = await night.bringIn(rows(1), settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    const [task] = await night.tasks(id);
    await night.scheduler.decide([{ taskId: task?.id ?? 0, event: { kind: 'user-retry' } }]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(sent()).toEqual({ a: ['r1', 'r1'], b: [] });
  });
});

describe('an account that is empty, refused or stopped', () => {
  test('stands still alone; the rest goes on, and what it refused waits for it', async () => {
    const { night, gateways, settings, sent } = nightOf({ a: { places: 1 }, b: {} });
    gateways.a.onSubmit = () => held('BALANCE_EXHAUSTED');
    const id = await night.bringIn(rows(8), settings);
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => gateways.b.submits.length >= 3);
    expect(await night.store.batch(id)).toMatchObject({
      state: 'running',
      stops: { a: { code: 'BALANCE_EXHAUSTED' } },
    });
    await night.untilRest(id);
    expect(sent()).toEqual({ a: ['r1'], b: ['r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8'] });
    expect([await pauseOf(night, id), await night.statuses(id)]).toEqual([
      'BALANCE_EXHAUSTED',
      ['queued', ...Array.from({ length: 7 }, () => 'done')],
    ]);
    gateways.a.onSubmit = () => accepted('topped-up');
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(sent().a).toEqual(['r1', 'r1']);
    expect(await night.store.batch(id)).toMatchObject({ state: 'finished' });
    expect((await night.store.batch(id))?.stops).toBeUndefined();
  });

  test('goes on alone where the user resumes it alone, in a batch that runs or is paused', async () => {
    const { night, gateways, settings, sent } = nightOf({ a: { places: 1 }, b: { places: 1 }, c: { places: 1 } });
    gateways.a.onSubmit = (_, nth) => (nth === 1 ? held('AUTH_REJECTED') : accepted(`a-${nth}`));
    gateways.b.onSubmit = () => held('BALANCE_EXHAUSTED');
    gateways.a.onPoll = () => RUNNING;
    gateways.c.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(9), settings);
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    const stopped = async () => Object.keys((await night.store.batch(id))?.stops ?? {}).toSorted();
    expect([await night.state(id), await stopped()]).toEqual(['running', ['a', 'b']]);
    await night.scheduler.start(id, undefined, false, ['a']);
    await night.clock.advance(MINUTE);
    expect([await night.state(id), await stopped(), sent().a.length, sent().b.length]).toEqual([
      'running',
      ['b'],
      2,
      1,
    ]);
    await night.scheduler.pauseByUser(id);
    await night.scheduler.start(id, undefined, false, ['c']);
    await night.clock.advance(MINUTE);
    expect([await night.state(id), await stopped(), sent().b.length]).toEqual(['running', ['b'], 1]);
  });

  test('stands still when a row of the others is tried again', async () => {
    const { night, gateways, settings } = nightOf({ a: { places: 1 }, b: {} });
    gateways.a.onSubmit = () => held('BALANCE_EXHAUSTED');
    gateways.b.onSubmit = (_, nth) => (nth === 1 ? REFUSED : accepted(`b-${nth}`));
    gateways.b.onPoll = (code, nth) => (nth < 30 ? RUNNING : rendered(`https://media.example/${code}.mp3`));
    const id = await night.bringIn(rows(4), settings);
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    const failed = (await night.tasks(id)).filter(({ status }) => status === 'failed');
    expect([await night.state(id), failed.length, gateways.a.submits.length]).toEqual(['running', 1, 1]);
    await night.scheduler.decide(failed.map(({ id: taskId }) => ({ taskId, event: { kind: 'user-retry' } })));
    await night.scheduler.start(id, undefined, true);
    await night.untilRest(id);
    expect([gateways.a.submits.length, gateways.b.submits.length]).toEqual([1, 4]);
    expect((await night.store.batch(id))?.stops).toMatchObject({ a: { code: 'BALANCE_EXHAUSTED' } });
  });

  test('is not tried again after a kill, before the user resumes', async () => {
    const { night, gateways, settings } = nightOf({ a: { places: 1 }, b: { places: 1 } });
    gateways.a.onSubmit = () => held('AUTH_REJECTED');
    gateways.b.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(5), settings);
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    night.open();
    await night.scheduler.attach(id);
    await night.clock.advance(5 * MINUTE);
    expect([gateways.a.submits.length, gateways.b.submits.length]).toEqual([1, 1]);
    expect(await night.state(id)).toBe('running');
  });

  test('pauses the batch together with the last of the others', async () => {
    const { night, gateways, settings } = nightOf({ a: {}, b: {} });
    gateways.a.onSubmit = () => held('AUTH_REJECTED');
    gateways.b.onSubmit = () => held('BALANCE_EXHAUSTED');
    const id = await night.bringIn(rows(9), settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    const { state, stops } = (await night.store.batch(id)) ?? {};
    expect([state, stops?.['a']?.code, stops?.['b']?.code]).toEqual(['paused', 'AUTH_REJECTED', 'BALANCE_EXHAUSTED']);
  });

  test('without a key is left out', async () => {
    const { night, gateways, settings } = nightOf({ a: {}, b: {} });
    night.keys.set('a', undefined);
    const id = await night.bringIn(rows(3), settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([gateways.a.submits.length, await night.statuses(id)]).toEqual([0, ['done', 'done', 'done']]);
    expect(await night.state(id)).toBe('finished');
  });

  test('whose polls are refused too does not keep the batch running through the morning', async () => {
    const { night, gateways, settings } = nightOf({ a: { places: 1 }, b: {} });
    const refused: PollReport = {
      answer: { kind: 'refused', means: 'auth', failure: failure('AUTH_REJECTED', 'expired') },
    };
    gateways.a.onPoll = () => refused;
    const id = await night.bringIn(rows(4), settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([await pauseOf(night, id), await night.statuses(id)]).toEqual([
      'AUTH_REJECTED',
      ['rendering', 'done', 'done', 'done'],
    ]);
  });

  test('blows its own fuse, and tries each kind of row for itself', async () => {
    const { night, gateways, settings } = nightOf({ a: { places: 1 }, b: { places: 1 } });
    gateways.a.onSubmit = (_, nth) => (nth === 1 ? accepted('a') : REFUSED);
    gateways.b.onPoll = (code, nth) => (nth < 30 ? RUNNING : rendered(`https://media.example/${code}.mp3`));
    const id = await night.bringIn(rows(20), { ...settings, canary: 'first' });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.store.batch(id))?.stops !== undefined);
    expect((await night.store.batch(id))?.stops).toMatchObject({ a: { code: 'FUSE_BLOWN' } });
    await night.untilRest(id);
    expect(gateways.a.submits).toHaveLength(6);
    expect(gateways.b.submits).toHaveLength(14);
  });
});

describe('limits', () => {
  test('of an account hold for it alone; the batch pauses once nothing fits anywhere', async () => {
    const { night, settings, sent } = nightOf({ a: { limit: { requests: 2 } }, b: { limit: { requests: 3 } } });
    const id = await night.bringIn(rows(8), settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([sent().a.length, sent().b.length, await pauseOf(night, id)]).toEqual([2, 3, 'CAP_REACHED']);
  });

  test('of an account and of its batch are both named', async () => {
    const { night, settings } = nightOf({ a: { limit: { requests: 2 } }, b: {} });
    const id = await night.bringIn(rows(3, { account: 'a' }), { ...settings, maxSubmits: 2 });
    await night.scheduler.start(id);
    await night.untilRest(id);
    const pause = (await night.store.batch(id))?.pause;
    expect(pause).toMatchObject({ failure: { code: 'CAP_REACHED', data: { cap: 'account', account: 'a', limit: 2 } } });
    expect(pause).toMatchObject({
      failure: { message: expect.stringMatching(/account.*This batch has used/) as string },
    });
  });

  test('of an account with rows of its own pause the batch, whatever the others could still do', async () => {
    const { night, settings, sent } = nightOf({ a: { limit: { requests: 1 } }, b: {} });
    const id = await night.bringIn(rows(3, { account: 'a' }), settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([sent(), await pauseOf(night, id)]).toEqual([{ a: ['r1'], b: [] }, 'CAP_REACHED']);
  });

  test('of a batch hold over all its accounts, each at its own price', async () => {
    const { night, settings, sent } = nightOf({ a: { price: 0.5, places: 1 }, b: { price: 0.2 } });
    const id = await night.bringIn(rows(9), { ...settings, maxCost: { amount: 1.2, currency: 'EUR' } });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(sent().a.length * 0.5 + sent().b.length * 0.2).toBeLessThanOrEqual(1.2);
    expect(await pauseOf(night, id)).toBe('CAP_REACHED');
  });

  test('in money leave what an account has no price for to the others', async () => {
    const { night, settings, sent } = nightOf({ a: {}, b: { price: 0.2 } });
    const id = await night.bringIn(rows(3), { ...settings, maxCost: { amount: 1, currency: 'EUR' } });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([sent().a.length, sent().b.length, await night.state(id)]).toEqual([0, 3, 'finished']);
  });

  test('in money that no account has a price for pause the batch before anything is sent', async () => {
    const { night, settings, sent } = nightOf({ a: { price: 0.1 }, b: {} });
    const films = [row('r1', 2, { operation: FILM })];
    const id = await night.bringIn(films, { ...settings, maxCost: { amount: 1, currency: 'EUR' } });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([sent(), await pauseOf(night, id)]).toEqual([{ a: [], b: [] }, 'PRICE_UNKNOWN']);
  });
});

test('two keys of one gateway are two accounts: each has its own places', async () => {
  const night = new NightHarness();
  night.gateway.onPoll = () => RUNNING;
  for (const name of ['a', 'b']) night.keys.set(name, `key-of-${name}`);
  const profile = profileAt('gateway');
  const accounts: BatchAccounts = {
    first: { name: 'a', keyName: 'a' },
    others: [{ name: 'b', keyName: 'b', profile }],
  };
  const id = await night.bringIn(rows(9), { profile, accounts });
  await night.scheduler.start(id);
  await night.clock.advance(MINUTE);
  const fingerprints = await Promise.all(
    (await night.tasks(id)).map(async ({ id: task }) => (await night.store.attempts(task))[0]?.keyFingerprint),
  );
  expect(fingerprints.filter((key) => key !== undefined)).toEqual(['key-of-a', 'key-of-a', 'key-of-b', 'key-of-b']);
});
