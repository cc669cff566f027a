/** An answer that comes after another worker has the account: what is certain in it counts, and nothing of it is lost. */
import { expect, test } from 'vitest';
import { failure } from '../../src/shared/domain/base/failure.ts';
import type { SubmitOutcome } from '../../src/shared/domain/gateway/submit-outcome.ts';
import { only } from '../contract/task-store-fixtures.ts';
import type { SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import { FleetNight } from '../support/fleet-night.ts';
import { rows } from '../support/night-harness.ts';
import { accepted, answerWith, notSent } from '../support/scripted-gateway.ts';

const GATEWAY = 'https://gateway.example/api';
const RAW = answerWith('late');
const refusal = (kind: 'rejected' | 'rate-limited' | 'held'): SubmitOutcome => ({
  kind,
  failure: failure('MODERATED', `said ${kind}`),
});

/** One row whose request is out at a worker that stands still until another one has made its outcome unknown. */
async function answeredLate(report: SubmitReport) {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(1), { maxSubmits: 2 });
  await fleet.start(batchId);
  const gateway = fleet.gatewayAt(GATEWAY);
  const first = await fleet.worker('w1');
  gateway.onSubmit = (_, nth) => {
    if (nth > 1) return accepted(`code-${nth}`);
    first.stop();
    return report;
  };
  await fleet.clock.advanceUntil(() => gateway.submits.length === 1);
  const second = await fleet.worker('w2');
  await fleet.clock.advance(60_000);
  expect(only((await fleet.tasks(batchId))[0]).status).toBe('submit-unknown');
  const task = async () => only((await fleet.tasks(batchId))[0]);
  return { fleet, batchId, gateway, first, second, task };
}

test.each([
  ['not sent', { ...notSent(), raw: RAW }, 'not-sent'],
  ['refused for now', { outcome: refusal('rate-limited'), raw: RAW }, 'rate-limited'],
] as const)(
  '%s: the row is sent by whoever has the account, and its first request is no charge',
  async (_, report, outcome) => {
    const { fleet, batchId, gateway, first, task } = await answeredLate(report);
    first.goOn();
    await fleet.clock.advance(5_000);
    if ((await fleet.state(batchId)) === 'finished') await fleet.start(batchId);
    await fleet.clock.advanceUntil(async () => (await task()).status === 'done', 10 * 60_000);
    expect(gateway.submits).toHaveLength(2);
    const attempts = await fleet.store.attempts((await task()).id);
    expect(attempts.map((one) => [one.outcome, one.raw?.httpStatus])).toEqual([
      [outcome, 200],
      ['accepted', undefined],
    ]);
    expect(await fleet.store.submitsUsed(batchId)).toBe(1);
    expect(fleet.bugs).toEqual([]);
  },
);

test('refused: the row has failed with the words of the gateway', async () => {
  const { fleet, batchId, gateway, first, task } = await answeredLate({ outcome: refusal('rejected'), raw: RAW });
  first.goOn();
  await fleet.clock.advance(5_000);
  expect(await task()).toMatchObject({ status: 'failed', failure: { message: 'said rejected' } });
  expect(await fleet.store.submitsUsed(batchId)).toBe(0);
  expect(gateway.submits).toHaveLength(1);
});

test('what excludes no charge is kept with the request, what it cost as well, and the user decides', async () => {
  const unknown: SubmitOutcome = { kind: 'unknown', failure: failure('SUBMIT_OUTCOME_UNKNOWN', 'broken off') };
  const cost = { amount: 3, currency: 'credits' };
  const { fleet, batchId, first, task } = await answeredLate({ outcome: unknown, raw: RAW, cost });
  first.goOn();
  await fleet.clock.advance(5_000);
  expect((await task()).status).toBe('submit-unknown');
  const [attempt] = await fleet.store.attempts((await task()).id);
  expect(attempt).toMatchObject({ outcome: 'interrupted', raw: RAW, cost });
  expect(await fleet.store.submitsUsed(batchId)).toBe(1);
  expect(fleet.bugs).toEqual([]);
});

test('a code keeps what came with it', async () => {
  const { fleet, first, task } = await answeredLate({ ...accepted('code-1'), raw: RAW });
  first.goOn();
  await fleet.clock.advance(5_000);
  expect(await task()).toMatchObject({ status: 'submit-unknown', taskCode: 'code-1' });
  expect(only((await fleet.store.attempts((await task()).id))[0]).raw).toEqual(RAW);
});

test('a request that was sent since is not settled by the answer to the one before', async () => {
  const { fleet, batchId, gateway, first, second, task } = await answeredLate({ ...notSent(), raw: RAW });
  gateway.onSubmit = () => new Promise(() => undefined);
  const user = await fleet.worker('window', false);
  await user.scheduler.attach(batchId);
  await user.scheduler.decide([{ taskId: (await task()).id, event: { kind: 'user-resubmit' } }]);
  await user.scheduler.start(batchId);
  await fleet.clock.advanceUntil(() => gateway.submits.length === 2);
  second.kill();
  await fleet.worker('w3');
  await fleet.clock.advance(60_000);
  first.goOn();
  await fleet.clock.advance(5_000);
  expect((await task()).status).toBe('submit-unknown');
  const attempts = await fleet.store.attempts((await task()).id);
  // The first one is no charge all the same.
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['not-sent', 'interrupted']);
  expect(gateway.submits).toHaveLength(2);
});
