/**
 * How many verified files a batch has, and their bytes: counted once, then updated with every change. Files of earlier
 * content of a row count too: they are in the folder.
 */
import type { EngineChange } from '../../engine/index.ts';
import type { TaskFiles, OutputFile } from '../../shared/domain/task/batch-view.ts';
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
  readonly #filesOf: (batchId: string) => readonly TaskFiles[];

  constructor(filesOf: (batchId: string) => readonly TaskFiles[]) {
    this.#filesOf = filesOf;
  }

  of(batchId: string): FileTotal {
    return this.#counted(batchId).total;
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
    if (batch === undefined) return;
    const verified = task.outputs.filter((output) => output.state === 'verified');
    const bytes = verified.reduce((sum, output) => sum + (output.bytes ?? 0), 0);
    replace(batch, task.id, { files: verified.length, bytes });
  }

  #counted(batchId: string): CountedBatch {
    const known = this.#batches.get(batchId);
    if (known !== undefined) return known;
    const batch: CountedBatch = { total: NONE, byTask: new Map() };
    for (const { task, files, bytes } of this.#filesOf(batchId)) replace(batch, task, { files, bytes });
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
 * Where a verified file lies; undefined if it is gone, is no file, or lies outside its media folder once every link on
 * the way has been followed.
 */
export async function locateFile(file: OutputFile): Promise<ServedFile | undefined> {
  if (!file.verified || file.mediaType === undefined) return undefined;
  try {
    const folder = await realpath(file.folder);
    const path = await realpath(join(folder, file.path));
    if (!path.startsWith(folder + sep)) return undefined;
    const stats = await stat(path);
    return stats.isFile() ? { path, mediaType: file.mediaType, bytes: stats.size } : undefined;
  } catch {
    return undefined;
  }
}
