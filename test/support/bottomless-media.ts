/** Files that announce more than they hold, or consist of nothing but the smallest pieces their format knows. */

const SIZE = 48 << 20;

function fill(head: Buffer, piece: Buffer, size = SIZE): Buffer {
  const body = Buffer.alloc(Math.floor(size / piece.length) * piece.length, piece);
  return Buffer.concat([head, body]);
}

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => bytes.writeUInt32BE(value, i * 4));
  return bytes;
}

const FILE_TYPE = box('ftyp', Buffer.from('isom'));
const MOST = 0xffff_ffff;

/** A film in which every track has one chunk with 2³²−1 samples of one byte. */
export function endlessFilm(tracks: number): Buffer {
  const tables = box(
    'stbl',
    box('stco', numbers(0, 1, 0)),
    box('stsz', numbers(0, 1, MOST)),
    box('stsc', numbers(0, 1, 1, MOST, 1)),
  );
  const track = box('trak', box('mdia', box('minf', tables)));
  return Buffer.concat([
    FILE_TYPE,
    box('moov', ...Array.from({ length: tracks }, () => track)),
    box('mdat', Buffer.alloc(8)),
  ]);
}

/** A film whose header is full of empty boxes. */
export function inMovie(size: number): Buffer {
  return Buffer.concat([FILE_TYPE, box('moov', fill(Buffer.alloc(0), box('free'), size)), box('mdat')]);
}

const WEBM = Buffer.from('1a45dfa3874282847765626d1853806701ffffffffffffff', 'hex');
const GIF = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(7)]);
const TAG = Buffer.from('ID3\u0003\0\0\0\0\0\0', 'latin1');

/** The files, by what they are. */
export const BOTTOMLESS = {
  '48 MiB of empty boxes': () => fill(FILE_TYPE, box('free')),
  'a movie header of empty boxes': () => inMovie(SIZE),
  'a movie header of empty tracks': () =>
    Buffer.concat([FILE_TYPE, box('moov', fill(Buffer.alloc(0), box('trak'))), box('mdat')]),
  'a WebM of empty elements': () => fill(WEBM, Buffer.from('ec80', 'hex')),
  'a WebM of empty lists of tracks': () => fill(WEBM, Buffer.from('1654ae6b80', 'hex')),
  'a GIF of one block of single bytes': () =>
    fill(Buffer.concat([GIF, Buffer.from('21fe', 'hex')]), Buffer.from('0101', 'hex')),
  'a GIF of empty extensions': () => fill(GIF, Buffer.from('21fe00', 'hex')),
  'an MP3 of empty tags': () => fill(TAG, TAG),
  'an MP3 of empty lyrics': () => fill(TAG, Buffer.from('LYRICSBEGINLYRICSEND')),
  'a FLAC of empty metadata': () => fill(Buffer.from('fLaC'), Buffer.from('01000000', 'hex')),
  'an Ogg of empty streams': () => fill(Buffer.alloc(0), oggPages(2000), 2000 * 27),
  'an Ogg of empty pages': () => emptyOggPages(1_000_001),
  'a WAV of empty chunks': () => fill(Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'), Buffer.from('junk\0\0\0\0', 'latin1')),
  'a picture of nothing but scans': () => fill(Buffer.from('ffd8', 'hex'), Buffer.from('ffda0002', 'hex')),
  'a picture of restarts': () => fill(Buffer.from('ffd8', 'hex'), Buffer.from('ffd0', 'hex')),
} as const;

/** The first page of this many streams, each without a byte in it. */
function oggPages(count: number): Buffer {
  return Buffer.concat(
    Array.from({ length: count }, (_, serial) => {
      const page = Buffer.alloc(27);
      page.write('OggS', 0, 'latin1');
      page[5] = 2;
      page.writeUInt32LE(serial, 14);
      page.writeUInt32LE(oggChecksum(page), 22);
      return page;
    }),
  );
}

/** One stream that is whole, of this many pages without a byte in them. */
function emptyOggPages(count: number): Buffer {
  const pages = Buffer.alloc(count * 27);
  for (let sequence = 0; sequence < count; sequence += 1) {
    const page = pages.subarray(sequence * 27, (sequence + 1) * 27);
    page.write('OggS', 0, 'latin1');
    page[5] = sequence === 0 ? 2 : sequence === count - 1 ? 4 : 0;
    page.writeUInt32LE(sequence, 18);
    page.writeUInt32LE(oggChecksum(page), 22);
  }
  return pages;
}

const OGG_CRC = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1;
  return crc;
});

function oggChecksum(page: Buffer): number {
  let crc = 0;
  for (const byte of page) crc = (crc << 8) ^ (OGG_CRC[(crc >>> 24) ^ byte] ?? 0);
  return crc >>> 0;
}
