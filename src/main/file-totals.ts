/** How many verified files a batch has, and their bytes: counted once, then kept up with every change. */
import type { ExportedRow } from '../shared/domain/batch-view.ts';
import { presentRow } from '../shared/domain/manifest.ts';
import type { Task } from '../shared/domain/task.ts';

export interface FileTotal {
  readonly files: number;
  readonly bytes: number;
}

const NONE: FileTotal = { files: 0, bytes: 0 };

interface CountedBatch {
  total: FileTotal;
  readonly byTake: Map<string, FileTotal>;
  /** Also those that count no more: an edit that is undone brings them back. */
  hasHadFiles: boolean;
}

/** Keeps the totals of all batches that were asked about. */
export class FileTotals {
  readonly #batches = new Map<string, CountedBatch>();
  readonly #rowsOf: (batchId: string) => Iterable<ExportedRow>;

  constructor(rowsOf: (batchId: string) => Iterable<ExportedRow>) {
    this.#rowsOf = rowsOf;
  }

  of(batchId: string): FileTotal {
    return this.#counted(batchId).total;
  }

  /** Takes a new batch up, which has none: nothing has to be counted. */
  begin(batchId: string): void {
    this.#batches.set(batchId, { total: NONE, byTake: new Map(), hasHadFiles: false });
  }

  /**
   * Counts a batch anew when it is asked about next: rows have other names, files count no more or count again. Where
   * there never was a file nothing is counted: 100,000 rows take seconds, and most edits are made before the night.
   */
  forget(batchId: string): void {
    if (this.#batches.get(batchId)?.hasHadFiles !== false) this.#batches.delete(batchId);
  }

  /** Takes a committed change of a task in. */
  note(task: Task): void {
    const batch = this.#batches.get(task.batchId);
    if (batch === undefined) return;
    const verified = task.outputs.filter((output) => output.state === 'verified');
    replace(batch, takeKey(task.rowId, task.take), verified);
  }

  #counted(batchId: string): CountedBatch {
    const known = this.#batches.get(batchId);
    if (known !== undefined) return known;
    const batch: CountedBatch = { total: NONE, byTake: new Map(), hasHadFiles: false };
    for (const exported of this.#rowsOf(batchId)) {
      batch.hasHadFiles ||= exported.tasks.some((task) => task.outputs.length > 0);
      const { row, tasks } = presentRow(exported) ?? { row: exported.row, tasks: [] };
      for (const task of tasks) replace(batch, takeKey(row.id, task.take), task.outputs);
    }
    this.#batches.set(batchId, batch);
    return batch;
  }
}

function replace(batch: CountedBatch, key: string, outputs: readonly { readonly bytes?: number }[]): void {
  const before = batch.byTake.get(key) ?? NONE;
  const after: FileTotal = {
    files: outputs.length,
    bytes: outputs.reduce((sum, output) => sum + (output.bytes ?? 0), 0),
  };
  batch.hasHadFiles ||= after.files > 0;
  if (after.files > 0) batch.byTake.set(key, after);
  else batch.byTake.delete(key);
  batch.total = {
    files: batch.total.files - before.files + after.files,
    bytes: batch.total.bytes - before.bytes + after.bytes,
  };
}

function takeKey(rowId: string, take: number): string {
  return `${take} ${rowId}`;
}
