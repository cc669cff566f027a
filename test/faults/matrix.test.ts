import { listOf } from '../../src/shared/domain/base/result.ts';
import { afterAll, describe, expect, test } from 'vitest';
import type { NetworkFault, RequestKind } from '../support/fault-proxy-faults.ts';
import { REQUEST_KINDS } from '../support/fault-proxy-faults.ts';
import { auditCharges, rowOf } from './charge-audit.ts';
import type { ChargeAudit } from './charge-audit.ts';
import type { FaultNight } from './fault-night.ts';
import { openFaultNight, songRows } from './fault-night.ts';

const ROWS = 6;
/** Two of the first requests of a kind, so that two unknown outcomes never make the three in a row that pause a batch. */
const STRUCK: ReadonlySet<number> = new Set([1, 3]);

interface Case {
  readonly name: string;
  readonly fault: NetworkFault;
  /** What a submit that it strikes becomes for sure. */
  readonly submit: 'accepted' | 'unknown';
}

const CASES: readonly Case[] = [
  { name: 'latency 5 s', fault: { kind: 'latency', ms: 5000 }, submit: 'accepted' },
  { name: 'jitter up to 5 s', fault: { kind: 'jitter', maxMs: 5000 }, submit: 'accepted' },
  { name: 'bandwidth 200 B/s', fault: { kind: 'bandwidth', bytesPerSecond: 200 }, submit: 'accepted' },
  { name: 'slow close, 10 s', fault: { kind: 'slow-close', ms: 10_000 }, submit: 'accepted' },
  { name: 'reset at the request', fault: { kind: 'reset', at: 'request' }, submit: 'unknown' },
  { name: 'reset at the answer', fault: { kind: 'reset', at: 'answer' }, submit: 'unknown' },
  { name: 'half-open', fault: { kind: 'half-open' }, submit: 'unknown' },
  { name: 'cut in the request', fault: { kind: 'cut', direction: 'up', afterBytes: 50 }, submit: 'unknown' },
  { name: 'cut before the answer', fault: { kind: 'cut', direction: 'down', afterBytes: 0 }, submit: 'unknown' },
  { name: 'cut in the head', fault: { kind: 'cut', direction: 'down', afterBytes: 40 }, submit: 'unknown' },
  { name: 'cut in the body', fault: { kind: 'cut', direction: 'down', afterBytes: 230 }, submit: 'unknown' },
  { name: 'black hole', fault: { kind: 'black-hole' }, submit: 'unknown' },
];

const table: string[][] = [];

function note(fault: string, kind: RequestKind, struck: number, audit: ChargeAudit): void {
  const { duplicates, losses, charges, rightFiles, statuses, state, pause } = audit;
  const facts = [struck, charges, duplicates.length, losses.length, rightFiles, statuses['submit-unknown'] ?? 0];
  table.push([fault, kind, ...facts.map(String), pause === undefined ? state : `${state}: ${pause}`]);
}

afterAll(() => {
  const head = ['fault', 'request', 'struck', 'charges', 'duplicates', 'losses', 'right files', 'unknown', 'batch'];
  const lines = [head, ...table.toSorted((a, b) => (a[0] ?? '').localeCompare(b[0] ?? ''))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  console.log(lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n'));
});

describe.concurrent.each(CASES)('$name', { timeout: 60_000 }, ({ name, fault, submit }) => {
  test.for(REQUEST_KINDS)('on a %s: nothing is paid twice, nothing is lost', async (kind, context) => {
    const night = await openFaultNight(context, {
      rows: songRows(ROWS),
      plan: (asked, nth) => (asked === kind && STRUCK.has(nth) ? fault : undefined),
    });
    await night.engine.start(night.batchId);
    const rest = await night.engine.settled(night.batchId);
    const audit = await auditCharges(night);
    note(name, kind, night.proxy.faults[kind], audit);
    expect(audit).toMatchObject({ duplicates: [], losses: [] });
    expect(night.bugs).toEqual([]);
    expect(rest.state).toBe('finished');
    expect(night.proxy.faults[kind]).toBe(STRUCK.size);
    const unknown = kind === 'submit' && submit === 'unknown' ? STRUCK.size : 0;
    // What is sent on a connection that is about to close may be lost without having been struck itself.
    if (fault.kind !== 'slow-close') expect(audit.statuses).toEqual(statusesWith(unknown));
    await settleUnknown(night);
    expect(await auditCharges(night)).toMatchObject({
      duplicates: [],
      losses: [],
      charges: ROWS,
      rightFiles: ROWS,
      statuses: { done: ROWS },
    });
  });
});

describe.concurrent('connection refused', { timeout: 60_000 }, () => {
  test.for(REQUEST_KINDS)('on a %s: it is waited for, and the night goes on by itself', async (kind, context) => {
    // One at a time, so that nothing else is under way when the line breaks.
    const night = await openFaultNight(context, {
      rows: songRows(ROWS),
      limits: { activePerFamily: { musicgen: 1 }, downloads: 1 },
    });
    const { engine, batchId, proxy } = night;
    if (kind !== 'submit') {
      const status = kind === 'poll' ? 'rendering' : 'downloading';
      const stop = engine.onChange((change) => {
        if (change.kind !== 'task' || change.task.status !== status) return;
        stop();
        proxy.refuse();
      });
    } else proxy.refuse();
    await engine.start(batchId);
    await night.until(async () =>
      kind === 'download'
        ? hasFailedDownload(night)
        : engine.standing.trouble(batchId)?.message.includes('ECONNREFUSED') === true,
    );
    await proxy.accept();
    await engine.settled(batchId);
    const audit = await auditCharges(night);
    note('refused', kind, 1, audit);
    expect(audit).toMatchObject({ duplicates: [], losses: [], charges: ROWS, statuses: { done: ROWS } });
  });
});

async function hasFailedDownload({ engine, batchId }: FaultNight): Promise<boolean> {
  const tasks = await listOf(engine.store.tasksByStatus(['downloading'], batchId));
  return tasks.some(({ outputs }) => outputs.some(({ tries }) => tries > 0));
}

function statusesWith(unknown: number): Record<string, number> {
  return unknown === 0 ? { done: ROWS } : { done: ROWS - unknown, 'submit-unknown': unknown };
}

/** What the user does in the morning, with the gateway's own list of charges beside it. */
async function settleUnknown({ engine, batchId, gateway }: FaultNight): Promise<void> {
  const unknown = await listOf(engine.store.tasksByStatus(['submit-unknown'], batchId));
  for (const { rowId } of unknown) {
    const charge = gateway.chargeLog().find((candidate) => rowOf(candidate) === rowId);
    const decision =
      charge === undefined ? ({ kind: 'resubmit' } as const) : ({ kind: 'adopt', taskCode: charge.taskCode } as const);
    expect(await engine.decisions.resolve(batchId, rowId, decision)).toMatchObject({ ok: true });
  }
  if (unknown.length > 0) await engine.settled(batchId);
}
