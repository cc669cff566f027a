import { expect, test } from 'vitest';
import { Canvas } from '../../../src/gateway-sim/media/canvas.ts';
import type { Colour } from '../../../src/gateway-sim/media/canvas.ts';
import { encodeH264 } from '../../../src/gateway-sim/media/h264.ts';

/** Reads bits as ITU-T H.264 has them (7.2, 9.1). */
class BitReader {
  #at = 8;
  readonly #unit: Buffer;

  constructor(unit: Buffer) {
    this.#unit = unit;
  }

  bit(): number {
    const bit = ((this.#unit[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1;
    this.#at += 1;
    return bit;
  }

  fixed(count: number): number {
    let value = 0;
    for (let read = 0; read < count; read += 1) value = value * 2 + this.bit();
    return value;
  }

  unsigned(): number {
    let zeros = 0;
    while (this.bit() === 0) zeros += 1;
    return 2 ** zeros + this.fixed(zeros) - 1;
  }

  /** The 384 bytes of a macroblock that is sent as it is, after zeros up to the next byte. */
  pcm(): Buffer {
    if (this.fixed((8 - (this.#at % 8)) % 8) !== 0) throw new Error('Alignment is not zero');
    const start = this.#at / 8;
    this.#at += 384 * 8;
    return this.#unit.subarray(start, start + 384);
  }

  /** Whether anything but the end of the unit, a one and zeros, is left. */
  more(): boolean {
    const rest = this.#unit.subarray(this.#at >> 3);
    const bits = Array.from(rest, (byte) => byte.toString(2).padStart(8, '0'))
      .join('')
      .slice(this.#at & 7);
    return !/^10*$/.test(bits);
  }
}

/** The macroblocks after one more unit, by the syntax of slices that send or skip them (7.3.3, 7.3.4). */
function decoded(unit: Buffer, before: readonly Buffer[], index: number): readonly Buffer[] {
  const bits = new BitReader(unit);
  expect([bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.fixed(4)]).toEqual([
    0,
    index === 0 ? 7 : 5,
    0,
    index % 16,
  ]);
  expect(index === 0 ? [bits.unsigned(), bits.fixed(2)] : [bits.fixed(3)]).toEqual(index === 0 ? [0, 0] : [0]);
  expect([bits.unsigned(), bits.unsigned()]).toEqual([0, 1]);
  const blocks: Buffer[] = [];
  while (bits.more()) {
    for (let skipped = index === 0 ? 0 : bits.unsigned(); skipped > 0; skipped -= 1)
      blocks.push(before[blocks.length] ?? Buffer.alloc(0));
    if (!bits.more()) break;
    expect(bits.unsigned()).toBe(index === 0 ? 25 : 30);
    blocks.push(bits.pcm());
  }
  return blocks;
}

/** The luma of a pixel as ITU-R BT.601 has it, for 8 bits. */
function luma([red, green, blue]: Colour): number {
  return Math.round(16 + (65.481 * red + 128.553 * green + 24.966 * blue) / 255);
}

function frames(): readonly Canvas[] {
  return Array.from({ length: 20 }, (_, at) => {
    const canvas = new Canvas(64, 48);
    canvas.gradient([[0, 0, 0], [255, 255, 255]]); // prettier-ignore
    canvas.rectangle(at * 3, 10, 5, 5, [200, 30, 90]);
    return canvas;
  });
}

test('what is encoded is decoded again, picture after picture', () => {
  const pictures = frames();
  const film = encodeH264(pictures);
  let blocks: readonly Buffer[] = [];
  for (const [index, picture] of film.pictures.entries()) {
    const unit = picture.subarray(4);
    expect(picture.readUInt32BE(0)).toBe(unit.length);
    blocks = decoded(unit, blocks, index);
    expect(blocks).toHaveLength(12);
    const { pixels } = pictures[index] ?? new Canvas(64, 48);
    for (const [x, y] of [
      [0, 0],
      [63, 47],
      [index * 3 + 2, 12],
      [33, 20],
    ] as const) {
      const at = (y * 64 + x) * 3;
      const expected = luma([pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0]);
      const block = blocks[Math.floor(y / 16) * 4 + Math.floor(x / 16)];
      expect(Math.abs((block?.[(y % 16) * 16 + (x % 16)] ?? 0) - expected)).toBeLessThanOrEqual(1);
    }
  }
});

test('what does not change is not sent again', () => {
  const { pictures } = encodeH264(frames());
  expect(pictures[0]?.length).toBeGreaterThan(12 * 384);
  for (const picture of pictures.slice(1)) expect(picture.length).toBeLessThan(4 * 384 + 40);
});

test('no unit holds bytes that read like a start code', () => {
  const black = Array.from({ length: 3 }, () => new Canvas(320, 176));
  for (const film of [encodeH264(black), encodeH264(frames())]) {
    for (const unit of [film.sps, film.pps, ...film.pictures.map((picture) => picture.subarray(4))]) {
      expect(unit.toString('hex')).not.toMatch(/^(..)*00000[0-3]/);
    }
  }
});
