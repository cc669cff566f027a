import { describe, expect, test } from 'vitest';
import type { SubmitReport } from '../../src/engine/ports.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { accepted, notSent, RUNNING, unknownOutcome, type SubmitSeen } from '../support/scripted-gateway.ts';

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

test('two task codes for one key pause the night, and no request is sent again there', async () => {
  const { night, profile } = keyedNight();
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
  expect(await night.store.idempotencyProofs()).toMatchObject([{ header: 'idempotency-key', verdict: 'refuted' }]);
  const more = await night.bringIn(rows(1), { profile });
  night.gateway.onSubmit = () => unknownOutcome();
  await night.scheduler.start(more);
  await night.untilRest(more);
  expect(night.gateway.submits.at(-1)).not.toHaveProperty('key');
  expect(await night.statuses(more)).toEqual(['submit-unknown']);
});
