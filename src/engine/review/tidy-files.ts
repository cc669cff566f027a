/**
 * Moves rejected files of a media folder into a folder of their own, and back once they are no longer rejected; and
 * removes those that the user has deleted for good. Where a file is to be is recorded in the store first: a process
 * that ends in between leaves the file with a second name, which the next run removes, but never without a name.
 */
import { WorkSlots } from '../../shared/domain/base/work-slots.ts';
import { failure, saidBy, type Failure } from '../../shared/domain/base/failure.ts';
import { isRefusedByDisk } from '../store/open/store-problem.ts';
import { reason } from '../../shared/domain/base/reason.ts';
import { ok, err, present, type Result } from '../../shared/domain/base/result.ts';
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { BatchViews } from '../../shared/domain/task/batch-view.ts';
import type { FiledFile } from '../../shared/domain/task/views/exported-row.ts';
import { parseOutputId, type Output } from '../../shared/domain/task/task.ts';
import type { FilingEvent } from '../../shared/domain/task/task-event.ts';
import { wantedPath } from '../../shared/domain/task/task-results.ts';
import { diskFailure } from '../media-folder/disk-failure.ts';
import { folderProblem, whyNotOwnFolder } from '../media-folder/folder-identity.ts';
import {
  isGone,
  nameElsewhere,
  removeFile,
  removeFormer,
  type Claim,
  type Removal,
  type VerifiedFile,
} from '../media-folder/move-file.ts';
import { recordedFiles } from '../night/batches/batch-folder.ts';
import type { Entry } from '../night/task-journal.ts';
import type { TaskReader } from '../ports/task-store.ts';
import type { WorkWatch } from '../ports/base.ts';

/** What moves and removes files. */
export interface FilingDisk {
  readonly folderProblem: typeof folderProblem;
  readonly nameElsewhere: typeof nameElsewhere;
  readonly removeFile: typeof removeFile;
  readonly removeFormer: typeof removeFormer;
  readonly isGone: typeof isGone;
}

/** The disk of this computer. */
export const DISK: FilingDisk = { folderProblem, nameElsewhere, removeFile, removeFormer, isGone };

export interface FileTidierOptions {
  readonly store: TaskReader;
  readonly views: Pick<BatchViews, 'filedFiles' | 'outputFile'>;
  /** Other processes may share the store: whoever may write to it chooses the paths in it. */
  readonly isShared: boolean;
  /** Returns how many were recorded: the others belong to a task that has changed since. */
  readonly record: (entries: readonly Entry[]) => Promise<number>;
  readonly onBug: (error: unknown) => void;
  /** By default, the disk of this computer. */
  readonly disk?: FilingDisk | undefined;
}

/** The outcome of deleting rejected files for good. */
export interface DeletedFiles {
  /** How many are gone: also those that an earlier deletion had to leave, and those that somebody has removed by hand. */
  readonly files: number;
  readonly bytes: number;
  /** How many are still there, and stay: they were changed on the disk, or cannot be moved. */
  readonly left: number;
  /** Why some of them are still on the disk; they are removed the next time. */
  readonly problem?: Failure;
}

type FileToTidy = Pick<FiledFile, 'outputId' | 'folder' | 'path'>;

/** What became of files that are deleted for good. */
type Removals = Map<string, { readonly how: Removal; readonly bytes: number }>;

/** How many changes are recorded together. */
const AT_ONCE = 200;
/**
 * A name may be free on the disk and yet be another file's in the store: such names are few, unless recording has
 * stopped.
 */
const MOST_CLAIMS = 5;

/** Moves and removes the files of batches, one after the other. */
export class FileTidier {
  readonly #options: FileTidierOptions;
  readonly #turns = new WorkSlots(1);
  #isClosed = false;

  constructor(options: FileTidierOptions) {
    this.#options = options;
  }

  /**
   * Moves the files of a batch to where the user's decisions say they belong. Files in buckets stay where they are, and
   * those on another computer are moved by whoever works there. What cannot be moved or removed is left for the next
   * time; the failure is the first one.
   */
  tidy(batchId: string): Promise<Failure | undefined> {
    return this.#turns.take(() => this.#tidyBatch(batchId));
  }

  /**
   * The same for one file, while nobody waits for the disk; never rejects: what the disk of the folder or of the store
   * refuses is tidied, or reported, when the documents are written.
   */
  tidySoon(batchId: string, outputId: string): Promise<void> {
    return this.#turns
      .take(async () => {
        const output = await outputOf(this.#options.store, outputId);
        // Most decisions move nothing, and the next one waits for this.
        if (output === undefined || (wantedPath(output) === undefined && output.leftover === undefined)) return;
        const file = await this.#options.views.outputFile(outputId);
        const batch = await this.#options.store.batch(batchId);
        if (file === undefined || batch === undefined || (await this.#whyNot(batch)) !== undefined) return;
        await this.#tidyEach(batch, [{ outputId, folder: file.folder, path: file.path }]);
      })
      .catch((error: unknown) => {
        if (!this.#isClosed && !isRefusedByDisk(error)) this.#options.onBug(error);
      });
  }

  /** Nothing more is moved: what is left is tidied another time. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * Deletes files for good if they are still rejected. If that changes on the way, the rest of them stay.
   * @param outputIds As the user was shown them.
   */
  deleteRejected(
    batchId: string,
    outputIds: ReadonlySet<string>,
    { signal, onProgress, onBound }: WorkWatch = {},
  ): Promise<Result<DeletedFiles, Failure>> {
    return this.#turns.take(async () => {
      const batch = await this.#options.store.batch(batchId);
      const why =
        batch === undefined ? failure('INPUT_INVALID', reason('noBatch', batchId)) : await this.#whyNot(batch);
      if (batch === undefined || why !== undefined) return err(why ?? failure('INTERNAL', batchId));
      // Rejected files that are elsewhere are moved to their folder first, so that nothing is deleted under a path of
      // other files.
      const removals: Removals = new Map();
      const untidy = await this.#tidyAll(batch, removals);
      const { views, record } = this.#options;
      const asked = (await views.filedFiles(batchId)).filter(
        ({ outputId, isRejected }) => isRejected && outputIds.has(outputId),
      );
      const meant: FiledFile[] = [];
      // What somebody has removed by hand cannot be moved there; what was changed is not ours to delete.
      for (const file of asked)
        if (!file.isUntidy || (await (this.#options.disk ?? DISK).isGone(file.folder, file.path).catch(() => false)))
          meant.push(file);
      const entries = meant.flatMap(({ outputId, path }): Entry[] => {
        const named = parseOutputId(outputId);
        return named === undefined
          ? []
          : [{ taskId: named.taskId, event: { kind: 'file-deleted', index: named.index, path } }];
      });
      let done = 0;
      for (; done < entries.length; done += AT_ONCE) {
        if (signal?.aborted === true) break;
        await record(entries.slice(done, done + AT_ONCE));
        onProgress?.(Math.min(done + AT_ONCE, entries.length), entries.length);
      }
      // Files that are recorded as deleted are removed.
      onBound?.();
      const now = await views.filedFiles(batchId);
      const problem = (await this.#tidyAll(batch, removals)) ?? untidy;
      const isLeft = new Set(now.filter(({ isRejected }) => isRejected).map(({ outputId }) => outputId));
      const spared = new Set(meant.slice(done).map(({ outputId }) => outputId));
      const left = asked.filter(({ outputId }) => isLeft.has(outputId) && !spared.has(outputId)).length;
      const isMeant = new Set(meant.map(({ outputId }) => outputId));
      const all = [...removals];
      // The disk may keep some.
      const removed = all.filter(([, { how }]) => how === 'removed');
      const gone = all.filter(([outputId, { how }]) => how === 'gone' && isMeant.has(outputId));
      return ok({
        files: removed.length + gone.length,
        bytes: removed.reduce((sum, [, file]) => sum + file.bytes, 0),
        left: left + all.filter(([, { how }]) => how === 'changed').length,
        ...present({ problem }),
      });
    });
  }

  async #tidyBatch(batchId: string): Promise<Failure | undefined> {
    const batch = await this.#options.store.batch(batchId);
    return batch === undefined || (await this.#whyNot(batch)) !== undefined ? undefined : this.#tidyAll(batch);
  }

  /** Why the files of a batch must not be touched here. */
  async #whyNot({ id, settings }: BatchRecord): Promise<Failure | undefined> {
    const { folder, folderIdentity: identity } = settings;
    if (isBucketAddress(folder)) return failure('INPUT_INVALID', reason('bucketKeepsRejected', folder));
    const { isShared, store, disk = DISK } = this.#options;
    const why = isShared ? await whyNotOwnFolder(settings) : undefined;
    if (why !== undefined) return failure('INPUT_INVALID', why);
    return disk.folderProblem(folder, { files: () => recordedFiles(store, id), ...present({ identity }) });
  }

  async #tidyAll(batch: BatchRecord, removals?: Removals): Promise<Failure | undefined> {
    const files = await this.#options.views.filedFiles(batch.id);
    return this.#tidyEach(
      batch,
      files.filter(({ isUntidy }) => isUntidy),
      removals,
    );
  }

  /** @param removals Receives what becomes of files that are deleted for good. */
  async #tidyEach(
    { settings }: BatchRecord,
    files: readonly FileToTidy[],
    removals: Removals = new Map(),
  ): Promise<Failure | undefined> {
    let problem: Failure | undefined;
    // These entries already hold: recorded together, they wait for the disk once.
    const freed: Entry[] = [];
    for (const file of files) {
      // The earlier files of a batch that has another folder by now are left alone.
      if (file.folder !== settings.folder || this.#isClosed) continue;
      try {
        await tidyFile(this.#options, file, { freed, removals });
      } catch (error) {
        problem ??= failureOf(error, file);
      }
      if (freed.length >= AT_ONCE) await this.#options.record(freed.splice(0));
    }
    if (freed.length > 0) await this.#options.record(freed);
    return problem;
  }
}

function failureOf(error: unknown, { folder, path }: FileToTidy): Failure {
  const why = diskFailure(error, `${folder}/${path}`);
  return failure(why.code, reason('notTidied', saidBy(why)));
}

/** `freed` receives what is to be recorded once nothing is left at a former path. */
async function tidyFile(
  tidier: FileTidierOptions,
  { outputId, folder }: FileToTidy,
  { freed, removals }: { readonly freed: Entry[]; readonly removals: Removals },
): Promise<void> {
  const named = parseOutputId(outputId);
  if (named === undefined) return;
  const { taskId, index } = named;
  const disk = tidier.disk ?? DISK;
  const record = async (event: FilingEvent): Promise<boolean> => (await tidier.record([{ taskId, event }])) === 1;
  const outputNow = (): Promise<Output | undefined> => outputOf(tidier.store, outputId);

  async function free(found: Output | undefined): Promise<void> {
    const known = found && verifiedFile(found);
    if (found === undefined || known === undefined) return;
    const { state, leftover } = found;
    if (state === 'deleted') removals.set(outputId, { how: await disk.removeFile(folder, known), bytes: known.bytes });
    else if (leftover === undefined) return;
    else if (
      !(await disk.removeFormer(folder, leftover, known, async () => (await outputNow())?.leftover === leftover))
    )
      return;
    const path = state === 'deleted' ? known.path : (leftover ?? '');
    freed.push({ taskId, event: { kind: 'path-freed', index, path } });
  }

  const before = await outputNow();
  await free(before);
  // Only then is it moved elsewhere.
  if (before?.leftover !== undefined && freed.length > 0) await tidier.record(freed.splice(0));
  const output = await outputNow();
  const to = output && wantedPath(output);
  const file = output && verifiedFile(output);
  if (to === undefined || file === undefined) return;
  let tries = 0;
  const isMoved = await disk.nameElsewhere(folder, file, to, async (path): Promise<Claim> => {
    if (await record({ kind: 'file-moved', index, from: file.path, to: path })) return 'claimed';
    const newest = await outputNow();
    // Another process has done the same first.
    if (newest?.path === path) return 'claimed';
    tries += 1;
    const isWanted = newest?.path === file.path && wantedPath(newest) === to;
    return isWanted && tries < MOST_CLAIMS ? 'taken' : 'unwanted';
  });
  if (isMoved) await free(await outputNow());
}

async function outputOf(store: Pick<TaskReader, 'task'>, outputId: string): Promise<Output | undefined> {
  const named = parseOutputId(outputId);
  const task = named && (await store.task(named.taskId));
  return task?.outputs.find(({ index }) => index === named?.index);
}

function verifiedFile({ path, sha256, bytes }: Output): VerifiedFile | undefined {
  return path === undefined || sha256 === undefined || bytes === undefined ? undefined : { path, sha256, bytes };
}
