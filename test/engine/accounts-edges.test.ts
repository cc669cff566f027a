import { describe, expect, test } from 'vitest';
import type { PollReport, SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import { present } from '../../src/shared/domain/base/result.ts';
import { withLimitsByName, withProfiles } from '../../src/shared/domain/task/accounts/account.ts';
import { nightOf, profileAt } from '../support/accounts-night.ts';
import { row, rows, type NightHarness } from '../support/night-harness.ts';
import { accepted, rendered, RUNNING, unknownOutcome } from '../support/scripted-gateway.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FILM: OperationPath = 'videogen-a/video/generate';
const REFUSED: SubmitReport = { outcome: { kind: 'rejected', failure: failure('INPUT_INVALID', 'no') } };
const KEY_REFUSED = failure('AUTH_REJECTED', 'expired');

async function pauseOf(night: NightHarness, id: string) {
  const pause = (await night.store.batch(id))?.pause;
  return pause?.by === 'failure' ? pause.failure.code : pause?.by;
}

describe('a kind whose first failed on one account', () => {
  const tried = { canary: 'first' } as const;

  test('goes on where another may take it', async () => {
    const { night, gateways, settings } = nightOf({ a: {}, b: {} });
    gateways.a.onSubmit = () => REFUSED;
    const id = await night.bringIn(rows(6), { ...settings, ...tried });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([gateways.a.submits.length, gateways.b.submits.length]).toEqual([1, 5]);
    expect(await night.state(id)).toBe('finished');
  });

  test('pauses the batch once all that is left of it may go nowhere else', async () => {
    const { night, gateways, settings } = nightOf({ a: {}, b: {} });
    gateways.a.onSubmit = () => REFUSED;
    const pinned = [5, 6].map((n) => row(`r${n}`, n + 1, { account: 'a' }));
    const id = await night.bringIn([...rows(4), ...pinned], { ...settings, ...tried });
    await night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advance(MINUTE);
    expect([gateways.a.submits.length, gateways.b.submits.length]).toEqual([1, 3]);
    expect(await night.statuses(id)).toEqual(['failed', 'done', 'done', 'done', 'queued', 'queued']);
    expect(await pauseOf(night, id)).toBe('CANARY_FAILED');
  });

  test('pauses the batch if it failed on all of them', async () => {
    const { night, gateways, settings } = nightOf({ a: {}, b: {} });
    for (const gateway of [gateways.a, gateways.b]) gateway.onSubmit = () => REFUSED;
    const id = await night.bringIn(rows(6), { ...settings, ...tried });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([gateways.a.submits.length, gateways.b.submits.length, await pauseOf(night, id)]).toEqual([
      1,
      1,
      'CANARY_FAILED',
    ]);
  });
});

test('a batch pauses if all that an account could still take costs more than is left for it, and the other stands still', async () => {
  const euros = (amount: number) => ({ amount, currency: 'EUR' });
  const { night, gateways, settings } = nightOf({ a: { limit: { cost: euros(0.2) } }, b: { price: 0.1 } });
  gateways.b.onSubmit = () => ({ outcome: { kind: 'held', failure: KEY_REFUSED } });
  const prices = { 'musicgen/music/generate': euros(0.1), [FILM]: euros(0.5) };
  const profile = { ...settings.profile, prices };
  const all = [row('r1', 2, { account: 'b' }), row('r2', 3, { account: 'a', operation: FILM })];
  const id = await night.bringIn(all, { ...settings, profile } as typeof settings);
  await night.scheduler.start(id);
  await night.clock.advance(10 * MINUTE);
  expect([gateways.a.submits.length, await pauseOf(night, id)]).toEqual([0, 'AUTH_REJECTED']);
});

test('a batch pauses if each of its accounts runs, and what each could still take costs more than is left for it', async () => {
  const limit = { cost: { amount: 1, currency: 'EUR' } };
  const { night, gateways, settings } = nightOf({ a: { limit }, b: { limit } });
  const { profile = profileAt('a'), accounts } = settings;
  const price = (amount: number) => ({ amount, currency: 'EUR' });
  // Each has room for what only the other one may render.
  const prices = {
    a: { 'musicgen/music/generate': price(5), [FILM]: price(0.1) },
    b: { 'musicgen/music/generate': price(0.1), [FILM]: price(5) },
  } as const;
  const priced = withProfiles({ profile, ...present({ accounts }) }, ({ name, profile: own }) => ({
    ...own,
    prices: name === 'a' ? prices.a : prices.b,
  }));
  const pinned = [row('r1', 2, { account: 'a' }), row('r2', 3, { account: 'b', operation: FILM })];
  const id = await night.bringIn(pinned, { ...settings, ...priced });
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect([gateways.a.submits.length, gateways.b.submits.length]).toEqual([0, 0]);
  expect(await pauseOf(night, id)).toBe('CAP_REACHED');
});

test('no limit pauses the batch while the other account only waits to know what became of its requests', async () => {
  const { night, gateways, settings } = nightOf({ a: { places: 3 }, b: { limit: { requests: 1 } } });
  gateways.a.onSubmit = ({ body }, nth) => (nth <= 3 ? unknownOutcome() : accepted(body));
  const profile = {
    ...settings.profile,
    idempotency: { header: 'Idempotency-Key', onDuplicate: 'replay', keepHours: 24 },
  };
  const id = await night.bringIn(rows(9), { ...settings, profile } as typeof settings);
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect([gateways.b.submits.length, await night.state(id)]).toEqual([1, 'finished']);
});

test('what one account cannot be asked about does not keep tasks of another from being overdue', async () => {
  const { night, gateways, settings } = nightOf({ a: { places: 1 }, b: { places: 1 } });
  gateways.a.onPoll = () => RUNNING;
  const refused: PollReport = { answer: { kind: 'refused', means: 'auth', failure: KEY_REFUSED } };
  gateways.b.onPoll = () => refused;
  const id = await night.bringIn(rows(2), settings);
  await night.scheduler.start(id);
  await night.clock.advance(30 * HOUR);
  expect(await night.statuses(id)).toEqual(['failed', 'rendering']);
});

test('limits of accounts that are changed at rest hold from the next request on', async () => {
  const limit = { requests: 1 };
  const { night, gateways, settings } = nightOf({ a: { limit }, b: { limit } });
  const id = await night.bringIn(rows(4), settings);
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect([gateways.a.submits.length, gateways.b.submits.length, await pauseOf(night, id)]).toEqual([
    1,
    1,
    'CAP_REACHED',
  ]);
  const more = new Map(['a', 'b'].map((name) => [name, { requests: 2 }]));
  await night.scheduler.configure(id, ({ settings: now }) => withLimitsByName(now, more));
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect([gateways.a.submits.length, gateways.b.submits.length, await night.state(id)]).toEqual([2, 2, 'finished']);
});

test('accounts that are chosen before the start get the rows of a batch that the night knows with one', async () => {
  const { night, settings, sent } = nightOf({ a: { places: 1 }, b: { places: 1 } });
  const id = await night.bringIn(rows(4), present({ profile: settings.profile }));
  await night.scheduler.attach(id);
  await night.scheduler.configure(id, (batch) => ({ ...batch.settings, ...settings }));
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect([await night.state(id), sent().a.length + sent().b.length]).toEqual(['finished', 4]);
  expect(sent().a.length * sent().b.length).toBeGreaterThan(0);
});

test('each account says what it has left, where its gateway does', async () => {
  const { night, gateways, settings } = nightOf({ a: { places: 1 }, b: { places: 1 }, c: { places: 1 } });
  for (const [name, amount] of [['a', 4] as const, ['b', 7] as const])
    gateways[name].onBalance = () => ({ balance: { amount, currency: 'credits' } });
  const balance = { path: '/account', field: 'left', currency: 'credits' } as const;
  const telling = withProfiles({ profile: profileAt('a'), ...settings }, ({ name, profile }) =>
    name === 'c' ? profile : { ...profile, balance },
  );
  const id = await night.bringIn(rows(6), telling);
  await night.scheduler.start(id);
  await night.untilRest(id);
  const left = (name?: string) => night.scheduler.standing.balanceOf(id, name)?.balance?.amount;
  expect([left('a'), left('b'), left('c'), left()]).toEqual([4, 7, undefined, 4]);
});

test('each account learns for itself how long its gateway renders; two keys of one gateway learn together', async () => {
  const { night, gateways, settings } = nightOf({ quick: { places: 1 }, slow: { places: 1 } });
  const takes = { quick: 2, slow: 11 } as const;
  for (const [name, minutes] of Object.entries(takes) as ['quick' | 'slow', number][]) {
    const since = new Map<string, number>();
    gateways[name].onPoll = (code) => {
      const began = since.get(code) ?? night.clock.now();
      since.set(code, began);
      const isDone = night.clock.now() - began >= minutes * MINUTE;
      return isDone ? rendered(`https://media.example/${code}.mp3`) : RUNNING;
    };
  }
  const operation: OperationPath = 'musicgen/music/generate';
  const id = await night.bringIn(rows(8), settings);
  await night.scheduler.start(id);
  await night.untilRest(id);
  const learned = (account?: string, of = id) => night.store.completions(of, operation, '', account);
  const [quick, slow] = [await learned('quick'), await learned('slow')];
  expect([quick.length + slow.length, Math.min(quick.length, slow.length) > 0]).toEqual([8, true]);
  expect([quick.every((ms) => ms < 8 * MINUTE), slow.every((ms) => ms > 8 * MINUTE)]).toEqual([true, true]);

  // What each has learned belongs to its gateway, whatever the account is called in another batch, and whoever comes first.
  const { profile = profileAt('quick'), accounts } = settings;
  const other = accounts?.others[0]?.profile ?? profile;
  const swapped = {
    profile: other,
    accounts: {
      first: { name: 'quick', keyName: 'slow' },
      others: [
        { name: 'slow', keyName: 'quick', profile },
        { name: 'second key', keyName: 'second', profile: other },
      ],
    },
  };
  const next = await night.bringIn(rows(1), swapped);
  expect([await learned('quick', next), await learned('slow', next), await learned('second key', next)]).toEqual([
    slow,
    quick,
    slow,
  ]);
  // A batch with one of them alone forecasts and polls by its own times.
  const alone = await night.bringIn(rows(1), present({ profile }));
  expect(await learned(undefined, alone)).toEqual(quick);
});
