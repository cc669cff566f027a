import type { MediaTypeName } from '../../../shared/domain/files/media-type.ts';
import type { FileHandle } from 'node:fs/promises';
import { reason, type Reason } from '../../../shared/domain/base/reason.ts';
import { present } from '../../../shared/domain/base/result.ts';

/** The result of a container check. */
export type ContainerCheck =
  /**
   * Whole, as far as the format shows; `endProven` is false if the format does not say where it ends. `seconds`: how
   * long a song or a film plays, if that is known.
   */
  | { readonly kind: 'whole'; readonly type: MediaTypeName; readonly endProven: boolean; readonly seconds?: number }
  /** Begins as this type, but is cut off or damaged: `reason` follows "it" in a sentence. */
  | { readonly kind: 'broken'; readonly type: MediaTypeName; readonly reason: Reason };

/**
 * The most boxes, elements or blocks in one file. A recording of half a day has fewer; a file of a few megabytes can
 * consist of millions of empty ones, and reading them all would take longer than anybody waits.
 */
export const MAX_PIECES = 4_000_000;
/** The `reason` of a broken file with more pieces. */
export const TOO_MANY_PIECES = reason('media.tooManyPieces');

/** Longer than any song or film: a header can say anything. */
const LONGEST_SECONDS = 24 * 3600;

/**
 * A whole container, and how long it plays according to what was read, which counts as unknown if it cannot be true.
 */
export function whole(type: MediaTypeName, endProven = true, seconds = 0): ContainerCheck {
  const isLikely = seconds > 0 && seconds <= LONGEST_SECONDS;
  return { kind: 'whole', type, endProven, ...present({ seconds: isLikely ? Number(seconds.toFixed(3)) : undefined }) };
}

/** A container that is cut off or damaged. */
export function broken(type: MediaTypeName, why: Reason): ContainerCheck {
  return { kind: 'broken', type, reason: why };
}

/** Random access to bytes for a container check: from a file, or in tests from an array. */
export interface ByteSource {
  /** Length in bytes. */
  readonly size: number;
  /** Up to `length` bytes from `position`; fewer only at the end. The view is valid until the next read. */
  read(position: number, length: number): Promise<Buffer>;
  /**
   * The same without waiting, if all of it is in memory; otherwise undefined. A file of only small pieces has millions
   * of them, and waiting for each takes longer than reading it.
   */
  held(position: number, length: number): Buffer | undefined;
  /**
   * Everything in memory from `position` on, at least two bytes; fewer only at the end of the source. For passes over
   * long stretches that may stop early, so that the rest is not read twice.
   */
  stretch(position: number): Promise<Buffer>;
}

const WINDOW_BYTES = 256 * 1024;
/** So that a two-byte sign is never split. */
const LEAST_STRETCH_BYTES = 2;

/** A source over an open file. Keeps one window of the file; a read longer than the window gets a buffer of its own. */
export function fileSource(file: Pick<FileHandle, 'read'>, size: number): ByteSource {
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

  async function moveTo(position: number): Promise<void> {
    start = position;
    filled = await fill(window.subarray(0, Math.min(WINDOW_BYTES, size - position)), position);
  }

  function held(position: number, length: number): Buffer | undefined {
    const wanted = Math.max(0, Math.min(length, size - position));
    if (position < start || position + wanted > start + filled) return undefined;
    return window.subarray(position - start, position - start + wanted);
  }

  async function read(position: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, size - position));
    if (wanted > WINDOW_BYTES) {
      const own = Buffer.allocUnsafe(wanted);
      return own.subarray(0, await fill(own, position));
    }
    const atHand = held(position, length);
    if (atHand !== undefined) return atHand;
    await moveTo(position);
    return window.subarray(0, Math.min(wanted, filled));
  }

  async function stretch(position: number): Promise<Buffer> {
    if (position >= size) return Buffer.alloc(0);
    if (held(position, LEAST_STRETCH_BYTES) === undefined) await moveTo(position);
    return window.subarray(position - start, filled);
  }

  return { size, read, held, stretch };
}

/** A source over bytes in memory. */
export function memorySource(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const view = (position: number, length: number): Buffer =>
    buffer.subarray(position, Math.min(position + length, buffer.length));
  return {
    size: buffer.length,
    read: async (position, length) => view(position, length),
    held: view,
    stretch: async (position) => buffer.subarray(position),
  };
}

/** How many bytes a pass over a long stretch reads at once. */
export const STRETCH_BYTES = WINDOW_BYTES;
