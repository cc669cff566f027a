import { describe, expect, test } from 'vitest';
import { WEEKDAYS, type Schedule } from '../../src/shared/domain/task/schedule.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { rendered, RUNNING } from '../support/scripted-gateway.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The clock of the harness begins at 22:00 UTC. */
const BEGIN = Date.UTC(2026, 0, 15, 22);
const DONE = (code: string) => rendered(`https://media.example/${code}`);

function within(from: string, to: string, more: Partial<Schedule> = {}): Schedule {
  return { windows: [{ from, to, days: WEEKDAYS }], zone: 'UTC', ...more };
}

/** A night that notes when each paid request left. */
function nightOf(): { readonly night: NightHarness; readonly sentAt: number[] } {
  const night = new NightHarness();
  const sentAt: number[] = [];
  const { onSubmit } = night.gateway;
  night.gateway.onSubmit = (...call) => {
    sentAt.push(night.clock.now() - BEGIN);
    return onSubmit(...call);
  };
  night.gateway.onPoll = DONE;
  return { night, sentAt };
}

describe('windows', () => {
  test('it waits for its window, and what runs is fetched after it', async () => {
    const { night, sentAt } = nightOf();
    const profile = profileWith({ requestsPerSecond: 1, activePerFamily: { musicgen: 1 } });
    let isOver = false;
    night.gateway.onPoll = (code) => (isOver ? DONE(code) : RUNNING);
    const id = await night.bringIn(rows(4), { profile, schedule: within('23:00', '23:30') });
    await night.scheduler.start(id);
    await night.clock.advance(59 * MINUTE);
    expect(sentAt).toEqual([]);
    expect(await night.state(id)).toBe('running');
    await night.clock.advance(61 * MINUTE);
    expect(sentAt).toHaveLength(1);
    expect(sentAt[0]).toBeGreaterThanOrEqual(HOUR);
    expect(sentAt[0]).toBeLessThan(HOUR + 2 * SECOND);
    // It is past 23:30, and the first is found to be done.
    isOver = true;
    await night.clock.advance(2 * HOUR);
    expect(await night.statuses(id)).toEqual(['done', 'queued', 'queued', 'queued']);
    expect(sentAt).toHaveLength(1);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done', 'done']);
    expect(sentAt.slice(1).every((at) => at >= 25 * HOUR && at < 25.5 * HOUR)).toBe(true);
  });

  test.each([
    ['a window that closes', (night: NightHarness) => night.clock.advance(HOUR)],
    ['the user’s pause', (night: NightHarness, id: string) => night.scheduler.pauseByUser(id)],
    ['a computer that goes to sleep', (night: NightHarness) => Promise.resolve(night.scheduler.sleep())],
  ])('%s holds back what still waits for a connection, and says nothing against the gateway', async (_, hold) => {
    const { night, sentAt } = nightOf();
    let connect = (): void => undefined;
    night.gateway.onConnect = () => new Promise((resolve) => (connect = resolve));
    const id = await night.bringIn(rows(1), { schedule: within('21:00', '22:30') });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'submitting');
    await hold(night, id);
    night.gateway.onConnect = undefined;
    connect();
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'queued');
    expect(sentAt).toEqual([]);
    expect(night.scheduler.standing.trouble(id)).toBeUndefined();
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(sentAt).toHaveLength(1);
  });

  test('one that is resumed outside of its window has its folder checked, and what was paid for is fetched', async () => {
    const { night, sentAt } = nightOf();
    let isOver = false;
    night.gateway.onPoll = (code) => (isOver ? DONE(code) : RUNNING);
    const id = await night.bringIn(rows(1), { schedule: within('22:00', '22:30') });
    await night.scheduler.start(id);
    await night.clock.advance(45 * MINUTE);
    expect(sentAt).toHaveLength(1);
    await night.scheduler.pauseByUser(id);
    await night.scheduler.start(id);
    isOver = true;
    await night.clock.advance(HOUR);
    expect(await night.statuses(id)).toEqual(['done']);
  });

  test('a window that closed while the machine slept is closed, also for what was about to leave', async () => {
    const { night, sentAt } = nightOf();
    let isAsleep = false;
    night.open((store) => ({
      ...store,
      commit: async (changes) => {
        const done = await store.commit(changes);
        if (isAsleep && changes.some(({ event }) => event.kind === 'submit-started')) {
          isAsleep = false;
          night.clock.jump(9 * HOUR);
        }
        return done;
      },
    }));
    const profile = profileWith({ requestsPerSecond: 0.2, activePerFamily: { musicgen: 9 } });
    const id = await night.bringIn(rows(3), { profile, schedule: within('21:00', '06:00') });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => sentAt.length === 1);
    isAsleep = true;
    await night.clock.advance(4 * HOUR);
    expect(sentAt).toHaveLength(1);
    expect(await night.statuses(id)).toEqual(['done', 'queued', 'queued']);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
    expect(sentAt.slice(1).every((at) => at >= 23 * HOUR && at < 24 * HOUR)).toBe(true);
  });

  test('the schedule is asked again right before an intent is committed', async () => {
    const { night, sentAt } = nightOf();
    let isLate = false;
    night.open((store) => ({
      ...store,
      nextToSubmit: async (...asked) => {
        const found = await store.nextToSubmit(...asked);
        if (isLate) night.clock.jump(2 * HOUR);
        return found;
      },
    }));
    const id = await night.bringIn(rows(2), { schedule: within('21:00', '23:00') });
    isLate = true;
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    isLate = false;
    expect(sentAt).toEqual([]);
    expect((await night.store.attempts(1)).length).toBe(0);
  });

  test('a schedule that is changed holds from that moment on', async () => {
    const { night, sentAt } = nightOf();
    const profile = profileWith({ requestsPerSecond: 1, activePerFamily: { musicgen: 99 } });
    const id = await night.bringIn(rows(60), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => sentAt.length === 5);
    await night.scheduler.configure(id, ({ settings }) => ({ ...settings, schedule: within('23:00', '23:30') }));
    const count = sentAt.length;
    await night.clock.advance(30 * MINUTE);
    expect(sentAt).toHaveLength(count);
    await night.scheduler.configure(id, ({ settings: before }) => {
      const { schedule: _, ...settings } = before;
      return settings;
    });
    await night.untilRest(id);
    expect(sentAt).toHaveLength(60);
  });

  test('a clock that was ahead and is set right counts at once', async () => {
    const { night, sentAt } = nightOf();
    const profile = profileWith({ requestsPerSecond: 0.1, activePerFamily: { musicgen: 99 } });
    night.clock.jump(2 * HOUR);
    const id = await night.bringIn(rows(9), { profile, schedule: within('23:30', '06:00') });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => sentAt.length === 2);
    night.clock.jump(-2 * HOUR);
    await night.clock.advance(HOUR);
    expect(sentAt).toHaveLength(2);
    await night.untilRest(id);
    expect(sentAt).toHaveLength(9);
  });

  test('it tells when it begins to wait, and when it goes on', async () => {
    const { night } = nightOf();
    let told = 0;
    const id = await night.bringIn(rows(2), { schedule: within('23:00', '23:30') });
    await night.scheduler.start(id);
    await night.clock.advance(30 * MINUTE);
    night.onBatchChanged = () => (told += 1);
    await night.clock.advance(29 * MINUTE);
    expect(told).toBe(0);
    await night.clock.advance(2 * MINUTE);
    expect(told).toBeGreaterThan(0);
  });
});

describe('the time to finish by', () => {
  test('nothing is submitted that would not be done by then, and the batch pauses with the rest', async () => {
    const { night, sentAt } = nightOf();
    // Music takes up to two minutes, as long as nothing else is known.
    const profile = profileWith({ requestsPerSecond: 50, activePerFamily: { musicgen: 1 } });
    night.gateway.onPoll = (code) => (night.clock.now() - BEGIN < 9 * MINUTE ? RUNNING : DONE(code));
    const id = await night.bringIn(rows(3), {
      profile,
      schedule: { windows: [], zone: 'UTC', finishBy: BEGIN + 10 * MINUTE },
    });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(sentAt).toHaveLength(1);
    expect(await night.statuses(id)).toEqual(['done', 'queued', 'queued']);
    expect(await night.store.batch(id)).toMatchObject({
      state: 'paused',
      pause: { failure: { code: 'FINISH_BY', data: { left: 2 } } },
    });
    // Another time, and it goes on.
    await night.scheduler.configure(id, ({ settings }) => ({
      ...settings,
      schedule: { windows: [], zone: 'UTC', finishBy: BEGIN + 5 * HOUR },
    }));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
  });

  test('what is quick enough goes before what would take too long', async () => {
    const { night } = nightOf();
    const profile = profileWith({ activePerFamily: { 'videogen-b': 1 } });
    const long = rows(1, { operation: 'videogen-a/video/generate', priority: 9 });
    const quick = rows(2, { operation: 'videogen-b/image/generate' }).map((row) => ({ ...row, id: `q${row.id}` }));
    // A video may take four minutes, a picture one.
    const schedule: Schedule = { windows: [], zone: 'UTC', finishBy: BEGIN + 3 * MINUTE };
    const id = await night.bringIn([...long, ...quick.map((row, i) => ({ ...row, line: i + 3 }))], {
      profile,
      schedule,
    });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['queued', 'done', 'done']);
    expect(await night.store.batch(id)).toMatchObject({ pause: { failure: { code: 'FINISH_BY', data: { left: 1 } } } });
  });

  test('a batch that is done in time ends as it always does', async () => {
    const { night } = nightOf();
    const id = await night.bringIn(rows(3), { schedule: within('21:00', '06:00', { finishBy: BEGIN + 3 * HOUR }) });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.state(id)).toBe('finished');
    await night.clock.advance(4 * HOUR);
    expect(await night.state(id)).toBe('finished');
  });
});

describe('several batches of one account', () => {
  async function startBoth(first: number, second: number) {
    const { night } = nightOf();
    const order: string[] = [];
    const { onSubmit } = night.gateway;
    night.gateway.onSubmit = (...given) => {
      order.push(/about (.)/.exec(Buffer.from(given[0].body).toString())?.[1] ?? '');
      return onSubmit(...given);
    };
    const profile = profileWith({ requestsPerSecond: 5, activePerFamily: { musicgen: 2 } });
    const named = (name: string) => rows(8).map((row) => ({ ...row, body: { prompt: `about ${name}` } }));
    const one = await night.bringIn(named('a'), { profile, priority: first });
    const two = await night.bringIn(named('b'), { profile, priority: second });
    await Promise.all([night.scheduler.start(one), night.scheduler.start(two)]);
    await Promise.all([night.untilRest(one), night.untilRest(two)]);
    return order.join('');
  }

  test('equal ones take turns', async () => {
    const order = await startBoth(0, 0);
    expect(order).toHaveLength(16);
    expect(order.slice(2)).toMatch(/^(?:(?:ab)+a?|(?:ba)+b?)+$/);
    expect(order.slice(0, 8).replaceAll('a', '').length).toBeGreaterThan(2);
  });

  test('one with a higher priority goes first', async () => {
    expect((await startBoth(0, 1)).slice(2)).toMatch(/^b{6,8}a+$/);
  });
});
