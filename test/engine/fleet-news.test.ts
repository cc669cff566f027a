/** What another process does to the same batches counts here, too, even if this one hears of it late. */
import { expect, test } from 'vitest';
import { gatewayKey } from '../../src/shared/domain/task/batch.ts';
import { FleetNight } from '../support/fleet-night.ts';
import { only } from '../contract/task-store-fixtures.ts';
import { profileWith, rows } from '../support/night-harness.ts';
import { unknownOutcome } from '../support/scripted-gateway.ts';

const GATEWAY = 'https://gateway.example/api';

test('a request is not sent again under its key once another process has found that its gateway charges twice', async () => {
  const fleet = new FleetNight();
  const idempotency = { header: 'Idempotency-Key', onDuplicate: 'replay', keepHours: 24 } as const;
  const batchId = await fleet.bringIn(rows(1), { profile: { ...profileWith(), idempotency } });
  await fleet.start(batchId);
  const gateway = fleet.gatewayAt(GATEWAY);
  gateway.onSubmit = () => unknownOutcome();
  await fleet.worker('w1');
  await fleet.clock.advanceUntil(async () => (await fleet.tasks(batchId))[0]?.status === 'submit-unknown');
  const sent = gateway.submits.length;
  const task = only((await fleet.tasks(batchId))[0]);
  const { settings } = only(await fleet.store.batch(batchId));
  const at = fleet.clock.now();
  // As with the answer to a request of another process.
  const proof = { gateway: gatewayKey(batchId, settings), header: 'idempotency-key', verdict: 'refuted', at } as const;
  const next = { ...task, revision: task.revision + 1 };
  const event = { kind: 'code-offered', taskCode: 'code-1' } as const;
  const change = { expectedRevision: task.revision, next, event, at, proof };
  expect(await fleet.store.commit([change])).toEqual(['committed']);
  await fleet.clock.advance(3 * 3_600_000);
  expect(gateway.submits).toHaveLength(sent);
  expect(only((await fleet.tasks(batchId))[0]).failure?.message).toContain('charge twice');
  expect(fleet.bugs).toEqual([]);
});
