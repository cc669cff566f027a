/** XMP in pictures: a chunk in PNG, a segment in JPEG. Nothing else in them changes. */
import { crc32 } from 'node:zlib';
import type { ByteSource } from '../../media-folder/containers/container-check.ts';
import { left, OTHER_SHAPE, OWN_XMP, pieces, type Tagging } from '../splice.ts';

const PNG_SIGNATURE_BYTES = 8;
const PNG_KEYWORD = 'XML:com.adobe.xmp';
/** A picture has a dozen; a file with more is not a picture. */
const MAX_PARTS = 100_000;

/** Puts XMP into a PNG, after its header. Source: XMP specification, part 3; PNG (ISO/IEC 15948), 11.3.4.5. */
export async function tagPng(source: ByteSource, xmp: string): Promise<Tagging> {
  const header = await source.read(PNG_SIGNATURE_BYTES, 8);
  if (header.length < 8 || header.toString('latin1', 4, 8) !== 'IHDR') return left(OTHER_SHAPE);
  const behind = PNG_SIGNATURE_BYTES + 12 + header.readUInt32BE(0);
  for (let at = behind, parts = 0; parts < MAX_PARTS; parts += 1) {
    const head = await source.read(at, 8 + PNG_KEYWORD.length);
    if (head.length < 8) return left(OTHER_SHAPE);
    const type = head.toString('latin1', 4, 8);
    if (type === 'IEND') {
      return pieces({ from: 0, to: behind }, pngChunk('iTXt', xmpText(xmp)), { from: behind, to: source.size });
    }
    if (type === 'iTXt' && head.toString('latin1', 8) === PNG_KEYWORD) return left(OWN_XMP);
    at += 12 + head.readUInt32BE(0);
  }
  return left(OTHER_SHAPE);
}

/** Keyword, no compression, no language and no translated keyword. */
function xmpText(xmp: string): Buffer {
  return Buffer.concat([Buffer.from(`${PNG_KEYWORD}\0\0\0\0\0`, 'latin1'), Buffer.from(xmp, 'utf8')]);
}

/** A chunk of a PNG: length, type, data, checksum. */
export function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

const JPEG_NAMESPACE = 'http://ns.adobe.com/xap/1.0/\0';
const APP0 = 0xe0;
const APP1 = 0xe1;
const START_OF_SCAN = 0xda;
/** The length of a segment has two bytes, which it counts too. */
const MOST_IN_SEGMENT = 0xffff - 2;

/** Puts XMP into a JPEG, after JFIF and Exif, where readers expect it. Source: XMP specification, part 3. */
export async function tagJpeg(source: ByteSource, xmp: string): Promise<Tagging> {
  const data = Buffer.concat([Buffer.from(JPEG_NAMESPACE, 'latin1'), Buffer.from(xmp, 'utf8')]);
  if (data.length > MOST_IN_SEGMENT) return left('takes no tags as long as these');
  let behind = 2;
  for (let at = 2, parts = 0; parts < MAX_PARTS; parts += 1) {
    const head = await source.read(at, 4 + JPEG_NAMESPACE.length);
    if (head.length < 4 || head[0] !== 0xff) return left(OTHER_SHAPE);
    const marker = head[1] ?? 0;
    if (marker === START_OF_SCAN) {
      return pieces({ from: 0, to: behind }, jpegSegment(APP1, data), { from: behind, to: source.size });
    }
    const length = head.readUInt16BE(2);
    if (length < 2 || marker < 0xc0 || marker === 0xff) return left(OTHER_SHAPE);
    const text = head.toString('latin1', 4);
    if (marker === APP1 && text.startsWith('http://ns.adobe.com/xap/')) return left(OWN_XMP);
    at += 2 + length;
    if (marker === APP0 || (marker === APP1 && text.startsWith('Exif'))) behind = at;
  }
  return left(OTHER_SHAPE);
}

/** A segment of a JPEG: marker, length, data. */
export function jpegSegment(marker: number, data: Uint8Array): Buffer {
  const segment = Buffer.alloc(4 + data.length);
  segment.writeUInt16BE(0xff00 + marker, 0);
  segment.writeUInt16BE(2 + data.length, 2);
  segment.set(data, 4);
  return segment;
}
