/** Length and size of a file from its first bytes, for machines without a program that decodes it. */
import type { FileHandle } from 'node:fs/promises';
import type { MediaTypeName } from '../../shared/domain/files/media-type.ts';

/** What a header says; nothing for a format that has no such header. */
export interface HeaderFacts {
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
}

/** A JPEG's size comes after its profiles and its thumbnails. */
const JPEG_HEAD_BYTES = 1 << 20;
/** A movie's header comes before its tables and is small; a file has few boxes at its top level. */
const MOVIE_HEAD_BYTES = 64 << 10;
const MAX_BOXES = 1000;

/**
 * Reads what the header of a verified file says. Rejects only because of the disk, never because of what the header
 * says.
 */
export async function headerFacts(file: FileHandle, type: MediaTypeName): Promise<HeaderFacts> {
  const read = async (position: number, length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
  switch (type) {
    case 'png':
      return pngFacts(await read(0, 24));
    case 'gif':
      return gifFacts(await read(0, 10));
    case 'jpeg':
      return jpegFacts(await read(0, JPEG_HEAD_BYTES));
    case 'wav':
      return wavFacts(await read(0, 4096), (await file.stat()).size);
    case 'mp4':
    case 'mov':
    case 'm4a':
      return movieFacts(read);
    default:
      return {};
  }
}

function pngFacts(head: Buffer): HeaderFacts {
  if (head.length < 24 || head.toString('latin1', 12, 16) !== 'IHDR') return {};
  return sized(head.readUInt32BE(16), head.readUInt32BE(20));
}

function gifFacts(head: Buffer): HeaderFacts {
  return head.length < 10 ? {} : sized(head.readUInt16LE(6), head.readUInt16LE(8));
}

/** Source: ITU-T T.81, B.2: the segments before the picture; a frame header among them has the size. */
function jpegFacts(head: Buffer): HeaderFacts {
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff; at += 2 + head.readUInt16BE(at + 2)) {
    const marker = head[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return sized(head.readUInt16BE(at + 7), head.readUInt16BE(at + 5));
  }
  return {};
}

function wavFacts(head: Buffer, size: number): HeaderFacts {
  let bytesASecond = 0;
  for (let at = 12; at + 8 <= head.length;) {
    const id = head.toString('latin1', at, at + 4);
    const length = head.readUInt32LE(at + 4);
    if (id === 'fmt ' && at + 20 <= head.length) bytesASecond = head.readUInt32LE(at + 16);
    if (id === 'data') return bytesASecond === 0 ? {} : { seconds: Math.min(length, size - at - 8) / bytesASecond };
    at += 8 + length + (length % 2);
  }
  return {};
}

/** Source: ISO/IEC 14496-12, 8.2.2 and 8.3.2: the movie's header, and the sizes of its tracks. */
async function movieFacts(read: (position: number, length: number) => Promise<Buffer>): Promise<HeaderFacts> {
  let position = 0;
  for (let boxes = 0; boxes < MAX_BOXES; boxes += 1) {
    const head = await read(position, 16);
    if (head.length < 16) return {};
    const isLong = head.readUInt32BE(0) === 1;
    const length = isLong ? Number(head.readBigUInt64BE(8)) : head.readUInt32BE(0);
    if (length < 8) return {};
    if (head.toString('latin1', 4, 8) === 'moov') return factsOfMovie(await read(position + 8, MOVIE_HEAD_BYTES));
    position += length;
  }
  return {};
}

function factsOfMovie(moov: Buffer): HeaderFacts {
  const header = moov.indexOf('mvhd', 0, 'latin1');
  const isLong = moov[header + 4] === 1;
  const at = header + (isLong ? 24 : 16);
  if (header < 0 || at + 12 > moov.length) return {};
  const scale = moov.readUInt32BE(at);
  const length = isLong ? Number(moov.readBigUInt64BE(at + 4)) : moov.readUInt32BE(at + 4);
  return { ...(scale === 0 || length === 0 ? {} : { seconds: length / scale }), ...sizeOfTrack(moov) };
}

function sizeOfTrack(moov: Buffer): HeaderFacts {
  for (let at = moov.indexOf('tkhd', 0, 'latin1'); at >= 0; at = moov.indexOf('tkhd', at + 4, 'latin1')) {
    const end = at - 4 + (at >= 4 ? moov.readUInt32BE(at - 4) : 0);
    if (end > moov.length || end < at + 8) return {};
    const [width, height] = [moov.readUInt32BE(end - 8) >>> 16, moov.readUInt32BE(end - 4) >>> 16];
    if (width > 0 && height > 0) return { width, height };
  }
  return {};
}

function sized(width: number, height: number): HeaderFacts {
  return width > 0 && height > 0 ? { width, height } : {};
}
