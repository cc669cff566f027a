/** Where the files of a batch are copied from: its media folder, on this machine or in a bucket. Nothing is written there. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Failure } from '../../shared/domain/base/failure.ts';
import { err, type Result } from '../../shared/domain/base/result.ts';
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import type { ManifestFile } from '../../shared/domain/files/manifest.ts';
import { copyAside } from '../media-folder/copy-verified.ts';
import { diskFailure } from '../media-folder/disk-failure.ts';
import { folderProblem } from '../media-folder/folder-identity.ts';
import type { FolderKnown } from '../ports.ts';

/** Gives copies of verified files. */
export interface DeliverySource {
  /** For messages. */
  readonly shown: string;
  /**
   * Makes a durable copy under a name that nothing has, and checks its sha256. False: the file is missing, or is another
   * one than was verified; whatever lies under the name then is the caller's to remove.
   */
  copyTo(to: string, file: ManifestFile): Promise<boolean>;
}

/** Opens the media folder of a batch for the work. The failure comes from the folder or the bucket, or from the work. */
export async function withSource<T>(
  folder: string,
  known: FolderKnown,
  work: (source: DeliverySource) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  if (isBucketAddress(folder)) {
    // Most media folders are on this machine.
    const { copyAsideFrom, withBucketFiles } = await import('../media-folder/s3/export-bucket.ts');
    return withBucketFiles(folder, known, (bucket) =>
      work({ shown: bucket.address, copyTo: (to, file) => copyAsideFrom(bucket, file, to) }),
    );
  }
  const problem = await folderProblem(folder, known);
  if (problem !== undefined) return err(problem);
  let real;
  try {
    real = await realpath(folder);
  } catch (error) {
    return err(diskFailure(error, folder));
  }
  return work({
    shown: folder,
    copyTo: (to, { path, sha256, bytes }) => copyAside(join(real, ...path.split('/')), to, sha256, bytes),
  });
}
