import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { diskErrorCode, NotPlainFileError } from '../disk-failure.ts';
import { openPlainFile } from '../plain-file.ts';

/** The name of a part; what is not safe in a name is written as its code. The design fixes `<id>.<generation>.part`. */
export function partName(outputId: string, generation: number): string {
  const id = outputId.replaceAll(/[^A-Za-z0-9_-]/gu, (character) => `~${character.codePointAt(0)?.toString(16)}~`);
  return `${id}.${generation}.part`;
}

/** Takes a part's name apart; undefined for any other file. */
export function parsePartName(name: string): { readonly outputId: string; readonly generation: number } | undefined {
  const match = /^([A-Za-z0-9_~-]+)\.(\d{1,9})\.part$/u.exec(name);
  if (!match) return undefined;
  const outputId = (match[1] ?? '').replaceAll(/~([0-9a-f]{1,6})~/gu, (_, code: string) =>
    String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)),
  );
  return { outputId, generation: Number(match[2]) };
}

const READ_BYTES = 1 << 20;

/** Feeds the first `bytes` of a file into a hash; returns how many there were. */
export async function hashFile(file: FileHandle, hash: Hash, bytes: number, signal?: AbortSignal): Promise<number> {
  const block = Buffer.allocUnsafe(Math.max(1, Math.min(READ_BYTES, bytes)));
  let done = 0;
  while (done < bytes) {
    if (signal?.aborted === true) break;
    const { bytesRead } = await file.read(block, 0, Math.min(block.length, bytes - done), done);
    if (bytesRead === 0) break;
    hash.update(block.subarray(0, bytesRead));
    done += bytesRead;
  }
  return done;
}

/** True when there is a plain file at `path` with exactly this content. */
export async function fileMatches(path: string, sha256: string, bytes: number): Promise<boolean> {
  const file = await openIfThere(path);
  if (file === undefined) return false;
  try {
    const stat = await file.stat();
    if (stat.size !== bytes) return false;
    const hash = createHash('sha256');
    await hashFile(file, hash, bytes);
    return hash.digest('hex') === sha256;
  } finally {
    await file.close();
  }
}

/** Opens a plain file to read; undefined when there is none. */
export async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await openPlainFile(path);
  } catch (error) {
    if (error instanceof NotPlainFileError || ['ENOENT', 'ENOTDIR'].includes(diskErrorCode(error) ?? '')) {
      return undefined;
    }
    throw error;
  }
}
