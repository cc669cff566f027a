/** What identifies a media folder in a bucket: the same small file as in a folder, as an object. */
import { randomUUID } from 'node:crypto';
import { failure, type Failure } from '../../../shared/domain/base/failure.ts';
import { reason } from '../../../shared/domain/base/reason.ts';
import { FOLDER_IDENTITY_FILE } from '../../../shared/domain/files/naming.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { FolderKnown, FolderNeeds, RecordedFile } from '../../ports/media-folder.ts';
import { anotherFolder, identityIn, identityText, judgeFolder, replacedFolder } from '../folder-identity.ts';
import type { Bucket, PutOutcome } from './bucket.ts';
import { hexSha256 } from './s3-requests.ts';

const MAX_BYTES = 4096;
const QUESTION = reason('otherServer');

/**
 * Makes sure that a bucket is the batch's and takes files: gives it an identity if it has none, and tries to write that
 * once more, which must be refused. This proves the rights to read, look and write, and that the server replaces
 * nothing when told not to. The value is the identity. Throws what a bucket throws.
 */
export async function prepareBucket(
  bucket: Bucket,
  needs: Omit<FolderNeeds, 'kinds' | 'mayMake'>,
): Promise<Result<string, Failure>> {
  const there = await bucket.readStart(FOLDER_IDENTITY_FILE, MAX_BYTES);
  // Without the right to list, a server answers that a missing object must not be looked for.
  await bucket.head(randomUUID());
  const carried = identityOf(bucket, there);
  if (!carried.ok) return carried;
  const verdict = await judgeFolder({ ...needs, ...seenIn(bucket), found: carried.value });
  if (verdict.kind === 'another') return err(replacedFolder(bucket.address, verdict.why, QUESTION));
  const { identity = randomUUID() } = verdict;
  // The existing content is written again, so that a server that does replace it changes nothing.
  const content = there ?? Buffer.from(identityText(identity), 'utf8');
  const first = await putContent(bucket, content);
  if (verdict.kind === 'known') return first === 'taken' ? ok(identity) : err(replaces(bucket));
  if (first === 'put' && (await putContent(bucket, content)) !== 'taken') return err(replaces(bucket));
  // If several do this at once, one has won.
  const written = await readIdentity(bucket);
  if (!written.ok) return written;
  if (written.value === undefined) return err(anotherFolder(bucket.address, reason('another.notWritten'), QUESTION));
  return ok(written.value);
}

/**
 * Why a known bucket must not be read or written as the batch's; undefined if it is the batch's, or was never known.
 */
export async function bucketProblem(bucket: Bucket, known: FolderKnown): Promise<Failure | undefined> {
  if (known.identity === undefined) return undefined;
  const found = await readIdentity(bucket);
  if (!found.ok) return found.error;
  const verdict = await judgeFolder({ ...known, ...seenIn(bucket), found: found.value, mayReplace: false });
  return verdict.kind === 'another' ? anotherFolder(bucket.address, verdict.why, QUESTION) : undefined;
}

/** Only its identity says that a bucket is the same: an address has no number like a folder on a disk. */
function seenIn(bucket: Bucket): {
  readonly isSamePlace: false;
  readonly isThere: (file: RecordedFile) => Promise<boolean>;
} {
  return {
    isSamePlace: false,
    isThere: async ({ path, bytes }) => (await bucket.head(path))?.bytes === bytes,
  };
}

async function readIdentity(bucket: Bucket): Promise<Result<string | undefined, Failure>> {
  return identityOf(bucket, await bucket.readStart(FOLDER_IDENTITY_FILE, MAX_BYTES));
}

function identityOf({ address }: Bucket, content: Buffer | undefined): Result<string | undefined, Failure> {
  if (content === undefined) return ok(undefined);
  return identityIn(content.toString('utf8'), `${address}/${FOLDER_IDENTITY_FILE}`);
}

function putContent(bucket: Bucket, body: Buffer): Promise<PutOutcome> {
  const sha256 = hexSha256(body);
  return bucket.put(FOLDER_IDENTITY_FILE, { body, bytes: body.length, sha256, mediaType: 'application/json' });
}

function replaces({ address }: Bucket): Failure {
  return failure('DISK_DENIED', reason('bucketReplaces', address));
}
