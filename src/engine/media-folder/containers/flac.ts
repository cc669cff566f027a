import { reason, type Reason } from '../../../shared/domain/base/reason.ts';
import {
  STRETCH_BYTES,
  type ByteSource,
  broken,
  TOO_MANY_PIECES,
  whole,
  type ContainerCheck,
} from './container-check.ts';
import { id3v2Bytes } from './mp3.ts';

const STREAM_INFO = 0;
const STREAM_INFO_BYTES = 34;
/** A file has a few of each kind, and pictures. */
const MAX_METADATA_BLOCKS = 10_000;
/** Two bytes of sync, two of codes, up to seven of a number, two of block size, two of sample rate, one of checksum. */
const MAX_FRAME_HEADER_BYTES = 16;

/** The table of a checksum with the highest bit first, as FLAC uses it. */
function crcTable(polynomial: number, bits: 8 | 16): Uint16Array {
  const top = 1 << (bits - 1);
  const mask = (1 << bits) - 1;
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & top) !== 0 ? ((crc << 1) ^ polynomial) & mask : (crc << 1) & mask;
    return crc;
  });
}

const CRC_8 = crcTable(0x07, 8);
const CRC_16 = crcTable(0x8005, 16);

/**
 * The samples of the frame whose header is at the start of `bytes`; undefined if the header is not valid. Its own
 * checksum makes a chance match unlikely. Source: RFC 9639, 9.1.
 */
function frameSamples(bytes: Buffer): number | undefined {
  if (bytes.length < 6 || bytes[0] !== 0xff || ((bytes[1] ?? 0) & 0xfe) !== 0xf8) return undefined;
  const sizeCode = (bytes[2] ?? 0) >> 4;
  const rateCode = (bytes[2] ?? 0) & 15;
  if (sizeCode === 0 || rateCode === 15 || ((bytes[3] ?? 0) & 1) !== 0) return undefined;
  const lead = bytes[4] ?? 0;
  const numberBytes = lead < 0x80 ? 1 : Math.clz32(~lead << 24);
  if (numberBytes > 7 || (lead >= 0x80 && numberBytes < 2)) return undefined;
  const sizeAt = 4 + numberBytes;
  const sizeBytes = sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  const rateBytes = rateCode === 12 ? 1 : rateCode === 13 || rateCode === 14 ? 2 : 0;
  const crcAt = sizeAt + sizeBytes + rateBytes;
  if (crcAt >= bytes.length) return undefined;
  let crc = 0;
  for (let at = 0; at < crcAt; at += 1) crc = CRC_8[crc ^ (bytes[at] ?? 0)] ?? 0;
  if (crc !== bytes[crcAt]) return undefined;
  if (sizeCode === 1) return 192;
  if (sizeCode <= 5) return 576 << (sizeCode - 2);
  if (sizeCode === 6) return bytes.readUInt8(sizeAt) + 1;
  if (sizeCode === 7) return bytes.readUInt16BE(sizeAt) + 1;
  return 256 << (sizeCode - 8);
}

interface StreamInfo {
  readonly framesAt: number;
  /** 0 if the writer did not know the number. */
  readonly samples: number;
  readonly sampleRate: number;
}

/** Walks the metadata blocks. Source: RFC 9639, 8. */
async function readStreamInfo(source: ByteSource): Promise<StreamInfo | Reason> {
  let position = (await id3v2Bytes(source, 0)) + 4;
  let info: Omit<StreamInfo, 'framesAt'> | undefined;
  for (let blocks = 0; ; blocks += 1) {
    if (blocks > MAX_METADATA_BLOCKS) return TOO_MANY_PIECES;
    const head = source.held(position, 4) ?? (await source.read(position, 4));
    if (head.length < 4) return reason('media.cutHeader');
    const length = head.readUIntBE(1, 3);
    if (position + 4 + length > source.size) return reason('media.cutHeader');
    if (((head[0] ?? 0) & 0x7f) === STREAM_INFO) {
      const isLast = ((head[0] ?? 0) & 0x80) !== 0;
      const body = await source.read(position + 4, STREAM_INFO_BYTES);
      if (body.length < STREAM_INFO_BYTES) return reason('media.cutHeader');
      const samples = ((body[13] ?? 0) & 15) * 2 ** 32 + body.readUInt32BE(14);
      info = { samples, sampleRate: body.readUIntBE(10, 3) >>> 4 };
      position += 4 + length;
      if (isLast) return { framesAt: position, ...info };
    } else {
      const isLast = ((head[0] ?? 0) & 0x80) !== 0;
      position += 4 + length;
      if (isLast) return info === undefined ? reason('media.noStreamInfo') : { framesAt: position, ...info };
    }
  }
}

/**
 * Finds every frame: one begins where there is a valid header and the checksum of the previous frame matches. The last
 * frame must end with the file, and all frames together must contain the announced number of samples. Source: RFC 9639,
 * 9.
 */
export async function checkFlac(source: ByteSource): Promise<ContainerCheck> {
  const info = await readStreamInfo(source);
  if ('text' in info) return broken('flac', info);
  const first = frameSamples(await source.read(info.framesAt, MAX_FRAME_HEADER_BYTES));
  if (first === undefined) return broken('flac', reason('media.noSound'));
  let samples = first;
  let crc = 0;
  for (let start = info.framesAt; start < source.size; start += STRETCH_BYTES - MAX_FRAME_HEADER_BYTES) {
    const stretch = await source.read(start, STRETCH_BYTES);
    const isLast = start + stretch.length >= source.size;
    // The tail of a stretch is left for the next one, so that a header is never split.
    const end = isLast ? stretch.length : stretch.length - MAX_FRAME_HEADER_BYTES;
    for (let at = 0; at < end; at += 1) {
      // The checksum over a frame including its checksum is zero, so the sum restarts by itself.
      if (crc === 0 && stretch[at] === 0xff && start + at > info.framesAt) {
        samples += frameSamples(stretch.subarray(at, at + MAX_FRAME_HEADER_BYTES)) ?? 0;
      }
      crc = ((crc << 8) & 0xffff) ^ (CRC_16[(crc >> 8) ^ (stretch[at] ?? 0)] ?? 0);
    }
    if (isLast) break;
  }
  if (crc !== 0) return broken('flac', reason('media.damagedLastFrame'));
  if (samples < info.samples) return broken('flac', reason('media.cutSamples', info.samples, samples));
  return whole('flac', info.samples > 0, samples / info.sampleRate);
}
