/** A batch that joins the night of a worker while the store is away. */
import { expect, test } from 'vitest';
import { only } from '../contract/task-store-fixtures.ts';
import { profileAt } from '../support/accounts-night.ts';
import { FleetNight } from '../support/fleet-night.ts';
import { rows } from '../support/night-harness.ts';
import { RUNNING, rendered } from '../support/scripted-gateway.ts';

test('what is at the gateway is taken up all the same once the store is back', async () => {
  const fleet = new FleetNight();
  const profile = profileAt('a1');
  const gateway = fleet.gatewayAt(profile.baseUrl);
  gateway.onPoll = () => RUNNING;
  const batchId = await fleet.bringIn(rows(1), { profile });
  await fleet.start(batchId);
  const former = await fleet.worker('w0');
  await fleet.clock.advanceUntil(async () => (await fleet.tasks(batchId))[0]?.status === 'rendering');
  const user = await fleet.worker('window', false);
  await user.scheduler.attach(batchId);
  const taskId = only((await fleet.tasks(batchId))[0]).id;
  await user.scheduler.decide([{ taskId, event: { kind: 'cancel-requested' } }]);
  await fleet.untilFinished(batchId);
  await former.end();
  // Another batch at the same account keeps it with the worker.
  const other = await fleet.bringIn(rows(1), { profile });
  await fleet.start(other);
  const worker = await fleet.worker('w1');
  await fleet.clock.advanceUntil(async () => (await fleet.tasks(other))[0]?.status === 'rendering');
  await user.scheduler.decide([{ taskId, event: { kind: 'user-retry' } }]);
  worker.lost.add('tasksByStatus');
  await user.scheduler.start(batchId);
  await fleet.clock.advance(5_000);
  worker.lost.clear();
  gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
  await fleet.untilFinished(batchId, 3_600_000);
  expect((await fleet.tasks(batchId)).map(({ status, taskCode }) => [status, taskCode])).toEqual([['done', 'code-1']]);
  expect(fleet.sent()).toHaveLength(2);
});
