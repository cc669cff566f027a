/** What a gateway has asked for holds for whoever has the account, and by the store's clock. */
import { expect, test } from 'vitest';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { FleetNight } from '../support/fleet-night.ts';
import { rows } from '../support/night-harness.ts';
import { accepted, RUNNING } from '../support/scripted-gateway.ts';

const GATEWAY = 'https://gateway.example/api';
const MINUTE = 60_000;

/** A gateway that has asked for ten minutes, and the worker that was told so. */
async function askedToWait() {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(3));
  await fleet.start(batchId);
  const gateway = fleet.gatewayAt(GATEWAY);
  const why = failure('RATE_LIMITED', 'slow down');
  gateway.onSubmit = () => ({ outcome: { kind: 'rate-limited', failure: why, retryAfterMs: 10 * MINUTE } });
  const first = await fleet.worker('w1');
  await fleet.clock.advanceUntil(() => gateway.submits.length > 0);
  await fleet.clock.advance(10_000);
  const sent = gateway.submits.length;
  gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
  return { fleet, batchId, gateway, first, sent };
}

test.each(['ends', 'is gone'])(
  'where a worker %s, the next one waits as long as its gateway has asked for',
  async (how) => {
    const { fleet, batchId, gateway, first, sent } = await askedToWait();
    const second = await fleet.worker('w2');
    if (how === 'ends') await first.end();
    else first.kill();
    await fleet.clock.advance(2 * MINUTE);
    expect(Object.values(await fleet.holders())).toEqual(['w2']);
    await fleet.clock.advance(7 * MINUTE);
    expect(gateway.submits).toHaveLength(sent);
    expect(second.scheduler.standing.heldUntil(batchId)).toBeGreaterThan(fleet.clock.now());
    await fleet.clock.advance(MINUTE);
    await fleet.untilFinished(batchId);
    expect(gateway.submits).toHaveLength(sent + 3);
    expect(fleet.bugs).toEqual([]);
  },
);

test('a process whose clock is wrong changes nothing of what waits', async () => {
  const { fleet, batchId } = await askedToWait();
  const waiting = async () => (await fleet.tasks(batchId)).map(({ dueAt }) => dueAt);
  const before = await waiting();
  const user = await fleet.worker('window', false, 0, -60 * MINUTE);
  await user.scheduler.attach(batchId);
  expect(await waiting()).toEqual(before);
});

test('a poll that finds a connection only once another worker has its account does not leave', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(1));
  await fleet.start(batchId);
  const gateway = fleet.gatewayAt(GATEWAY);
  gateway.onPoll = () => RUNNING;
  let connect: (() => void) | undefined;
  gateway.onPollConnect = () => new Promise((resolve) => (connect = resolve));
  const first = await fleet.worker('w1');
  await fleet.clock.advanceUntil(() => connect !== undefined);
  gateway.onPollConnect = undefined;
  first.isCutOff = true;
  await fleet.worker('w2');
  await fleet.clock.advanceUntil(async () => Object.values(await fleet.holders()).includes('w2'));
  const asked = gateway.polls.length;
  connect?.();
  await fleet.clock.advance(0);
  expect(gateway.polls).toHaveLength(asked);
  await fleet.clock.advance(MINUTE);
  expect(gateway.polls.length).toBeGreaterThan(asked);
  expect(fleet.bugs).toEqual([]);
});
