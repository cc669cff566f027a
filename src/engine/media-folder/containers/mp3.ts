import { reason, type Reason } from '../../../shared/domain/base/reason.ts';
import { type ByteSource, broken, TOO_MANY_PIECES, whole, type ContainerCheck } from './container-check.ts';

/** Tags and gaps between frames; each recording that was joined to another adds two or three. */
const MAX_TAGS = 100_000;

/** kbit/s by index, layer III. Source: ISO/IEC 11172-3, 2.4.2.3, and 13818-3. */
const BIT_RATES_V1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;
const BIT_RATES_V2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160] as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;

/** One frame of layer III, from its four header bytes. */
export interface Mp3Frame {
  readonly bytes: number;
  readonly sampleRate: number;
  /** How long the frame plays. */
  readonly seconds: number;
  /** Where the frame's main data begins, counted from the start of the frame: a Xing or VBRI header may be there. */
  readonly sideInfoEnd: number;
}

/** Reads a frame header; undefined if the four bytes are not one, or belong to another layer or to free format. */
export function readMp3Frame(header: Buffer): Mp3Frame | undefined {
  if (header.length < 4) return undefined;
  const bits = header.readUInt32BE(0);
  const version = (bits >>> 19) & 3;
  const layer = (bits >>> 17) & 3;
  const rateIndex = (bits >>> 10) & 3;
  if (bits >>> 21 !== 0x7ff || version === 1 || layer !== 1 || rateIndex === 3) return undefined;
  const isV1 = version === 3;
  const kbps = (isV1 ? BIT_RATES_V1 : BIT_RATES_V2)[(bits >>> 12) & 15] ?? 0;
  if (kbps === 0) return undefined;
  const sampleRate = (SAMPLE_RATES[rateIndex] ?? 44_100) / (isV1 ? 1 : version === 2 ? 2 : 4);
  const padding = (bits >>> 9) & 1;
  const isMono = ((bits >>> 6) & 3) === 3;
  const sideInfo = isV1 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  return {
    bytes: Math.floor(((isV1 ? 144 : 72) * kbps * 1000) / sampleRate) + padding,
    sampleRate,
    seconds: (isV1 ? 1152 : 576) / sampleRate,
    sideInfoEnd: 4 + sideInfo,
  };
}

/** Length of an ID3v2 tag at `position`; 0 if there is none. Source: ID3v2.4, 3.1. */
export async function id3v2Bytes(source: ByteSource, position: number): Promise<number> {
  const head = source.held(position, 10) ?? (await source.read(position, 10));
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((head[at] ?? 0) & 0x7f), 0);
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
  return 10 + size + (hasFooter ? 10 : 0);
}

/**
 * Walks all frames to the end; a count in the first frame must match. Tags may come before, between and after frames.
 */
export async function checkMp3(source: ByteSource): Promise<ContainerCheck> {
  let position = await id3v2Bytes(source, 0);
  if (position >= source.size) return broken('mp3', reason('media.cutFirstSound'));
  position += await zeroBytes(source, position);
  let frames = 0;
  let seconds = 0;
  let tags = 0;
  let announced: Announcement = {};
  let firstFrameAt = 0;
  while (position < source.size) {
    const head = source.held(position, 4) ?? (await source.read(position, 4));
    const frame = readMp3Frame(head);
    if (frame === undefined) {
      const firstByte = head[0];
      const tag = await tagBytes(source, position);
      if (tag === undefined) return broken('mp3', endReason(firstByte, position, source.size));
      if (position + tag > source.size) return broken('mp3', reason('media.cutTag'));
      tags += 1;
      if (tags > MAX_TAGS) return broken('mp3', TOO_MANY_PIECES);
      position += tag;
    } else {
      if (position + frame.bytes > source.size) return broken('mp3', reason('media.cutLastFrame'));
      if (frames === 0) {
        announced = await readAnnouncement(source, position, frame);
        firstFrameAt = position;
      }
      // The frame that announces the others is silent.
      if (frames > 0 || announced.frames === undefined) seconds += frame.seconds;
      frames += 1;
      position += frame.bytes;
    }
  }
  if (frames === 0) return broken('mp3', reason('media.noSound'));
  if (isShort(announced, frames, source.size - firstFrameAt)) {
    return broken('mp3', reason('media.cutFrames', announced.frames ?? 0, frames));
  }
  return whole('mp3', true, seconds);
}

/** The totals that a Xing, Info or VBRI header in the first frame announces. */
interface Announcement {
  readonly frames?: number;
  readonly bytes?: number;
}

/** Some writers count the announcing frame and others do not: if that matters, the bytes decide. */
function isShort(announced: Announcement, frames: number, bytes: number): boolean {
  if (announced.frames === undefined || frames > announced.frames) return false;
  return frames < announced.frames || bytes < (announced.bytes ?? 0);
}

function endReason(firstByte: number | undefined, position: number, size: number): Reason {
  const mayBeFrame = firstByte === 0xff && size - position < 4;
  return mayBeFrame ? reason('media.cutLastFrame') : reason('media.damagedAt', position);
}

async function readAnnouncement(source: ByteSource, position: number, frame: Mp3Frame): Promise<Announcement> {
  const body = await source.read(position, frame.bytes);
  const at = frame.sideInfoEnd;
  const xing = body.toString('latin1', at, at + 4);
  if ((xing === 'Xing' || xing === 'Info') && at + 16 <= body.length) {
    const flags = body.readUInt32BE(at + 4);
    const hasFrames = (flags & 1) !== 0;
    const bytesAt = at + (hasFrames ? 12 : 8);
    return {
      ...(hasFrames ? { frames: body.readUInt32BE(at + 8) } : {}),
      ...((flags & 2) !== 0 ? { bytes: body.readUInt32BE(bytesAt) } : {}),
    };
  }
  // VBRI is always 32 bytes after the header; its byte and frame counts are at offsets 10 and 14.
  if (body.toString('latin1', 36, 40) === 'VBRI' && body.length >= 54) {
    return { bytes: body.readUInt32BE(46), frames: body.readUInt32BE(50) };
  }
  return {};
}

/** Length of what may take the place of a frame: a tag, or zeros; undefined for anything else. */
async function tagBytes(source: ByteSource, position: number): Promise<number | undefined> {
  const id3 = await id3v2Bytes(source, position);
  if (id3 > 0) return id3;
  const head = source.held(position, 32) ?? (await source.read(position, 32));
  if (head.toString('latin1', 0, 3) === 'TAG') return 128;
  if (head.toString('latin1', 0, 8) === 'APETAGEX' && head.length === 32) {
    // The length counts the items and the footer; a header, if there is one, comes on top.
    return head.readUInt32LE(12) + 32;
  }
  if (head.toString('latin1', 0, 11) === 'LYRICSBEGIN') return lyrics3Bytes(source, position);
  const zeros = await zeroBytes(source, position);
  return zeros > 0 ? zeros : undefined;
}

/** Lyrics3 gives its length only at its end; version 1 has at most 5,100 bytes, and version 2 is short in practice. */
async function lyrics3Bytes(source: ByteSource, position: number): Promise<number | undefined> {
  const tag = await source.read(position, 64 * 1024);
  // Step by step: searching for either of the two ends would read the whole stretch even if the other end is near.
  for (let at = tag.indexOf('LYRICS', 11, 'latin1'); at >= 0; at = tag.indexOf('LYRICS', at + 1, 'latin1')) {
    const end = tag.toString('latin1', at + 6, at + 9);
    if (end === '200' || end === 'END') return at + 9;
  }
  return undefined;
}

async function zeroBytes(source: ByteSource, from: number): Promise<number> {
  let position = from;
  for (;;) {
    const stretch = await source.stretch(position);
    let zeros = 0;
    while (zeros < stretch.length && stretch[zeros] === 0) zeros += 1;
    position += zeros;
    if (zeros < stretch.length || stretch.length === 0) return position - from;
  }
}
