import { isUtf8 } from 'node:buffer';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Transform } from 'node:stream';
import { inflate } from '../inflate.ts';
import type { RawAnswer } from '../ports/media-gateway.ts';
import { reason, type Saying } from '../../shared/domain/base/reason.ts';
import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { present } from '../../shared/domain/base/result.ts';

/** Keeps as much of an inflated body as of one that was not compressed. */
const INFLATED_MAX_BYTES = 1024 * 1024;
/** Why a body is not whole, as clauses. */
const CUTS = { 'too-long': reason('cut.tooLong'), damaged: reason('cut.damaged') } as const;
/** An answer with more encodings on top of each other is nonsense. */
const MAX_ENCODINGS = 4;

/** An answer without its content encoding. */
export interface InflatedAnswer {
  readonly raw: RawAnswer;
  /** Why the body is not whole although all of it arrived. */
  readonly brokenBy?: Saying;
}

/**
 * Removes the content encoding of an answer. Nocturne asks for none, but some servers compress anyway, and some without
 * saying so. What is kept must be readable: nobody sees what is inside a compressed body, such as the key. A body that
 * breaks off or is longer than 1 MiB is cut there; one in an unreadable encoding is left out.
 */
export async function inflateAnswer(raw: RawAnswer): Promise<InflatedAnswer> {
  let { body } = raw;
  const cuts: Saying[] = [];
  for (const encoding of encodingsOf(raw)) {
    // Some proxies remove the encoding but keep its name.
    if (isPlainJson(body)) break;
    const inflater = inflaterOf(encoding, body);
    if (inflater === undefined) {
      if (isText(body)) continue;
      body = new Uint8Array();
      cuts.push(reason('cutEncoding', encoding));
      break;
    }
    const inflated = await inflate(body, inflater, INFLATED_MAX_BYTES);
    if (inflated.cut !== undefined) cuts.push(CUTS[inflated.cut]);
    // Labelled as compressed but not compressed: it can be read, but whether it is whole is unknown.
    if (inflated.body.length > 0 || inflated.cut === undefined || !isText(body)) ({ body } = inflated);
  }
  for (let layers = 0; layers < MAX_ENCODINGS && looksCompressed(body); layers += 1) {
    const inflated = await inflate(body, createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }), INFLATED_MAX_BYTES);
    ({ body } = inflated);
    if (inflated.cut !== undefined) cuts.push(CUTS[inflated.cut]);
  }
  if (isBinary(body)) {
    body = new Uint8Array();
    cuts.push(reason('cut.notText'));
  }
  const { 'content-encoding': _, ...headers } = raw.headers;
  const truncated = raw.truncated || cuts.length > 0;
  const [brokenBy] = cuts;
  return { raw: { ...raw, headers, body, truncated }, ...present({ brokenBy }) };
}

/** In the order of removal. */
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
      // The name means the format with a header; some servers leave the header out.
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

/** Readable as it is, whatever encoding its header names. */
function isText(body: Uint8Array): boolean {
  return isUtf8(body) && !hasControls(body);
}

/** Starts as every answer of a gateway does; compressed data is never text to its end. */
function isPlainJson(body: Uint8Array): boolean {
  return (body[0] === 0x7b || body[0] === 0x5b) && isText(body);
}

/** Neither text nor anything else that can be inspected: an undeclared encoding. */
function isBinary(body: Uint8Array): boolean {
  return !isUtf8(body) && hasControls(body);
}

/** Control characters that no text has; tabs, line breaks, escape sequences and the zeros of UTF-16 are allowed. */
function hasControls(body: Uint8Array): boolean {
  return body.some((byte) => (byte > 0 && byte < 0x09) || (byte > 0x0d && byte < 0x20 && byte !== 0x1b));
}

/**
 * An inflated answer without the key, in whatever form the gateway might repeat it: answers are kept as evidence and
 * shown, the key never is. All other bytes stay as they came.
 */
export function withoutKey(raw: RawAnswer, finder: KeyFinder): RawAnswer {
  const headers = Object.fromEntries(
    Object.entries(raw.headers).map(([name, value]) => [finder.hide(name), finder.hide(value)]),
  );
  // One byte per character: the key is ASCII, and nothing else may move.
  const text = Buffer.from(raw.body.buffer, raw.body.byteOffset, raw.body.byteLength).toString('latin1');
  const clean = finder.hide(text, raw.truncated);
  return { ...raw, headers, body: clean === text ? raw.body : Uint8Array.from(Buffer.from(clean, 'latin1')) };
}
