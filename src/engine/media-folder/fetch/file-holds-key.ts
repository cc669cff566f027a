import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { inflate } from '../../inflate.ts';
import { openPlainFile, type BytesSeen } from '../plain-file.ts';

const WINDOW_BYTES = 1 << 20;
/** Twice the longest key with each character as `\u0041`: a key that is cut by one window is whole in the next. */
const OVERLAP_BYTES = 1 << 16;
const INFLATED_MAX_BYTES = 8 << 20;

/** Whether a text contains a gateway's key. */
type HoldsKey = (text: string) => boolean;

/**
 * True if a file contains a gateway's key in one of its overlapping windows: whatever type it seems to be, it may be a
 * page that names the key, and whole media may name it in their tags.
 */
export async function holdsInAnyWindow(path: string, holdsKey: (bytes: Buffer) => boolean): Promise<boolean> {
  return withFile(path, async (file) => {
    const { size } = await file.stat();
    const window = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, size + 1));
    for (let at = 0; ; at += WINDOW_BYTES - OVERLAP_BYTES) {
      const { bytesRead } = await file.read(window, 0, window.length, at);
      if (holdsKey(window.subarray(0, bytesRead))) return true;
      if (bytesRead < window.length) return false;
    }
  });
}

/** True if a file that was compressed in transit has a gateway's key in its first MiB: an error page is short. */
export async function compressedHoldsKey(path: string, holdsKey: HoldsKey): Promise<boolean> {
  return withFile(path, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(WINDOW_BYTES), 0, WINDOW_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    const texts = await Promise.all(
      inflaters().map(async (inflater) => {
        const { body } = await inflate(head, inflater, INFLATED_MAX_BYTES);
        return Buffer.from(body).toString('latin1');
      }),
    );
    return texts.some(holdsKey);
  });
}

/** The header that named the compression is gone by now. */
function inflaters(): readonly Transform[] {
  const flush = { finishFlush: constants.Z_SYNC_FLUSH };
  const brotli = createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
  return [createGunzip(flush), createInflate(flush), createInflateRaw(flush), brotli];
}

async function withFile<T>(path: string, look: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await openPlainFile(path);
  try {
    return await look(file);
  } finally {
    await file.close();
  }
}

/** What is learned about a body while its bytes pass once, so that nobody has to read them again. */
export interface BodyDigest extends BytesSeen {
  /** sha256 of everything that passed, in hexadecimal; once. */
  sha256(): string;
  /** True if a gateway's key was in it. */
  readonly holdsKey: boolean;
}

/** A digest that looks for a key with `holdsKey`, even across two blocks. */
export function createBodyDigest(holdsKey: (bytes: Buffer) => boolean): BodyDigest {
  const hash = createHash('sha256');
  let isFound = false;
  /** A copy of the end of what has passed, because blocks are reused. */
  let end: Buffer = Buffer.alloc(0);
  let ends: Buffer | undefined;
  let seam: Buffer | undefined;

  function look(bytes: Buffer): void {
    isFound = holdsKey(bytes) || (end.length > 0 && isInSeam(bytes));
    if (bytes.length < OVERLAP_BYTES) {
      end = Buffer.from(Buffer.concat([end, bytes]).subarray(-OVERLAP_BYTES));
    } else {
      ends ??= Buffer.allocUnsafe(OVERLAP_BYTES);
      bytes.copy(ends, 0, bytes.length - OVERLAP_BYTES);
      end = ends;
    }
  }

  function isInSeam(bytes: Buffer): boolean {
    seam ??= Buffer.allocUnsafe(2 * OVERLAP_BYTES);
    const middle = end.copy(seam);
    return holdsKey(seam.subarray(0, middle + bytes.copy(seam, middle, 0, OVERLAP_BYTES)));
  }

  return {
    update(bytes) {
      hash.update(bytes);
      if (!isFound) look(bytes);
    },
    sha256: () => hash.digest('hex'),
    get holdsKey() {
      return isFound;
    },
  };
}
