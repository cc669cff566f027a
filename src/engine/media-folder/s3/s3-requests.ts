/** Signed requests to one S3 server, each retried a few times if that may help. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, request as httpRequest } from 'undici';
import { Parser } from 'saxen';
import type { Clock } from '../../ports/base.ts';
import { InterruptedError, TargetError } from '../target.ts';
import { isPassing, refusalFailure, unreachable, type S3Refusal } from './s3-failure.ts';
import type { S3Settings } from './s3-settings.ts';

/** The bytes of a request: in memory, or a piece of a file. */
export type S3Body = Uint8Array | { readonly file: FileHandle; readonly start: number; readonly bytes: number };

export interface S3Order {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the whole body, hexadecimal; the server refuses a body with another. */
  readonly sha256?: string;
  readonly body?: S3Body;
  /** Takes the body of a success, from its beginning at each try; without `take`, the body is in the answer. */
  readonly take?: () => (chunk: Buffer) => unknown;
  readonly signal?: AbortSignal | undefined;
  /** What is being tried, for the words of a failure, such as `writing`. */
  readonly doing: string;
}

export interface S3Answer extends S3Refusal {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Present for XML and for small objects. */
  readonly body: Buffer;
  /** Whether an earlier try may have been carried out although its answer was lost. */
  readonly isDoubted: boolean;
}

/**
 * Sends requests to one bucket. Throws {@link TargetError}, {@link InterruptedError}, or the error of a file that is
 * sent.
 */
export interface S3Requests {
  /** Returns any answer except one that may be different in a moment. */
  ask(order: S3Order): Promise<S3Answer>;
  /** Throws the failure for a refusal. */
  refuse(order: S3Order, answer: S3Refusal): never;
  /** An address under which everybody can read an object for this long, without credentials. */
  signedAddress(key: string, seconds: number): Promise<string>;
  close(): Promise<void>;
}

/** Long enough for a server that asks for a moment's rest; a night that has to wait longer pauses. */
const WAITS_MS = [200, 1_000, 4_000];
/** Only lists, errors and small files are kept in memory. */
const MAX_ANSWER_BYTES = 8 << 20;
const CHUNK_BYTES = 1 << 18;
/** Sending a body is given up if the server takes none of it for this long. */
const STALL_MS = 60_000;
/** An answer that is kept in memory has this long: a server puts the parts of a long file together in a few minutes. */
const ANSWER_MS = 15 * 60_000;

/** Requests to a bucket by these settings; `address` is the media folder's, for messages. */
export function createS3Requests(
  { endpoint, region, credentials }: S3Settings,
  { bucket, address, clock }: { readonly bucket: string; readonly address: string; readonly clock: Clock },
): S3Requests {
  const dispatcher = new Agent({
    connect: { timeout: 20_000 },
    connections: 16,
    headersTimeout: 120_000,
    bodyTimeout: 60_000,
  });
  const base = baseOf(endpoint, region, bucket);
  const signing = new Map<string, ArrayBuffer>();

  async function ask(order: S3Order): Promise<S3Answer> {
    let isDoubted = false;
    for (let tried = 0; ; tried += 1) {
      const waitMs = WAITS_MS[tried];
      try {
        const answer = await once(order);
        if (waitMs === undefined || !isPassing(answer)) return { ...answer, isDoubted };
        // An answer with a success status that names an error may be a success all the same.
        isDoubted ||= answer.status >= 500 || answer.status < 300;
      } catch (error) {
        if (order.signal?.aborted === true) throw new InterruptedError();
        if (error instanceof SentFileError) throw error.cause;
        const reason = lostBy(error);
        if (reason === undefined) throw error;
        if (waitMs === undefined) throw new TargetError(unreachable(address, base, reason));
        isDoubted = true;
      }
      await pause(clock, waitMs, order.signal);
    }
  }

  async function once(order: S3Order): Promise<Omit<S3Answer, 'isDoubted'>> {
    const { method, body, take } = order;
    const url = `${base}${order.key === '' ? '' : `/${encoded(order.key)}`}${queryOf(order.query)}`;
    const length = body === undefined ? undefined : lengthOf(body);
    const sha256 = order.sha256 ?? hexSha256(body instanceof Uint8Array ? body : new Uint8Array());
    const signer = new AwsV4Signer({
      method,
      url,
      headers: { ...order.headers, 'x-amz-content-sha256': sha256 },
      ...credentials,
      service: 's3',
      region,
      cache: signing,
      datetime: amzTime(clock.now()),
    });
    const { headers } = await signer.sign();
    const stall = stallOf(clock);
    const signals = [stall.signal, ...(order.signal === undefined ? [] : [order.signal])];
    try {
      const answer = await httpRequest(url, {
        method,
        headers: { ...Object.fromEntries(headers), ...(length === undefined ? {} : { 'content-length': `${length}` }) },
        ...(body === undefined
          ? {}
          : { body: body instanceof Uint8Array ? body : Readable.from(piecesOf(body, stall.moved)) }),
        signal: AbortSignal.any(signals),
        dispatcher,
      });
      stall.end();
      const { statusCode: status } = answer;
      const region = textOf(answer.headers['x-amz-bucket-region']);
      const chunks: Buffer[] = [];
      let kept = 0;
      const keep = (chunk: Buffer): void => {
        kept += chunk.length;
        if (kept > MAX_ANSWER_BYTES) throw new LostAnswerError('an answer without end');
        chunks.push(chunk);
      };
      const isTaken = take !== undefined && (status === 200 || status === 206);
      const taker = isTaken ? take() : keep;
      // Every byte restarts the time limit of the connection, and one that is kept is worth nothing by itself.
      if (!isTaken) stall.within(ANSWER_MS, 'an answer without end');
      for await (const chunk of answer.body) await taker(chunk as Buffer);
      const content = Buffer.concat(chunks);
      // Among successes, only the end of a file in parts may be an error; a body that is read may say anything.
      const isError = status >= 300 || method === 'POST';
      const code = isError && !isTaken ? xmlTexts(content, 'Code')[0] : undefined;
      return { status, code, region, headers: answer.headers, body: content };
    } finally {
      stall.end();
    }
  }

  async function signedAddress(key: string, seconds: number): Promise<string> {
    const url = `${base}/${encoded(key)}?X-Amz-Expires=${seconds}`;
    const datetime = amzTime(clock.now());
    const how = { ...credentials, service: 's3', region, cache: signing, signQuery: true, datetime };
    return (await new AwsV4Signer({ method: 'GET', url, ...how }).sign()).url.href;
  }

  return {
    ask,
    signedAddress,
    refuse(order, refusal) {
      const what = order.key === '' ? address : `s3://${bucket}/${order.key}`;
      throw new TargetError(refusalFailure(what, order.doing, refusal));
    },
    close: () => dispatcher.destroy(),
  };
}

function amzTime(now: number): string {
  return new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/gu, '');
}

/**
 * In the style that AWS requires; other servers get the bucket in the path, which needs no host name for each bucket.
 */
function baseOf(endpoint: string | undefined, region: string, bucket: string): string {
  if (endpoint !== undefined) return `${endpoint}/${bucket}`;
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  // A certificate covers only one level of names below the domain.
  if (bucket.includes('.')) return `https://s3.${region}.${domain}/${bucket}`;
  return `https://${bucket}.s3.${region}.${domain}`;
}

/** Encodes as the signature requires: everything but letters, digits, `-._~` and the slash. */
function encoded(key: string): string {
  return key.split('/').map(encodedPart).join('/');
}

function encodedPart(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/gu,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function queryOf(query: S3Order['query'] = {}): string {
  const pairs = Object.entries(query).map(([name, value]) => `${encodedPart(name)}=${encodedPart(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function lengthOf(body: S3Body): number {
  return body instanceof Uint8Array ? body.length : body.bytes;
}

export function hexSha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A file that is being sent cannot be read: the server is not at fault. */
class SentFileError extends Error {}
/** An answer could not be read to its end. */
class LostAnswerError extends Error {}

async function* piecesOf(
  { file, start, bytes }: Exclude<S3Body, Uint8Array>,
  moved: () => void,
): AsyncGenerator<Buffer, void, undefined> {
  for (let done = 0; done < bytes;) {
    moved();
    const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes - done));
    const { bytesRead } = await file.read(piece, 0, piece.length, start + done).catch((cause: unknown) => {
      throw new SentFileError('The file cannot be read', { cause });
    });
    if (bytesRead === 0) {
      const cause = Object.assign(new Error('The file is shorter than it was'), { code: 'EIO', syscall: 'read' });
      throw new SentFileError(cause.message, { cause });
    }
    done += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
  moved();
}

/** Ends a request whose body is not being taken, or whose answer does not end. */
function stallOf(clock: Clock): {
  readonly signal: AbortSignal;
  readonly moved: () => void;
  readonly within: (ms: number, otherwise: string) => void;
  readonly end: () => void;
} {
  const controller = new AbortController();
  let stop = (): void => undefined;
  const within = (ms: number, otherwise: string): void => {
    stop();
    stop = clock.setTimer(ms, () => controller.abort(new LostAnswerError(otherwise)));
  };
  return {
    signal: controller.signal,
    moved: () => within(STALL_MS, 'nothing was taken for a minute'),
    within,
    end: () => stop(),
  };
}

/** Why no answer came, in a few words; undefined if the network is not at fault. */
function lostBy(error: unknown): string | undefined {
  if (error instanceof LostAnswerError) return error.message;
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

async function pause(clock: Clock, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stopped = (): void => {
      cancel();
      reject(new InterruptedError());
    };
    const cancel = clock.setTimer(waitMs, () => {
      signal?.removeEventListener('abort', stopped);
      resolve();
    });
    if (signal?.aborted === true) stopped();
    else signal?.addEventListener('abort', stopped, { once: true });
  });
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

/** One header of an answer. */
export function s3Header({ headers }: Pick<S3Answer, 'headers'>, name: string): string | undefined {
  return textOf(headers[name]);
}

/** The texts of all elements with a name, in order; none if the document is not XML. */
export function xmlTexts(document: Buffer, name: string): readonly string[] {
  const found: string[] = [];
  let isInside = false;
  const parser = new Parser();
  const text = (value: string): void => {
    if (isInside) found.push(`${found.pop() ?? ''}${value}`);
  };
  parser.on('openTag', (tag) => {
    isInside = tag === name;
    if (isInside) found.push('');
  });
  parser.on('closeTag', () => (isInside = false));
  parser.on('text', (value, decodeEntities) => text(decodeEntities(value)));
  parser.on('cdata', text);
  parser.on('error', () => parser.stop());
  parser.parse(document.toString('utf8'));
  return found;
}
