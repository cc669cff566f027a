/** Media folders that are in no file system: `s3://BUCKET/PREFIX`, in a bucket of a server that speaks S3. */
import { utf8Bytes } from '../base/name-text.ts';
import { reason, type Reason } from '../base/reason.ts';
import { err, ok, type Result } from '../base/result.ts';

/** Where in which bucket. The server is not part of it: the folder's own identity shows that it is the right one. */
export interface BucketAddress {
  readonly bucket: string;
  /** Without a slash at either end; may be empty. */
  readonly prefix: string;
}

const SCHEME = 's3://';
/** What every S3 server accepts; older buckets with other names cannot be used. */
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u;
/** Keys have at most 1,024 bytes; the rest is for a subfolder and a file's name. */
const MAX_PREFIX_BYTES = 512;

/** True for the address of a bucket, even an invalid one: it is not a path. */
export function isBucketAddress(folder: string): boolean {
  return folder.slice(0, SCHEME.length).toLowerCase() === SCHEME;
}

/** Reads the address of a media folder in a bucket; the error says what is wrong with it. */
export function parseBucketAddress(folder: string): Result<BucketAddress, Reason> {
  const [bucket = '', ...parts] = folder.slice(SCHEME.length).split('/');
  if (!BUCKET_NAME.test(bucket)) return err(reason('bucketAddress.noName', folder));
  if (parts.at(-1) === '') parts.pop();
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return err(reason('bucketAddress.emptyPart', folder));
  const prefix = parts.join('/');
  // Some servers and tools give these characters another meaning.
  if (/[\p{Cc}\p{Cs}\\]/u.test(prefix)) return err(reason('bucketAddress.controls', folder));
  if (utf8Bytes(prefix) > MAX_PREFIX_BYTES) return err(reason('bucketAddress.tooLong', folder, MAX_PREFIX_BYTES));
  return ok({ bucket, prefix });
}

/** The one spelling of an address, by which batches of the same folder are known. */
export function bucketAddressText({ bucket, prefix }: BucketAddress): string {
  return prefix === '' ? `${SCHEME}${bucket}` : `${SCHEME}${bucket}/${prefix}`;
}
