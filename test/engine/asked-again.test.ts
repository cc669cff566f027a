import { describe, expect, test } from 'vitest';
import type { SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import { readLedger } from '../../src/engine/read-ledger.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { WEEKDAYS } from '../../src/shared/domain/task/schedule.ts';
import { NightHarness, rows } from '../support/night-harness.ts';
import { accepted, answerWith, notSent, rendered, unknownOutcome } from '../support/scripted-gateway.ts';
import { keyedNight, outcomesOf } from '../support/keyed-night.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

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
