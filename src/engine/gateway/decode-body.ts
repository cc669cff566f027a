import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { RawAnswer } from '../ports.ts';

const INFLATED_MAX_BYTES = 1024 * 1024;

/**
 * The bytes of an answer's body without its content encoding. None is asked for, but some servers compress anyway. A
 * body that does not inflate to 1 MiB or less is returned as truncated.
 */
export function decodeBody(raw: RawAnswer): { readonly body: Uint8Array; readonly truncated: boolean } {
  const encoding = (raw.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity' || raw.truncated) return raw;
  const limit = { maxOutputLength: INFLATED_MAX_BYTES };
  try {
    switch (encoding) {
      case 'gzip':
      case 'x-gzip':
        return { body: gunzipSync(raw.body, limit), truncated: false };
      case 'deflate':
        return { body: inflateSync(raw.body, limit), truncated: false };
      case 'br':
        return { body: brotliDecompressSync(raw.body, limit), truncated: false };
      default:
        return { body: raw.body, truncated: true };
    }
  } catch {
    return { body: raw.body, truncated: true };
  }
}
