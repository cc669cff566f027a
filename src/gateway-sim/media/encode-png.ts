import { crc32, deflateSync } from 'node:zlib';
import type { Canvas } from './canvas.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const FILTER_UP = 2;

/** A canvas as PNG (24 bits a pixel) with texts (keyword in Latin-1, text in any script) inside. */
export function encodePng(canvas: Canvas, texts: Readonly<Record<string, string>>): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(canvas.width, 0);
  header.writeUInt32BE(canvas.height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const notes = Object.entries(texts).map(([keyword, text]) =>
    // iTXt: keyword, not compressed, no language, no translated keyword.
    chunk('iTXt', Buffer.concat([Buffer.from(`${keyword}\0\0\0\0\0`, 'latin1'), Buffer.from(text, 'utf8')])),
  );
  const picture = chunk('IDAT', deflateSync(filtered(canvas), { level: 1 }));
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), ...notes, picture, chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, content: Buffer): Buffer {
  const framed = Buffer.alloc(content.length + 12);
  framed.writeUInt32BE(content.length, 0);
  framed.write(type, 4, 'latin1');
  content.copy(framed, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, content.length + 8)), content.length + 8);
  return framed;
}

/** Each row as its difference from the row above: scenes consist of vertical gradients. */
function filtered({ width, height, pixels }: Canvas): Buffer {
  const stride = width * 3;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y += 1) {
    const target = y * (stride + 1);
    rows[target] = FILTER_UP;
    for (let at = 0; at < stride; at += 1) {
      const above = y === 0 ? 0 : (pixels[(y - 1) * stride + at] ?? 0);
      rows[target + 1 + at] = (pixels[y * stride + at] ?? 0) - above;
    }
  }
  return rows;
}
