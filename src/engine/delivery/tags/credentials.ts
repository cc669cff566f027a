/** Whether a file carries content credentials (C2PA): any change to such a file breaks them. */
import type { ByteSource } from '../../media-folder/containers/container-check.ts';

/** A file has fewer parts before its media; one with more is not searched further. */
const MAX_PARTS = 100_000;
/** The box of a manifest store in MP4 and similar formats. Source: C2PA technical specification, A.4. */
const C2PA_BOX = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');
/** A larger ID3 tag is not a tag. */
const MAX_TAG_BYTES = 64 << 20;

/**
 * True if a file of this type carries content credentials, wherever the specification puts them: in a JPEG as JUMBF in
 * APP11, in a PNG as caBX, in MP4 and similar formats as a box of their own, in MP3 and FLAC as an object in an ID3
 * tag, in WAV and WebP as a chunk C2PA. A false alarm is better than a miss: whatever looks like credentials counts.
 */
export async function carriesCredentials(source: ByteSource): Promise<boolean> {
  const start = await source.read(0, 12);
  const signature = start.toString('latin1');
  if (signature.startsWith('\u{89}PNG')) return pngCarries(source);
  if (signature.startsWith('\u{ff}\u{d8}')) return jpegCarries(source);
  if (signature.startsWith('ID3')) return tagCarries(source);
  if (['RIFF', 'RF64', 'BW64'].includes(signature.slice(0, 4))) return riffCarries(source);
  if (signature.slice(4, 8) === 'ftyp') return boxesCarry(source);
  return false;
}

async function pngCarries(source: ByteSource): Promise<boolean> {
  for (let at = 8, parts = 0; parts < MAX_PARTS; parts += 1) {
    const head = await source.read(at, 8);
    if (head.length < 8) return false;
    const type = head.toString('latin1', 4, 8);
    if (type === 'caBX') return true;
    if (type === 'IEND') return false;
    at += 12 + head.readUInt32BE(0);
  }
  return false;
}

const APP11 = 0xeb;
const START_OF_SCAN = 0xda;

async function jpegCarries(source: ByteSource): Promise<boolean> {
  for (let at = 2, parts = 0; parts < MAX_PARTS; parts += 1) {
    const head = await source.read(at, 6);
    if (head.length < 4 || head[0] !== 0xff || head[1] === START_OF_SCAN) return false;
    if (head[1] === APP11 && head.toString('latin1', 4, 6) === 'JP') return true;
    // A marker may have any number of FF before it.
    at += head[1] === 0xff ? 1 : 2 + Math.max(2, head.readUInt16BE(2));
  }
  return false;
}

async function tagCarries(source: ByteSource): Promise<boolean> {
  const length = await id3Length(source);
  if (length > MAX_TAG_BYTES) return true;
  return (await source.read(0, length)).includes('c2pa');
}

/** The length of the ID3v2 tag at the beginning of a file; 0 if there is none. Source: ID3v2.4, 3.1. */
export async function id3Length(source: ByteSource): Promise<number> {
  const head = await source.read(0, 10);
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const [a = 0, b = 0, c = 0, d = 0] = head.subarray(6);
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
  return 10 + (((a & 0x7f) << 21) | ((b & 0x7f) << 14) | ((c & 0x7f) << 7) | (d & 0x7f)) + (hasFooter ? 10 : 0);
}

async function riffCarries(source: ByteSource): Promise<boolean> {
  for (let at = 12, parts = 0; parts < MAX_PARTS; parts += 1) {
    const head = await source.read(at, 8);
    if (head.length < 8) return false;
    if (head.toString('latin1', 0, 4) === 'C2PA') return true;
    const length = head.readUInt32LE(4);
    at += 8 + length + (length % 2);
  }
  return false;
}

async function boxesCarry(source: ByteSource): Promise<boolean> {
  for await (const { type, content } of topBoxes(source)) {
    if (type === 'uuid' && (await source.read(content, 16)).equals(C2PA_BOX)) return true;
  }
  return false;
}

/** A box of an ISO base media file. */
export interface Box {
  readonly type: string;
  readonly from: number;
  /** Where its content begins. */
  readonly content: number;
  readonly to: number;
  /** Whether it says that it extends to the end of the file. */
  readonly isOpen: boolean;
}

/** The outermost boxes of a file, up to one that is damaged. Source: ISO/IEC 14496-12, 4.2. */
export async function* topBoxes(source: ByteSource): AsyncIterable<Box> {
  for (let from = 0, parts = 0; from < source.size && parts < MAX_PARTS; parts += 1) {
    const head = await source.read(from, 16);
    if (head.length < 8) return;
    const short = head.readUInt32BE(0);
    const isLong = short === 1 && head.length === 16;
    const length = short === 0 ? source.size - from : isLong ? Number(head.readBigUInt64BE(8)) : short;
    const header = isLong ? 16 : 8;
    if (length < header || from + length > source.size) return;
    const type = head.toString('latin1', 4, 8);
    yield { type, from, content: from + header, to: from + length, isOpen: short === 0 };
    from += length;
  }
}
