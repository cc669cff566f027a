import { isUtf8 } from 'node:buffer';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Transform } from 'node:stream';
import { inflate } from '../inflate.ts';
import type { RawAnswer } from '../ports.ts';
import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';

/** As much of a body is kept, inflated, as of one that was not compressed. */
const INFLATED_MAX_BYTES = 1024 * 1024;
/** Why a body is not whole, as clauses. */
const CUTS = {
  'too-long': 'it is longer than 1 MiB',
  damaged: 'its compressed data is damaged or broke off',
} as const;
/** More encodings on top of each other are no answer. */
const MAX_ENCODINGS = 4;

/** An answer without its content encoding. */
export interface InflatedAnswer {
  readonly raw: RawAnswer;
  /** Why the body is not whole although all of it came. */
  readonly brokenBy?: string;
}

/**
 * Takes the content encoding off an answer. None is asked for, but some servers compress anyway, and some without saying
 * so. What is kept of an answer must be readable: nobody sees what is inside of a compressed body, such as the key. A body
 * that breaks off or is longer than 1 MiB is cut there; one in an encoding that cannot be read is left out.
 */
export async function inflateAnswer(raw: RawAnswer): Promise<InflatedAnswer> {
  let { body } = raw;
  const cuts: string[] = [];
  for (const encoding of encodingsOf(raw)) {
    // Some proxies take the encoding off and leave its name.
    if (isPlainJson(body)) break;
    const inflater = inflaterOf(encoding, body);
    if (inflater === undefined) {
      if (isText(body)) continue;
      body = new Uint8Array();
      cuts.push(`its encoding (${encoding}) cannot be read`);
      break;
    }
    const inflated = await inflate(body, inflater, INFLATED_MAX_BYTES);
    if (inflated.cut !== undefined) cuts.push(CUTS[inflated.cut]);
    // Said to be compressed, and is not: it can be read, but whether it is whole is not known.
    if (inflated.body.length > 0 || inflated.cut === undefined || !isText(body)) ({ body } = inflated);
  }
  for (let layers = 0; layers < MAX_ENCODINGS && looksCompressed(body); layers += 1) {
    const inflated = await inflate(body, createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }), INFLATED_MAX_BYTES);
    ({ body } = inflated);
    if (inflated.cut !== undefined) cuts.push(CUTS[inflated.cut]);
  }
  if (isBinary(body)) {
    body = new Uint8Array();
    cuts.push('it is no text');
  }
  const { 'content-encoding': _, ...headers } = raw.headers;
  const truncated = raw.truncated || cuts.length > 0;
  const [brokenBy] = cuts;
  return { raw: { ...raw, headers, body, truncated }, ...(brokenBy === undefined ? {} : { brokenBy }) };
}

/** In the order in which they are taken off. */
function encodingsOf({ headers, body }: RawAnswer): readonly string[] {
  if (body.length === 0) return [];
  const named = (headers['content-encoding'] ?? '').toLowerCase().split(',');
  const encodings = named.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  return encodings.toReversed().slice(0, MAX_ENCODINGS);
}

function inflaterOf(encoding: string, body: Uint8Array): Transform | undefined {
  const flush = { finishFlush: constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(flush);
    case 'deflate':
      // Meant is the format with a header; some servers leave it out.
      return (body[0] ?? 0) % 16 === 8 ? createInflate(flush) : createInflateRaw(flush);
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}

/** Gzip's first bytes. Source: RFC 1952, 2.3.1. */
function looksCompressed(body: Uint8Array): boolean {
  return body[0] === 0x1f && body[1] === 0x8b && body[2] === 8;
}

/** Readable as it is, whatever its encoding is said to be. */
function isText(body: Uint8Array): boolean {
  return isUtf8(body) && !hasControls(body);
}

/** Begins as every answer of a gateway does; nothing compressed is text to its end. */
function isPlainJson(body: Uint8Array): boolean {
  return (body[0] === 0x7b || body[0] === 0x5b) && isText(body);
}

/** Neither text nor something else that could be looked into: an encoding that nobody named. */
function isBinary(body: Uint8Array): boolean {
  return !isUtf8(body) && hasControls(body);
}

/** Control characters that no text has: tabs, line breaks, escape sequences and the zeros of UTF-16 may be in one. */
function hasControls(body: Uint8Array): boolean {
  return body.some((byte) => (byte > 0 && byte < 0x09) || (byte > 0x0d && byte < 0x20 && byte !== 0x1b));
}

/**
 * An inflated answer without the key, should the gateway repeat it in whatever form: answers are kept as evidence and
 * shown, the key never is. All other bytes stay as they came.
 */
export function withoutKey(raw: RawAnswer, finder: KeyFinder): RawAnswer {
  const headers = Object.fromEntries(
    Object.entries(raw.headers).map(([name, value]) => [finder.hide(name), finder.hide(value)]),
  );
  // One character a byte: the key is ASCII, and nothing else may move.
  const text = Buffer.from(raw.body.buffer, raw.body.byteOffset, raw.body.byteLength).toString('latin1');
  const clean = finder.hide(text, raw.truncated);
  return { ...raw, headers, body: clean === text ? raw.body : Uint8Array.from(Buffer.from(clean, 'latin1')) };
}
