/** Where a delivery must not go: copies in a media folder would be taken for its files, by people and by programs. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import { reason } from '../../shared/domain/base/reason.ts';
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { diskErrorCode } from '../media-folder/disk-failure.ts';
import { readIdentity } from '../media-folder/folder-identity.ts';

/** A batch, by its media folder. */
export type FolderOwner = Pick<BatchRecord, 'id' | 'name' | 'settings'>;

/**
 * Why files must not be delivered to `target`: the target, or a folder in it that they would go to, is a media folder
 * or is inside one, possibly through a link. Undefined if they may. Only looks, and creates nothing. Each of `folders`
 * is a path inside the target; `others` are all batches, so that the owner of a media folder can be named.
 */
export async function targetProblem(
  target: string,
  folders: Iterable<readonly string[]>,
  batch: FolderOwner,
  others: readonly FolderOwner[],
): Promise<Failure | undefined> {
  const owners = new Map<string, FolderOwner>();
  // Their disks may be offline and would have to be waited for: their marks are found on the way up from the target.
  for (const other of others)
    if (!isBucketAddress(other.settings.folder)) owners.set(resolve(other.settings.folder), other);
  const { folder } = batch.settings;
  if (!isBucketAddress(folder)) owners.set(await realOf(folder), batch);
  const free = new Set<string>();
  const places = new Set([target, ...Array.from(folders, (parts) => join(target, ...parts))]);
  for (const place of places) {
    const real = await realOf(place);
    for (let at = real; !free.has(at); at = dirname(at)) {
      const owner = owners.get(at) ?? (await ownerByMark(at, [batch, ...others]));
      if (owner !== undefined) return isMediaFolder(place, at === real ? undefined : at, owner);
      free.add(at);
    }
  }
  return undefined;
}

function isMediaFolder(place: string, inside: string | undefined, owner: Partial<FolderOwner>): Failure {
  return failure('INPUT_INVALID', reason('deliversIntoMedia', place, owner.name ?? '', inside ?? ''));
}

/** The batch whose media folder this is, according to the mark in it; without a name if no batch here has this mark. */
async function ownerByMark(
  folder: string,
  owners: readonly FolderOwner[],
): Promise<FolderOwner | Partial<FolderOwner> | undefined> {
  try {
    const found = await readIdentity(folder);
    if (found.ok && found.value === undefined) return undefined;
    return owners.find(({ settings }) => found.ok && settings.folderIdentity === found.value) ?? {};
  } catch (error) {
    // What cannot be read cannot be written to either, and the attempt to write says why.
    if (diskErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** The real path, even of something that does not exist yet: as far as it exists. */
async function realOf(path: string): Promise<string> {
  const whole = resolve(path);
  try {
    return await realpath(whole);
  } catch (error) {
    const above = dirname(whole);
    if (diskErrorCode(error) === undefined) throw error;
    return above === whole ? whole : join(await realOf(above), basename(whole));
  }
}
