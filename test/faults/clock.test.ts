import { listOf } from '../../src/shared/domain/base/result.ts';
import { describe, expect, test } from 'vitest';
import { auditCharges } from './charge-audit.ts';
import type { FaultNight } from './fault-night.ts';
import { openFaultNight, songRows } from './fault-night.ts';

const DAY_MS = 86_400_000;
const ROWS = 6;

const JUMPS = [
  { name: 'a day forward', ms: DAY_MS },
  { name: 'ten days forward', ms: 10 * DAY_MS },
  { name: 'a day back', ms: -DAY_MS },
  { name: 'an hour back', ms: -3_600_000 },
];

/** When the clock jumps: in the middle of what. */
const MOMENTS = [
  { name: 'while everything renders', isSo: rendersThree },
  { name: 'while a submit waits to be sent', isSo: waitsToBeSent },
  { name: 'while a download waits to be tried again', isSo: waitsToBeFetched },
] as const;

describe.concurrent.each(JUMPS)('the wall clock jumps $name', { timeout: 60_000 }, ({ ms }) => {
  test.for(MOMENTS)('$name: the night goes on as if nothing had happened', async ({ isSo }, context) => {
    const night = await openFaultNight(context, {
      rows: songRows(ROWS),
      plan: (kind, nth) => (kind === 'download' && nth <= 2 ? { kind: 'reset', at: 'request' } : undefined),
    });
    const { engine, batchId, clock, proxy } = night;
    if (isSo === waitsToBeSent) proxy.refuse();
    await engine.start(batchId);
    await night.until(async () => isSo(night));
    const jumpedAt = clock.monotonic();
    clock.jump(ms);
    if (isSo === waitsToBeSent) await proxy.accept();
    await engine.settled(batchId);
    expect(await auditCharges(night)).toMatchObject({
      charges: ROWS,
      duplicates: [],
      losses: [],
      statuses: { done: ROWS },
    });
    expect(clock.monotonic() - jumpedAt).toBeLessThan(20 * 60_000);
    expect(night.bugs).toEqual([]);
  });
});

async function rendersThree({ engine, batchId }: FaultNight): Promise<boolean> {
  return (await listOf(engine.store.tasksByStatus(['rendering'], batchId))).length >= 3;
}

async function waitsToBeSent({ engine, batchId }: FaultNight): Promise<boolean> {
  return (await listOf(engine.store.tasksByStatus(['queued'], batchId))).some(({ setbacks }) => setbacks > 0);
}

async function waitsToBeFetched({ engine, batchId }: FaultNight): Promise<boolean> {
  const tasks = await listOf(engine.store.tasksByStatus(['downloading'], batchId));
  return tasks.some(({ outputs }) => outputs.some(({ tries }) => tries > 0));
}
