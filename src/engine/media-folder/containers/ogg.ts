import { reason } from '../../../shared/domain/base/reason.ts';
import { type ByteSource, broken, TOO_MANY_PIECES, whole, type ContainerCheck } from './container-check.ts';

const PAGE_HEADER_BYTES = 27;
const FIRST_PAGE = 2;
const LAST_PAGE = 4;
/** Sound, pictures and subtitles in many languages make a few dozen. */
const MAX_STREAMS = 1000;
/** Pages of a second each make eleven days, the shortest that hold any sound five hours; each costs a checksum. */
const MAX_PAGES = 1_000_000;

/** Polynomial 04C11DB7, highest bit first, starting from zero; unlike the CRC-32 of zip. Source: RFC 3533, 6. */
const CRC: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1;
  return crc >>> 0;
});

function pageChecksum(page: Buffer): number {
  let crc = 0;
  for (let at = 0; at < page.length; at += 1) {
    // The four bytes of the checksum itself count as zero.
    const byte = at >= 22 && at < 26 ? 0 : (page[at] ?? 0);
    crc = ((crc << 8) ^ (CRC[(crc >>> 24) ^ byte] ?? 0)) >>> 0;
  }
  return crc;
}

interface StreamState extends SoundRate {
  /** The end of the last page that states one, in samples. */
  samples: number;
  nextSequence: number;
  hasEnded: boolean;
}

/** How the samples of a stream are counted. */
interface SoundRate {
  /** 0 if it is not sound, or of an unknown kind. */
  readonly rate: number;
  /** How many samples at the beginning are not played. */
  readonly skipped: number;
}

/**
 * Reads the first packet of a stream. Source: Vorbis I, 4.2.2; RFC 7845, 5.1; the mapping of FLAC to Ogg (RFC 9639,
 * 10.1).
 */
function soundRate(packet: Buffer): SoundRate {
  const begins = (sign: string, bytes: number): boolean =>
    packet.length >= bytes && packet.toString('latin1', 0, sign.length) === sign;
  if (begins('\x01vorbis', 16)) return { rate: packet.readUInt32LE(12), skipped: 0 };
  if (begins('OpusHead', 12)) return { rate: 48_000, skipped: packet.readUInt16LE(10) };
  if (begins('\x7fFLAC', 30)) return { rate: packet.readUIntBE(27, 3) >>> 4, skipped: 0 };
  return { rate: 0, skipped: 0 };
}

/** Walks all pages: checksums, numbers without a gap, and the end mark of every stream. Source: RFC 3533, 6. */
export async function checkOgg(source: ByteSource): Promise<ContainerCheck> {
  const streams = new Map<number, StreamState>();
  let type: 'ogg' | 'ogv' = 'ogg';
  let position = 0;
  for (let pages = 0; position < source.size; pages += 1) {
    if (pages === MAX_PAGES) return broken(type, TOO_MANY_PIECES);
    const header = source.held(position, PAGE_HEADER_BYTES) ?? (await source.read(position, PAGE_HEADER_BYTES));
    if (header.length < PAGE_HEADER_BYTES) return broken(type, reason('media.cutPage'));
    if (header.toString('latin1', 0, 4) !== 'OggS') return broken(type, reason('media.damagedAt', position));
    const flags = header[5] ?? 0;
    const serial = header.readUInt32LE(14);
    const sequence = header.readUInt32LE(18);
    const checksum = header.readUInt32LE(22);
    const reaches = header.readBigInt64LE(6);
    // Copied before the next read, which may overwrite the header.
    const segments = header[26] ?? 0;
    const tableAt = position + PAGE_HEADER_BYTES;
    const table = source.held(tableAt, segments) ?? (await source.read(tableAt, segments));
    const bytes = table.reduce((sum, length) => sum + length, PAGE_HEADER_BYTES + segments);
    const page = source.held(position, bytes) ?? (await source.read(position, bytes));
    if (position + page.length > source.size || page.length < PAGE_HEADER_BYTES + segments) {
      return broken(type, reason('media.cutPage'));
    }
    if (pageChecksum(page) !== checksum) return broken(type, reason('media.damagedPage'));
    if ((flags & FIRST_PAGE) !== 0) {
      if (streams.size >= MAX_STREAMS) return broken(type, reason('media.tooManyStreams'));
      const sound = soundRate(page.subarray(PAGE_HEADER_BYTES + segments));
      streams.set(serial, { nextSequence: sequence, hasEnded: false, samples: 0, ...sound });
      if (page.includes('theora')) type = 'ogv';
    }
    const stream = streams.get(serial);
    if (stream === undefined || stream.nextSequence !== sequence) return broken(type, reason('media.missingPage'));
    stream.nextSequence = sequence + 1;
    // A page on which no packet ends says -1.
    if (reaches > 0) stream.samples = Number(reaches);
    stream.hasEnded ||= (flags & LAST_PAGE) !== 0;
    position += page.length;
  }
  if (streams.size === 0) return broken(type, reason('media.noSound'));
  const all = [...streams.values()];
  const seconds = Math.max(...all.map(({ samples, skipped, rate }) => (rate === 0 ? 0 : (samples - skipped) / rate)));
  return all.every((stream) => stream.hasEnded)
    ? whole(type, true, seconds)
    : broken(type, reason('media.cutLastPage'));
}
