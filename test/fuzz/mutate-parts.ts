import type { SeededRandom } from '../../src/gateway-sim/random.ts';
import type { Part } from './media-trees.ts';
import { LARGEST_INPUT_BYTES, mutateBytes } from './mutate-bytes.ts';

const MOST_CHOSEN_FROM = 300;
const COUNTS = [0, 1, 2, 255, 0x7fffffff, 0x80000000, 0xffffffff];

/** One to four damages to the parts of a container; `others` are grafted in. */
export function mutateParts(parts: readonly Part[], random: SeededRandom, others: readonly Part[]): readonly Part[] {
  let mutated = parts;
  for (let left = 1 + random.below(4); left > 0; left -= 1) mutated = mutateSomewhere(mutated, random, others);
  return mutated;
}

function mutateSomewhere(parts: readonly Part[], random: SeededRandom, others: readonly Part[]): readonly Part[] {
  const at = placeOf(parts, random);
  const part = parts[at];
  if (part === undefined) return [...parts, oneOf([...parts, ...others], random)];
  if (part.parts !== undefined && random.below(8) !== 0) {
    return replaced(parts, at, [{ ...part, parts: mutateSomewhere(part.parts, random, others) }]);
  }
  return replaced(parts, at, mutatePart(part, parts, random, others));
}

/** One of the parts, those that hold more of them the likelier; or the place after the last one. */
function placeOf(parts: readonly Part[], random: SeededRandom): number {
  const weights = parts.map((part) => 1 + 4 * Math.min(100, part.parts?.length ?? 0));
  let drawn = random.below(weights.reduce((sum, weight) => sum + weight, 1));
  const at = weights.findIndex((weight) => (drawn -= weight) < 0);
  return at === -1 ? parts.length : at;
}

function replaced(parts: readonly Part[], at: number, by: readonly Part[]): readonly Part[] {
  return [...parts.slice(0, at), ...by, ...parts.slice(at + 1)];
}

function mutatePart(
  part: Part,
  siblings: readonly Part[],
  random: SeededRandom,
  others: readonly Part[],
): readonly Part[] {
  switch (random.below(11)) {
    case 0:
      return [];
    case 1:
      return Array.from({ length: timesOf(part, random) }, () => part);
    case 2:
      return [nested(part, random.pick([1, 2, 40, 300]))];
    case 3:
      return [{ ...part, name: oneOf([...siblings, ...others], random).name }];
    case 4:
      return [{ ...oneOf([...siblings, ...others], random), name: part.name }];
    case 5:
      return Array.from({ length: random.pick([1, 2, 1000, 20_000]) }, () => ({
        name: part.name,
        body: Buffer.alloc(0),
      }));
    case 6:
      return [oneOf(others, random), part];
    case 7:
      return [{ name: part.name, body: withCounts(part.body, random) }];
    case 8:
    case 9:
      return [withAllCounts(part, random)];
    default:
      return [{ name: part.name, body: mutateBytes(part.body, random) }];
  }
}

function oneOf(parts: readonly Part[], random: SeededRandom): Part {
  const all = flat(parts);
  return all.length > 0 ? random.pick(all) : { name: Buffer.from('none'), body: Buffer.alloc(0) };
}

/** Of very many parts the first ones. */
function flat(parts: readonly Part[]): readonly Part[] {
  const all: Part[] = [];
  for (const part of parts.slice(0, MOST_CHOSEN_FROM)) {
    all.push(part);
    if (part.parts !== undefined && all.length < MOST_CHOSEN_FROM) all.push(...flat(part.parts));
  }
  return all;
}

function timesOf(part: Part, random: SeededRandom): number {
  const bytes = part.body.length + 12;
  return Math.min(random.pick([2, 3, 100, 100_000]), Math.ceil(LARGEST_INPUT_BYTES / 4 / bytes));
}

function nested(part: Part, depth: number): Part {
  let inner = part;
  for (let level = 0; level < depth; level += 1) inner = { name: part.name, body: part.body, parts: [inner] };
  return inner;
}

/** The same in all parts that a part is made of: what harms is often several numbers that fit each other. */
function withAllCounts(part: Part, random: SeededRandom): Part {
  if (part.parts === undefined) return { ...part, body: withCounts(part.body, random) };
  return { ...part, parts: part.parts.map((inner) => withAllCounts(inner, random)) };
}

/** Numbers of four bytes, most of which are counts and lengths in tables, become what they must not be. */
function withCounts(body: Buffer, random: SeededRandom): Buffer {
  const changed = Buffer.from(body);
  for (let at = random.below(2) * 4; at + 4 <= Math.min(changed.length, 64); at += 4) {
    if (random.below(3) === 0) changed.writeUInt32BE(random.pick(COUNTS), at);
  }
  return changed;
}
