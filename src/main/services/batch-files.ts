/**
 * How many verified files a batch has, and their bytes: counted once, then updated with every change. Files of earlier
 * content of a row count too: they are in the folder.
 */
import type { EngineChange } from '../../engine/index.ts';
import { present } from '../../shared/domain/base/result.ts';
import type { TaskFiles, OutputFile } from '../../shared/domain/task/views/exported-row.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { ServedFile } from '../shell/media-protocol.ts';

export interface FileTotal {
  readonly files: number;
  readonly bytes: number;
}

const NONE: FileTotal = { files: 0, bytes: 0 };

interface CountedBatch {
  total: FileTotal;
  readonly byTask: Map<number, FileTotal>;
}

/** Keeps the totals of all batches that were asked for. */
export class FileTotals {
  readonly #batches = new Map<string, CountedBatch>();
  /**
   * Batches that are being counted, with the tasks that have changed in the meantime: those are newer than the count.
   */
  readonly #counting = new Map<
    string,
    { readonly changed: Map<number, FileTotal>; readonly done: Promise<CountedBatch> }
  >();
  readonly #filesOf: (batchId: string) => Promise<readonly TaskFiles[]>;

  constructor(filesOf: (batchId: string) => Promise<readonly TaskFiles[]>) {
    this.#filesOf = filesOf;
  }

  async of(batchId: string): Promise<FileTotal> {
    const known = this.#batches.get(batchId);
    if (known !== undefined) return known.total;
    const begun = this.#counting.get(batchId) ?? this.#begin(batchId);
    return (await begun.done).total;
  }

  /** Adds a new batch, which has no files: nothing has to be counted. */
  begin(batchId: string): void {
    this.#batches.set(batchId, { total: NONE, byTask: new Map() });
  }

  /** Listens to an engine. */
  readonly follow = (change: EngineChange): void => {
    if (change.kind === 'task') this.note(change.task);
  };

  /** Adds a committed change of a task. */
  note(task: Task): void {
    const batch = this.#batches.get(task.batchId);
    const counting = this.#counting.get(task.batchId);
    if (batch === undefined && counting === undefined) return;
    const verified = task.outputs.filter((output) => output.state === 'verified');
    const bytes = verified.reduce((sum, output) => sum + (output.bytes ?? 0), 0);
    const total = { files: verified.length, bytes };
    counting?.changed.set(task.id, total);
    if (batch !== undefined) replace(batch, task.id, total);
  }

  #begin(batchId: string): { readonly done: Promise<CountedBatch> } {
    const changed = new Map<number, FileTotal>();
    const done = this.#count(batchId, changed).finally(() => this.#counting.delete(batchId));
    const begun = { changed, done };
    this.#counting.set(batchId, begun);
    return begun;
  }

  async #count(batchId: string, changed: ReadonlyMap<number, FileTotal>): Promise<CountedBatch> {
    const batch: CountedBatch = { total: NONE, byTask: new Map() };
    for (const { task, files, bytes } of await this.#filesOf(batchId)) replace(batch, task, { files, bytes });
    for (const [task, total] of changed) replace(batch, task, total);
    this.#batches.set(batchId, batch);
    return batch;
  }
}

function replace(batch: CountedBatch, task: number, after: FileTotal): void {
  const before = batch.byTask.get(task) ?? NONE;
  if (after.files > 0) batch.byTask.set(task, after);
  else batch.byTask.delete(task);
  batch.total = {
    files: batch.total.files - before.files + after.files,
    bytes: batch.total.bytes - before.bytes + after.bytes,
  };
}

/**
 * Where a verified file is; undefined if it is gone, is not a file, or is outside its media folder once every link on
 * the way has been followed.
 */
export async function locateFile(file: OutputFile): Promise<ServedFile | undefined> {
  if (!file.verified || file.mediaType === undefined) return undefined;
  try {
    const folder = await realpath(file.folder);
    const path = await realpath(join(folder, file.path));
    if (!path.startsWith(folder + sep)) return undefined;
    const stats = await stat(path);
    const { mediaType, sha256 } = file;
    return stats.isFile() ? { path, mediaType, bytes: stats.size, ...present({ sha256 }) } : undefined;
  } catch {
    return undefined;
  }
}
