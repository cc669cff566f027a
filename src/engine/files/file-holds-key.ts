import { open, type FileHandle } from 'node:fs/promises';
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

const WINDOW_BYTES = 1 << 20;
/** Twice the longest key with each character as `\u0041`: what one window has only a part of, the next has whole. */
const OVERLAP_BYTES = 1 << 16;
const INFLATED_MAX_BYTES = 8 << 20;

/** Tells whether a text holds a gateway's key. */
type HoldsKey = (text: string) => boolean;

/** True where a text file holds a gateway's key. */
export async function textHoldsKey(path: string, holdsKey: HoldsKey): Promise<boolean> {
  return withFile(path, async (file) => {
    const window = Buffer.alloc(WINDOW_BYTES);
    for (let at = 0; ; at += WINDOW_BYTES - OVERLAP_BYTES) {
      const { bytesRead } = await file.read(window, 0, WINDOW_BYTES, at);
      if (holdsKey(window.toString('latin1', 0, bytesRead))) return true;
      if (bytesRead < WINDOW_BYTES) return false;
    }
  });
}

/** True where a file that was compressed on the way is a text with a gateway's key in its first MiB: an error page is short. */
export async function compressedHoldsKey(path: string, holdsKey: HoldsKey): Promise<boolean> {
  return withFile(path, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(WINDOW_BYTES), 0, WINDOW_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    return inflatedInEveryWay(head).some((text) => holdsKey(text.toString('latin1')));
  });
}

/** How it was compressed was said in a header that is gone by now. */
function inflatedInEveryWay(head: Buffer): readonly Buffer[] {
  const zlib = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: INFLATED_MAX_BYTES };
  const brotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength: INFLATED_MAX_BYTES };
  const ways = [
    () => gunzipSync(head, zlib),
    () => inflateSync(head, zlib),
    () => inflateRawSync(head, zlib),
    () => brotliDecompressSync(head, brotli),
  ];
  return ways.flatMap((way) => {
    try {
      return [way()];
    } catch {
      return [];
    }
  });
}

async function withFile<T>(path: string, look: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r');
  try {
    return await look(file);
  } finally {
    await file.close();
  }
}
