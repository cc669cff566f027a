/** Hands a batch on: copies under names of the user's choice, told what they are, and listed in a data package. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import { err, ok, present, type Result } from '../../shared/domain/base/result.ts';
import {
  DATA_PACKAGE,
  dataPackageOf,
  dataPackageText,
  deliveredOf,
  type Delivered,
} from '../../shared/domain/delivery/data-package.ts';
import { deliveryListOf, type DeliveryItem, type DeliveryList } from '../../shared/domain/delivery/delivery-item.ts';
import type { DeliveryReport } from '../../shared/domain/delivery/delivery-report.ts';
import { xmpPacket } from '../../shared/domain/delivery/media-about.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { BatchViews } from '../../shared/domain/task/batch-view.ts';
import { diskFailure } from '../media-folder/disk-failure.ts';
import type { FolderKnown } from '../ports.ts';
import { writeWhole } from '../whole-file.ts';
import { lookAtPart, openDelivery, readPackage, sidecarOf, type DeliveryFolder } from './delivery-folder.ts';
import { withSource, type DeliverySource } from './delivery-source.ts';
import { fileCarriesCredentials, tagFile } from './tags/tag-file.ts';
import type { Cover } from './tags/library-tags.ts';
import { createReferred, type Referred } from './referred-files.ts';

/** What the user wants to hand on, and how. */
export interface DeliveryWish {
  /** The folder that it goes to. */
  readonly folder: string;
  /** Only files that the user kept. */
  readonly isKeptOnly: boolean;
  /** Folders and names; the paths of the media folder by default. */
  readonly template?: string;
  /** Tags are written into the copies, where that is possible, and beside them where it is not. */
  readonly hasTags: boolean;
  /** An XMP file beside each copy. */
  readonly hasSidecars: boolean;
  /** A timeline in OpenTimelineIO. */
  readonly hasTimeline: boolean;
  /** `folder` is the name of a ZIP, which must not exist yet. */
  readonly isZip: boolean;
}

interface Job {
  readonly wish: DeliveryWish;
  readonly source: DeliverySource;
  readonly folder: DeliveryFolder;
  readonly referred: Referred;
}

/** Delivers a batch into a folder or a ZIP; see {@link deliverFiles}. */
export async function deliver(
  batch: BatchRecord,
  views: Pick<BatchViews, 'exportRows'>,
  known: FolderKnown,
  wish: DeliveryWish,
  now: number,
): Promise<Result<DeliveryReport, Failure>> {
  const into = (folder: string, mayBegin: MayBegin): Promise<Result<DeliveryReport, Failure>> =>
    deliverFiles(batch, views, known, { ...wish, folder }, now, mayBegin);
  if (!wish.isZip) return into(wish.folder, () => undefined);
  const { deliverZip, zipProblem } = await import('./deliver-zip.ts');
  return deliverZip(wish.folder, (folder) =>
    into(folder, ({ items }) => zipProblem(items.map(({ file }) => file.bytes))),
  );
}

/** Looks at what is to be delivered, before anything is copied. */
type MayBegin = (list: DeliveryList) => Failure | undefined;

/**
 * Delivers a batch into a folder. What the folder has from an earlier delivery is not copied again. A delivery that was
 * killed has left whole files or none, and the next one completes it. The failure comes from either folder, or names the
 * first file that is not the verified one; what was delivered until then is listed in the package all the same.
 */
async function deliverFiles(
  batch: BatchRecord,
  views: Pick<BatchViews, 'exportRows'>,
  known: FolderKnown,
  wish: DeliveryWish,
  now: number,
  mayBegin: MayBegin,
): Promise<Result<DeliveryReport, Failure>> {
  return withSource(batch.settings.folder, known, async (source) => {
    try {
      const list = await deliveryListOf(batch, views.exportRows(batch.id), wish);
      const refused = mayBegin(list);
      if (refused !== undefined) return err(refused);
      const opened = await openDelivery(wish.folder);
      if (!opened.ok) return opened;
      const folder = opened.value;
      const job: Job = { wish, source, folder, referred: createReferred(source, folder, list) };
      try {
        return await deliverAll(job, batch, list, now);
      } finally {
        await folder.end();
      }
    } catch (error) {
      return err(diskFailure(error, wish.folder));
    }
  });
}

async function deliverAll(
  job: Job,
  batch: BatchRecord,
  list: DeliveryList,
  now: number,
): Promise<Result<DeliveryReport, Failure>> {
  const { folder, wish } = job;
  const earlier = new Map(folder.earlier?.resources.map((listed) => [listed.output, listed]));
  const [added, changed, untagged]: [Delivered[], string[], { path: string; why: string }[]] = [[], [], []];
  let had = 0;
  let problem: Failure | undefined;
  for (const item of list.items) {
    const before = earlier.get(item.output);
    const state = before?.original === `sha256:${item.file.sha256}` ? await folder.stateOf(before) : 'gone';
    if (state === 'changed' && before !== undefined) changed.push(before.path);
    if (state !== 'gone') {
      had += 1;
      continue;
    }
    if (before !== undefined) folder.release(before);
    const delivered = await deliverOne(job, item);
    if (!delivered.ok) {
      problem = delivered.error;
      break;
    }
    const { listed, why } = delivered.value;
    added.push(listed);
    if (why !== undefined) untagged.push({ path: listed.path, why });
  }
  const order = list.items.map(({ output }) => output);
  const finished = await finish(job, batch, added, problem === undefined && wish.hasTimeline ? order : undefined, now);
  if (problem !== undefined) return err(problem);
  if (!finished.ok) return finished;
  return ok({
    added: added.map(({ path }) => path),
    bytes: added.reduce((sum, { bytes }) => sum + bytes, 0),
    had,
    changed,
    unkept: list.unkept,
    withCredentials: added.filter(({ contentCredentials }) => contentCredentials).map(({ path }) => path),
    untagged,
    ...present({ timeline: finished.value }),
  });
}

/** Writes the timeline, if one is wanted, and then the package: what is listed is there. */
async function finish(
  { folder }: Job,
  batch: BatchRecord,
  added: readonly Delivered[],
  order: readonly string[] | undefined,
  now: number,
): Promise<Result<DeliveryReport['timeline'], Failure>> {
  // Another export may have delivered here meanwhile.
  const earlier = await readPackage(folder.path);
  if (!earlier.ok) return err(failure('INPUT_INVALID', earlier.error));
  const listed = dataPackageOf(batch, earlier.value, added, now);
  // Large, and only needed here.
  const timed =
    order === undefined
      ? undefined
      : await (await import('./write-timeline.ts')).writeTimeline(folder, batch.name, listed, order);
  await writeWhole(join(folder.path, DATA_PACKAGE), dataPackageText(timed?.listed ?? listed));
  return ok(timed?.report);
}

async function deliverOne(
  { wish, source, folder, referred }: Job,
  item: DeliveryItem,
): Promise<Result<{ readonly listed: Delivered; readonly why?: string }, Failure>> {
  const [copy, tagged] = [folder.newPart(), folder.newPart()];
  try {
    if (!(await source.copyTo(copy, item.file))) {
      const what = `${source.shown}/${item.file.path}`;
      return err(failure('OUTPUT_UNVERIFIABLE', `${what} is missing, or is not the file that was downloaded.`));
    }
    const about = wish.hasTags || wish.hasSidecars ? await referred.aboutOf(item) : item.about;
    const hasCredentials = await fileCarriesCredentials(copy);
    const why = wish.hasTags
      ? hasCredentials
        ? 'carries content credentials, and is copied byte for byte'
        : await whyUntagged(copy, tagged, { ...item, about }, await referred.coverOf(item))
      : undefined;
    const isTagged = wish.hasTags && why === undefined;
    const whole = await lookAtPart(isTagged ? tagged : copy);
    // Where the file itself cannot say it, the file beside it does.
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

/** Undefined: the tagged copy is there. */
async function whyUntagged(
  copy: string,
  to: string,
  { file, about }: DeliveryItem,
  cover: Cover | undefined,
): Promise<string | undefined> {
  const outcome = await tagFile(copy, to, file.mediaType, about, cover);
  return outcome.kind === 'left' ? outcome.why : undefined;
}
