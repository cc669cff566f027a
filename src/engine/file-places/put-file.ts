/** What all places have in common: the outcome of a put, and whether an address returns its file to everybody. */
import { createHash } from 'node:crypto';
import { Agent, request, type Dispatcher } from 'undici';
import { reason, type Reason, type Saying } from '../../shared/domain/base/reason.ts';
import type { Clock } from '../ports/base.ts';
import type { LocalCopy } from './local-copy.ts';
import type { PutContentRecord } from './put-record.ts';

/** The outcome of a put. */
export type PutFileOutcome =
  /**
   * The file is there. `address`: where, if that does not follow from its name. `isFound`: it was there before, or
   * somebody else has put it there.
   */
  { readonly kind: 'put'; readonly name: string; readonly address?: string; readonly isFound?: true } | PlaceProblem;

/** The outcome of a deletion. `changed`: something else has its name now, and stays. */
export type RemoveOutcome = { readonly kind: 'gone' | 'changed' } | PlaceProblem;

/** Why a place does not have a file. `passes`: it may succeed a little later. */
export interface PlaceProblem {
  readonly kind: 'failed';
  readonly said: Reason;
  readonly passes: boolean;
  /** The place is at fault, not the file: other files need not be tried now. */
  readonly ofPlace?: true;
}

/** What has been put, as far as it distinguishes one content from another. */
export type PutContent = Pick<LocalCopy, 'sha256' | 'bytes' | 'type'>;

/** A user's own place. A method throws if the signal aborts it. */
export interface FileStore {
  /**
   * Puts a content once: if the same content already has its name, that counts. Replaces nothing.
   * @param beforeSent Awaited with its name before anything is sent; the name is still free then.
   */
  put(copy: LocalCopy, signal: AbortSignal, beforeSent: (name: string) => Promise<void>): Promise<PutFileOutcome>;
  /** Deletes what was put, if the content is still the same. A missing file counts as gone. */
  remove(content: PutContentRecord, signal: AbortSignal): Promise<RemoveOutcome>;
  /** Where everybody can read what was put under a name; undefined if only the put itself can say. */
  addressOf(name: string): Promise<string> | undefined;
  close(): Promise<void>;
}

/** The names to try for a content, in order: a place may have another file under the first. */
export function contentNames({ sha256, type }: PutContent): readonly string[] {
  const ends = ['', '-2', '-3', '-4', '-5'];
  return ends.map((end) => `${sha256}${end}.${type.extension}`);
}

/** Every name is taken by something else. */
export const NO_FREE_NAME: PlaceProblem = {
  kind: 'failed',
  said: reason('place.namesTaken'),
  passes: false,
};

const CONNECT_TIMEOUT_MS = 20_000;
const SILENCE_MS = 60_000;
const MOST_REDIRECTS = 5;
/** Longer files are not read again: comparing their length has to do. */
export const READ_AGAIN_BYTES = 32 << 20;

/** Connections to places and to addresses. They never carry the key of a gateway. */
export function placeConnections(): Agent {
  return new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 2 * SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    connections: 8,
    pipelining: 0,
  });
}

/**
 * What keeps an address from returning exactly this content to somebody without credentials, such as a gateway;
 * undefined if nothing does.
 * @param name The address in a form that may be shown: without its signature.
 */
export async function addressProblem(
  address: string,
  { sha256, bytes }: Pick<PutContent, 'sha256' | 'bytes'>,
  {
    dispatcher,
    signal,
    name,
  }: { readonly dispatcher: Dispatcher; readonly signal: AbortSignal; readonly name: string },
): Promise<PlaceProblem | undefined> {
  const isWhole = bytes <= READ_AGAIN_BYTES;
  let url = address;
  try {
    for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
      const headers = isWhole ? {} : { range: 'bytes=0-0' };
      const answer = await request(url, { method: 'GET', headers, dispatcher, signal });
      const { statusCode: status, body } = answer;
      const { location } = answer.headers;
      if (status >= 300 && status < 400 && typeof location === 'string' && URL.canParse(location, url)) {
        body.on('error', () => undefined).destroy();
        url = new URL(location, url).href;
        if (!/^https?:/iu.test(url)) break;
        continue;
      }
      if (status !== 200 && status !== 206) {
        body.on('error', () => undefined).destroy();
        return unreadable(name, status);
      }
      const found = isWhole ? await bodyDigest(body, bytes) : lengthIn(answer.headers);
      if (!isWhole) body.on('error', () => undefined).destroy();
      if (found === (isWhole ? sha256 : bytes)) return undefined;
      return placeFailed(reason('place.otherContent', name), true);
    }
    return placeFailed(reason('place.nowhere', name), false);
  } catch (error) {
    signal.throwIfAborted();
    return placeFailed(reason('place.silent', name, codeOfError(error)), true);
  }
}

function unreadable(name: string, status: number): PlaceProblem {
  if (status === 401 || status === 403)
    return { ...placeFailed(reason('place.secret', name, status), false), ofPlace: true };
  return placeFailed(reason('place.notGiven', name, status), true);
}

/** Every exchange with a place gets this time, however small its file is, */
const LEAST_MS = 10 * 60_000;
/** plus what the file takes on a slow line: a minute for each megabyte. */
const SLOW_BYTES_PER_MS = 16;

/**
 * Carries out an exchange with a place, and gives up when it takes longer than a file of this size can: otherwise, a
 * server could keep it waiting for ever with a byte now and then.
 * @param saysLate Says that it took longer than this many minutes.
 */
export async function inTime<T>(
  saysLate: (minutes: number) => Reason,
  bytes: number,
  { clock, ending }: { readonly clock: Clock; readonly ending: AbortSignal },
  exchange: (signal: AbortSignal) => Promise<T>,
): Promise<T | PlaceProblem> {
  const longestMs = LEAST_MS + bytes / SLOW_BYTES_PER_MS;
  const late = new AbortController();
  const stop = clock.setTimer(longestMs, () => late.abort());
  try {
    return await exchange(AbortSignal.any([ending, late.signal]));
  } catch (error) {
    ending.throwIfAborted();
    if (!late.signal.aborted) throw error;
    return placeFailed(saysLate(Math.round(longestMs / 60_000)), true);
  } finally {
    stop();
  }
}

/** A failure of a place. */
export function placeFailed(said: Reason, passes: boolean): PlaceProblem {
  return { kind: 'failed', said, passes };
}

/** The digest of a body with at most this many bytes. */
export async function bodyDigest(body: AsyncIterable<Buffer>, most: number): Promise<string | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) return undefined;
    hash.update(chunk);
  }
  return hash.digest('hex');
}

function lengthIn(headers: Record<string, string | string[] | undefined>): number | undefined {
  const range = /\/(\d+)$/u.exec(String(headers['content-range']))?.[1] ?? headers['content-length'];
  return range === undefined ? undefined : Number(range);
}

/** Why no answer came, in a word: an error's message may quote an address that is secret. */
export function codeOfError(error: unknown): Saying {
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return inner instanceof Error && 'code' in inner && typeof inner.code === 'string'
    ? inner.code
    : reason('place.noReason');
}
