import { present } from '../../../shared/domain/base/result.ts';
/** Where a chunk of samples is in the file. */
interface ChunkPlace {
  readonly start: number;
  readonly end: number;
}

/** The parts of a movie header that show whether a file is whole. */
export interface Movie {
  readonly hasVideo: boolean;
  /** Whether the samples follow in fragments, each with its own header. */
  readonly isFragmented: boolean;
  /** How long it plays, according to its header; 0 if the header does not say. */
  readonly seconds: number;
  /** The chunk that ends last; absent if the header has no samples. */
  readonly farthestChunk?: ChunkPlace;
}

/** More boxes of one kind in a box, and more in total, than any film has: a header could contain millions. */
const MAX_ALIKE = 1000;
const MAX_INSIDE = 1_000_000;

/** The bodies of the boxes of certain types inside a box, in order. */
type Boxes<T extends string> = Readonly<Record<T, readonly Buffer[]>>;

/**
 * Finds the boxes of these types inside a box and skips all others; undefined if one is longer than its parent, or if
 * there are too many.
 */
function boxesIn<T extends string>(body: Buffer, ...types: readonly T[]): Boxes<T> | undefined {
  const found = Object.fromEntries(types.map((type): [string, Buffer[]] => [type, []])) as Record<T, Buffer[]>;
  const codes = types.map((type) => Buffer.from(type, 'latin1').readUInt32BE(0));
  let count = 0;
  for (let position = 0; position + 8 <= body.length; count += 1) {
    const size = body.readUInt32BE(position);
    const isLong = size === 1 && position + 16 <= body.length;
    const headBytes = isLong ? 16 : 8;
    const length = isLong ? Number(body.readBigUInt64BE(position + 8)) : size === 0 ? body.length - position : size;
    if (length < headBytes || position + length > body.length || count > MAX_INSIDE) return undefined;
    const type = types[codes.indexOf(body.readUInt32BE(position + 4))];
    if (type !== undefined && found[type].push(body.subarray(position + headBytes, position + length)) > MAX_ALIKE) {
      return undefined;
    }
    position += length;
  }
  return found;
}

/** The body at the end of a path of boxes, empty if one is missing; undefined if one of them is damaged. */
function bodyAt(body: Buffer, ...path: readonly string[]): Buffer | undefined {
  let inside = body;
  for (const type of path) {
    const found = boxesIn(inside, type);
    if (found === undefined) return undefined;
    inside = found[type]?.[0] ?? Buffer.alloc(0);
  }
  return inside;
}

/** Reads the body of a `moov` box; undefined if it is damaged. Source: ISO/IEC 14496-12, 8.2 to 8.8. */
export function readMovie(moov: Buffer): Movie | undefined {
  const boxes = boxesIn(moov, 'trak', 'mvex', 'mvhd');
  if (boxes === undefined || boxes.trak.length === 0) return undefined;
  let hasVideo = false;
  let farthest: ChunkPlace | undefined;
  for (const track of boxes.trak) {
    const handler = bodyAt(track, 'mdia', 'hdlr');
    const tables = bodyAt(track, 'mdia', 'minf', 'stbl');
    const found = tables && boxesIn(tables, 'stco', 'co64', 'stsz', 'stz2', 'stsc');
    if (handler === undefined || found === undefined) return undefined;
    hasVideo ||= handler.toString('latin1', 8, 12) === 'vide';
    const chunk = farthestChunk(found);
    if (chunk !== undefined && chunk.end > (farthest?.end ?? -1)) farthest = chunk;
  }
  return {
    hasVideo,
    isFragmented: boxes.mvex.length > 0,
    seconds: secondsOf(boxes.mvhd[0], boxes.mvex[0] && (bodyAt(boxes.mvex[0], 'mehd') ?? Buffer.alloc(0))),
    ...present({ farthestChunk: farthest }),
  };
}

/**
 * The header counts what is outside fragments; a separate box counts the fragments. Source: ISO/IEC 14496-12, 8.2.2 and
 * 8.8.2.
 */
function secondsOf(header: Buffer | undefined, ofFragments: Buffer | undefined): number {
  if (header === undefined) return 0;
  const at = header[0] === 1 ? 20 : 12;
  if (header.length < at + 12) return 0;
  const length = ofFragments === undefined ? lengthAt(header, at + 4) : lengthAt(ofFragments, 4);
  return length / header.readUInt32BE(at);
}

/** A length in a box, 32 or 64 bits by the box's version; 0 if it is missing, or all ones, which means unknown. */
function lengthAt(body: Buffer, at: number): number {
  const isLong = body[0] === 1;
  const field = body.subarray(at, at + (isLong ? 8 : 4));
  if (field.length < (isLong ? 8 : 4) || field.every((byte) => byte === 0xff)) return 0;
  return isLong ? Number(field.readBigUInt64BE(0)) : field.readUInt32BE(0);
}

type Tables = Boxes<'stco' | 'co64' | 'stsz' | 'stz2' | 'stsc'>;

/** A list of integers in a table: never longer than the available bytes, whatever its count says. */
interface Numbers {
  readonly count: number;
  of(index: number): number;
}

/** The chunk of a track that ends last, from its sample tables. Reads each table entry once. */
function farthestChunk(tables: Tables): ChunkPlace | undefined {
  const offsets = chunkOffsets(tables);
  const sizes = sampleSizes(tables);
  const runs = sampleToChunk(tables);
  if (offsets === undefined || sizes === undefined || runs === undefined) return undefined;
  let farthest: ChunkPlace | undefined;
  let sample = 0;
  let run = 0;
  for (let chunk = 0; chunk < offsets.count; chunk += 1) {
    while (run + 1 < runs.firstChunks.count && runs.firstChunks.of(run + 1) <= chunk + 1) run += 1;
    const count = Math.min(runs.samples.of(run), sizes.count - sample);
    const bytes = sizes.sum(sample, count);
    sample += count;
    const start = offsets.of(chunk);
    if (start + bytes > (farthest?.end ?? -1)) farthest = { start, end: start + bytes };
  }
  return farthest;
}

function chunkOffsets({ stco: [short], co64: [long] }: Tables): Numbers | undefined {
  const body = short ?? long;
  if (body === undefined || body.length < 8) return undefined;
  const width = short === undefined ? 8 : 4;
  return {
    count: Math.min(body.readUInt32BE(4), Math.floor((body.length - 8) / width)),
    of: (at) => (short === undefined ? Number(body.readBigUInt64BE(8 + at * 8)) : body.readUInt32BE(8 + at * 4)),
  };
}

interface SampleSizes {
  readonly count: number;
  /** The total bytes of a number of samples, from one on. */
  sum(from: number, count: number): number;
}

function sampleSizes({ stsz: [plain], stz2: [compact] }: Tables): SampleSizes | undefined {
  if (plain !== undefined && plain.length >= 12) {
    const same = plain.readUInt32BE(4);
    const declared = plain.readUInt32BE(8);
    // If all samples have one size, no table follows: nothing bounds their number, so the code never counts up to it.
    if (same !== 0) return { count: declared, sum: (_, count) => count * same };
    const count = Math.min(declared, Math.floor((plain.length - 12) / 4));
    return summed({ count, of: (sample) => plain.readUInt32BE(12 + sample * 4) });
  }
  if (compact === undefined || compact.length < 12) return undefined;
  const bits = compact[7] ?? 8;
  const count = Math.min(compact.readUInt32BE(8), Math.floor(((compact.length - 12) * 8) / Math.max(bits, 4)));
  return summed({
    count,
    of: (sample) => {
      if (bits === 16) return compact.readUInt16BE(12 + sample * 2);
      const byte = compact[12 + (bits === 4 ? sample >> 1 : sample)] ?? 0;
      return bits === 4 ? (sample % 2 === 0 ? byte >> 4 : byte & 15) : byte;
    },
  });
}

function summed(sizes: Numbers): SampleSizes {
  return {
    count: sizes.count,
    sum(from, count) {
      let bytes = 0;
      for (let at = from; at < from + count; at += 1) bytes += sizes.of(at);
      return bytes;
    },
  };
}

/** How many samples the chunks contain, starting at one (counted from 1). */
interface ChunkRuns {
  readonly firstChunks: Numbers;
  readonly samples: Numbers;
}

function sampleToChunk({ stsc: [body] }: Tables): ChunkRuns | undefined {
  if (body === undefined || body.length < 8) return undefined;
  const count = Math.min(body.readUInt32BE(4), Math.floor((body.length - 8) / 12));
  return {
    firstChunks: { count, of: (at) => body.readUInt32BE(8 + at * 12) },
    samples: { count, of: (at) => (at < count ? body.readUInt32BE(12 + at * 12) : 0) },
  };
}
