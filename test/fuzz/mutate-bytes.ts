import type { SeededRandom } from '../../src/gateway-sim/random.ts';

/** Inputs grow no larger: what takes too much of a megabyte takes too much of a gigabyte, too. */
export const LARGEST_INPUT_BYTES = 2 << 20;

/** Numbers that counts and lengths are wrong with. */
const EDGES = [0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

/** One to six damages at places drawn by chance; `others` are spliced in. */
export function mutateBytes(bytes: Buffer, random: SeededRandom, others: readonly Buffer[] = []): Buffer {
  let mutated = bytes;
  for (let left = 1 + random.below(6); left > 0; left -= 1) mutated = mutateOnce(mutated, random, others);
  return mutated.length > LARGEST_INPUT_BYTES ? mutated.subarray(0, LARGEST_INPUT_BYTES) : mutated;
}

function mutateOnce(bytes: Buffer, random: SeededRandom, others: readonly Buffer[]): Buffer {
  const at = random.below(bytes.length + 1);
  const to = Math.min(bytes.length, at + 1 + random.below(random.pick([4, 64, 4096])));
  switch (random.below(12)) {
    case 0:
      return withByte(bytes, at, (bytes[at] ?? 0) ^ (1 << random.below(8)));
    case 1:
      return withByte(bytes, at, random.pick(EDGES) & 0xff);
    case 2:
    case 3:
    case 4:
      return withNumber(bytes, at, random);
    case 5:
      return bytes.subarray(0, at);
    case 6:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
    case 7:
      return repeated(bytes, at, to, random);
    case 8:
      return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(random.pick([1, 16, 5000])), bytes.subarray(at)]);
    case 9: {
      const other = others.length === 0 ? bytes : random.pick(others);
      const from = random.below(other.length + 1);
      return Buffer.concat([bytes.subarray(0, at), other.subarray(from, from + 8192), bytes.subarray(at)]);
    }
    case 10: {
      const noise = Buffer.from(Array.from({ length: to - at }, () => random.below(256)));
      return Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(to)]);
    }
    default:
      return Buffer.concat([bytes.subarray(to), bytes.subarray(0, to)]);
  }
}

function withByte(bytes: Buffer, at: number, value: number): Buffer {
  if (at >= bytes.length) return bytes;
  const changed = Buffer.from(bytes);
  changed[at] = value;
  return changed;
}

/** Two, four or eight bytes become a number that lengths and counts are wrong with, in either order of bytes. */
function withNumber(bytes: Buffer, at: number, random: SeededRandom): Buffer {
  const width = random.pick([2, 4, 4, 8]);
  if (at + width > bytes.length) return bytes;
  const changed = Buffer.from(bytes);
  const near = [bytes.length, bytes.length - at, at, bytes.readUInt8(at) + 1];
  const value = BigInt.asUintN(
    width * 8,
    BigInt(random.pick([...EDGES, ...near])) * (random.below(9) === 0 ? -1n : 1n),
  );
  for (let byte = 0; byte < width; byte += 1) {
    const shifted = Number((value >> BigInt(8 * byte)) & 0xffn);
    changed[at + byte] = shifted;
  }
  if (random.below(2) === 0) changed.subarray(at, at + width).reverse();
  return changed;
}

function repeated(bytes: Buffer, at: number, to: number, random: SeededRandom): Buffer {
  const piece = bytes.subarray(at, to);
  const times = Math.min(random.pick([1, 2, 16, 1000, 100_000]), LARGEST_INPUT_BYTES / Math.max(1, piece.length));
  return Buffer.concat([bytes.subarray(0, to), ...Array.from({ length: times }, () => piece), bytes.subarray(to)]);
}
