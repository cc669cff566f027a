import { expect, test } from 'vitest';
import { WorkerCounts } from '../../../../src/cli/fleet/health/worker-counts.ts';
import type { BatchRecord } from '../../../../src/shared/domain/task/batch.ts';

test('accounts of one name are numbered, and none is named by what is made from its key', () => {
  const counts = new WorkerCounts();
  const lanes = ['https://a.example 1f2e', 'https://a.example 3c4d'];
  for (const [number, lane] of lanes.entries()) {
    const settings = { profile: { baseUrl: 'https://a.example', name: 'mine' } };
    counts.note({ laneName: () => lane }, { id: `b${number}`, settings } as unknown as BatchRecord);
  }
  const held = [...lanes, 'https://b.example 5a6b'].map((account) => ({ account, epoch: 1, until: 9, holder: 'w' }));
  counts.onTurn({ held, tookMs: 1, aheadMs: 0, isClockOff: false });
  const epochs = counts.metrics.find(({ name }) => name === 'nocturne_lease_epoch');
  const labels = [...(epochs?.samples ?? [])].map(({ labels: { account } = {} }) => account);
  expect(labels).toEqual(['mine', 'mine 2', 'unnamed']);
  expect(JSON.stringify(counts.metrics)).not.toMatch(/1f2e|3c4d|5a6b/u);
});
