/** A document goes into a bucket in place of the one before; what somebody else has put under its name is kept. */
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
/** Others may write it at the same time, each once. */
const MAX_TRIES = 5;

/**
 * Puts the document of that name in `scratch`, a folder of this machine's own, into the bucket. It replaces nothing but what
 * was seen to be ours, or to be kept under another name: `index.yours.html`. Throws what a bucket throws.
 */
export async function publishDocument(bucket: Bucket, scratch: string, name: DocumentName): Promise<void> {
  const file = await openPlainFile(join(scratch, name));
  try {
    const { size: bytes } = await file.stat();
    const sha256 = await digestOfFile(file, bytes);
    const order = { body: file, bytes, sha256, mediaType: MEDIA_TYPE_OF[name] };
    for (let tried = 0; tried < MAX_TRIES; tried += 1) {
      // What is read afterwards is what has this tag, or nothing is replaced.
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

/** Puts a file of the same name that we did not write under another one, too. By way of this machine: no server copies with a condition that all know. */
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

/** Reads a whole object into a file, from its beginning, and says what it was. Undefined: there is none. */
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
