import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';

/** One header as text; the first one if a server sent several. */
export function headerText(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** A strong ETag: nothing else proves that the rest of a file belongs to its beginning. Source: RFC 9110, 8.8.3. */
export function strongETag(headers: IncomingHttpHeaders): string | undefined {
  const etag = headerText(headers, 'etag');
  return etag !== undefined && /^"[\x21\x23-\x7e]{1,500}"$/u.test(etag) ? etag : undefined;
}

/** The declared length in bytes. */
export function declaredLength(headers: IncomingHttpHeaders): number | undefined {
  const text = headerText(headers, 'content-length');
  return text !== undefined && /^\d{1,15}$/u.test(text) ? Number(text) : undefined;
}

/** The range that an answer claims to be. `start` is absent if the range could not be served. */
export interface ContentRange {
  readonly start?: number;
  readonly end?: number;
  readonly total?: number;
}

/** Reads `bytes 10-99/100`, `bytes 10-99/*` and `bytes *` `/100`. Source: RFC 9110, 14.4. */
export function contentRange(headers: IncomingHttpHeaders): ContentRange | undefined {
  const match = /^bytes\s+(?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15}|\*)$/iu.exec(
    headerText(headers, 'content-range') ?? '',
  );
  if (!match) return undefined;
  const [, start, end, total] = match;
  return {
    ...(start === undefined ? {} : { start: Number(start), end: Number(end) }),
    ...(total === undefined || total === '*' ? {} : { total: Number(total) }),
  };
}

/**
 * Names that some servers write although nothing was compressed, of a way of sending or of a kind of text; browsers
 * ignore them as well.
 */
const NO_COMPRESSION: ReadonlySet<string> = new Set(['', 'identity', 'none', 'aws-chunked', 'binary', 'utf-8', 'utf8']);

/** True if the body was compressed in transit, although we did not ask for it. It is never inflated. */
export function isEncoded(headers: IncomingHttpHeaders): boolean {
  const encodings = (headerText(headers, 'content-encoding') ?? '').toLowerCase().split(',');
  return encodings.some((encoding) => !NO_COMPRESSION.has(encoding.trim()));
}

/** Where a redirect leads. Headers come with a character for each byte, although many servers send UTF-8 here. */
export function redirectTarget(headers: IncomingHttpHeaders): string | undefined {
  const { location } = headers;
  const bytes = location === undefined ? undefined : Buffer.from(location, 'latin1');
  return bytes !== undefined && isUtf8(bytes) ? bytes.toString('utf8') : location;
}
