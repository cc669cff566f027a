/**
 * Reading a store while another process owns it, or although it is damaged. Most callers want only rows and sums, so
 * whatever reads or writes folders is loaded on demand.
 */
import type { LedgerViews } from '../shared/domain/ledger/ledger-view.ts';
import type { BatchViews } from '../shared/domain/task/batch-view.ts';
import { isBucketAddress } from '../shared/domain/files/bucket-address.ts';
import { err, ok, present, type Result } from '../shared/domain/base/result.ts';
import { failure, type Failure } from '../shared/domain/base/failure.ts';
import { reason } from '../shared/domain/base/reason.ts';
import type { DeliveryReport } from '../shared/domain/delivery/delivery-report.ts';
import type { DeliveryWish } from './delivery/deliver.ts';
import type { DeliveryWatch } from './delivery/deliver-zip.ts';
import type { Fleet } from './ports/fleet.ts';
import type { VerifyReport } from './media-folder/documents/verify-folder.ts';
import type { PreviewMaking } from './media-folder/documents/gallery/make-previews.ts';
import type { Clock, WorkWatch } from './ports/base.ts';
import type { RecordedFile } from './ports/media-folder.ts';
import type { TaskReader } from './ports/task-store.ts';
import { recordedFiles } from './night/batches/batch-folder.ts';
import { systemClock } from './system-clock.ts';
import { promisedPart } from './store/thread/promised.ts';
import { openAsItIs, openStore } from './store/open/open-store.ts';
import { isOwned } from './store/open/owner-lock.ts';
import { isServerWorkedOn } from './store/postgres/open-postgres.ts';
import type { StoreAddress } from './store/postgres/store-address.ts';
import type { StoreProblem } from './store/open/store-problem.ts';

/** What can be read from a store. */
export interface StoreView {
  readonly store: TaskReader;
  readonly views: BatchViews;
  readonly ledger: LedgerViews;
  /** Who is working on a shared store; absent if only the rest can be read. */
  readonly fleet?: () => Promise<Fleet>;
  /** See {@link OpenStore.zone}. */
  readonly zone?: string;
  /**
   * Set if the store is of a newer version: what that version keeps differently cannot be read, and reading it throws.
   */
  readonly newer?: StoreProblem;
  close(): void;
}

/** Opens the store for reading, even one of a newer version; every write throws. */
export function lookAtStore(dataDir: string, server?: StoreAddress): Result<StoreView, StoreProblem> {
  const opened = openStore(dataDir, { owner: false, random: { next: Math.random }, server });
  if (opened.ok) {
    const { leases } = opened.value;
    return ok({ ...viewOf(opened.value), fleet: () => promisedPart('leases', leases).fleet() });
  }
  const newer = opened.error.kind === 'newer' ? salvageStore(dataDir, server) : undefined;
  return newer === undefined ? opened : ok({ ...newer, newer: opened.error });
}

/**
 * Opens a store that opens in no other way, without the owner's checks: a partial view is better than none, and reading
 * damaged data throws. Undefined if not even the tables are there.
 */
export function salvageStore(dataDir: string, server?: StoreAddress): StoreView | undefined {
  try {
    return viewOf(openAsItIs(dataDir, server));
  } catch {
    return undefined;
  }
}

/** Whether a process is working on a store at this moment. */
export function isStoreOwned(dataDir: string, server?: StoreAddress): boolean {
  return server === undefined ? isOwned(dataDir) : isServerWorkedOn(server);
}

function viewOf({ store, views, ledger, zone, close }: ReturnType<typeof openAsItIs>): StoreView {
  return {
    ...present({ zone }),
    store: promisedPart('store', store),
    views: promisedPart('views', views),
    ledger: promisedPart('ledger', ledger),
    close,
  };
}

/** Checks every file of a media folder against its manifest, wherever it is. Needs only the folder, and changes nothing. */
export async function verifyAnyFolder(folder: string): Promise<VerifyReport> {
  if (!isBucketAddress(folder)) {
    const { verifyFolder } = await import('./media-folder/documents/verify-folder.ts');
    return verifyFolder(folder);
  }
  const { verifyBucket } = await import('./media-folder/s3/verify-bucket.ts');
  return verifyBucket(folder);
}

/** How an export makes the small pictures of the gallery; by default all that are missing. */
interface PreviewWish extends Omit<PreviewMaking, 'maker' | 'clock'> {
  readonly clock?: Clock;
  readonly watch?: WorkWatch | undefined;
}

/**
 * Writes manifest, results sheet and gallery into the batch's folder, or into another one together with its verified
 * files.
 */
export async function exportBatch(
  { store, views }: Pick<StoreView, 'store' | 'views'>,
  batchId: string,
  folder?: string,
  { clock = systemClock, watch, ...options }: PreviewWish = {},
): Promise<Failure | undefined> {
  const batch = await store.batch(batchId);
  if (batch === undefined) return failure('INPUT_INVALID', reason('noBatch', batchId));
  const { folder: own, folderIdentity: identity } = batch.settings;
  const files = (): Promise<readonly RecordedFile[]> => recordedFiles(store, batchId);
  const rows = { [Symbol.asyncIterator]: () => views.exportRows(batchId)[Symbol.asyncIterator]() };
  const data = { batch, rows, createdAt: clock.now() };
  if (isBucketAddress(folder ?? own) && folder !== undefined && folder !== own)
    return failure('INPUT_INVALID', reason('bucketOfOther', folder));
  if (isBucketAddress(own)) {
    watch?.onBound?.();
    const { exportBucket } = await import('./media-folder/s3/export-bucket.ts');
    return exportBucket(folder, data, { files, ...present({ identity }) });
  }
  const { exportFolder } = await import('./media-folder/documents/export-folder.ts');
  const { createPreviewMaker } = await import('./gates/make-preview.ts');
  const making = { ...options, maker: createPreviewMaker({ clock }), clock };
  const { folderProblem } = await import('./media-folder/folder-identity.ts');
  const another = await folderProblem(own, { files, ...present({ identity }) });
  if (another !== undefined) return another;
  return exportFolder(folder ?? own, data, undefined, making, watch);
}

/**
 * How many of a batch's files are not in its folder, judging by their names and sizes. Only files from before the user
 * has taken another folder for it are looked for, if that is mounted here; those in a bucket are not. Throws errors of
 * the disk.
 */
export async function missingFiles(
  { store, views }: Pick<StoreView, 'store' | 'views'>,
  batchId: string,
): Promise<number> {
  const settings = (await store.batch(batchId))?.settings;
  if (settings?.hadOtherFolder !== true || isBucketAddress(settings.folder)) return 0;
  const { isFileThere, whyNotOwnFolder } = await import('./media-folder/folder-identity.ts');
  const { manifestFilesOf } = await import('../shared/domain/files/manifest.ts');
  // It may not be mounted here.
  if ((await whyNotOwnFolder(settings)) !== undefined) return 0;
  let missing = 0;
  for await (const exported of views.exportRows(batchId)) {
    const found = await Promise.all(manifestFilesOf(exported).map((file) => isFileThere(settings.folder, file)));
    missing += found.filter((isThere) => !isThere).length;
  }
  return missing;
}

/**
 * Hands a batch on (see {@link DeliveryWish}); its files are only read. The failure is that of a disk, a bucket or a
 * file.
 */
export async function deliverBatch(
  { store, views }: Pick<StoreView, 'store' | 'views'>,
  batchId: string,
  wish: DeliveryWish,
  watch: DeliveryWatch = {},
  now: number = Date.now(),
): Promise<Result<DeliveryReport, Failure>> {
  const batch = await store.batch(batchId);
  if (batch === undefined) return err(failure('INPUT_INVALID', reason('noBatch', batchId)));
  const { folderIdentity: identity } = batch.settings;
  const files = (): Promise<readonly RecordedFile[]> => recordedFiles(store, batchId);
  const { deliver } = await import('./delivery/deliver.ts');
  const batches = await store.batches();
  return deliver(batch, views, { files, ...present({ identity }) }, wish, { ...watch, now, batches });
}
