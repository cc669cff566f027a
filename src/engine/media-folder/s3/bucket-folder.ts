/** Media folders in buckets. Parts are fetched and checked on this machine's own disk; only whole files leave it. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, type Failure } from '../../../shared/domain/base/failure.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { parseBucketAddress } from '../../../shared/domain/files/bucket-address.ts';
import type { Clock } from '../../ports/base.ts';
import type { FetchOutcome, MediaFolder } from '../../ports/media-folder.ts';
import { diskFailure } from '../disk-failure.ts';
import type { DiskFolder } from '../media-folder.ts';
import { TargetError } from '../target.ts';
import { openBucket, type Bucket } from './bucket.ts';
import { prepareBucket } from './bucket-identity.ts';
import { createBucketTarget } from './bucket-target.ts';
import { readS3Settings, type S3Environment, type S3Settings } from './s3-settings.ts';

export interface BucketFolderOptions {
  readonly clock: Clock;
  /** Absolute path of a folder on this machine: parts stay there until their files are in the bucket. */
  readonly spool: string;
  readonly environment: S3Environment;
  /** Longer files are put in parts of this size. Default: 32 MiB. */
  readonly partBytes?: number;
}

/** An open bucket, and the settings it was opened with. */
interface Opened {
  readonly bucket: Bucket;
  readonly by: string;
}

/** Media folders in buckets; `disk` fetches and checks their files. Closing it leaves `disk` open. */
export function createBucketFolder(disk: DiskFolder, options: BucketFolderOptions): MediaFolder {
  const { spool, environment } = options;
  const buckets = new Map<string, Opened>();

  /** With the present settings: credentials may be new. */
  function bucketOf(folder: string): Result<Bucket, Failure> {
    const settings = readS3Settings(environment);
    if (!settings.ok) return settings;
    const known = buckets.get(folder);
    const by = digestOfSettings(settings.value);
    if (known?.by === by) return ok(known.bucket);
    const opened = openBucketAt(folder, settings.value, options);
    if (!opened.ok) return opened;
    // The one that was open before may have requests under way; its connections end by themselves.
    buckets.set(folder, { bucket: opened.value, by });
    return opened;
  }

  /** Where the parts of a folder are. */
  function spoolOf(folder: string): string {
    return join(spool, createHash('sha256').update(folder).digest('hex').slice(0, 16));
  }

  async function makeSpool(folder: string): Promise<Result<string, Failure>> {
    const spooled = spoolOf(folder);
    try {
      await mkdir(spooled, { recursive: true });
      return ok(spooled);
    } catch (error) {
      return err(diskFailure(error, spooled));
    }
  }

  async function into(
    folder: string,
    work: (bucket: Bucket, spooled: string) => Promise<FetchOutcome>,
  ): Promise<FetchOutcome> {
    const bucket = bucketOf(folder);
    if (!bucket.ok) return { kind: 'disk-failed', failure: bucket.error };
    const spooled = await makeSpool(folder);
    return spooled.ok ? work(bucket.value, spooled.value) : { kind: 'disk-failed', failure: spooled.error };
  }

  return {
    async prepare(folder, needs) {
      const spooled = await makeSpool(folder);
      if (!spooled.ok) return spooled;
      const own = await disk.prepare(spooled.value, { mayMake: true, mayReplace: true, kinds: needs.kinds ?? [] });
      if (!own.ok) return own;
      const bucket = bucketOf(folder);
      if (!bucket.ok) return bucket;
      return asResult(() => prepareBucket(bucket.value, needs));
    },
    fetch: (request, profile, journal, signal) =>
      into(request.folder, (bucket, spooled) =>
        disk.fetch({ ...request, folder: spooled }, profile, journal, signal, createBucketTarget(bucket, signal)),
      ),
    writeDocument: (request, journal) =>
      into(request.folder, (bucket, spooled) =>
        disk.writeDocument({ ...request, folder: spooled }, journal, createBucketTarget(bucket)),
      ),
    sweep: (folder, isWanted) => disk.sweep(spoolOf(folder), isWanted),
    async close() {
      await Promise.all([...buckets.values()].map(({ bucket }) => bucket.close()));
      buckets.clear();
    },
  };
}

/** Opens a media folder in a bucket by its address. */
export function openBucketAt(
  folder: string,
  settings: S3Settings,
  options: Pick<BucketFolderOptions, 'clock' | 'partBytes'>,
): Result<Bucket, Failure> {
  const at = parseBucketAddress(folder);
  return at.ok ? ok(openBucket(at.value, settings, options)) : err(failure('DISK_DENIED', at.error));
}

/** Turns a bucket's refusal into a value. */
export async function asResult<T>(work: () => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TargetError) return err(error.failure);
    throw error;
  }
}

function digestOfSettings(settings: S3Settings): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}
