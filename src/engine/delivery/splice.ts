/**
 * A file made from another and from inserted bytes: everything that is not inserted is the other file's, byte for byte.
 */
import { open, type FileHandle } from 'node:fs/promises';

/** A stretch of the other file; `to` is the first byte after it. */
export interface FileStretch {
  readonly from: number;
  readonly to: number;
}

/** What a file is made of, in order. */
export type Pieces = readonly (Uint8Array | FileStretch)[];

/** How tags go into a file, or why they do not: `why` follows the file's name in a sentence. */
export type Tagging =
  | { readonly kind: 'pieces'; readonly pieces: Pieces }
  | { readonly kind: 'left'; readonly why: string };

/** Tags that do not go into a file. */
export function left(why: string): Tagging {
  return { kind: 'left', why };
}

/** Tags that go into a file. */
export function pieces(...made: Pieces): Tagging {
  return { kind: 'pieces', pieces: made };
}

/** A file that carries an XMP packet of its own keeps it: what it says is not ours to drop or mix. */
export const OWN_XMP = 'carries XMP of its own, which stays as it is';
/** Not one of the structures that are known to take tags unharmed. */
export const OTHER_SHAPE = 'is not built in a way that takes tags unharmed';

const BLOCK_BYTES = 1 << 20;

/** Writes a spliced file under a name that is free, and makes it durable. Throws errors of the disk. */
export async function writePieces(source: Pick<FileHandle, 'read'>, to: string, made: Pieces): Promise<void> {
  const file = await open(to, 'wx');
  try {
    for (const piece of made) {
      if (piece instanceof Uint8Array) await file.writeFile(piece);
      else await copyStretch(source, file, piece);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function copyStretch(
  source: Pick<FileHandle, 'read'>,
  file: FileHandle,
  { from, to }: FileStretch,
): Promise<void> {
  const block = Buffer.allocUnsafe(Math.max(1, Math.min(BLOCK_BYTES, to - from)));
  for (let at = from; at < to;) {
    const { bytesRead } = await source.read(block, 0, Math.min(block.length, to - at), at);
    if (bytesRead === 0) throw new Error(`The file ends at byte ${at}, before ${to}`);
    await file.writeFile(block.subarray(0, bytesRead));
    at += bytesRead;
  }
}
