import type { H264Film } from './h264.ts';
import { type FileNotes, MP3_FRAME_BYTES, MP3_SAMPLES_PER_FRAME, SAMPLE_RATE } from './sound-files.ts';

/** The content of the file. */
export interface Mp4Content {
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  readonly film: H264Film;
  /** MP3 frames of one channel at {@link SAMPLE_RATE}, all of the same length. */
  readonly sound?: Buffer;
  readonly notes: FileNotes;
}

/** Units per second in which the file and its film measure time. */
const TIMESCALE = 1000;
const LANGUAGE_UNDETERMINED = 0x55c4;

interface Track {
  readonly id: number;
  readonly timescale: number;
  /** In units of the track's own timescale. */
  readonly sampleDuration: number;
  readonly samples: readonly number[];
  readonly handler: 'vide' | 'soun';
  readonly mediaHeader: Buffer;
  readonly description: Buffer;
  /** True if only the first sample is a key picture. */
  readonly keyFirst: boolean;
  readonly width: number;
  readonly height: number;
}

/**
 * An MP4 file (ISO/IEC 14496-12 and -14) that plays while it loads: the index precedes the media. It holds no date, so
 * that the same content gives the same bytes, which a general muxer does not guarantee.
 */
export function muxMp4(content: Mp4Content): Buffer {
  const tracks = [filmTrack(content), ...(content.sound ? [soundTrack(content.sound)] : [])];
  const media = Buffer.concat([...content.film.pictures, content.sound ?? Buffer.alloc(0)]);
  const type = box('ftyp', text('isom'), u32(512), text('isomiso2avc1mp41'));
  const movie = (start: number) => movieBox(content, tracks, start);
  // The index has the same length wherever the media begin.
  const start = type.length + movie(0).length + 8;
  return Buffer.concat([type, movie(start), box('mdat', media)]);
}

function filmTrack({ width, height, framesPerSecond, film }: Mp4Content): Track {
  const visual = Buffer.concat([
    Buffer.alloc(6), u16(1), Buffer.alloc(16), u16(width), u16(height), u32(0x480000), u32(0x480000),
    u32(0), u16(1), Buffer.alloc(32), u16(24), u16(0xffff),
  ]); // prettier-ignore
  const configuration = box(
    'avcC',
    Buffer.from([1]), film.sps.subarray(1, 4), Buffer.from([0xff, 0xe1]), u16(film.sps.length), film.sps,
    Buffer.from([1]), u16(film.pps.length), film.pps,
  ); // prettier-ignore
  return {
    id: 1,
    timescale: TIMESCALE,
    sampleDuration: TIMESCALE / framesPerSecond,
    samples: film.pictures.map((picture) => picture.length),
    handler: 'vide',
    mediaHeader: box('vmhd', u32(1), Buffer.alloc(8)),
    description: box('avc1', visual, configuration),
    keyFirst: true,
    width,
    height,
  };
}

function soundTrack(sound: Buffer): Track {
  const audio = Buffer.concat([
    Buffer.alloc(6), u16(1), Buffer.alloc(8), u16(1), u16(16), u32(0), u32(SAMPLE_RATE * 65_536),
  ]); // prettier-ignore
  // ES_Descriptor > DecoderConfigDescriptor (0x6b: MPEG-1 audio) and SLConfigDescriptor, ISO/IEC 14496-1.
  const bitRate = u32((MP3_FRAME_BYTES * 8 * SAMPLE_RATE) / MP3_SAMPLES_PER_FRAME);
  const decoder = Buffer.concat([Buffer.from([4, 13, 0x6b, 0x15, 0, 0, 0]), bitRate, bitRate]);
  const stream = Buffer.concat([
    Buffer.from([3, 3 + decoder.length + 3]),
    u16(2),
    Buffer.from([0]),
    decoder,
    Buffer.from([6, 1, 2]),
  ]);
  return {
    id: 2,
    timescale: SAMPLE_RATE,
    sampleDuration: MP3_SAMPLES_PER_FRAME,
    samples: Array.from({ length: sound.length / MP3_FRAME_BYTES }, () => MP3_FRAME_BYTES),
    handler: 'soun',
    mediaHeader: box('smhd', u32(0), u32(0)),
    description: box('mp4a', audio, box('esds', u32(0), stream)),
    keyFirst: false,
    width: 0,
    height: 0,
  };
}

const IDENTITY_MATRIX = Buffer.concat([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map(u32));

function movieBox(content: Mp4Content, tracks: readonly Track[], mediaStart: number): Buffer {
  const longest = Math.max(...tracks.map((track) => movieTime(track)));
  const header = box(
    'mvhd',
    u32(0), u32(0), u32(0), u32(TIMESCALE), u32(longest), u32(0x10000), u16(0x100), Buffer.alloc(10),
    IDENTITY_MATRIX, Buffer.alloc(24), u32(tracks.length + 1),
  ); // prettier-ignore
  let start = mediaStart;
  const boxes = tracks.map((track) => {
    const built = trackBox(track, start);
    start += track.samples.reduce((sum, length) => sum + length, 0);
    return built;
  });
  return box('moov', header, ...boxes, notesBox(content.notes));
}

/** A track's length in the movie's timescale. */
function movieTime(track: Track): number {
  return Math.round((track.samples.length * track.sampleDuration * TIMESCALE) / track.timescale);
}

function trackBox(track: Track, mediaStart: number): Buffer {
  const header = box(
    'tkhd',
    u32(3), u32(0), u32(0), u32(track.id), u32(0), u32(movieTime(track)), Buffer.alloc(8), u16(0), u16(0),
    u16(track.handler === 'soun' ? 0x100 : 0), u16(0), IDENTITY_MATRIX, u32(track.width * 65_536), u32(track.height * 65_536),
  ); // prettier-ignore
  const duration = track.samples.length * track.sampleDuration;
  const mediaHeader = box(
    'mdhd',
    u32(0),
    u32(0),
    u32(0),
    u32(track.timescale),
    u32(duration),
    u16(LANGUAGE_UNDETERMINED),
    u16(0),
  );
  const handler = box('hdlr', u32(0), u32(0), text(track.handler), Buffer.alloc(12), text('Rehearsal\0'));
  const where = box('dinf', box('dref', u32(0), u32(1), box('url ', u32(1))));
  const information = box('minf', track.mediaHeader, where, sampleTable(track, mediaStart));
  return box('trak', header, box('mdia', mediaHeader, handler, information));
}

/** All samples of a track form one chunk, from `mediaStart` on. */
function sampleTable(track: Track, mediaStart: number): Buffer {
  const count = track.samples.length;
  return box(
    'stbl',
    box('stsd', u32(0), u32(1), track.description),
    box('stts', u32(0), u32(1), u32(count), u32(track.sampleDuration)),
    ...(track.keyFirst ? [box('stss', u32(0), u32(1), u32(1))] : []),
    box('stsc', u32(0), u32(1), u32(1), u32(count), u32(1)),
    box('stsz', u32(0), u32(0), u32(count), ...track.samples.map(u32)),
    box('stco', u32(0), u32(1), u32(mediaStart)),
  );
}

/** Title and comment, where players look for them. */
function notesBox(notes: FileNotes): Buffer {
  const item = (name: string, value: string) => box(name, box('data', u32(1), u32(0), Buffer.from(value, 'utf8')));
  const list = box('ilst', item('\u00a9nam', notes.title), item('\u00a9cmt', `${notes.prompt} (${notes.identity})`));
  const handler = box('hdlr', u32(0), u32(0), text('mdirappl'), Buffer.alloc(9));
  return box('udta', box('meta', u32(0), handler, list));
}

function box(type: string, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([u32(content.length + 8), text(type), content]);
}

function text(characters: string): Buffer {
  return Buffer.from(characters, 'latin1');
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
