import { expect, test } from 'vitest';
import { WorkerStanding } from '../../../../src/cli/fleet/health/worker-standing.ts';
import { failure } from '../../../../src/shared/domain/base/failure.ts';
import type { BatchRecord } from '../../../../src/shared/domain/task/batch.ts';

const LEASE_MS = 10_000;
const WELL = { held: [], tookMs: 3, aheadMs: 40, isClockOff: false };

function batch(pause?: BatchRecord['pause']): BatchRecord {
  return { id: 'b1', ...(pause === undefined ? {} : { pause }) } as BatchRecord;
}

test('a worker is well once the store has answered, and until it has not for most of a lease', () => {
  const standing = new WorkerStanding(LEASE_MS);
  expect(standing.healthAt(0)).toMatchObject({ isWell: false, reasons: ['The store has not answered yet'] });
  standing.turned(WELL, 1_000);
  expect(standing.healthAt(7_000)).toEqual({ isWell: true, reasons: [], briefly: [] });
  standing.turned({ problem: new Error('connection refused') }, 7_000);
  expect(standing.healthAt(7_000).isWell).toBe(true);
  expect(standing.healthAt(7_001)).toEqual({
    isWell: false,
    reasons: ['The store was last heard of 6 s ago: connection refused'],
    briefly: ['The store was last heard of 6 s ago'],
  });
  standing.turned(WELL, 8_000);
  expect(standing.healthAt(8_000).isWell).toBe(true);
});

test('a worker whose clock is off, whose folder takes no files or that ends says so', () => {
  const standing = new WorkerStanding(LEASE_MS);
  standing.turned({ ...WELL, aheadMs: -61_400, isClockOff: true }, 0);
  expect(standing.healthAt(0).reasons).toEqual([
    'The clock of this machine is 61 s behind the store’s, so no account is taken. Set it right.',
  ]);
  standing.turned(WELL, 0);
  standing.noted(batch({ by: 'failure', failure: failure('DISK_DENIED', 'Another folder is there.') }));
  expect(standing.healthAt(0).reasons).toEqual(['The batch b1 waits for its folder: Another folder is there.']);
  expect(standing.healthAt(0).briefly).toEqual(['The batch b1 waits for its folder']);
  standing.noted(batch({ by: 'failure', failure: failure('BALANCE_EXHAUSTED', 'No money.') }));
  expect(standing.healthAt(0).isWell).toBe(true);
  standing.ends();
  expect(standing.healthAt(0).reasons).toEqual(['The worker is ending: nothing new is sent.']);
});
