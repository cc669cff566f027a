import { Mp3Encoder } from '@breezystack/lamejs';

/** Samples per second. At this rate, all MPEG-1 frames have the same whole number of bytes. */
export const SAMPLE_RATE = 32_000;

const KBPS = 64;
export const MP3_SAMPLES_PER_FRAME = 1152;
/** 144 × bit rate ÷ sample rate: whole at these rates, so no frame is ever padded. */
export const MP3_FRAME_BYTES = (144 * KBPS * 1000) / SAMPLE_RATE;

/** The metadata of a file. */
export interface FileNotes {
  readonly title: string;
  readonly prompt: string;
  /** Differs for every file, so that no two files have the same bytes. */
  readonly identity: string;
}

/** Samples of one channel as MP3 frames, without a tag. */
export function encodeMp3(samples: Int16Array): Buffer {
  const encoder = new Mp3Encoder(1, SAMPLE_RATE, KBPS);
  // Each piece is copied: the encoder declares Uint8Array but returns Int8Array, which Buffer.concat refuses.
  const frames: Buffer[] = [];
  for (let at = 0; at < samples.length; at += MP3_SAMPLES_PER_FRAME) {
    frames.push(Buffer.from(encoder.encodeBuffer(samples.subarray(at, at + MP3_SAMPLES_PER_FRAME))));
  }
  frames.push(Buffer.from(encoder.flush()));
  const encoded = Buffer.concat(frames);
  // Only whole frames, so that others may follow.
  return encoded.subarray(0, encoded.length - (encoded.length % MP3_FRAME_BYTES));
}

/** The frames with an ID3v2.4 tag before them. */
export function tagMp3(frames: Buffer, notes: FileNotes): Buffer {
  const tags = Buffer.concat([
    tagFrame('TIT2', utf8(notes.title)),
    tagFrame('TPE1', utf8('Rehearsal')),
    tagFrame('USLT', Buffer.concat([Buffer.from('\u0003eng\0', 'latin1'), Buffer.from(notes.prompt, 'utf8')])),
    tagFrame('TXXX', utf8(`task\0${notes.identity}`)),
  ]);
  const header = Buffer.concat([Buffer.from('ID3\u0004\0\0', 'latin1'), syncSafe(tags.length)]);
  return Buffer.concat([header, tags, frames]);
}

function tagFrame(id: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(id, 'latin1'), syncSafe(content.length), Buffer.alloc(2), content]);
}

/** Text after the byte that marks it as UTF-8. */
function utf8(text: string): Buffer {
  return Buffer.concat([Buffer.from([3]), Buffer.from(text, 'utf8')]);
}

/** Seven bits per byte, so that no size looks like the beginning of a frame. */
function syncSafe(size: number): Buffer {
  return Buffer.from([(size >> 21) & 0x7f, (size >> 14) & 0x7f, (size >> 7) & 0x7f, size & 0x7f]);
}

/** Samples of one channel, in pieces, as a 16-bit WAV file with its title and comment. */
export function encodeWav(pieces: readonly Int16Array[], notes: FileNotes): Buffer {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(SAMPLE_RATE, 4);
  format.writeUInt32LE(SAMPLE_RATE * 2, 8);
  format.writeUInt16LE(2, 12);
  format.writeUInt16LE(16, 14);
  const info = [
    Buffer.from('INFO', 'latin1'),
    chunk('INAM', Buffer.from(`${notes.title}\0`, 'utf8')),
    chunk('ICMT', Buffer.from(`${notes.prompt} (${notes.identity})\0`, 'utf8')),
  ];
  const sound = Buffer.concat(pieces.map(littleEndian));
  const parts = [
    Buffer.from('WAVE', 'latin1'),
    chunk('fmt ', format),
    chunk('LIST', Buffer.concat(info)),
    chunk('data', sound),
  ];
  return chunk('RIFF', Buffer.concat(parts));
}

function littleEndian(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  for (let at = 0; at < samples.length; at += 1) bytes.writeInt16LE(samples[at] ?? 0, at * 2);
  return bytes;
}

function chunk(id: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(id, 'latin1');
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
}
