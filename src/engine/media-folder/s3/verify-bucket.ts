/**
 * `verify` for a media folder in a bucket: every file is read, because a checksum says what was put there, not what is
 * there.
 */
import { createHash } from 'node:crypto';
import { failure } from '../../../shared/domain/base/failure.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { ManifestFile } from '../../../shared/domain/files/manifest.ts';
import { systemClock } from '../../system-clock.ts';
import { DOCUMENT_NAMES } from '../documents/export-documents.ts';
import {
  hashProblem,
  sizeProblem,
  tooLarge,
  verifyFilesOf,
  type VerifyProblem,
  type VerifyReport,
} from '../documents/verify-folder.ts';
import { TargetError } from '../target.ts';
import { openBucketAt } from './bucket-folder.ts';
import type { Bucket } from './bucket.ts';
import { readS3Settings } from './s3-settings.ts';

/** Checks every file of a media folder in a bucket against its manifest. Changes nothing. */
export async function verifyBucket(folder: string): Promise<VerifyReport> {
  const settings = readS3Settings(process.env);
  const opened = settings.ok ? openBucketAt(folder, settings.value, { clock: systemClock }) : settings;
  if (!opened.ok) return unreadable(folder, opened.error.message);
  const bucket = opened.value;
  try {
    return await verifyFilesOf(folder, {
      readManifest: (maxBytes) => readManifest(bucket, maxBytes),
      check: (file) => checkObject(bucket, file),
      paths: () => bucket.list(),
    });
  } catch (error) {
    if (error instanceof TargetError) return unreadable(folder, error.failure.message);
    throw error;
  } finally {
    await bucket.close();
  }
}

function unreadable(folder: string, message: string): VerifyReport {
  const problems: readonly VerifyProblem[] = [{ kind: 'unreadable', message }];
  return { ok: false, folder, files: 0, verified: 0, bytes: 0, rows: {}, problems, extras: [] };
}

async function readManifest(bucket: Bucket, maxBytes: number): Promise<Result<string, VerifyProblem>> {
  const path = `${bucket.address}/${DOCUMENT_NAMES.manifest}`;
  let chunks: Buffer[] = [];
  const there = await bucket.head(DOCUMENT_NAMES.manifest);
  if (there !== undefined && there.bytes > maxBytes) return err(tooLarge(path));
  const isThere = await bucket.read(DOCUMENT_NAMES.manifest, () => {
    chunks = [];
    let length = 0;
    return (chunk) => {
      length += chunk.length;
      if (length > maxBytes) throw new TargetError(failure('DISK_DENIED', tooLarge(path).message));
      chunks.push(chunk);
    };
  });
  return isThere
    ? ok(Buffer.concat(chunks).toString('utf8'))
    : err({ kind: 'manifest-missing', message: `${path} is missing.` });
}

async function checkObject(bucket: Bucket, listed: ManifestFile): Promise<VerifyProblem | undefined> {
  let hash = createHash('sha256');
  let bytes = 0;
  try {
    const isThere = await bucket.read(listed.path, () => {
      hash = createHash('sha256');
      bytes = 0;
      return (chunk) => {
        hash.update(chunk);
        bytes += chunk.length;
      };
    });
    if (!isThere) return { kind: 'file-missing', message: `${listed.path} is missing.` };
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    return { kind: 'unreadable', message: error.failure.message };
  }
  return sizeProblem(listed, bytes) ?? hashProblem(listed, hash.digest('hex'));
}
