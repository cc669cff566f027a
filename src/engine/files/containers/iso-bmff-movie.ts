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

interface Box {
  readonly type: string;
  readonly body: Buffer;
}

/** The boxes inside a box; undefined when one of them is longer than what holds it. */
function boxesIn(body: Buffer): readonly Box[] | undefined {
  const boxes: Box[] = [];
  let position = 0;
  while (position + 8 <= body.length) {
    const size = body.readUInt32BE(position);
    const isLong = size === 1 && position + 16 <= body.length;
    const headBytes = isLong ? 16 : 8;
    const length = isLong ? Number(body.readBigUInt64BE(position + 8)) : size === 0 ? body.length - position : size;
    if (length < headBytes || position + length > body.length) return position > 0 && size === 0 ? boxes : undefined;
    boxes.push({
      type: body.toString('latin1', position + 4, position + 8),
      body: body.subarray(position + headBytes, position + length),
    });
    position += length;
  }
  return boxes;
}

function find(boxes: readonly Box[] | undefined, type: string): Buffer | undefined {
  return boxes?.find((box) => box.type === type)?.body;
}

/** Reads the body of a `moov` box; undefined when it is damaged. Source: ISO/IEC 14496-12, 8.2 to 8.8. */
export function readMovie(moov: Buffer): Movie | undefined {
  const boxes = boxesIn(moov);
  if (boxes === undefined) return undefined;
  let hasVideo = false;
  let farthest: ChunkPlace | undefined;
  const tracks = boxes.filter((box) => box.type === 'trak');
  if (tracks.length === 0) return undefined;
  for (const track of tracks) {
    const media = boxesIn(find(boxesIn(track.body), 'mdia') ?? Buffer.alloc(0));
    const tables = boxesIn(find(boxesIn(find(media, 'minf') ?? Buffer.alloc(0)), 'stbl') ?? Buffer.alloc(0));
    if (media === undefined || tables === undefined) return undefined;
    hasVideo ||= find(media, 'hdlr')?.toString('latin1', 8, 12) === 'vide';
    const chunk = farthestChunk(tables);
    if (chunk !== undefined && chunk.end > (farthest?.end ?? -1)) farthest = chunk;
  }
  return {
    hasVideo,
    isFragmented: boxes.some((box) => box.type === 'mvex'),
    ...(farthest === undefined ? {} : { farthestChunk: farthest }),
  };
}

/** The chunk of a track that ends last, from its sample tables. */
function farthestChunk(tables: readonly Box[]): ChunkPlace | undefined {
  const offsets = chunkOffsets(tables);
  const sizes = sampleSizes(tables);
  const runs = sampleToChunk(tables);
  if (offsets === undefined || sizes === undefined || runs === undefined) return undefined;
  let farthest: ChunkPlace | undefined;
  let sample = 0;
  let run = 0;
  for (let chunk = 0; chunk < offsets.length; chunk += 1) {
    while (run + 1 < runs.length && (runs[run + 1]?.firstChunk ?? 0) <= chunk + 1) run += 1;
    const count = Math.min(runs[run]?.samples ?? 0, sizes.count - sample);
    let bytes = 0;
    for (let at = 0; at < count; at += 1) bytes += sizes.of(sample + at);
    sample += count;
    const start = offsets[chunk] ?? 0;
    if (start + bytes > (farthest?.end ?? -1)) farthest = { start, end: start + bytes };
  }
  return farthest;
}

function chunkOffsets(tables: readonly Box[]): readonly number[] | undefined {
  const short = find(tables, 'stco');
  const body = short ?? find(tables, 'co64');
  if (body === undefined || body.length < 8) return undefined;
  const width = short === undefined ? 8 : 4;
  const count = Math.min(body.readUInt32BE(4), Math.floor((body.length - 8) / width));
  return Array.from({ length: count }, (_, at) =>
    short === undefined ? Number(body.readBigUInt64BE(8 + at * 8)) : body.readUInt32BE(8 + at * 4),
  );
}

interface SampleSizes {
  readonly count: number;
  of(sample: number): number;
}

function sampleSizes(tables: readonly Box[]): SampleSizes | undefined {
  const plain = find(tables, 'stsz');
  if (plain !== undefined && plain.length >= 12) {
    const same = plain.readUInt32BE(4);
    const declared = plain.readUInt32BE(8);
    if (same !== 0) return { count: declared, of: () => same };
    const count = Math.min(declared, Math.floor((plain.length - 12) / 4));
    return { count, of: (sample) => plain.readUInt32BE(12 + sample * 4) };
  }
  const compact = find(tables, 'stz2');
  if (compact === undefined || compact.length < 12) return undefined;
  const bits = compact[7] ?? 8;
  const count = Math.min(compact.readUInt32BE(8), Math.floor(((compact.length - 12) * 8) / Math.max(bits, 4)));
  return {
    count,
    of: (sample) => {
      if (bits === 16) return compact.readUInt16BE(12 + sample * 2);
      const byte = compact[12 + (bits === 4 ? sample >> 1 : sample)] ?? 0;
      return bits === 4 ? (sample % 2 === 0 ? byte >> 4 : byte & 15) : byte;
    },
  };
}

interface ChunkRun {
  /** From 1. */
  readonly firstChunk: number;
  readonly samples: number;
}

function sampleToChunk(tables: readonly Box[]): readonly ChunkRun[] | undefined {
  const body = find(tables, 'stsc');
  if (body === undefined || body.length < 8) return undefined;
  const count = Math.min(body.readUInt32BE(4), Math.floor((body.length - 8) / 12));
  return Array.from({ length: count }, (_, at) => ({
    firstChunk: body.readUInt32BE(8 + at * 12),
    samples: body.readUInt32BE(12 + at * 12),
  }));
}
