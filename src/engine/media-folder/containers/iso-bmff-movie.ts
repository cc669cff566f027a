/** Where a chunk of samples lies in the file. */
interface ChunkPlace {
  readonly start: number;
  readonly end: number;
}

/** What a movie header says that matters for a file's being whole. */
export interface Movie {
  readonly hasVideo: boolean;
  /** The samples follow in fragments, each with a header of its own. */
  readonly isFragmented: boolean;
  /** The chunk that ends last; absent when there are no samples in the header. */
  readonly farthestChunk?: ChunkPlace;
}

/** More of one kind in one box, and more at all, than any film has: a header of nothing but boxes could hold millions. */
const MAX_ALIKE = 1000;
const MAX_INSIDE = 1_000_000;

/** The bodies of the boxes of some types inside a box, in their order. */
type Boxes<T extends string> = Readonly<Record<T, readonly Buffer[]>>;

/**
 * Finds the boxes of these types inside a box and passes over all others; undefined when one of them is longer than
 * what holds it, or there are too many.
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

/** The body at the end of a path of boxes, empty where one is missing; undefined when one of them is damaged. */
function bodyAt(body: Buffer, ...path: readonly string[]): Buffer | undefined {
  let inside = body;
  for (const type of path) {
    const found = boxesIn(inside, type);
    if (found === undefined) return undefined;
    inside = found[type]?.[0] ?? Buffer.alloc(0);
  }
  return inside;
}

/** Reads the body of a `moov` box; undefined when it is damaged. Source: ISO/IEC 14496-12, 8.2 to 8.8. */
export function readMovie(moov: Buffer): Movie | undefined {
  const boxes = boxesIn(moov, 'trak', 'mvex');
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
    ...(farthest === undefined ? {} : { farthestChunk: farthest }),
  };
}

type Tables = Boxes<'stco' | 'co64' | 'stsz' | 'stz2' | 'stsc'>;

/** A list of whole numbers in a table: never longer than the bytes that are there, whatever its count says. */
interface Numbers {
  readonly count: number;
  of(index: number): number;
}

/** The chunk of a track that ends last, from its sample tables. Each entry of them is looked at once. */
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
  /** Bytes of so many samples from one on. */
  sum(from: number, count: number): number;
}

function sampleSizes({ stsz: [plain], stz2: [compact] }: Tables): SampleSizes | undefined {
  if (plain !== undefined && plain.length >= 12) {
    const same = plain.readUInt32BE(4);
    const declared = plain.readUInt32BE(8);
    // No table follows where all are of one size: their number is bounded by nothing, so it is never counted to.
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

/** How many samples the chunks from one on (counted from 1) have. */
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
