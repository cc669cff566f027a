import { listOf } from '../../src/shared/domain/base/result.ts';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Charge } from '../../src/gateway-sim/charge-log.ts';
import { TASK_STATUSES, type Task } from '../../src/shared/domain/task/task.ts';
import type { FaultNight } from './fault-night.ts';

/** What the gateway's charges and files say about a night. */
export interface ChargeAudit {
  readonly charges: number;
  /** Rows that were charged more than once. */
  readonly duplicates: readonly string[];
  /** What was charged and is neither a right file nor explained, and what ended without a word; in words. */
  readonly losses: readonly string[];
  /** Files that are equal to the gateway's copy. */
  readonly rightFiles: number;
  readonly statuses: Readonly<Partial<Record<Task['status'], number>>>;
  readonly state: string;
  readonly pause: string | undefined;
}

const KIND_FOLDERS = ['music', 'video', 'image', 'data'] as const;

/**
 * Compares the gateway's charge log and its own copy of every file with the media folder. The application's word is
 * taken for one thing only: which rows it explains to the user as unknown, failed or waiting.
 */
export async function auditCharges(night: FaultNight): Promise<ChargeAudit> {
  const { engine, batchId, gateway, folder } = night;
  const tasks = await listOf(engine.store.tasksByStatus(TASK_STATUSES, batchId));
  const charges = gateway.chargeLog();
  const files = await hashFolder(folder);
  const chargesOf = groupByRow(charges);
  const batch = night.batch();
  const losses: string[] = [];
  let rightFiles = 0;
  for (const task of tasks) {
    const ofRow = chargesOf.get(task.rowId) ?? [];
    const excuse = excuseFor(task, batch?.state === 'finished');
    if (task.status === 'done' && ofRow.length === 0) losses.push(`${task.rowId} is done without a charge`);
    if (task.status !== 'done' && excuse === undefined)
      losses.push(`${task.rowId} ended as ${task.status}, unexplained`);
    for (const charge of task.status === 'done' ? ofRow : []) {
      for (const { sha256 } of gateway.outputs(charge.taskCode)) {
        const found = files.get(`${task.rowId} ${sha256}`);
        if (found === 1) rightFiles += 1;
        else losses.push(`${task.rowId} has ${found ?? 0} files that equal the gateway’s ${sha256.slice(0, 8)}`);
        files.delete(`${task.rowId} ${sha256}`);
      }
    }
  }
  const finished = new Set(tasks.filter((task) => task.status === 'done').map((task) => task.rowId));
  for (const name of files.keys()) {
    if (finished.has(name.split(' ')[0] ?? '')) losses.push(`a file too many: ${name}`);
  }
  return {
    charges: charges.length,
    duplicates: [...chargesOf].filter(([, ofRow]) => ofRow.length > 1).map(([row]) => row),
    losses,
    rightFiles,
    statuses: countStatuses(tasks),
    state: batch?.state ?? 'gone',
    pause: batch?.pause?.by === 'failure' ? batch.pause.failure.code : batch?.pause?.by,
  };
}

/** The id that a row put into its prompt. */
export function rowOf(charge: Charge): string {
  return /r\d{5}/.exec(JSON.stringify(charge.body['prompt']))?.[0] ?? 'no row';
}

function groupByRow(charges: readonly Charge[]): ReadonlyMap<string, readonly Charge[]> {
  const groups = new Map<string, Charge[]>();
  for (const charge of charges) groups.set(rowOf(charge), [...(groups.get(rowOf(charge)) ?? []), charge]);
  return groups;
}

function countStatuses(tasks: readonly Task[]): Partial<Record<Task['status'], number>> {
  const counts: Partial<Record<Task['status'], number>> = {};
  for (const { status } of tasks) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** What the user is told of a task that is not done. */
function excuseFor(task: Task, isFinished: boolean): string | undefined {
  switch (task.status) {
    case 'submit-unknown':
    case 'failed':
      return task.failure?.message;
    case 'queued':
    case 'submitting':
    case 'rendering':
    case 'downloading':
      return isFinished ? undefined : 'the batch waits';
    case 'cancelled':
    case 'done':
      return undefined;
  }
}

/** How often each content is there under the name of a row: `row sha256`. Parts are not files. */
async function hashFolder(folder: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const kind of KIND_FOLDERS) {
    const names = await readdir(join(folder, kind)).catch(() => []);
    for (const name of names) {
      if (name.endsWith('.part')) continue;
      const sha256 = createHash('sha256')
        .update(await readFile(join(folder, kind, name)))
        .digest('hex');
      const key = `${name.slice(0, 6)} ${sha256}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}
