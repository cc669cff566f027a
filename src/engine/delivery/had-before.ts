/** What the folder of a delivery has from earlier ones: what it lacks, and sidecars for what is there without. */
import type { DataPackage, Delivered } from '../../shared/domain/delivery/data-package.ts';
import type { DeliveryItem } from '../../shared/domain/delivery/delivery-item.ts';
import { xmpPacket, type MediaAbout } from '../../shared/domain/delivery/media-about.ts';
import { isStillAsWritten, sidecarOf, type DeliveryFolder } from './delivery-folder.ts';
import { TAGGED_TYPES } from './tags/tag-file.ts';

/** A file that is there from an earlier delivery. */
interface There {
  readonly item: DeliveryItem;
  readonly before: Delivered;
}

/** What the folder lacks, in order, and what it has. */
export interface Lacking {
  readonly wanted: readonly DeliveryItem[];
  readonly there: readonly There[];
  readonly changed: readonly string[];
  readonly earlier: ReadonlyMap<string, Delivered>;
}

/** Compares what is to be delivered with what the folder has. */
export async function lackingIn(
  folder: DeliveryFolder,
  items: readonly DeliveryItem[],
  listed: DataPackage | undefined,
): Promise<Lacking> {
  const earlier = new Map(listed?.resources.map((resource) => [resource.output, resource]));
  const [wanted, there, changed]: [DeliveryItem[], There[], string[]] = [[], [], []];
  for (const item of items) {
    const before = earlier.get(item.output);
    const state = before?.original === `sha256:${item.file.sha256}` ? await folder.stateOf(before) : 'gone';
    if (state === 'gone' || before === undefined) wanted.push(item);
    else if (state === 'changed') changed.push(before.path);
    else there.push({ item, before });
  }
  return { wanted, there, changed, earlier };
}

/** How many files are there without the tags that they could have: nothing is replaced, so they stay so. */
export function countTagless(there: readonly There[]): number {
  const isTagless = ({ before }: There): boolean =>
    before.hash === before.original &&
    before.contentCredentials === undefined &&
    before.sidecar === undefined &&
    TAGGED_TYPES.has(before.mediatype);
  return there.filter(isTagless).length;
}

/** Sidecars that were written beside what was there. */
export interface Besides {
  /** Their files, as they are listed now. */
  readonly listed: readonly Delivered[];
  /** Files that somebody has changed since. */
  readonly changed: readonly string[];
  /** Files that got none because that name is another file's. */
  readonly refused: readonly string[];
  /** How many files were not looked at any more because the user cancelled it. */
  readonly left: number;
}

/** Writes the sidecars that are missing beside files that are as they were delivered. Throws errors of the disk. */
export async function writeSidecars(
  folder: DeliveryFolder,
  there: readonly There[],
  aboutOf: (item: DeliveryItem) => Promise<MediaAbout>,
  isCancelled: () => boolean,
): Promise<Besides> {
  const [listed, changed, refused]: [Delivered[], string[], string[]] = [[], [], []];
  for (const [at, { item, before }] of there.entries()) {
    if (isCancelled()) return { listed, changed, refused, left: there.length - at };
    if (before.sidecar !== undefined && (await folder.hasFile(before.sidecar))) continue;
    if (!(await isStillAsWritten(folder.fileAt(before.path), before.hash))) {
      changed.push(before.path);
      continue;
    }
    await folder.makeRoom();
    if (before.sidecar !== undefined) folder.release({ path: before.sidecar });
    const isPut = await folder.putSidecar(before.path, xmpPacket(await aboutOf(item)));
    if (isPut) listed.push({ ...before, sidecar: sidecarOf(before.path) });
    else refused.push(before.path);
  }
  return { listed, changed, refused, left: 0 };
}
