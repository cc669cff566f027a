import type { ByteSource } from './byte-source.ts';
import { broken, whole } from './container-check.ts';
import type { ContainerCheck } from './container-check.ts';
import { readMovie } from './iso-bmff-movie.ts';
import type { Movie } from './iso-bmff-movie.ts';

/** A movie header of an hour's video is a few megabytes; a longer one is refused rather than read. */
const MAX_MOVIE_BYTES = 64 << 20;

type MovieType = 'mp4' | 'm4a' | 'mov';

/** A box at the top level of the file. */
interface TopBox {
  readonly type: string;
  readonly bodyAt: number;
  readonly end: number;
  /** Its length was left open: it reaches to the end of the file, wherever that is. */
  readonly isOpen: boolean;
}

async function readTopBox(source: ByteSource, position: number): Promise<TopBox | undefined> {
  const head = await source.read(position, 16);
  if (head.length < 8) return undefined;
  const type = head.toString('latin1', 4, 8);
  const size = head.readUInt32BE(0);
  if (size === 0) return { type, bodyAt: position + 8, end: source.size, isOpen: true };
  if (size !== 1) return { type, bodyAt: position + 8, end: position + size, isOpen: false };
  if (head.length < 16) return undefined;
  return { type, bodyAt: position + 16, end: position + Number(head.readBigUInt64BE(8)), isOpen: false };
}

/**
 * Walks the boxes of an MP4, M4A or QuickTime file to its end and checks that every sample the movie header speaks of
 * lies inside the media data. Source: ISO/IEC 14496-12, 4.2, 6.2 and 8.7. Undefined for a brand that is no movie.
 */
export async function checkIsoBmff(source: ByteSource): Promise<ContainerCheck | undefined> {
  const boxes: TopBox[] = [];
  let position = 0;
  let brand = '';
  const typeNow = (): MovieType =>
    brand === 'qt  ' ? 'mov' : brand.startsWith('M4A') || brand === 'M4B ' ? 'm4a' : 'mp4';
  while (position < source.size) {
    const box = await readTopBox(source, position);
    if (box === undefined || box.end < box.bodyAt) return broken(typeNow(), 'is cut off between two boxes');
    if (box.type === 'ftyp') brand = (await source.read(box.bodyAt, 4)).toString('latin1');
    if (/^(?:avif|avis|heic|heix|mif1|msf1)$/u.test(brand)) return undefined;
    if (box.end > source.size) return broken(typeNow(), `is cut off inside its "${box.type.trim()}" box`);
    boxes.push(box);
    position = box.end;
  }
  const moov = boxes.find((box) => box.type === 'moov');
  if (moov === undefined) return broken(typeNow(), 'has no movie header: it is cut off before its end');
  if (moov.end - moov.bodyAt > MAX_MOVIE_BYTES) return broken(typeNow(), 'has a movie header that is too long');
  const movie = readMovie(await source.read(moov.bodyAt, moov.end - moov.bodyAt));
  if (movie === undefined) return broken(typeNow(), 'has a damaged movie header');
  const type = brand === 'qt  ' ? 'mov' : movie.hasVideo ? 'mp4' : 'm4a';
  return judgeMovie(source, type, boxes, movie);
}

async function judgeMovie(
  source: ByteSource,
  type: MovieType,
  boxes: readonly TopBox[],
  movie: Movie,
): Promise<ContainerCheck> {
  const data = boxes.filter((box) => box.type === 'mdat');
  if (data.length === 0) return broken(type, 'has no media data: it is cut off before its end');
  const last = boxes.at(-1);
  if (movie.isFragmented) {
    if (!boxes.some((box) => box.type === 'moof')) return broken(type, 'is cut off before its first fragment');
    if (last?.type === 'moof') return broken(type, 'is cut off before the data of its last fragment');
    const indexed = await indexedEnd(source, boxes);
    if (indexed !== undefined && indexed > source.size) return broken(type, 'is cut off before its last fragment');
    // Only an index tells how many fragments there should be.
    return whole(type, indexed !== undefined || last?.type === 'mfra');
  }
  const chunk = movie.farthestChunk;
  if (chunk === undefined) return broken(type, 'has no samples in it');
  const isInside = data.some((box) => chunk.start >= box.bodyAt && chunk.end <= box.end);
  if (!isInside) return broken(type, 'is cut off: its last samples are missing');
  return whole(type);
}

/** Where the last fragment ends by the first segment index; undefined without one. Source: ISO/IEC 14496-12, 8.16.3. */
async function indexedEnd(source: ByteSource, boxes: readonly TopBox[]): Promise<number | undefined> {
  const box = boxes.find((candidate) => candidate.type === 'sidx');
  if (box === undefined || box.end - box.bodyAt > MAX_MOVIE_BYTES) return undefined;
  const body = await source.read(box.bodyAt, box.end - box.bodyAt);
  if (body.length < 24) return undefined;
  const isLong = body[0] === 1;
  const firstOffset = isLong ? (body.length < 32 ? 0 : Number(body.readBigUInt64BE(20))) : body.readUInt32BE(16);
  const countAt = isLong ? 30 : 22;
  const count = body.length < countAt + 2 ? 0 : body.readUInt16BE(countAt);
  let end = box.end + firstOffset;
  for (let at = countAt + 2; at + 12 <= body.length && at < countAt + 2 + count * 12; at += 12) {
    end += body.readUInt32BE(at) & 0x7fff_ffff;
  }
  return end;
}
