import { reason } from '../../../shared/domain/base/reason.ts';
import { type ByteSource, broken, MAX_PIECES, TOO_MANY_PIECES, whole, type ContainerCheck } from './container-check.ts';
import { readMovie, type Movie } from './iso-bmff-movie.ts';

/** The movie header of an hour of video is a few megabytes; a longer one is rejected unread. */
const MAX_MOVIE_BYTES = 64 << 20;

type MovieType = 'mp4' | 'm4a' | 'mov';

/** Brands of pictures in the same container. */
const STILL_BRANDS: ReadonlySet<string> = new Set(['avif', 'avis', 'heic', 'heix', 'mif1', 'msf1']);

/** A box at the top level of the file. */
interface TopBox {
  readonly type: string;
  readonly bodyAt: number;
  readonly end: number;
}

/** The longest header of a box. */
const HEAD_BYTES = 16;

function topBoxIn(head: Buffer, position: number, source: ByteSource): TopBox | undefined {
  if (head.length < 8) return undefined;
  const type = head.toString('latin1', 4, 8);
  const size = head.readUInt32BE(0);
  // Its length was left open: it extends to the end of the file, wherever that is.
  if (size === 0) return { type, bodyAt: position + 8, end: source.size };
  if (size !== 1) return { type, bodyAt: position + 8, end: position + size };
  if (head.length < 16) return undefined;
  return { type, bodyAt: position + 16, end: position + Number(head.readBigUInt64BE(8)) };
}

/** What is kept about the top level: the boxes that matter, and only the presence of all others. */
interface TopLevel {
  brand: string;
  moov?: TopBox;
  sidx?: TopBox;
  hasMediaData: boolean;
  hasFragments: boolean;
  lastType: string;
}

/**
 * Walks the boxes of an MP4, M4A or QuickTime file to its end and checks that every sample in the movie header is
 * inside the media data. Source: ISO/IEC 14496-12, 4.2, 6.2 and 8.7. Undefined for a brand that is not a movie.
 */
export async function checkIsoBmff(source: ByteSource): Promise<ContainerCheck | undefined> {
  const top: TopLevel = { brand: '', hasMediaData: false, hasFragments: false, lastType: '' };
  let boxes = 0;
  for (let position = 0; position < source.size;) {
    const head = source.held(position, HEAD_BYTES) ?? (await source.read(position, HEAD_BYTES));
    const box = topBoxIn(head, position, source);
    const type = typeByBrand(top.brand);
    if (box === undefined || box.end < box.bodyAt) return broken(type, reason('media.cutBetweenBoxes'));
    if (box.type === 'ftyp') top.brand = (await source.read(box.bodyAt, 4)).toString('latin1');
    if (STILL_BRANDS.has(top.brand)) return undefined;
    if (box.end > source.size) return broken(type, reason('media.cutBox', box.type.trim()));
    boxes += 1;
    if (boxes > MAX_PIECES) return broken(type, TOO_MANY_PIECES);
    if (box.type === 'moov') top.moov ??= box;
    if (box.type === 'sidx') top.sidx ??= box;
    top.hasMediaData ||= box.type === 'mdat';
    top.hasFragments ||= box.type === 'moof';
    top.lastType = box.type;
    position = box.end;
  }
  const { moov, brand } = top;
  if (moov === undefined) return broken(typeByBrand(brand), reason('media.noMovieHeader'));
  if (moov.end - moov.bodyAt > MAX_MOVIE_BYTES) return broken(typeByBrand(brand), reason('media.longMovieHeader'));
  const movie = readMovie(await source.read(moov.bodyAt, moov.end - moov.bodyAt));
  if (movie === undefined) return broken(typeByBrand(brand), reason('media.damagedMovieHeader'));
  return judgeMovie(source, brand === 'qt  ' ? 'mov' : movie.hasVideo ? 'mp4' : 'm4a', top, movie);
}

/** The assumed type of a file before its tracks are known. */
function typeByBrand(brand: string): MovieType {
  if (brand === 'qt  ') return 'mov';
  return brand.startsWith('M4A') || brand === 'M4B ' ? 'm4a' : 'mp4';
}

async function judgeMovie(source: ByteSource, type: MovieType, top: TopLevel, movie: Movie): Promise<ContainerCheck> {
  if (!top.hasMediaData) return broken(type, reason('media.noMediaData'));
  if (movie.isFragmented) {
    if (!top.hasFragments) return broken(type, reason('media.cutFirstFragment'));
    if (top.lastType === 'moof') return broken(type, reason('media.cutFragmentData'));
    const indexed = await indexedEnd(source, top.sidx);
    if (indexed !== undefined && indexed > source.size) return broken(type, reason('media.cutLastFragment'));
    // Only an index says how many fragments there should be.
    return whole(type, indexed !== undefined || top.lastType === 'mfra', movie.seconds);
  }
  const chunk = movie.farthestChunk;
  if (chunk === undefined) return broken(type, reason('media.noSamples'));
  const isInside = await isInMediaData(source, chunk.start, chunk.end);
  return isInside ? whole(type, true, movie.seconds) : broken(type, reason('media.cutLastSamples'));
}

/** Walks the top level, known to be sound, a second time: the first pass says what to look for. */
async function isInMediaData(source: ByteSource, start: number, end: number): Promise<boolean> {
  for (let position = 0; position < source.size;) {
    const head = source.held(position, HEAD_BYTES) ?? (await source.read(position, HEAD_BYTES));
    const box = topBoxIn(head, position, source);
    if (box === undefined) return false;
    if (box.type === 'mdat' && start >= box.bodyAt && end <= box.end) return true;
    position = box.end;
  }
  return false;
}

/**
 * The end of the last fragment according to the first segment index, if there is one. Source: ISO/IEC 14496-12, 8.16.3.
 */
async function indexedEnd(source: ByteSource, box: TopBox | undefined): Promise<number | undefined> {
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
