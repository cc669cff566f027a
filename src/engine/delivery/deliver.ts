/** Delivers a batch: copies under names of the user's choice, tagged, and listed in a data package. */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import { reason } from '../../shared/domain/base/reason.ts';
import { err, ok, present, type Result } from '../../shared/domain/base/result.ts';
import {
  DATA_PACKAGE,
  dataPackageOf,
  dataPackageText,
  deliveredOf,
  type Delivered,
} from '../../shared/domain/delivery/data-package.ts';
import { deliveryListOf, type DeliveryItem, type DeliveryList } from '../../shared/domain/delivery/delivery-item.ts';
import { emptyReport, type DeliveryReport } from '../../shared/domain/delivery/delivery-report.ts';
import { xmpPacket } from '../../shared/domain/delivery/media-about.ts';
import { nameColumnsOf, templateProblem } from '../../shared/domain/files/check-name-template.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { BatchViews } from '../../shared/domain/task/batch-view.ts';
import { diskFailure } from '../media-folder/disk-failure.ts';
import type { FolderKnown } from '../ports/media-folder.ts';
import { writeWhole } from '../whole-file.ts';
import type { DeliveryWatch } from './deliver-zip.ts';
import { lookAtPart, openDelivery, readPackage, sidecarOf, type DeliveryFolder } from './delivery-folder.ts';
import { countTagless, lackingIn, writeSidecars, type Besides } from './had-before.ts';
import { DeliveryFiles, withSource } from './delivery-source.ts';
import { fileCarriesCredentials, tagFile } from './tags/tag-file.ts';
import type { Cover } from './tags/library-tags.ts';
import { createReferred, type Referred } from './referred-files.ts';
import { targetProblem, type FolderOwner } from './target-problem.ts';

/** What the user wants to hand on, and how. */
export interface DeliveryWish {
  /** The folder to deliver to. */
  readonly folder: string;
  /** Only files that the user kept. */
  readonly isKeptOnly: boolean;
  /** Folders and names; the paths of the media folder by default. */
  readonly template?: string;
  /** Tags are written into the copies if possible, otherwise beside them. */
  readonly hasTags: boolean;
  /** An XMP file beside each copy. */
  readonly hasSidecars: boolean;
  /** A timeline in OpenTimelineIO. */
  readonly hasTimeline: boolean;
  /** `folder` is the name of a ZIP, which must not exist yet. */
  readonly isZip: boolean;
}

/** What a delivery needs besides the wish. */
export interface DeliveryRun extends DeliveryWatch {
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** All batches: a delivery must not go into any of their media folders. */
  readonly batches: readonly FolderOwner[];
}

interface Job {
  readonly batch: BatchRecord;
  readonly wish: DeliveryWish;
  readonly run: DeliveryRun;
  readonly files: DeliveryFiles;
  readonly folder: DeliveryFolder;
  readonly referred: Referred;
}

/**
 * Delivers a batch into a folder or a ZIP. An impossible wish is refused before anything is written; with nothing to
 * deliver, nothing is written. The failure comes from either folder, or names the first file that is not the verified
 * one; whatever was delivered is listed in the package all the same.
 */
export async function deliver(
  batch: BatchRecord,
  views: Pick<BatchViews, 'exportRows'>,
  known: FolderKnown,
  wish: DeliveryWish,
  run: DeliveryRun,
): Promise<Result<DeliveryReport, Failure>> {
  const { template, isZip } = wish;
  const wrong = template === undefined ? undefined : templateProblem(template, nameColumnsOf(batch));
  if (wrong !== undefined) return err(failure('INPUT_INVALID', reason('templateUnusable', wrong)));
  const read = (): Promise<DeliveryList> => deliveryListOf(batch, views.exportRows(batch.id), wish);
  return withSource(batch.settings.folder, known, async (source) => {
    try {
      const list = await read();
      // Even if there is nothing to deliver yet: the answer is the same now as later.
      const folders = isZip ? [] : foldersOf(list);
      const refused = await targetProblem(isZip ? dirname(wish.folder) : wish.folder, folders, batch, run.batches);
      if (refused !== undefined) return err(refused);
      if (list.items.length === 0) return ok(emptyReport({ unkept: list.unkept }));
      const files = new DeliveryFiles(source, list, read);
      if (!isZip) return await deliverFiles(batch, wish, run, files);
      const { deliverZip, zipProblem } = await import('./deliver-zip.ts');
      const tooMuch = zipProblem(lengthsOf(list, wish));
      if (tooMuch !== undefined) return err(tooMuch);
      return await deliverZip(wish.folder, (folder) => deliverFiles(batch, { ...wish, folder }, run, files), run);
    } catch (error) {
      return err(diskFailure(error, wish.folder));
    }
  });
}

/** Each folder once: there may be as many as files, but usually there are few. */
function foldersOf({ items }: DeliveryList): Iterable<readonly string[]> {
  return new Map(items.map(({ place: { folders } }) => [folders.join('/'), folders])).values();
}

/** The lengths of all files that a delivery consists of, as far as they are known beforehand. */
function lengthsOf({ items }: DeliveryList, { hasSidecars, hasTimeline }: DeliveryWish): readonly number[] {
  const beside = hasSidecars ? items.map(() => 0) : [];
  return [...items.map(({ file }) => file.bytes), ...beside, 0, ...(hasTimeline ? [0] : [])];
}

/**
 * Delivers files into a folder. What the folder has from an earlier delivery is not copied again. A killed delivery
 * leaves only whole files, and the next one completes it.
 */
async function deliverFiles(
  batch: BatchRecord,
  wish: DeliveryWish,
  run: DeliveryRun,
  files: DeliveryFiles,
): Promise<Result<DeliveryReport, Failure>> {
  const opened = await openDelivery(wish.folder);
  if (!opened.ok) return opened;
  const folder = opened.value;
  try {
    return await deliverAll({ batch, wish, run, files, folder, referred: createReferred(files, folder) });
  } finally {
    await folder.end();
  }
}

async function deliverAll(job: Job): Promise<Result<DeliveryReport, Failure>> {
  const { folder, wish, run, files, referred } = job;
  const { items, unkept } = files.list;
  const { wanted, there, changed, earlier } = await lackingIn(folder, items, folder.earlier);
  const [added, untagged]: [Delivered[], { path: string; why: string }[]] = [[], []];
  const ofBytes = wanted.reduce((sum, { file }) => sum + file.bytes, 0);
  const isCancelled = (): boolean => run.signal?.aborted === true;
  let [done, bytes, gone] = [0, 0, 0];
  let besides: Besides = { listed: [], changed: [], refused: [], left: 0 };
  let problem: Failure | undefined;
  const tell = (): void => run.onProgress?.({ step: 'copying', files: done, ofFiles: wanted.length, bytes, ofBytes });
  try {
    tell();
    for (const { output, file } of wanted) {
      if (isCancelled()) break;
      await folder.makeRoom();
      const delivered = await deliverOne(job, output, earlier.get(output));
      if (!delivered.ok) {
        problem ??= delivered.error;
        // A file that is not the verified one keeps no other back; but a ZIP is there as a whole or not at all.
        if (wish.isZip || delivered.error.code !== 'OUTPUT_UNVERIFIABLE') break;
      }
      done += 1;
      bytes += file.bytes;
      tell();
      if (!delivered.ok) continue;
      if (delivered.value === undefined) {
        gone += 1;
        continue;
      }
      const { listed, why } = delivered.value;
      added.push(listed);
      if (why !== undefined) untagged.push({ path: listed.path, why });
    }
    if (wish.hasSidecars)
      besides = await writeSidecars(folder, there, async (item) => referred.aboutOf(item), isCancelled);
  } catch (error) {
    // What is there is listed, if the disk still takes that; the user has to know why it took no more.
    await finish(job, added, false).catch(() => undefined);
    throw error;
  }
  const left = problem === undefined ? wanted.length - done + besides.left : 0;
  const hasTimeline = wish.hasTimeline && problem === undefined && left === 0;
  const finished = await finish(job, [...added, ...besides.listed], hasTimeline);
  if (problem !== undefined) return err(problem);
  if (!finished.ok) return finished;
  const isTimelineLeft = hasTimeline && finished.value === undefined && isCancelled();
  return ok({
    added: added.map(({ path }) => path),
    bytes: added.reduce((sum, one) => sum + one.bytes, 0),
    had: items.length - wanted.length,
    changed: [...changed, ...besides.changed],
    sidecars: besides.listed.length,
    noSidecars: besides.refused,
    tagless: wish.hasTags ? countTagless(there) : 0,
    unkept: unkept + (wish.isKeptOnly ? gone : 0),
    gone: wish.isKeptOnly ? 0 : gone,
    left,
    withCredentials: added.filter(({ contentCredentials }) => contentCredentials).map(({ path }) => path),
    untagged,
    ...present({ timeline: finished.value }),
    ...(isTimelineLeft ? { isTimelineLeft } : {}),
  });
}

/**
 * Writes the timeline, if one is wanted and the delivery is not cancelled, and then the package, so that everything
 * listed is there. Without anything to list, there is no package.
 */
async function finish(
  { batch, folder, files, run }: Job,
  added: readonly Delivered[],
  hasTimeline: boolean,
): Promise<Result<DeliveryReport['timeline'], Failure>> {
  await folder.makeRoom();
  // Another export may have delivered here meanwhile.
  const earlier = await readPackage(folder.path);
  if (!earlier.ok) return err(failure('INPUT_INVALID', earlier.error));
  if (added.length === 0 && earlier.value === undefined) return ok(undefined);
  const listed = dataPackageOf(batch, earlier.value, added, run.now);
  const order = files.list.items.map(({ output }) => output);
  const listing = join(folder.path, DATA_PACKAGE);
  if (!hasTimeline) {
    await writeWhole(listing, dataPackageText(listed));
    return ok(undefined);
  }
  // Large, and needed only here.
  const { writeTimeline } = await import('./write-timeline.ts');
  const timed = await writeTimeline(folder, batch.name, listed, order, run.signal);
  // Reading lengths takes minutes.
  const meanwhile = await readPackage(folder.path);
  if (!meanwhile.ok) return err(failure('INPUT_INVALID', meanwhile.error));
  const all = dataPackageOf(batch, meanwhile.value, timed.listed.resources, run.now);
  const nocturne = { ...all.nocturne, ...present({ timeline: timed.listed.nocturne.timeline }) };
  await writeWhole(listing, dataPackageText({ ...all, nocturne }));
  return ok(timed.report);
}

/** Undefined if the file is no longer to be delivered: it is not kept any more, or is gone. */
async function deliverOne(
  { wish, files, folder, referred }: Job,
  output: string,
  before: Delivered | undefined,
): Promise<Result<{ readonly listed: Delivered; readonly why?: string } | undefined, Failure>> {
  const [copy, tagged] = [folder.newPart(), folder.newPart()];
  try {
    const copied = await files.copyTo(copy, () => files.item(output)?.file);
    if (!copied.ok) return copied;
    // Only now: the file may have been moved and renamed meanwhile.
    const item = files.item(output);
    if (!copied.value || item === undefined) return ok(undefined);
    // Only now, too: until then, its name stays listed and goes to no other file.
    if (before !== undefined) folder.release(before);
    const about = wish.hasTags || wish.hasSidecars ? await referred.aboutOf(item) : item.about;
    const hasCredentials = await fileCarriesCredentials(copy);
    const why = wish.hasTags
      ? hasCredentials
        ? 'carries content credentials, so it is copied byte for byte'
        : await whyUntagged(copy, tagged, { ...item, about }, await referred.coverOf(item))
      : undefined;
    const isTagged = wish.hasTags && why === undefined;
    const whole = await lookAtPart(isTagged ? tagged : copy);
    // If the file itself cannot carry the tags, the sidecar does.
    const sidecar = wish.hasSidecars || why !== undefined ? xmpPacket(about) : undefined;
    const path = await folder.place(item.place, item.extension, whole, sidecar);
    const listed = deliveredOf(
      { ...item, about },
      {
        path,
        bytes: whole.bytes,
        hash: `sha256:${whole.sha256}`,
        ...(hasCredentials ? { contentCredentials: true as const } : {}),
        ...(sidecar === undefined ? {} : { sidecar: sidecarOf(path) }),
      },
    );
    return ok({ listed, ...present({ why }) });
  } finally {
    await rm(copy, { force: true });
    await rm(tagged, { force: true });
  }
}

/** Undefined if the tagged copy is there. */
async function whyUntagged(
  copy: string,
  to: string,
  { file, about }: DeliveryItem,
  cover: Cover | undefined,
): Promise<string | undefined> {
  const outcome = await tagFile(copy, to, file.mediaType, about, cover);
  return outcome.kind === 'left' ? outcome.why : undefined;
}
