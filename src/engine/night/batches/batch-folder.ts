/** The folder of a batch: what it must be like, judging by the store, and the files by which it is recognised. */
import type { Failure } from '../../../shared/domain/base/failure.ts';
import { present, type Result } from '../../../shared/domain/base/result.ts';
import { FAMILIES } from '../../../shared/domain/operations/operations.ts';
import { isReplaced, type BatchRecord, type BatchSettings } from '../../../shared/domain/task/batch.ts';
import type { FolderNeeds, MediaFolder, RecordedFile } from '../../ports/media-folder.ts';
import type { TaskStore } from '../../ports/task-store.ts';

/** A user may move some files elsewhere, but hardly this many of the first ones. */
const LOOKED_FOR = 32;

/** Some files of a batch that are in its folder. */
export async function recordedFiles(
  store: Pick<TaskStore, 'tasksByStatus'>,
  batchId: string,
): Promise<readonly RecordedFile[]> {
  const files: RecordedFile[] = [];
  for await (const { outputs } of store.tasksByStatus(['done'], batchId)) {
    for (const { path, bytes } of outputs) if (path !== undefined && bytes !== undefined) files.push({ path, bytes });
    if (files.length >= LOOKED_FOR) break;
  }
  return files;
}

/** The part of the store that tells what a folder must be like. */
export type FolderStore = Pick<TaskStore, 'counts' | 'kindsLeft' | 'tasksByStatus'>;

/**
 * What the folder of a batch must be like. Once it has files, the folder exists, perhaps on a disconnected disk: a new
 * one would split them. `kinds`: what the tasks that have not ended may give; other subfolders do not matter.
 */
async function folderNeeds(
  store: FolderStore,
  batchId: string,
): Promise<Required<Pick<FolderNeeds, 'mayMake' | 'kinds' | 'files'>>> {
  const [counts, kinds] = await Promise.all([store.counts(batchId), store.kindsLeft(batchId)]);
  const mayMake = FAMILIES.every((family) => counts[family].done === 0);
  return { mayMake, kinds, files: () => recordedFiles(store, batchId) };
}

/** Prepares the folder of a batch; once more, if the user has meanwhile chosen another, or taken the one that is there now. */
export async function prepareFolderOf(
  batch: { readonly id: string; readonly record: Pick<BatchRecord, 'settings'> },
  store: FolderStore,
  media: Pick<MediaFolder, 'prepare'>,
): Promise<{ readonly folder: string; readonly prepared: Result<string, Failure> }> {
  const { folder, folderIdentity: identity, folderAccepted = false } = batch.record.settings;
  const needs = await folderNeeds(store, batch.id);
  const prepared = await media.prepare(folder, { ...needs, mayReplace: folderAccepted, ...present({ identity }) });
  const { settings: since } = batch.record;
  const isAccepted = !prepared.ok && !folderAccepted && since.folderAccepted === true;
  if (since.folder === folder && !isAccepted) return { folder, prepared };
  return prepareFolderOf(batch, store, media);
}

/**
 * Whether what is wrong with the folder of a batch is wrong for another batch, too. Two batches may know one place as
 * different folders: for one of them, another folder has taken the place of its own, and for the other, its own is back.
 */
export function holdsForFolderOf(
  other: Pick<BatchSettings, 'folder' | 'folderIdentity'>,
  { folder, folderIdentity }: Pick<BatchSettings, 'folder' | 'folderIdentity'>,
  why: Failure,
): boolean {
  if (other.folder !== folder) return false;
  const isKnownOtherwise = folderIdentity !== undefined && (other.folderIdentity ?? folderIdentity) !== folderIdentity;
  return !(isReplaced(why) && isKnownOtherwise);
}
