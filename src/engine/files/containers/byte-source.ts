import type { FileHandle } from 'node:fs/promises';

/** Bytes at known places. What a container check reads from: a file, or in tests an array. */
export interface ByteSource {
  /** Length in bytes. */
  readonly size: number;
  /** Up to `length` bytes from `position`; fewer only where the source ends. The view is valid until the next read. */
  read(position: number, length: number): Promise<Buffer>;
}

const WINDOW_BYTES = 256 * 1024;

/** A source over an open file. Holds one window of it; a read that is longer than the window is made anew. */
export function fileSource(file: FileHandle, size: number): ByteSource {
  const window = Buffer.allocUnsafe(WINDOW_BYTES);
  let start = 0;
  let filled = 0;

  async function fill(target: Buffer, position: number): Promise<number> {
    let done = 0;
    while (done < target.length) {
      const { bytesRead } = await file.read(target, done, target.length - done, position + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return done;
  }

  async function read(position: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, size - position));
    if (wanted > WINDOW_BYTES) {
      const own = Buffer.allocUnsafe(wanted);
      return own.subarray(0, await fill(own, position));
    }
    if (position < start || position + wanted > start + filled) {
      start = position;
      filled = await fill(window.subarray(0, Math.min(WINDOW_BYTES, size - position)), position);
    }
    return window.subarray(position - start, Math.min(position - start + wanted, filled));
  }

  return { size, read };
}

/** A source over bytes in memory. */
export function memorySource(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: buffer.length,
    read: async (position, length) => buffer.subarray(position, Math.min(position + length, buffer.length)),
  };
}

/** Bytes a pass over a long stretch looks at in one go. */
export const STRETCH_BYTES = WINDOW_BYTES;
