/** The objects of a media folder in a bucket, by their paths below its address. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { BucketAddress } from '../../../shared/domain/files/bucket-address.ts';
import { bucketAddressText } from '../../../shared/domain/files/bucket-address.ts';
import type { Clock } from '../../ports/base.ts';
import { hashFile } from '../plain-file.ts';
import { putInParts } from './put-in-parts.ts';
import { createS3Requests, s3Header, xmlTexts, type S3Answer, type S3Body, type S3Order } from './s3-requests.ts';
import type { S3Settings } from './s3-settings.ts';

/** What is put: its bytes, and what identifies them. */
export interface PutOrder {
  readonly body: Uint8Array | FileHandle;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
  /** The tag of what it replaces. If anything else has its name, that stays, and nothing is put. */
  readonly replaces?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `taken`: something else has its name, or what it was to replace has changed, and that stays. */
export type PutOutcome = 'put' | 'taken';

/** What is known about an object without reading it. */
export interface ObjectHead {
  readonly bytes: number;
  /** `ETag`: different after each write. */
  readonly tag: string | undefined;
  /**
   * In base64, with `-` and the number of parts if it is the checksum of their checksums; undefined if the server gives
   * none.
   */
  readonly checksum: string | undefined;
}

/**
 * A media folder in a bucket. All methods throw `TargetError` for what the server or the network does, and
 * `InterruptedError` once the signal of an order is aborted.
 */
export interface Bucket {
  /** The address as the user knows it. */
  readonly address: string;
  /** Puts a whole object, and makes sure that the server has exactly that. */
  put(path: string, order: PutOrder): Promise<PutOutcome>;
  head(path: string, signal?: AbortSignal): Promise<ObjectHead | undefined>;
  /** True if an object has exactly this content; read if the server keeps no checksum of it. */
  matches(path: string, sha256: string, bytes: number, signal?: AbortSignal): Promise<boolean>;
  /**
   * Reads an object from its beginning; `take` is called again if the reading has to start over. False if there is
   * none.
   */
  read(path: string, take: () => (chunk: Buffer) => unknown): Promise<boolean>;
  /** The beginning of a small object; undefined if there is none. */
  readStart(path: string, bytes: number): Promise<Buffer | undefined>;
  /** Deletes an object if it still has this tag; the condition is not sent to a server that does not know it. */
  remove(path: string, tag: string | undefined, signal?: AbortSignal): Promise<'removed' | 'changed'>;
  /** All paths. */
  list(): AsyncIterable<string>;
  /** An address under which everybody can read an object for this many seconds. */
  signedAddress(path: string, seconds: number): Promise<string>;
  close(): Promise<void>;
}

/** A lost connection costs no more than this. S3 accepts no parts shorter than 5 MiB. */
const PART_BYTES = 32 << 20;

/** Opens a bucket with the present settings. A file longer than two parts is put in parts. */
export function openBucket(
  at: BucketAddress,
  settings: S3Settings,
  { clock, partBytes = PART_BYTES }: { readonly clock: Clock; readonly partBytes?: number },
): Bucket {
  const address = bucketAddressText(at);
  const requests = createS3Requests(settings, { bucket: at.bucket, address, clock });
  const root = at.prefix === '' ? '' : `${at.prefix}/`;
  const keyOf = (path: string): string => `${root}${path}`;

  /** Sends a request; a refusal is a failure. */
  async function asked(order: S3Order): Promise<S3Answer> {
    const answer = await requests.ask(order);
    return answer.status < 300 ? answer : requests.refuse(order, answer);
  }

  /** Undefined if there is no such object. */
  async function found(order: S3Order): Promise<S3Answer | undefined> {
    const answer = await requests.ask(order);
    // The answer to HEAD has no body that would distinguish a missing object from a missing bucket; the folder's check
    // does.
    if (answer.status === 404 && (answer.code === 'NoSuchKey' || answer.code === undefined)) return undefined;
    return answer.status < 300 ? answer : requests.refuse(order, answer);
  }

  async function head(path: string, signal?: AbortSignal): Promise<ObjectHead | undefined> {
    const headers = { 'x-amz-checksum-mode': 'ENABLED' };
    const answer = await found({ method: 'HEAD', key: keyOf(path), headers, doing: 'looking', signal });
    if (answer === undefined) return undefined;
    return {
      bytes: Number(s3Header(answer, 'content-length') ?? -1),
      tag: s3Header(answer, 'etag'),
      checksum: s3Header(answer, 'x-amz-checksum-sha256'),
    };
  }

  async function matches(path: string, sha256: string, bytes: number, signal?: AbortSignal): Promise<boolean> {
    const there = await head(path, signal);
    return there !== undefined && isSame(path, there, { sha256, bytes, checksum: base64Of(sha256) });
  }

  /**
   * A different checksum of checksums proves nothing, because the parts may have been cut differently: the object is
   * then read.
   */
  async function isSame(
    path: string,
    there: ObjectHead,
    wanted: { readonly sha256: string; readonly bytes: number; readonly checksum: string },
  ): Promise<boolean> {
    if (there.bytes !== wanted.bytes) return false;
    if (there.checksum === wanted.checksum) return true;
    const isOfParts = `${there.checksum} ${wanted.checksum}`.includes('-');
    if (there.checksum !== undefined && !isOfParts) return false;
    let hash = createHash('sha256');
    const isThere = await read(path, () => {
      hash = createHash('sha256');
      return (chunk) => hash.update(chunk);
    });
    return isThere && hash.digest('hex') === wanted.sha256;
  }

  async function read(path: string, take: () => (chunk: Buffer) => unknown): Promise<boolean> {
    return (await found({ method: 'GET', key: keyOf(path), take, doing: 'reading' })) !== undefined;
  }

  async function put(path: string, order: PutOrder): Promise<PutOutcome> {
    const { sha256, bytes, mediaType, body, replaces, signal } = order;
    const key = keyOf(path);
    const condition: Record<string, string> =
      replaces === undefined ? { 'if-none-match': '*' } : { 'if-match': replaces };
    const isLong = bytes > 2 * partBytes && !(body instanceof Uint8Array);
    const {
      answer,
      order: sent,
      checksum,
    } = isLong
      ? await putInParts(requests, { key, file: body, bytes, sha256, partBytes, mediaType, condition, signal })
      : await putWhole();
    const isGone = replaces !== undefined && answer.status === 404 && answer.code === 'NoSuchKey';
    const isTaken = answer.status === 412 || isGone;
    if (isTaken && !answer.isDoubted) return 'taken';
    // After several tries, an earlier one may have been carried out.
    if (answer.status >= 300 && !answer.isDoubted) requests.refuse(sent, answer);
    const there = await head(path, signal);
    // Somebody else may have replaced it since.
    if (replaces !== undefined && answer.status < 300 && there?.tag !== tagOf(answer)) return 'put';
    if (there !== undefined && (await isSame(path, there, { sha256, bytes, checksum }))) return 'put';
    if (isTaken) return 'taken';
    return requests.refuse(sent, answer.status < 300 ? { ...answer, code: 'BadDigest' } : answer);

    async function putWhole(): Promise<{
      readonly answer: S3Answer;
      readonly order: S3Order;
      readonly checksum: string;
    }> {
      const own = base64Of(sha256);
      const whole: S3Body = body instanceof Uint8Array ? body : { file: body, start: 0, bytes };
      const headers = {
        'content-type': mediaType,
        'x-amz-checksum-sha256': own,
        'x-amz-sdk-checksum-algorithm': 'SHA256',
        ...condition,
      };
      const one: S3Order = { method: 'PUT', key, headers, sha256, body: whole, doing: 'writing', signal };
      return { answer: await requests.ask(one), order: one, checksum: own };
    }
  }

  return {
    address,
    put,
    head,
    matches,
    read,
    async readStart(path, bytes) {
      const headers = { range: `bytes=0-${bytes - 1}` };
      const order: S3Order = { method: 'GET', key: keyOf(path), headers, doing: 'reading' };
      const answer = await requests.ask(order);
      // An empty object has no such range.
      if (answer.status === 416) return Buffer.alloc(0);
      if (answer.status === 404 && answer.code === 'NoSuchKey') return undefined;
      return answer.status < 300 ? answer.body.subarray(0, bytes) : requests.refuse(order, answer);
    },
    async remove(path, tag, signal) {
      const order: S3Order = { method: 'DELETE', key: keyOf(path), doing: 'deleting', signal };
      let answer = await requests.ask(tag === undefined ? order : { ...order, headers: { 'if-match': tag } });
      if (tag !== undefined && answer.status === 501) answer = await requests.ask(order);
      if (answer.status === 412) return 'changed';
      const isGone = answer.status === 404 && (answer.code === 'NoSuchKey' || answer.code === undefined);
      return answer.status < 300 || isGone ? 'removed' : requests.refuse(order, answer);
    },
    async *list() {
      let from: string | undefined;
      do {
        const next: Record<string, string> = from === undefined ? {} : { 'continuation-token': from };
        const query = { ...next, 'encoding-type': 'url', 'list-type': '2', prefix: root };
        const { body } = await asked({ method: 'GET', key: '', query, doing: 'listing' });
        // Some servers cannot write keys that XML cannot contain.
        const isEncoded = xmlTexts(body, 'EncodingType')[0] === 'url';
        for (const key of xmlTexts(body, 'Key')) yield (isEncoded ? decodedKey(key) : key).slice(root.length);
        const before = from;
        from = xmlTexts(body, 'IsTruncated')[0] === 'true' ? xmlTexts(body, 'NextContinuationToken')[0] : undefined;
        if (from === before) return;
      } while (from !== undefined);
    },
    signedAddress: (path, seconds) => requests.signedAddress(keyOf(path), seconds),
    close: () => requests.close(),
  };
}

/** The tag of what was written; for a file in parts, it is in the body of the last answer. */
function tagOf(answer: S3Answer): string | undefined {
  return s3Header(answer, 'etag') ?? xmlTexts(answer.body, 'ETag')[0];
}

function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return key;
  }
}

/** The form in which S3 writes checksums. */
export function base64Of(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}

/** SHA-256 of a piece of a file, hexadecimal. */
export async function digestOfFile(file: FileHandle, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  await hashFile(file, hash, bytes);
  return hash.digest('hex');
}
