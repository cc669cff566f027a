/** What is believed about a gateway’s word that one key is one charge, and how that is tried. */
import { describe, expect, test } from 'vitest';
import type { SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import type { Limit } from '../../src/shared/domain/task/spending.ts';
import { profileWith, rows } from '../support/night-harness.ts';
import { accepted, answerWith, RUNNING, unknownOutcome, type SubmitSeen } from '../support/scripted-gateway.ts';
import { keyedNight, outcomesOf } from '../support/keyed-night.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

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
