/** Tags in MP4 and M4A. Sound and picture stay, byte for byte; only their offsets are rewritten. */
import type { ByteSource } from '../../media-folder/containers/container-check.ts';
import { left, OTHER_SHAPE, OWN_XMP, pieces, type Tagging } from '../splice.ts';
import { topBoxes, type Box } from './credentials.ts';

/** The box of an XMP packet. Source: XMP specification, part 3. */
const XMP_BOX = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
/** Even a film that lasts days has only a few megabytes of tables. */
const MAX_MOVIE_BYTES = 256 << 20;
/** Boxes that lead to the tables of media offsets, from the outermost in. */
const TO_TABLES: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);

/**
 * Replaces a film's tags with those of a tagged sample, and puts XMP at its end. A fragmented film is left alone: each
 * fragment may state its own media offsets. Source: ISO/IEC 14496-12.
 */
export async function tagFilm(source: ByteSource, sample: Buffer, xmp: string): Promise<Tagging> {
  const boxes: Box[] = [];
  for await (const box of topBoxes(source)) boxes.push(box);
  const movies = boxes.filter(({ type }) => type === 'moov');
  const [movie] = movies;
  const isPlain = movies.length === 1 && boxes.every(({ type, isOpen }) => type !== 'moof' && !isOpen);
  if (movie === undefined || !isPlain || boxes.at(-1)?.to !== source.size) return left(OTHER_SHAPE);
  if (movie.to - movie.from > MAX_MOVIE_BYTES) return left('is too large for tags');
  for (const { type, content } of boxes) {
    if (type === 'uuid' && (await source.read(content, 16)).equals(XMP_BOX)) return left(OWN_XMP);
  }
  const content = Buffer.from(await source.read(movie.content, movie.to - movie.content));
  const tags = tagsOf(sample);
  const own = innerBoxes(content, 0, content.length);
  if (tags === undefined || own === undefined || own.some(({ type }) => type === 'mvex')) return left(OTHER_SHAPE);
  const kept = own.filter(({ type }) => type !== 'udta').map(({ from, to }) => content.subarray(from, to));
  const others = own
    .filter(({ type }) => type === 'udta')
    .flatMap((box) => innerBoxes(content, box.content, box.to) ?? [])
    .filter(({ type }) => type !== 'meta')
    .map(({ from, to }) => content.subarray(from, to));
  const made = boxOf('moov', Buffer.concat([...kept, boxOf('udta', Buffer.concat([...others, tags]))]));
  const grown = made.length - (movie.to - movie.from);
  if (!moveTables(made, 0, made.length, movie.from, grown)) return left(OTHER_SHAPE);
  const packet = boxOf('uuid', Buffer.concat([XMP_BOX, Buffer.from(xmp, 'utf8')]));
  return pieces({ from: 0, to: movie.from }, made, { from: movie.to, to: source.size }, packet);
}

/** The box with the tags of a small film. */
function tagsOf(sample: Buffer): Buffer | undefined {
  const movie = innerBoxes(sample, 0, sample.length)?.find(({ type }) => type === 'moov');
  const own = movie && innerBoxes(sample, movie.content, movie.to)?.find(({ type }) => type === 'udta');
  const tags = own && innerBoxes(sample, own.content, own.to)?.find(({ type }) => type === 'meta');
  return tags && sample.subarray(tags.from, tags.to);
}

/** The boxes in a stretch; undefined if they do not fill it. */
function innerBoxes(bytes: Buffer, from: number, to: number): readonly Omit<Box, 'isOpen'>[] | undefined {
  const boxes: Omit<Box, 'isOpen'>[] = [];
  for (let at = from; at < to;) {
    if (at + 8 > to) return undefined;
    const short = bytes.readUInt32BE(at);
    const isLong = short === 1 && at + 16 <= to;
    const length = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short;
    const header = isLong ? 16 : 8;
    if (length < header || at + length > to) return undefined;
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), from: at, content: at + header, to: at + length });
    at += length;
  }
  return boxes;
}

/**
 * Adds `by` to every offset after `behind` in the chunk tables. False if a table is damaged, or an offset would become
 * too large for it.
 */
function moveTables(bytes: Buffer, from: number, to: number, behind: number, by: number): boolean {
  const boxes = innerBoxes(bytes, from, to);
  if (boxes === undefined) return false;
  return boxes.every(({ type, content, to: end }) => {
    if (TO_TABLES.has(type)) return moveTables(bytes, content, end, behind, by);
    if (type !== 'stco' && type !== 'co64') return true;
    const width = type === 'stco' ? 4 : 8;
    const count = content + 8 <= end ? bytes.readUInt32BE(content + 4) : Number.POSITIVE_INFINITY;
    if (content + 8 + count * width > end) return false;
    for (let at = content + 8; at < content + 8 + count * width; at += width) {
      const place = width === 4 ? bytes.readUInt32BE(at) : Number(bytes.readBigUInt64BE(at));
      if (place < behind) continue;
      if (width === 4 && place + by > 0xffff_ffff) return false;
      if (width === 4) bytes.writeUInt32BE(place + by, at);
      else bytes.writeBigUInt64BE(BigInt(place + by), at);
    }
    return true;
  });
}

/** A box of an ISO base media file, of less than 4 GiB. */
export function boxOf(type: string, content: Uint8Array): Buffer {
  const box = Buffer.alloc(8 + content.length);
  box.writeUInt32BE(box.length, 0);
  box.write(type, 4, 'latin1');
  box.set(content, 8);
  return box;
}
