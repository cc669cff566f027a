import { expect, test } from 'vitest';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { rendered, RUNNING } from '../support/scripted-gateway.ts';

const MINUTE = 60_000;

const PROFILE: Profile = {
  ...profileWith(),
  balance: { path: '/account', field: 'result.credits', currency: 'credits' },
};

/** A night of half an hour. */
function longNight() {
  const night = new NightHarness();
  const began = night.clock.now();
  night.gateway.onPoll = () =>
    night.clock.now() - began < 32 * MINUTE ? RUNNING : rendered('https://media.example/1.mp3');
  return night;
}

test('the balance is asked for at the start, every few minutes, and after the end', async () => {
  const night = longNight();
  night.gateway.onBalance = (nth) => ({ balance: { amount: 20 - nth, currency: 'credits' } });
  const id = await night.bringIn(rows(1), { profile: PROFILE });
  expect(await night.scheduler.balance({ profile: PROFILE })).toMatchObject({ balance: { amount: 19 } });
  await night.scheduler.start(id);
  await night.clock.advance(12 * MINUTE);
  expect(night.gateway.balances).toBeLessThanOrEqual(4);
  await night.untilRest(id);
  await night.clock.advance(MINUTE);
  expect(night.gateway.balances).toBeGreaterThanOrEqual(7);
  expect(night.gateway.balances).toBeLessThanOrEqual(9);
  const last = night.scheduler.standing.balanceOf(id);
  expect(last).toMatchObject({ balance: { amount: 20 - night.gateway.balances } });
  const asked = night.gateway.balances;
  await night.clock.advance(60 * MINUTE);
  expect(night.gateway.balances).toBe(asked);
});

test('a balance that cannot be had stops nothing', async () => {
  const night = longNight();
  night.gateway.onBalance = () => ({ problem: 'HTTP 500' });
  const id = await night.bringIn(rows(1), { profile: PROFILE });
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(await night.statuses(id)).toEqual(['done']);
  expect(night.scheduler.standing.balanceOf(id)).toMatchObject({ problem: 'HTTP 500' });
});

test('a gateway whose profile says nothing of a balance is not asked', async () => {
  const night = new NightHarness();
  const id = await night.bringIn(rows(1));
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(await night.scheduler.balance({ profile: profileWith() })).toBeUndefined();
  expect([night.gateway.balances, night.scheduler.standing.balanceOf(id)]).toEqual([0, undefined]);
});
