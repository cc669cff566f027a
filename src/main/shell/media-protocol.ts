/**
 * Serves verified files under `media://file/<id>`, in ranges so that a player can seek, and their small pictures under
 * `media://thumbnail/<id>`. Never by path.
 */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Reply } from '../../shared/ipc/contract.ts';
import { MEDIA_SCHEME } from './app-protocol.ts';

/** A file on disk that may be shown. */
export interface ServedFile {
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** SHA-256 of its content as it was verified; absent if that is not known. */
  readonly sha256?: string | undefined;
}

const SHOWN = /^(?:audio|video|image)\/[\w.+-]+$/;

/**
 * Makes the handler of the scheme.
 * @param locate Finds a file by its id, inside its media folder or not at all.
 * @param thumbnail The file's small picture, as WebP; undefined if there is none.
 */
export function createMediaProtocol(
  locate: (fileId: string) => Promise<Reply<ServedFile>>,
  thumbnail: (fileId: string) => Promise<Uint8Array<ArrayBuffer> | undefined>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const small = fileIdOf(request.url, 'thumbnail');
    if (small !== undefined) {
      const bytes = await thumbnail(small);
      // A missing picture is no error that belongs in the console.
      return new Response(bytes ?? null, { status: bytes === undefined ? 204 : 200, headers: headersOf('image/webp') });
    }
    const id = fileIdOf(request.url, 'file');
    if (id === undefined) return new Response(null, { status: 404 });
    const located = await locate(id);
    if (!located.ok) return new Response(null, { status: located.error.code === 'unavailable' ? 503 : 404 });
    return respondWith(located.value, request);
  };
}

/** A file, or the part of it that a request asks for. */
export function respondWith(file: ServedFile, request: Request): Response {
  const range = parseByteRange(request.headers.get('Range'), file.bytes);
  if (range === 'unsatisfiable') {
    return new Response(null, { status: 416, headers: { 'Content-Range': `bytes */${file.bytes}` } });
  }
  return respond(file, range);
}

function headersOf(contentType: string): Record<string, string> {
  return {
    'Content-Type': contentType,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
  };
}

function respond(file: ServedFile, range: ByteRange | 'whole'): Response {
  const { start, end } = range === 'whole' ? { start: 0, end: file.bytes - 1 } : range;
  const headers = {
    // Files that are not for listening, watching or looking at must not render as a page.
    ...headersOf(SHOWN.test(file.mediaType) && file.mediaType !== 'image/svg+xml' ? file.mediaType : 'text/plain'),
    'Content-Length': String(end - start + 1),
    'Accept-Ranges': 'bytes',
    ...(range !== 'whole' && { 'Content-Range': `bytes ${start}-${end}/${file.bytes}` }),
  };
  if (file.bytes === 0) return new Response(null, { status: 200, headers });
  const stream = createReadStream(file.path, { start, end });
  // A reader that goes away, as a player does at every seek, ends the stream with an error that nobody waits for.
  stream.on('error', () => undefined);
  return new Response(Readable.toWeb(stream) as ReadableStream<Uint8Array>, {
    status: range === 'whole' ? 200 : 206,
    headers,
  });
}

function fileIdOf(address: string, host: 'file' | 'thumbnail'): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const id = /^\/([\w-]{1,64})$/.exec(url.pathname)?.[1];
  return url.protocol === `${MEDIA_SCHEME}:` && url.host === host ? id : undefined;
}

/** Part of a file, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * What a `Range` header asks for in a file of `bytes` bytes: one range; `whole` if there is no header or it is to be
 * ignored (RFC 9110, 14.2: other units, bad syntax, several ranges); `unsatisfiable` for a 416.
 */
export function parseByteRange(header: string | null, bytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(/\s/g, '') ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= bytes ? 'unsatisfiable' : { start, end };
}
