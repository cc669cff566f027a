/**
 * Exports a media folder in a bucket: its documents are written here and put into the bucket whole, or they and its
 * files are written on this machine.
 */
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { failure, type Failure } from '../../../shared/domain/base/failure.ts';
import { reason } from '../../../shared/domain/base/reason.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { ManifestFile, MediaFolderData } from '../../../shared/domain/files/manifest.ts';
import type { FolderKnown } from '../../ports/media-folder.ts';
import { systemClock } from '../../system-clock.ts';
import { diskFailure } from '../disk-failure.ts';
import { DOCUMENT_NAMES } from '../documents/export-documents.ts';
import { clearingOnce } from '../copy-verified.ts';
import { ownPartName } from '../../own-mark.ts';
import { exportFolder, type FilesSource } from '../documents/export-folder.ts';
import { isTaken, moveWithoutReplacing } from '../place-file.ts';
import { fileMatches } from '../plain-file.ts';
import { TargetError } from '../target.ts';
import { asResult, openBucketAt } from './bucket-folder.ts';
import { bucketProblem } from './bucket-identity.ts';
import type { Bucket } from './bucket.ts';
import { publishDocument, readInto } from './publish-document.ts';
import { readS3Settings } from './s3-settings.ts';

/** A preview needs less text than this. */
const MAX_TEXT_BYTES = 1 << 16;

/**
 * Writes the documents of a batch into its bucket or, with its verified files, into another folder. The failure comes
 * from the bucket, from the disk, or from a file that is not the verified one.
 */
export async function exportBucket(
  folder: string | undefined,
  data: MediaFolderData,
  known: FolderKnown,
): Promise<Failure | undefined> {
  const done = await withBucketFiles(
    data.batch.settings.folder,
    known,
    async (bucket): Promise<Result<null, Failure>> => {
      const problem = await write(bucket, folder, data);
      return problem === undefined ? ok(null) : err(problem);
    },
  );
  return done.ok ? undefined : done.error;
}

/** Opens the bucket of a batch, makes sure that it is still the batch's, and closes it after the work. */
export async function withBucketFiles<T>(
  address: string,
  known: FolderKnown,
  work: (bucket: Bucket) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const settings = readS3Settings(process.env);
  if (!settings.ok) return settings;
  const opened = openBucketAt(address, settings.value, { clock: systemClock });
  if (!opened.ok) return opened;
  const bucket = opened.value;
  try {
    return await asResult(async () => {
      const problem = await bucketProblem(bucket, known);
      return problem === undefined ? work(bucket) : err(problem);
    });
  } finally {
    await bucket.close();
  }
}

async function write(bucket: Bucket, folder: string | undefined, data: MediaFolderData): Promise<Failure | undefined> {
  if (folder !== undefined && folder !== bucket.address)
    return exportFolder(folder, data, { ...textsIn(bucket), copyTo: (to, files) => copyOut(bucket, to, files) });
  const scratch = await mkdtemp(join(tmpdir(), 'nocturne-documents-'));
  try {
    const problem = await exportFolder(scratch, data, { ...textsIn(bucket), copyTo: async () => undefined });
    if (problem !== undefined) return problem;
    for (const name of Object.values(DOCUMENT_NAMES)) await publishDocument(bucket, scratch, name);
    return undefined;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function textsIn(bucket: Bucket): Pick<FilesSource, 'readText'> {
  return { readText: async (path) => (await bucket.readStart(path, MAX_TEXT_BYTES))?.toString('utf8') };
}

/** Copies the files of a manifest out of a bucket, each whole and checked. Replaces nothing. */
async function copyOut(bucket: Bucket, folder: string, files: readonly ManifestFile[]): Promise<Failure | undefined> {
  const clearOnce = clearingOnce();
  for (const listed of files) {
    const to = join(folder, ...listed.path.split('/'));
    try {
      await clearOnce(dirname(to));
      if (await fileMatches(to, listed.sha256, listed.bytes)) continue;
      if (await isTaken(to)) return failure('DISK_DENIED', reason('alreadyExists', to));
      await mkdir(dirname(to), { recursive: true });
      if (await copyOne(bucket, listed, to)) continue;
    } catch (error) {
      if (error instanceof TargetError) throw error;
      return diskFailure(error, folder);
    }
    const what = `${bucket.address}/${listed.path}`;
    return failure('OUTPUT_UNVERIFIABLE', reason('missingFile', what));
  }
  return undefined;
}

/** Writes a listed object to a local file. False if it is missing, or is a different file. */
async function copyOne(bucket: Bucket, listed: ManifestFile, to: string): Promise<boolean> {
  const temporary = join(dirname(to), ownPartName());
  try {
    if (!(await copyAsideFrom(bucket, listed, temporary))) return false;
    return await moveWithoutReplacing(temporary, dirname(to), basename(to));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Makes a durable copy under a name that is free. False if the object is missing, or is a different file. */
export async function copyAsideFrom(
  bucket: Bucket,
  { path, sha256 }: Pick<ManifestFile, 'path' | 'sha256'>,
  to: string,
): Promise<boolean> {
  const file = await open(to, 'wx');
  try {
    if ((await readInto(bucket, path, file))?.sha256 !== sha256) return false;
    await file.sync();
    return true;
  } finally {
    await file.close();
  }
}
