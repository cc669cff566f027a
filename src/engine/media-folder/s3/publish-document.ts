/** A document replaces its predecessor in a bucket; what somebody else has put under its name is kept. */
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { failure } from '../../../shared/domain/base/failure.ts';
import { reason } from '../../../shared/domain/base/reason.ts';
import { BEGINNING_BYTES, isOurBeginning, namesForForeign, type DocumentName } from '../documents/export-documents.ts';
import { openPlainFile } from '../plain-file.ts';
import { TargetError } from '../target.ts';
import { digestOfFile, type Bucket } from './bucket.ts';

const MEDIA_TYPE_OF: Readonly<Record<DocumentName, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'manifest.json': 'application/json',
  'manifest.csv': 'text/csv; charset=utf-8',
  'sheet.results.csv': 'text/csv; charset=utf-8',
};
/** Others may write the document at the same time, each once. */
const MAX_TRIES = 5;

/**
 * Puts the document of that name from `scratch`, a folder on this machine, into the bucket. It replaces only what is
 * ours, or is also kept under another name: `index.yours.html`. Throws what a bucket throws.
 */
export async function publishDocument(bucket: Bucket, scratch: string, name: DocumentName): Promise<void> {
  const file = await openPlainFile(join(scratch, name));
  try {
    const { size: bytes } = await file.stat();
    const sha256 = await digestOfFile(file, bytes);
    const order = { body: file, bytes, sha256, mediaType: MEDIA_TYPE_OF[name] };
    for (let tried = 0; tried < MAX_TRIES; tried += 1) {
      // What is read next must have this tag, or nothing is replaced.
      const there = await bucket.head(name);
      if (there !== undefined) await keepForeign(bucket, scratch, name);
      if ((await bucket.put(name, { ...order, replaces: there?.tag })) === 'put') return;
    }
  } finally {
    await file.close();
  }
  const what = `${bucket.address}/${name}`;
  throw new TargetError(failure('DISK_DENIED', reason('writtenByOthers', what)));
}

/**
 * Also puts a file of the same name that we did not write under another name. The copy goes through this machine,
 * because there is no conditional copy that all servers know.
 */
async function keepForeign(bucket: Bucket, scratch: string, name: DocumentName): Promise<void> {
  const beginning = await bucket.readStart(name, BEGINNING_BYTES);
  if (beginning === undefined || isOurBeginning(name, beginning)) return;
  const file = await open(join(scratch, 'foreign'), 'w+');
  try {
    const read = await readInto(bucket, name, file);
    if (read === undefined) return;
    for (const candidate of namesForForeign(name))
      if ((await bucket.put(candidate, { ...read, body: file, mediaType: MEDIA_TYPE_OF[name] })) === 'put') return;
  } finally {
    await file.close();
  }
}

/** Reads a whole object into a file, from its beginning, and says what it was. Undefined if there is none. */
export async function readInto(
  bucket: Bucket,
  path: string,
  file: FileHandle,
): Promise<{ readonly sha256: string; readonly bytes: number } | undefined> {
  let hash = createHash('sha256');
  let bytes = 0;
  const isThere = await bucket.read(path, () => {
    hash = createHash('sha256');
    bytes = 0;
    return async (chunk) => {
      hash.update(chunk);
      for (let done = 0; done < chunk.length;)
        done += (await file.write(chunk, done, chunk.length - done, bytes + done)).bytesWritten;
      bytes += chunk.length;
    };
  });
  if (!isThere) return undefined;
  await file.truncate(bytes);
  return { sha256: hash.digest('hex'), bytes };
}
