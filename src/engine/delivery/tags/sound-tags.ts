/** Tags in MP3, FLAC and WAV, before the sound or after it. Every byte of the sound stays. */
import type { ByteSource } from '../../media-folder/containers/container-check.ts';
import { left, OTHER_SHAPE, OWN_XMP, pieces, type Tagging } from '../splice.ts';
import { id3Length } from './credentials.ts';

/** What marks an XMP packet as one. */
const XMP_MARK = 'x:xmpmeta';
const MAX_CHUNKS = 100_000;

/** Replaces the ID3 tag of an MP3. */
export async function retagMp3(source: ByteSource, tag: Buffer): Promise<Tagging> {
  const length = await id3Length(source);
  if ((await source.read(0, length)).includes(XMP_MARK)) return left(OWN_XMP);
  return pieces(tag, { from: length, to: source.size });
}

const STREAMINFO = 0;
const PADDING = 1;
const VORBIS_COMMENT = 4;
const PICTURE = 6;

interface FlacBlock {
  readonly type: number;
  readonly data: Buffer;
}

/**
 * Replaces the comments and pictures of a FLAC with those of a tagged sample. The other blocks stay: the checksum of
 * the sound, and the seek table. Source: RFC 9639, 8.
 */
export async function tagFlac(source: ByteSource, sample: Buffer): Promise<Tagging> {
  const own = await flacBlocks(async (at, length) => Buffer.from(await source.read(at, length)));
  const made = await flacBlocks(async (at, length) => sample.subarray(at, at + length));
  if (own === undefined || made === undefined) return left(OTHER_SHAPE);
  const isOurs = ({ type }: FlacBlock): boolean => type === VORBIS_COMMENT || type === PICTURE;
  if (own.blocks.some(({ data }) => data.includes(XMP_MARK))) return left(OWN_XMP);
  const blocks = [
    ...own.blocks.filter((block) => !isOurs(block) && block.type !== PADDING),
    ...made.blocks.filter(isOurs),
  ];
  const last = blocks.length - 1;
  return pieces(
    Buffer.from('fLaC', 'latin1'),
    ...blocks.map(({ type, data }, at) => {
      const head = Buffer.alloc(4);
      head.writeUInt32BE(data.length);
      head[0] = type | (at === last ? 0x80 : 0);
      return Buffer.concat([head, data]);
    }),
    { from: own.end, to: source.size },
  );
}

async function flacBlocks(
  read: (at: number, length: number) => Promise<Buffer>,
): Promise<{ readonly blocks: readonly FlacBlock[]; readonly end: number } | undefined> {
  if ((await read(0, 4)).toString('latin1') !== 'fLaC') return undefined;
  const blocks: FlacBlock[] = [];
  for (let at = 4; blocks.length < MAX_CHUNKS;) {
    const head = await read(at, 4);
    if (head.length < 4) return undefined;
    const [flags = 0] = head;
    const data = await read(at + 4, head.readUIntBE(1, 3));
    if (data.length < head.readUIntBE(1, 3)) return undefined;
    blocks.push({ type: flags & 0x7f, data });
    at += 4 + data.length;
    if ((flags & 0x80) !== 0) return blocks[0]?.type === STREAMINFO ? { blocks, end: at } : undefined;
  }
  return undefined;
}

/** Chunks that contain tags, as ours do. */
const TAG_CHUNKS: ReadonlySet<string> = new Set(['id3 ', 'ID3 ', '_PMX']);
const MOST_BYTES = 0xffff_ffff;

/**
 * Puts an ID3 tag and XMP after the last chunk of a WAV, where players and editors look for them. Source: XMP
 * specification, part 3.
 */
export async function tagWav(source: ByteSource, tag: Buffer, xmp: string): Promise<Tagging> {
  const head = Buffer.from(await source.read(0, 12));
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8) !== 'WAVE') return left(OTHER_SHAPE);
  let at = 12;
  for (let chunks = 0; at < source.size; chunks += 1) {
    const chunk = await source.read(at, 8);
    if (chunk.length < 8 || chunks > MAX_CHUNKS) return left(OTHER_SHAPE);
    if (TAG_CHUNKS.has(chunk.toString('latin1', 0, 4))) return left('carries tags of its own, which stay as they are');
    const length = chunk.readUInt32LE(4);
    at += 8 + length + (length % 2);
  }
  // The stated length must be the real one: otherwise, nobody would find our chunks at the end.
  if (at !== source.size || head.readUInt32LE(4) !== source.size - 8) return left(OTHER_SHAPE);
  const added = Buffer.concat([riffChunk('id3 ', tag), riffChunk('_PMX', Buffer.from(xmp, 'utf8'))]);
  if (source.size - 8 + added.length > MOST_BYTES) return left('is too large for tags');
  head.writeUInt32LE(source.size - 8 + added.length, 4);
  return pieces(head, { from: head.length, to: source.size }, added);
}

/** A chunk of a RIFF file: name, length, data, and a padding byte if the data's length is odd. */
export function riffChunk(name: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(8 + data.length + (data.length % 2));
  chunk.write(name, 0, 'latin1');
  chunk.writeUInt32LE(data.length, 4);
  chunk.set(data, 8);
  return chunk;
}
