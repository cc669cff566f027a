import { reason } from '../../../shared/domain/base/reason.ts';
import { type ByteSource, broken, TOO_MANY_PIECES, whole, type ContainerCheck } from './container-check.ts';

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** One chunk for each frame of an hour at 25 frames a second, several times over. */
const MAX_CHUNKS = 1_000_000;
/** From recorders that could not go back to fill in the length. */
const UNKNOWN_SIZES: ReadonlySet<number> = new Set([0, 0xffff_ffff, 0x7fff_ffff, 0x7fff_f000, 0x8000_0000]);

/** The chunks that a complete file of each type has. */
const NEEDED: Readonly<Record<'wav' | 'webp', { readonly all: readonly string[]; readonly oneOf: readonly string[] }>> =
  {
    wav: { all: ['fmt ', 'data'], oneOf: ['data'] },
    webp: { all: [], oneOf: ['VP8 ', 'VP8L', 'ANMF'] },
  };

/** Walks the chunks of a WAV or WebP file and compares lengths. Source: RIFF (RFC 9649, 2; Microsoft's RIFF). */
export async function checkRiff(source: ByteSource, type: 'wav' | 'webp'): Promise<ContainerCheck> {
  const header = await source.read(0, RIFF_HEADER_BYTES);
  if (header.length < RIFF_HEADER_BYTES) return broken(type, reason('media.cutHeader'));
  const declared = header.readUInt32LE(4);
  const isOpen = type === 'wav' && UNKNOWN_SIZES.has(declared);
  const end = isOpen ? source.size : 8 + declared;
  if (end > source.size) return broken(type, reason('media.cutBytes', end, source.size));

  const seen = new Set<string>();
  let [soundBytes, bytesASecond] = [0, 0];
  let position = RIFF_HEADER_BYTES;
  let chunks = 0;
  while (position + CHUNK_HEADER_BYTES <= end) {
    chunks += 1;
    if (chunks > MAX_CHUNKS) return broken(type, TOO_MANY_PIECES);
    const chunk = source.held(position, CHUNK_HEADER_BYTES) ?? (await source.read(position, CHUNK_HEADER_BYTES));
    const name = chunk.toString('latin1', 0, 4);
    const length = chunk.readUInt32LE(4);
    // Other chunks are skipped and their names not kept: a file may have millions.
    if (NEEDED[type].oneOf.includes(name) || NEEDED[type].all.includes(name)) seen.add(name);
    if (name === 'fmt ') bytesASecond = await readByteRate(source, position + CHUNK_HEADER_BYTES);
    if (name === 'data') soundBytes = Math.min(length, end - position - CHUNK_HEADER_BYTES);
    if (isOpen && name === 'data' && (UNKNOWN_SIZES.has(length) || position + CHUNK_HEADER_BYTES + length > end)) {
      return isComplete(type, seen)
        ? whole(type, false, soundBytes / bytesASecond)
        : broken(type, reason('media.noFormat'));
    }
    if (position + CHUNK_HEADER_BYTES + length > end) return broken(type, reason('media.cutChunk', name.trim()));
    position += CHUNK_HEADER_BYTES + length + (length % 2);
  }
  // Some writers omit or miscount the padding of the last chunk; nothing else may be left over.
  if (position < end) return broken(type, reason('media.damagedLastChunk'));
  return isComplete(type, seen)
    ? whole(type, !isOpen, soundBytes / bytesASecond)
    : broken(type, reason(type === 'wav' ? 'media.noSound' : 'media.noPicture'));
}

/** The byte rate of a WAV file; 0 if it is cut off. Source: Microsoft's RIFF, `WAVEFORMAT`. */
async function readByteRate(source: ByteSource, at: number): Promise<number> {
  const format = await source.read(at, 12);
  return format.length < 12 ? 0 : format.readUInt32LE(8);
}

function isComplete(type: 'wav' | 'webp', seen: ReadonlySet<string>): boolean {
  const { all, oneOf } = NEEDED[type];
  return all.every((name) => seen.has(name)) && oneOf.some((name) => seen.has(name));
}
