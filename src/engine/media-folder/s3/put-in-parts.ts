/** A long file goes to a bucket in parts, each with its checksum; it gets its name once all of them are there. */
import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { s3Header, xmlTexts, type S3Answer, type S3Order, type S3Requests } from './s3-requests.ts';

/** S3 allows 10,000. */
const MAX_PARTS = 9_000;
const READ_BYTES = 1 << 20;

interface PartedPut {
  readonly key: string;
  readonly file: FileHandle;
  readonly bytes: number;
  /** SHA-256 of the whole, hexadecimal. */
  readonly sha256: string;
  readonly partBytes: number;
  readonly mediaType: string;
  /** Headers that say whether something with its name may be replaced. */
  readonly condition: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

/** The last answer with its order, and the checksum that the whole must have. */
interface Parted {
  readonly answer: S3Answer;
  readonly order: S3Order;
  /** The checksum of the parts' checksums, in base64, with `-` and their number. */
  readonly checksum: string;
}

/**
 * Puts a file in parts. If that fails, the parts are removed, unless the process ends: then the bucket's own rules
 * remove them.
 */
export async function putInParts(requests: S3Requests, put: PartedPut): Promise<Parted> {
  const { key, file, bytes, sha256, partBytes, mediaType, condition, signal } = put;
  const size = Math.max(partBytes, Math.ceil(bytes / MAX_PARTS));
  const begin: S3Order = {
    method: 'POST',
    key,
    query: { uploads: '' },
    headers: { 'content-type': mediaType, 'x-amz-checksum-algorithm': 'SHA256' },
    doing: 'writing',
    signal,
  };
  const begun = await requests.ask(begin);
  const [uploadId] = xmlTexts(begun.body, 'UploadId');
  if (begun.status >= 300 || uploadId === undefined) return requests.refuse(begin, begun);
  let isEnded = false;
  try {
    const whole = createHash('sha256');
    const content = createHash('sha256');
    const parts: string[] = [];
    for (let start = 0; start < bytes; start += size) {
      const length = Math.min(size, bytes - start);
      const digest = await digestOfPiece(file, start, length, content);
      whole.update(digest);
      const partNumber = `${parts.length + 1}`;
      const order: S3Order = {
        method: 'PUT',
        key,
        query: { partNumber, uploadId },
        headers: { 'x-amz-checksum-sha256': digest.toString('base64') },
        sha256: digest.toString('hex'),
        body: { file, start, bytes: length },
        doing: 'writing',
        signal,
      };
      const answer = await requests.ask(order);
      const tag = s3Header(answer, 'etag');
      if (answer.status >= 300 || tag === undefined) return requests.refuse(order, answer);
      const sum = `<ChecksumSHA256>${digest.toString('base64')}</ChecksumSHA256>`;
      parts.push(`<Part><PartNumber>${partNumber}</PartNumber><ETag>${escaped(tag)}</ETag>${sum}</Part>`);
    }
    // The server has compared each part with what was read from the disk, not with what was verified.
    if (content.digest('hex') !== sha256) throw changed();
    const order: S3Order = {
      method: 'POST',
      key,
      query: { uploadId },
      headers: { 'content-type': 'application/xml', ...condition },
      body: Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`, 'utf8'),
      doing: 'writing',
      signal,
    };
    const answer = await requests.ask(order);
    // The server answers 200 before it is done, and may then report a failure.
    const isDone = answer.status < 300 && answer.code === undefined;
    isEnded = isDone;
    const last = answer.status < 300 && !isDone ? { ...answer, status: 500, isDoubted: true } : answer;
    return { answer: last, order, checksum: `${whole.digest('base64')}-${parts.length}` };
  } finally {
    // Abandoned parts would be paid for every month.
    if (!isEnded) await abandon(requests, key, uploadId);
  }
}

async function abandon(requests: S3Requests, key: string, uploadId: string): Promise<void> {
  try {
    await requests.ask({ method: 'DELETE', key, query: { uploadId }, doing: 'removing parts' });
  } catch {
    // The first failure is reported; these parts are left to the bucket's rules.
  }
}

/** An error like a disk's: the file being sent is no longer the one that was verified. */
function changed(): Error {
  return Object.assign(new Error('The file is not what it was'), { code: 'EIO', syscall: 'read' });
}

/** What is read is also added to `content`. */
async function digestOfPiece(file: FileHandle, start: number, bytes: number, content: Hash): Promise<Buffer> {
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(Math.min(READ_BYTES, bytes));
  for (let done = 0; done < bytes;) {
    const { bytesRead } = await file.read(block, 0, Math.min(block.length, bytes - done), start + done);
    if (bytesRead === 0) break;
    const piece = block.subarray(0, bytesRead);
    hash.update(piece);
    content.update(piece);
    done += bytesRead;
  }
  return hash.digest();
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
