import { describe, expect, test } from 'vitest';
import type { SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { readLedger } from '../../src/engine/read-ledger.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import type { Limit } from '../../src/shared/domain/task/spending.ts';
import { WEEKDAYS } from '../../src/shared/domain/task/schedule.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import {
  accepted,
  answerWith,
  notSent,
  rendered,
  RUNNING,
  unknownOutcome,
  type SubmitSeen,
} from '../support/scripted-gateway.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Told = SubmitReport | Promise<SubmitReport>;

/** A night at a gateway that, by its profile, keeps keys of requests. */
function keyedNight(idempotency: Partial<Profile['idempotency']> = {}) {
  const night = new NightHarness();
  const keys = new Map<string, string>();
  const charges: SubmitSeen[] = [];
  /** As a gateway does that keeps its word; without, every request is charged. */
  const take = (seen: SubmitSeen): string => {
    const code = keys.get(seen.key ?? '') ?? `code-${charges.length + 1}`;
    if (!keys.has(seen.key ?? '')) charges.push(seen);
    if (seen.key !== undefined) keys.set(seen.key, code);
    return code;
  };
  const again = (report: SubmitReport): SubmitReport => ({ ...report, again: 'settles' });
  /** Loses the answers to these requests, by their number. */
  const losing = (isLost: (nth: number) => boolean) => {
    night.gateway.onSubmit = (seen, nth): Told => {
      const isAgain = keys.has(seen.key ?? '');
      const code = take(seen);
      if (isLost(nth)) return unknownOutcome();
      return isAgain ? again(accepted(code)) : accepted(code);
    };
  };
  const profile: Profile = {
    ...profileWith({ activePerFamily: { musicgen: 1 } }),
    idempotency: { header: 'Idempotency-Key', onDuplicate: 'replay', keepHours: 24, ...idempotency },
  };
  return { night, charges, take, again, losing, profile };
}

const outcomesOf = async (night: NightHarness, task: { readonly id: number } | undefined) =>
  (await night.store.attempts(task?.id ?? 0)).map(({ outcome }) => outcome);

describe('a request whose answer was lost', () => {
  test('is sent once more under its key with the same bytes, and is one charge', async () => {
    const { night, charges, losing, profile } = keyedNight();
    losing((nth) => nth % 5 === 1);
    const id = await night.bringIn(rows(10), { profile });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.state(id)).toBe('finished');
    expect(await night.statuses(id)).toEqual(Array(10).fill('done'));
    expect(charges).toHaveLength(10);
    expect(await night.store.submitsUsed(id)).toBe(10);
    const [first] = await night.tasks(id);
    const [paid, ...sentAgain] = await outcomesOf(night, first);
    expect([paid, ...new Set(sentAgain)]).toEqual(['accepted', 'asked-again']);
    const { submits } = night.gateway;
    const [lost] = submits;
    const same = submits.filter(({ key }) => key === lost?.key);
    expect(same).toEqual(Array(1 + sentAgain.length).fill(lost));
    expect(new Set(submits.map(({ key }) => key)).size).toBe(10);
    expect(first?.attempts).toBe(1);
  });

  test('is sent again after growing pauses, and never once the gateway no longer knows its key', async () => {
    const { night, profile } = keyedNight({ keepHours: 3 });
    const at: number[] = [];
    const began = night.clock.now();
    night.gateway.onSubmit = () => {
      at.push(night.clock.now() - began);
      // The gateway answers, only not about this: no fuse blows.
      return at.length === 1
        ? unknownOutcome()
        : { outcome: { kind: 'rate-limited', failure: failure('RATE_LIMITED', 'slow') }, again: 'nothing' };
    };
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['submit-unknown']);
    expect(at.at(-1)).toBeLessThan(3 * HOUR);
    expect(at.map((ms) => Math.round(ms / MINUTE))).toEqual([0, 1, 3, 13, 44, 105, 167]);
    const [task] = await night.tasks(id);
    expect(task).not.toHaveProperty('again');
    expect(await night.store.submitsUsed(id)).toBe(1);
  });

  test('is not sent again where the profile does not say that keys are kept', async () => {
    const { night, losing } = keyedNight();
    losing((nth) => nth === 1);
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['submit-unknown']);
    expect(night.gateway.submits).toHaveLength(1);
    expect(night.gateway.submits[0]).not.toHaveProperty('key');
  });

  test('found after a kill in its submit, or in being sent again, is sent again', async () => {
    const { night, charges, take, losing, profile } = keyedNight();
    night.gateway.onSubmit = (seen) => {
      take(seen);
      return new Promise(() => undefined);
    };
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
    night.open();
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 2);
    night.open();
    losing(() => false);
    await night.scheduler.attach(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(charges).toHaveLength(1);
    const [task] = await night.tasks(id);
    expect(await outcomesOf(night, task)).toEqual(['accepted', 'asked-again', 'asked-again']);
  });

  test('found waiting after a kill, is sent again when it is due', async () => {
    const { night, charges, losing, profile } = keyedNight();
    losing((nth) => nth === 1);
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'submit-unknown');
    night.open();
    await night.scheduler.attach(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect([charges.length, night.gateway.submits.length]).toEqual([1, 2]);
  });

  test('waits behind a pause and for the account that sent it', async () => {
    const { night, charges, losing, profile } = keyedNight();
    losing((nth) => nth === 1);
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
    await night.scheduler.pauseByUser(id);
    await night.clock.advance(2 * HOUR);
    expect(night.gateway.submits).toHaveLength(1);
    night.key = 'another account';
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(1);
    expect((await night.tasks(id))[0]?.failure?.message).toContain('another account key');
    expect([charges.length, await night.statuses(id)]).toEqual([1, ['submit-unknown']]);
  });

  test('can be settled by the user meanwhile', async () => {
    const { night, losing, profile } = keyedNight();
    losing((nth) => nth === 1);
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'submit-unknown');
    const [task] = await night.tasks(id);
    await night.scheduler.decide([{ taskId: task?.id ?? 0, event: { kind: 'written-off' } }]);
    await night.untilRest(id);
    expect([await night.statuses(id), night.gateway.submits.length]).toEqual([['failed'], 1]);
  });
});

describe('an answer that says nothing about the first time', () => {
  const refusal = (code: 'AUTH_REJECTED' | 'BALANCE_EXHAUSTED'): SubmitReport => ({
    outcome: { kind: 'held', failure: failure(code, 'no') },
    again: 'nothing',
  });

  test.each([
    ['before it is sent again', false],
    ['while it waits for its connection to be sent again', true],
  ])('is not sent while the computer sleeps: %s', async (_, isConnecting) => {
    const { night, charges, losing, profile } = keyedNight();
    losing((nth) => nth === 1);
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'submit-unknown');
    let connect: (() => void) | undefined;
    if (isConnecting) {
      night.gateway.onConnect = () => new Promise((resolve) => (connect = resolve));
      await night.clock.advanceUntil(() => Promise.resolve(connect !== undefined));
      night.gateway.onConnect = undefined;
    }
    night.scheduler.sleep();
    connect?.();
    await night.clock.advance(110_000);
    expect(night.gateway.submits).toHaveLength(1);
    expect(night.scheduler.standing.trouble(id)).toBeUndefined();
    night.scheduler.wake();
    await night.untilRest(id);
    expect([await night.statuses(id), night.gateway.submits.length, charges.length]).toEqual([['done'], 2, 1]);
  });

  test.each([['AUTH_REJECTED'], ['BALANCE_EXHAUSTED']] as const)('%s pauses, and leaves it unknown', async (code) => {
    const { night, charges, take, again, profile } = keyedNight();
    night.gateway.onSubmit = (seen, nth) => {
      const taskCode = take(seen);
      if (nth === 1) return unknownOutcome();
      return nth === 2 ? refusal(code) : again(accepted(taskCode));
    };
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['submit-unknown']);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code } } });
    expect(await night.store.submitsUsed(id)).toBe(1);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([await night.statuses(id), charges.length]).toEqual([['done'], 1]);
  });

  test('a request that could not leave stays unknown, and is no new one', async () => {
    const { night, charges, take, again, profile } = keyedNight();
    night.gateway.onSubmit = (seen, nth) => {
      if (nth === 2) return notSent();
      const taskCode = take(seen);
      return nth === 1 ? unknownOutcome() : again(accepted(taskCode));
    };
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([await night.statuses(id), charges.length]).toEqual([['done'], 1]);
    expect(new Set(night.gateway.submits.map(({ key }) => key)).size).toBe(1);
  });

  test('a refusal of its bytes settles it: nothing was charged', async () => {
    const { night, profile } = keyedNight();
    night.gateway.onSubmit = (_, nth) =>
      nth === 1
        ? unknownOutcome()
        : { outcome: { kind: 'rejected', failure: failure('INPUT_INVALID', 'too long') }, again: 'settles' };
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['failed']);
    expect(await night.store.submitsUsed(id)).toBe(0);
  });
});

/** A gateway that charges every request, whatever its key. */
function forgetful(night: NightHarness) {
  const charges: string[] = [];
  night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
  night.gateway.onSubmit = (_, nth) => {
    charges.push(`code-${nth}`);
    const isLost = nth === 1;
    return isLost ? unknownOutcome() : { ...accepted(`code-${nth}`), again: 'settles' };
  };
  return charges;
}

describe('what holds back new requests only', () => {
  test('a reached limit: what was sent settles itself, and whoever waits for the batch waits for that', async () => {
    const { night, charges, losing, profile } = keyedNight();
    losing((nth) => nth === 3);
    const id = await night.bringIn(rows(5), { profile, maxSubmits: 3 });
    await night.scheduler.start(id);
    const isSettled = night.scheduler.settled(id);
    await night.untilRest(id);
    expect(await night.store.batch(id)).toMatchObject({ pause: { failure: { code: 'CAP_REACHED' } } });
    expect((await night.statuses(id))[2]).toBe('submit-unknown');
    await night.clock.advance(MINUTE);
    await isSettled;
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done', 'queued', 'queued']);
    expect([charges.length, night.gateway.submits.length]).toEqual([3, 4]);
  });

  test('a held row keeps no run from its end, waits for the user, and settles itself once it is released', async () => {
    const { night, charges, losing, profile } = keyedNight();
    losing((nth) => nth === 1);
    const id = await night.bringIn(rows(2), { profile });
    await night.scheduler.start(id);
    const statusOfFirst = async () => (await night.statuses(id))[0];
    await night.clock.advanceUntil(async () => (await statusOfFirst()) === 'submit-unknown');
    const [first] = await night.tasks(id);
    const say = async (kind: 'put-on-hold' | 'released') =>
      night.scheduler.decide([{ taskId: first?.id ?? 0, event: { kind } }]);
    await say('put-on-hold');
    const isSettled = night.scheduler.settled(id);
    const began = night.clock.now();
    await night.untilRest(id);
    await isSettled;
    expect(night.clock.now() - began).toBeLessThan(HOUR);
    expect([await night.state(id), await night.statuses(id)]).toEqual(['finished', ['submit-unknown', 'done']]);
    // It counts as what needs the user.
    expect(await night.opened.views.batchSummary(id)).not.toHaveProperty('settling');
    const ledger = await readLedger(night.opened, { batchId: id }, { now: night.clock.now(), isAtWork: true });
    expect(ledger?.fallen).toMatchObject([{ group: 'held', takes: 1 }]);
    await night.clock.advance(2 * HOUR);
    expect(night.gateway.submits).toHaveLength(2);
    await say('released');
    await night.clock.advance(MINUTE);
    expect([await night.statuses(id), charges.length]).toEqual([['done', 'done'], 2]);
  });

  test('a window that closes', async () => {
    const { night, charges, losing, profile } = keyedNight();
    losing((nth) => nth === 1);
    const windows = [{ from: '22:00', to: '22:01', days: WEEKDAYS }];
    const id = await night.bringIn(rows(1), { profile, schedule: { windows, zone: 'UTC' } });
    await night.clock.advance(45_000);
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    expect([await night.statuses(id), charges.length]).toEqual([['done'], 1]);
  });

  test('a poll that proves a named task code costs nothing, and is not held back by the user, either', async () => {
    const { night, profile } = keyedNight({ onDuplicate: 'reject' });
    night.gateway.onSubmit = (_, nth) =>
      nth === 1 ? unknownOutcome() : { outcome: unknownOutcome().outcome, again: 'duplicate', seenTaskCode: 'theirs' };
    const { onPoll } = night.gateway;
    const away = { kind: 'error', failure: failure('GATEWAY_UNAVAILABLE', 'away') } as const;
    night.gateway.onPoll = (code, nth) => (nth === 1 ? { answer: away } : onPoll(code, nth));
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.tasks(id))[0]?.again?.asks === 2);
    await night.scheduler.pauseByUser(id);
    await night.clock.advance(HOUR);
    expect(await night.statuses(id)).toEqual(['done']);
  });
});

describe('a key that the gateway may have forgotten', () => {
  const lostAndPaused = async () => {
    const { night, profile } = keyedNight();
    const charges = forgetful(night);
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'submit-unknown');
    await night.scheduler.pauseByUser(id);
    await night.clock.advance(30 * HOUR);
    return { night, charges, id };
  };
  const goneOn = async ({ night, charges, id }: Awaited<ReturnType<typeof lostAndPaused>>) => {
    night.open();
    await night.scheduler.start(id);
    await night.clock.advance(5 * HOUR);
    const [task] = await night.tasks(id);
    return {
      charges: charges.length,
      status: task?.status,
      isClock: task?.failure?.message.includes('the clock was set back'),
    };
  };
  const notSentAgain = { charges: 1, status: 'submit-unknown', isClock: true };

  test('is not used after the clock was set back behind the moment it was sent', async () => {
    const lost = await lostAndPaused();
    lost.night.clock.jump(-48 * HOUR);
    expect(await goneOn(lost)).toEqual(notSentAgain);
  });

  test('is not used after the clock was set back by less, behind what was noted since', async () => {
    const lost = await lostAndPaused();
    const other = await lost.night.bringIn(rows(1));
    await lost.night.scheduler.start(other);
    await lost.night.untilRest(other);
    lost.charges.pop();
    lost.night.clock.jump(-29 * HOUR);
    expect(await goneOn(lost)).toEqual(notSentAgain);
  });

  test('is used after a correction of the clock by less than what is kept in reserve', async () => {
    const { night, charges, losing, profile } = keyedNight();
    losing((nth) => nth === 1);
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'submit-unknown');
    night.clock.jump(-5 * MINUTE);
    night.open();
    await night.scheduler.attach(id);
    await night.untilRest(id);
    expect([await night.statuses(id), charges.length]).toEqual([['done'], 1]);
  });

  test('is not used at another path of the same origin', async () => {
    const { night, profile } = keyedNight();
    forgetful(night);
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'submit-unknown');
    await night.scheduler.configure(id, ({ settings }) => ({
      ...settings,
      profile: { ...profile, baseUrl: 'https://gateway.example/us/api' },
    }));
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(1);
    expect((await night.tasks(id))[0]?.failure?.message).toContain('it was sent to https://gateway.example/api');
  });
});

describe('a gateway that refuses duplicates', () => {
  const duplicate = (seenTaskCode?: string): SubmitReport => ({
    outcome: { kind: 'unknown', failure: failure('SUBMIT_OUTCOME_UNKNOWN', 'duplicate request') },
    again: 'duplicate',
    ...(seenTaskCode === undefined ? {} : { seenTaskCode }),
  });

  test('and names the task code: a poll proves it', async () => {
    const { night, profile } = keyedNight({ onDuplicate: 'reject' });
    night.gateway.onSubmit = (_, nth) => (nth === 1 ? unknownOutcome() : duplicate('theirs'));
    const { onPoll } = night.gateway;
    night.gateway.onPoll = (code, nth) =>
      nth === 1 ? { answer: { kind: 'error', failure: failure('GATEWAY_UNAVAILABLE', 'away') } } : onPoll(code, nth);
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect((await night.tasks(id))[0]?.taskCode).toBe('theirs');
    expect(night.gateway.submits).toHaveLength(2);
  });

  test('without a task code: it is known to be charged, and the user decides', async () => {
    const { night, profile } = keyedNight({ onDuplicate: 'reject' });
    night.gateway.onSubmit = (_, nth) => (nth === 1 ? unknownOutcome() : duplicate());
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.untilRest(id);
    const [task] = await night.tasks(id);
    expect(task).toMatchObject({ status: 'submit-unknown', failure: { data: { isCharged: true } } });
    expect(task?.failure?.message).toContain('that one was accepted and charged');
    expect(night.gateway.submits).toHaveLength(2);
  });
});

describe('the fuse', () => {
  test('does not blow over unknowns that settle themselves, but holds new requests until one is answered', async () => {
    const { night, charges, take, again, profile } = keyedNight();
    const seen = new Set<string>();
    night.gateway.onSubmit = (one) => {
      const taskCode = take(one);
      const isFirst = !seen.has(one.key ?? '');
      seen.add(one.key ?? '');
      return isFirst && seen.size <= 3 ? unknownOutcome() : again(accepted(taskCode));
    };
    const id = await night.bringIn(rows(9), { profile });
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE / 4);
    expect(night.gateway.submits).toHaveLength(3);
    await night.untilRest(id);
    expect([await night.state(id), charges.length]).toEqual(['finished', 9]);
    expect(await night.statuses(id)).toEqual(Array(9).fill('done'));
  });

  test('blows when requests that are sent again get no answer either', async () => {
    const { night, profile } = keyedNight();
    night.gateway.onSubmit = () => unknownOutcome();
    const id = await night.bringIn(rows(9), { profile });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'FUSE_BLOWN' } } });
    expect(await night.store.submitsUsed(id)).toBe(3);
  });
});

describe('silence', () => {
  const isInProgress: SubmitReport = {
    outcome: { kind: 'unknown', failure: failure('SUBMIT_OUTCOME_UNKNOWN', 'it is in progress') },
    again: 'nothing',
    raw: { ...answerWith('null'), httpStatus: 409 },
  };

  test.each([
    ['an answer that leaves it open', isInProgress],
    ['silence over one request', unknownOutcome()],
  ])('%s blows no fuse', async (_, answer) => {
    const { night, charges, take, again, profile } = keyedNight();
    night.gateway.onSubmit = (seen, nth) => {
      const taskCode = take(seen);
      if (nth === 1) return unknownOutcome();
      return seen.body.includes('r1"') && nth < 8 ? answer : again(accepted(taskCode));
    };
    const id = await night.bringIn(rows(3), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.filter(({ body }) => body.includes('r1"')).length > 4);
    await night.untilRest(id);
    expect([await night.state(id), charges.length]).toEqual(['finished', 3]);
  });

  test('over three requests stops what is sent again, too, until the user goes on', async () => {
    const { night, profile } = keyedNight();
    night.gateway.onSubmit = () => unknownOutcome();
    const id = await night.bringIn(rows(9), { profile });
    await night.scheduler.start(id);
    await night.untilRest(id);
    const sent = night.gateway.submits.length;
    await night.clock.advance(5 * HOUR);
    expect(night.gateway.submits).toHaveLength(sent);
    night.open();
    await night.scheduler.attach(id);
    await night.clock.advance(5 * HOUR);
    expect(night.gateway.submits).toHaveLength(sent);
    await night.scheduler.start(id);
    await night.clock.advance(HOUR);
    expect(night.gateway.submits.length).toBeGreaterThan(sent);
  });
});

test('a request that cannot leave for long is tried soon after, and was not asked in vain', async () => {
  const { night, charges, take, again, profile } = keyedNight();
  let isOffline = true;
  night.gateway.onSubmit = (seen, nth) => {
    if (nth > 1 && isOffline) return notSent();
    const taskCode = take(seen);
    return nth === 1 ? unknownOutcome() : again(accepted(taskCode));
  };
  const id = await night.bringIn(rows(1), { profile });
  await night.scheduler.start(id);
  await night.clock.advance(50 * MINUTE);
  isOffline = false;
  await night.clock.advance(2 * MINUTE);
  expect([await night.statuses(id), charges.length]).toEqual([['done'], 1]);
});

test('two task codes for one key pause the night, and no request is sent again there', async () => {
  const { night, profile: keyed } = keyedNight();
  const profile = { ...keyed, prices: { 'musicgen/music/generate': { amount: 0.5, currency: 'USD' } } };
  night.gateway.onPoll = () => RUNNING;
  night.gateway.onSubmit = (_, nth) =>
    nth === 1
      ? { outcome: { ...unknownOutcome().outcome, kind: 'unknown', taskCode: 'first' } as SubmitReport['outcome'] }
      : { ...accepted(`other-${nth}`), again: 'settles' };
  const id = await night.bringIn(rows(1), { profile });
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(await night.store.batch(id)).toMatchObject({ pause: { failure: { code: 'GATEWAY_PROTOCOL' } } });
  const [task] = await night.tasks(id);
  expect(task?.failure?.message).toContain('first and other-2');
  // Both were charged, and both count.
  expect(await outcomesOf(night, task)).toEqual(['unknown', 'unknown']);
  const price = { amount: 0.5, currency: 'USD' };
  expect((await night.store.attempts(task?.id ?? 0)).map((attempt) => attempt.price)).toEqual([price, price]);
  expect(await night.store.submitsUsed(id)).toBe(2);
  expect(await night.store.idempotencyProofs()).toMatchObject([{ header: 'idempotency-key', verdict: 'refuted' }]);
  const more = await night.bringIn(rows(1), { profile });
  night.gateway.onSubmit = () => unknownOutcome();
  await night.scheduler.start(more);
  await night.untilRest(more);
  expect(night.gateway.submits.at(-1)).not.toHaveProperty('key');
  expect(await night.statuses(more)).toEqual(['submit-unknown']);
});

describe('a gateway that broke its word', () => {
  const lostAs = (taskCode: string): SubmitReport => ({
    outcome: { ...unknownOutcome().outcome, kind: 'unknown', taskCode } as SubmitReport['outcome'],
  });
  const isAbout = ({ body }: SubmitSeen, nth: number): boolean => body.includes(`r${nth}"`);
  const twoRows = async (wrap: (store: TaskStore) => TaskStore = (store) => store) => {
    const { night, profile: keyed } = keyedNight();
    night.open(wrap);
    const profile = { ...keyed, limits: { ...keyed.limits, activePerFamily: profileWith().limits.activePerFamily } };
    const id = await night.bringIn(rows(2), { profile });
    night.gateway.onPoll = () => RUNNING;
    return { night, id };
  };

  test('is not believed again because of one answer that kept it', async () => {
    const { night, id } = await twoRows();
    const answers: ((report: SubmitReport) => void)[] = [];
    night.gateway.onSubmit = (seen, nth) => {
      if (nth <= 2) return lostAs(isAbout(seen, 1) ? 'a' : 'b');
      return new Promise((resolve) => answers.push(resolve));
    };
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => answers.length === 2);
    answers[0]?.({ ...accepted('another'), again: 'settles' });
    await night.untilRest(id);
    answers[1]?.({ ...accepted('b'), again: 'settles' });
    await night.clock.advance(MINUTE);
    expect(await night.store.idempotencyProofs()).toMatchObject([{ verdict: 'refuted' }]);
  });

  test('may have charged each request that was sent again without an answer, before and after', async () => {
    const { night, id } = await twoRows();
    const asks: ((report: SubmitReport) => void)[] = [];
    let answered = 0;
    night.gateway.onSubmit = (seen, nth) => {
      if (nth <= 2) return isAbout(seen, 1) ? unknownOutcome() : lostAs('b');
      if (isAbout(seen, 1) && answered++ > 0) return new Promise((resolve) => asks.push(resolve));
      if (isAbout(seen, 1)) return { ...unknownOutcome(), raw: answerWith('null') };
      return asks.length === 0 ? unknownOutcome() : { ...accepted('another'), again: 'settles' };
    };
    await night.scheduler.start(id);
    await night.untilRest(id);
    const [first, second] = await night.tasks(id);
    // What is under way says so itself, once it has ended.
    expect((await outcomesOf(night, first)).slice(0, 3)).toEqual(['unknown', 'unknown', 'asked-again']);
    expect(new Set(await outcomesOf(night, second))).toEqual(new Set(['unknown']));
    asks[0]?.(unknownOutcome());
    await night.clock.advance(MINUTE);
    expect(await outcomesOf(night, first)).toEqual(['unknown', 'unknown', 'unknown']);
    const all = night.gateway.submits.length;
    expect(await night.store.submitsUsed(id)).toBe(all);
    expect((await night.store.spending(night.clock.now(), [id])).month.requests).toBe(all);
  });

  test('is known to have done so whenever the process ends after its answer was committed', async () => {
    let isKilled = false;
    const { night, id } = await twoRows((store) => ({
      ...store,
      commit: async (changes) => {
        if (isKilled) return new Promise(() => undefined);
        isKilled = changes.some(({ next }) => next.failure?.data?.['twoTaskCodes'] !== undefined);
        return store.commit(changes);
      },
    }));
    night.gateway.onSubmit = (seen, nth) =>
      nth <= 2 ? lostAs(isAbout(seen, 1) ? 'a' : 'b') : { ...accepted(`another-${nth}`), again: 'settles' };
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => isKilled);
    night.open();
    expect(await night.store.idempotencyProofs()).toMatchObject([{ verdict: 'refuted' }]);
  });

  test('gets no request whose intent was being committed meanwhile', async () => {
    let answered: () => void = () => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      answered = resolve;
    });
    let asks = 0;
    const { night, id } = await twoRows((store) => ({
      ...store,
      commit: async (changes) => {
        if (changes.some(({ openAttempt }) => openAttempt?.isAgain === true) && ++asks === 2) await isAnswered;
        return store.commit(changes);
      },
    }));
    night.gateway.onSubmit = (seen, nth) => {
      if (nth <= 2) return lostAs(isAbout(seen, 1) ? 'a' : 'b');
      setTimeout(answered);
      return { ...accepted(`another-${nth}`), again: 'settles' };
    };
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.state(id)) === 'paused');
    await night.scheduler.start(id);
    await night.clock.advance(HOUR);
    expect(night.gateway.submits).toHaveLength(3);
    expect(await night.statuses(id)).toEqual(['submit-unknown', 'submit-unknown']);
    expect((await night.tasks(id))[1]?.failure?.message).toContain('found to charge twice');
  });
});

describe('a batch that tries the keys of its gateway', () => {
  const probing = async (second: (first: string) => SubmitReport) => {
    const { night, profile } = keyedNight();
    night.gateway.onSubmit = (seen, nth) => {
      const first = night.gateway.submits.findIndex(({ key }) => key === seen.key) + 1;
      return first === nth ? accepted(`code-${nth}`) : second(`code-${first}`);
    };
    const id = await night.bringIn(rows(2), { profile, probe: true });
    await night.scheduler.start(id);
    await night.untilRest(id);
    return { night, id };
  };

  test('sends one request twice, and no other', async () => {
    const { night, id } = await probing((code) => ({ ...accepted(code), again: 'settles' }));
    expect(night.gateway.submits).toHaveLength(3);
    expect(await night.statuses(id)).toEqual(['done', 'done']);
    expect(await night.store.idempotencyProofs()).toMatchObject([{ verdict: 'passed' }]);
    expect(await night.store.submitsUsed(id)).toBe(2);
  });

  test('fetches what is paid for, and sends nothing twice any more, where both were charged', async () => {
    const { night, id } = await probing(() => ({ ...accepted('another'), again: 'settles' }));
    expect(await night.store.batch(id)).toMatchObject({ pause: { failure: { code: 'GATEWAY_PROTOCOL' } } });
    await night.clock.advance(HOUR);
    const [task] = await night.tasks(id);
    expect(task).toMatchObject({ status: 'done', taskCode: 'code-1' });
    expect(await outcomesOf(night, task)).toEqual(['accepted', 'unknown']);
    expect(await night.store.submitsUsed(id)).toBe(2);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done']);
    expect(night.gateway.submits).toHaveLength(3);
  });

  test('fetches what is paid for where the second answer was lost', async () => {
    const { night, id } = await probing(() => unknownOutcome());
    expect((await night.statuses(id))[0]).toBe('done');
    expect(await night.store.idempotencyProofs()).toEqual([]);
    // It may have been charged, too.
    const [task] = await night.tasks(id);
    expect(await outcomesOf(night, task)).toEqual(['accepted', 'unknown']);
    expect(await night.store.submitsUsed(id)).toBe(4);
  });

  /** A probe and another batch at the same gateway, which charges each request, with these limits for a night. */
  const besideProbe = async (limit: Limit, price?: number) => {
    const { night, profile } = keyedNight();
    const amount = price === undefined ? {} : { [rows(1)[0]?.operation ?? '']: { amount: price, currency: 'EUR' } };
    const { limits } = profileWith({ activePerFamily: { musicgen: 4 } });
    const priced: Profile = { ...profile, limits, prices: amount };
    const probe = await night.bringIn(rows(1), { profile: priced, probe: true, maxSubmits: 2 });
    const other = await night.bringIn(rows(5), { profile: priced });
    night.gateway.onSubmit = (_, nth) => ({ ...accepted(`code-${nth}`), again: 'settles' });
    await night.scheduler.attach(probe);
    await night.scheduler.setLimits({ night: limit });
    return { night, probe, other };
  };

  test.each([
    ['requests', { requests: 3 }, undefined],
    ['money', { cost: { amount: 0.8, currency: 'EUR' } }, 0.25],
  ])('reserves both charges in a limit of %s, so that others leave room for the second', async (_, limit, price) => {
    const { night, probe, other } = await besideProbe(limit, price);
    await Promise.all([probe, other].map((id) => night.scheduler.start(id)));
    await night.clock.advance(HOUR);
    expect(night.gateway.submits).toHaveLength(3);
    expect(await night.store.idempotencyProofs()).toMatchObject([{ verdict: 'refuted' }]);
    expect((await night.store.spending(night.clock.now(), [])).night.requests).toBe(3);
  });

  test.each([
    ['You allow 1 for one night, and 0 of them are used', { requests: 1 }, undefined],
    ['a probe, which may be charged twice, does not fit', { cost: { amount: 0.3, currency: 'EUR' } }, 0.25],
  ])('is refused where both charges do not fit: %s', async (words, limit, price) => {
    const { night, probe } = await besideProbe(limit, price);
    await night.scheduler.start(probe);
    await night.clock.advance(HOUR);
    expect(night.gateway.submits).toHaveLength(0);
    const pause = (await night.store.batch(probe))?.pause;
    expect(pause).toMatchObject({ failure: { code: 'CAP_REACHED', data: { cap: 'night' } } });
    expect(pause?.by === 'failure' && pause.failure.message).toContain(words);
  });

  test('keeps the second reserve across a kill, frees it once the gateway has kept its word, and asks no third time', async () => {
    const { night, probe, other } = await besideProbe({ requests: 4 });
    night.gateway.onSubmit = (_, nth) => (nth === 1 ? accepted('code-1') : new Promise(() => undefined));
    await night.scheduler.start(probe);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 2);
    const spent = async () => (await night.store.spending(night.clock.now(), [probe])).batches.get(probe)?.spent;
    expect((await spent())?.requests).toBe(2);
    night.open();
    night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
    await night.scheduler.attach(probe);
    expect((await spent())?.requests).toBe(2);
    await night.scheduler.start(other);
    await night.clock.advance(HOUR);
    expect(await night.statuses(probe)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(4);
    night.gateway.onSubmit = (_, nth) => (nth === 5 ? accepted('code-5') : { ...accepted('code-5'), again: 'settles' });
    await night.scheduler.setLimits({ night: { requests: 6 } });
    const { settings } = (await night.store.batch(probe)) ?? {};
    const next = await night.bringIn(rows(1), { ...settings });
    await night.scheduler.start(next);
    await night.untilRest(next);
    expect((await night.store.spending(night.clock.now(), [next])).batches.get(next)?.spent.requests).toBe(1);
    expect((await night.store.spending(night.clock.now(), [])).night.requests).toBe(5);
  });
});
