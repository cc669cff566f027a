import { readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { present } from '../../../shared/domain/base/result.ts';
import { crashPoint } from '../../crash-point.ts';
import { identityOfFile, type BytesSeen, type FileIdentity } from '../plain-file.ts';

/** The name of a part, with codes for characters unsafe in names. The design fixes `<id>.<generation>.part`. */
export function partName(outputId: string, generation: number): string {
  const id = outputId.replaceAll(/[^A-Za-z0-9_-]/gu, (character) => `~${character.codePointAt(0)?.toString(16)}~`);
  return `${id}.${generation}.part`;
}

/** The paths of an output's parts up to a generation: of the last few, because the sweep removes older ones. */
export function partsUpTo(folder: string, outputId: string, generation: number): readonly string[] {
  const paths: string[] = [];
  for (let number = generation; number > 0 && number > generation - 3; number -= 1) {
    paths.push(join(folder, partName(outputId, number)));
  }
  return paths;
}

/** Parses the name of a part; undefined for any other file. */
export function parsePartName(name: string): { readonly outputId: string; readonly generation: number } | undefined {
  const match = /^([A-Za-z0-9_~-]+)\.(\d{1,9})\.part$/u.exec(name);
  if (!match) return undefined;
  const outputId = (match[1] ?? '').replaceAll(/~([0-9a-f]{1,6})~/gu, (_, code: string) =>
    String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)),
  );
  return { outputId, generation: Number(match[2]) };
}

/**
 * Marks an output's id, in the names of its parts, as belonging to a store and to one of its workers: several may share
 * a media folder, and two must never write the same part. A worker's name is letters and digits.
 */
export function markedId(outputId: string, store: string, worker?: string): string {
  return worker === undefined ? `${store}-${outputId}` : `${store}_${worker}-${outputId}`;
}

/** What a marked id says; undefined for one without a mark. */
export function parseMarkedId(
  marked: string,
): { readonly store: string; readonly worker?: string; readonly outputId: string } | undefined {
  const [, store, worker, outputId] = /^([^-_]+)(?:_([^-_]+))?-(.+)$/su.exec(marked) ?? [];
  return store === undefined || outputId === undefined ? undefined : { store, outputId, ...present({ worker }) };
}

/**
 * The parts of an output's generation that other workers of its store have left in a folder. They are not resumed: only
 * a part that is known to be whole may be placed.
 */
export async function partsOfOthers(folder: string, marked: string, generation: number): Promise<readonly string[]> {
  const own = parseMarkedId(marked);
  if (own?.worker === undefined) return [];
  const isOthers = (name: string): boolean => {
    const part = parsePartName(name);
    const other = part?.generation === generation ? parseMarkedId(part.outputId) : undefined;
    return other?.store === own.store && other.outputId === own.outputId && other.worker !== own.worker;
  };
  return (await readdir(folder)).filter(isOthers).map((name) => join(folder, name));
}

/** How much is hashed and searched at once: measured as the fastest way to a verified file (design: performance). */
const BLOCK_BYTES = 1 << 20;
/** The system takes one piece of memory for each write: from 512 KiB, filling it takes 3 times as long (measured). */
const WRITE_BYTES = 1 << 18;
/** A shorter body gets a first block of its own size: many are short, and most of 1 MiB each was unused (measured). */
export const SHORT_BYTES = 1 << 16;
/** More than this is not held in memory; the sender has to wait. */
const HOLD_BACK_BYTES = 4 << 20;
/** The sender continues when this little is left, so that disk and network work at the same time. */
const GO_ON_BYTES = 2 << 20;

/** This many blocks at most are kept for the next bodies. */
const MAX_FREE_BLOCKS = 8;
/** With new memory for every body, V8 searches its whole heap for each 64 MiB: a third of all time (measured). */
const freeBlocks: ArrayBuffer[] = [];

/** True for a body that is not written before its end, unless it turns out longer than announced. */
export function isShortBody(announced: number | undefined): boolean {
  return (announced ?? SHORT_BYTES) <= SHORT_BYTES;
}

function takeBlock(): Buffer<ArrayBuffer> {
  return Buffer.from(freeBlocks.pop() ?? new ArrayBuffer(BLOCK_BYTES));
}

/** Takes back the memory of a part's content that nobody looks at any more. */
export function returnBlock(bytes: Uint8Array<ArrayBuffer> | undefined): void {
  if (bytes?.buffer.byteLength === BLOCK_BYTES && freeBlocks.length < MAX_FREE_BLOCKS) freeBlocks.push(bytes.buffer);
}

/**
 * Writes a body to its part in large blocks and hashes it meanwhile. One of up to 64 KiB is not written before its end:
 * whoever takes it ({@link PartWriter.takeWhole}) has it written in one go.
 */
export interface PartWriter {
  /** Bytes of the part, including those that are not on the disk yet. */
  readonly bytes: number;
  /** Takes a chunk and copies it. True: wait for {@link drained} before the next. */
  push(chunk: Uint8Array): boolean;
  /** Resolves when there is room again; rejects with the error of the disk. */
  drained(): Promise<void>;
  /**
   * Gives away the whole of a short body after its last byte, in its own memory: none of it was written, the digest has
   * seen nothing, and the writer has no file. Undefined for any other: {@link finish} it.
   */
  takeWhole(): Buffer<ArrayBuffer> | undefined;
  /** Writes the rest, waits until it is durable, and returns what distinguishes the file from another of its name. */
  finish(): Promise<FileIdentity>;
  /**
   * Gives away the whole part, if it was short enough to be written at once; after {@link finish}. It is in its own
   * memory, for {@link returnBlock}.
   */
  takeContent(): Buffer<ArrayBuffer> | undefined;
  /** Closes the file; in any case, and once. */
  close(): Promise<void>;
}

/** Where and what a writer writes. */
export interface PartOrder {
  /** Opens the file; a short one only when there is something to write. Meanwhile, the next bytes may arrive. */
  readonly open: () => Promise<FileHandle>;
  /** Sees every byte that is written. */
  readonly digest: BytesSeen;
  /** Where writing continues; `digest` has seen everything before that. */
  readonly position: number;
  /** How many bytes are announced. */
  readonly expected: number | undefined;
}

/** A writer of one part. */
export function createPartWriter({ open, digest, position, expected }: PartOrder): PartWriter {
  const firstBytes = Math.max(1, expected ?? SHORT_BYTES);
  const isShort = position === 0 && isShortBody(expected);
  let block: Buffer<ArrayBuffer> | undefined;
  let content: Buffer<ArrayBuffer> | undefined;
  let opening: Promise<FileHandle> | undefined;
  let blocks = 0;
  let filled = 0;
  let accepted = position;
  let written = position;
  let queue: Promise<void> = Promise.resolve();
  let problem: { readonly error: unknown } | undefined;
  let roomMade: (() => void) | undefined;

  function file(): Promise<FileHandle> {
    if (opening === undefined) {
      opening = open();
      // Whoever writes next, or finishes, gets the error.
      opening.catch(() => undefined);
    }
    return opening;
  }
  if (!isShort) void file();

  async function writeAll(to: FileHandle, bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await to.write(bytes, done, Math.min(WRITE_BYTES, bytes.length - done), written);
      done += bytesWritten;
      written += bytesWritten;
      crashPoint('download.bytes-written');
    }
  }

  async function write(bytes: Buffer): Promise<void> {
    if (problem !== undefined) return;
    try {
      const writing = writeAll(await file(), bytes);
      // Hashed while another thread writes them.
      digest.update(bytes);
      await writing;
    } catch (error) {
      problem = { error };
    }
    if (problem !== undefined || accepted - written <= GO_ON_BYTES) {
      roomMade?.();
      roomMade = undefined;
    }
  }

  function nextBlock(): Buffer<ArrayBuffer> {
    blocks += 1;
    return blocks === 1 && isShort ? Buffer.allocUnsafeSlow(firstBytes) : takeBlock();
  }

  function flushBlock(): void {
    const full = block;
    if (full === undefined) return;
    const bytes = full.subarray(0, filled);
    const first = takeContent();
    const isAll = blocks === 1 && position === 0;
    if (isAll) content = bytes;
    block = undefined;
    filled = 0;
    queue = queue
      .then(() => {
        returnBlock(first);
        return write(bytes);
      })
      .then(() => {
        if (!isAll) returnBlock(full);
      });
  }

  function takeContent(): Buffer<ArrayBuffer> | undefined {
    const taken = content;
    content = undefined;
    return taken;
  }

  function push(chunk: Uint8Array): boolean {
    for (let from = 0; from < chunk.length;) {
      // There is more than fits into the first block: the body is not short.
      if (filled === block?.length) flushBlock();
      block ??= nextBlock();
      const step = Math.min(chunk.length - from, block.length - filled);
      block.set(chunk.subarray(from, from + step), filled);
      filled += step;
      from += step;
      if (filled === block.length && !(isShort && blocks === 1)) flushBlock();
    }
    accepted += chunk.length;
    return problem !== undefined || accepted - written > HOLD_BACK_BYTES;
  }

  async function drained(): Promise<void> {
    if (problem === undefined && accepted - written > GO_ON_BYTES) {
      await new Promise<void>((resolve) => (roomMade = resolve));
    }
    if (problem !== undefined) throw problem.error;
  }

  function takeWhole(): Buffer<ArrayBuffer> | undefined {
    if (!isShort || accepted !== filled) return undefined;
    const whole = block?.subarray(0, filled) ?? Buffer.from(new ArrayBuffer(0));
    block = undefined;
    filled = 0;
    return whole;
  }

  async function finish(): Promise<FileIdentity> {
    if (filled > 0) flushBlock();
    await queue;
    if (problem !== undefined) throw problem.error;
    crashPoint('download.part-complete');
    const part = await file();
    await part.sync();
    crashPoint('download.part-synced');
    return identityOfFile(await part.stat({ bigint: true }));
  }

  return {
    get bytes() {
      return accepted;
    },
    push,
    drained,
    takeWhole,
    finish,
    takeContent,
    async close() {
      await queue;
      returnBlock(takeContent());
      returnBlock(block);
      block = undefined;
      const part = await opening?.catch(() => undefined);
      await part?.close();
    },
  };
}
