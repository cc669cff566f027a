import { expect, test } from 'vitest';
import { workerLines, workersOf } from '../../../../src/cli/fleet/workers-view.ts';
import type { BatchRecord } from '../../../../src/shared/domain/task/batch.ts';

const NOON = new Date(2026, 10, 23, 12, 0).getTime();

function batch(
  state: BatchRecord['state'],
  ...accounts: readonly (readonly [name: string, baseUrl: string])[]
): BatchRecord {
  const [first, ...others] = accounts.map(([name, baseUrl]) => ({ name, profile: { name, baseUrl } }));
  const settings = { rehearsal: false, profile: first?.profile, accounts: { first: { name: first?.name }, others } };
  return { id: 'b1', state, settings } as unknown as BatchRecord;
}

const BATCH = batch(
  'running',
  ['main', 'https://a.example/api'],
  ['one', 'https://b.example'],
  ['two', 'https://b.example'],
);
const worker = (holder: string) => ({ holder, wishes: [], since: NOON, seen: NOON + 57_000 });
const lease = (holder: string, account: string) => ({ holder, account, epoch: 3, until: NOON });

test('workers are shown by the names that they were given, and accounts by those that are certain', () => {
  const fleet = {
    at: NOON + 60_000,
    workers: [worker('night shift 0f3'), { ...worker('b 77'), clockAheadMs: -47_000 }],
    leases: [lease('night shift 0f3', 'https://a.example 12ab'), lease('night shift 0f3', 'https://b.example 9f')],
  };
  const workers = workersOf(fleet, [BATCH]);
  expect(workers.map(({ name, accounts }) => [name, accounts])).toEqual([
    ['night shift', ['main', 'https://b.example 9f']],
    ['b', []],
  ]);
  expect(workerLines(workers, fleet.at, [BATCH])).toEqual([
    'worker night shift: since 2026-11-23 12:00, heard of 3 s ago · holds main, https://b.example 9f',
    'worker b: since 2026-11-23 12:00, heard of 3 s ago · holds no account · takes nothing: its clock is off by 47 s',
  ]);
});

test('that nobody works is said, and what to do about it where something waits', () => {
  expect(workerLines([], NOON, [batch('finished', ['main', 'https://a.example'])])).toEqual([
    'No worker is running on this store.',
  ]);
  expect(workerLines([], NOON, [BATCH, BATCH])).toEqual([
    'No worker is running on this store, and 2 batches wait for one. Start one with: nocturne worker --store URL --key-file FILE',
  ]);
});
