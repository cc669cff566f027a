/**
 * Where the files of a batch are copied from: its media folder, on this machine or in a bucket. Nothing is written
 * there.
 */
import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import { reason } from '../../shared/domain/base/reason.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import type { DeliveryItem, DeliveryList } from '../../shared/domain/delivery/delivery-item.ts';
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import type { ManifestFile } from '../../shared/domain/files/manifest.ts';
import { copyAside } from '../media-folder/copy-verified.ts';
import { diskFailure } from '../media-folder/disk-failure.ts';
import { folderProblem } from '../media-folder/folder-identity.ts';
import type { FolderKnown } from '../ports/media-folder.ts';

/** Gives copies of verified files. */
export interface DeliverySource {
  /** For messages. */
  readonly shown: string;
  /**
   * Makes a durable copy under a name that is free, and checks its sha256. False if the file is missing or is not the
   * one that was verified; the caller then removes whatever has the name.
   */
  copyTo(to: string, file: ManifestFile): Promise<boolean>;
  /** Why nothing can be copied any more, such as a missing folder; undefined if copying is possible. */
  problem(): Promise<Failure | undefined>;
}

/** Opens the media folder of a batch for `work`. The failure comes from the folder or the bucket, or from the work. */
export async function withSource<T>(
  folder: string,
  known: FolderKnown,
  work: (source: DeliverySource) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  if (isBucketAddress(folder)) {
    // Most media folders are on this machine.
    const { copyAsideFrom, withBucketFiles } = await import('../media-folder/s3/export-bucket.ts');
    return withBucketFiles(folder, known, (bucket) =>
      // A bucket that does not answer throws.
      work({
        shown: bucket.address,
        copyTo: (to, file) => copyAsideFrom(bucket, file, to),
        problem: async () => undefined,
      }),
    );
  }
  const refused = await folderProblem(folder, known);
  if (refused !== undefined) return err(refused);
  let real;
  try {
    real = await realpath(folder);
  } catch (error) {
    return err(diskFailure(error, folder));
  }
  return work({
    shown: folder,
    copyTo: (to, { path, sha256, bytes }) => copyAside(join(real, ...path.split('/')), to, sha256, bytes),
    problem: async () => {
      try {
        await realpath(folder);
        return await folderProblem(folder, known);
      } catch (error) {
        return diskFailure(error, folder);
      }
    },
  });
}

/**
 * The files of one delivery. They are listed when it begins, and again when one is not where it was: a review moves
 * rejected files away, and back.
 */
export class DeliveryFiles {
  readonly #source: DeliverySource;
  readonly #read: () => Promise<DeliveryList>;
  #list: DeliveryList;
  #items: ReadonlyMap<string, DeliveryItem>;
  /** By their paths. Many songs may share a missing cover: the list is not read again for each of them. */
  readonly #unusable = new Map<string, Failure>();

  /** @param read Lists the files as they are at that time. */
  constructor(source: DeliverySource, list: DeliveryList, read: () => Promise<DeliveryList>) {
    this.#source = source;
    this.#read = read;
    this.#list = list;
    this.#items = itemsOf(list);
  }

  /** As it was last read. */
  get list(): DeliveryList {
    return this.#list;
  }

  /** The item of an output; undefined once it is no longer to be delivered. */
  item(output: string): DeliveryItem | undefined {
    return this.#items.get(output);
  }

  /**
   * Copies the file that `find` finds in the list as it is at that time. False if there is none, or none any more. The
   * failure is a file in its place that is not the verified one, or a missing media folder.
   */
  async copyTo(to: string, find: () => ManifestFile | undefined): Promise<Result<boolean, Failure>> {
    for (let file = find(); file !== undefined;) {
      const { path } = file;
      const unusable = this.#unusable.get(path);
      if (unusable !== undefined) return err(unusable);
      if (await this.#source.copyTo(to, file)) return ok(true);
      await rm(to, { force: true });
      this.#list = await this.#read();
      this.#items = itemsOf(this.#list);
      file = find();
      if (file?.path !== path) continue;
      const what = reason('missingFile', `${this.#source.shown}/${path}`);
      const problem = (await this.#source.problem()) ?? failure('OUTPUT_UNVERIFIABLE', what);
      this.#unusable.set(path, problem);
      return err(problem);
    }
    return ok(false);
  }
}

function itemsOf({ items }: DeliveryList): ReadonlyMap<string, DeliveryItem> {
  return new Map(items.map((item) => [item.output, item]));
}
