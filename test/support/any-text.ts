import fc from 'fast-check';

/** Code units that are not a character, but half of one. */
const HALVES = { first: 0xd800, count: 0x800 };

/**
 * Any one character, for `fc.string({ unit: CHARACTER })`. Fast-check's own “binary” begins with a map of all 1.1
 * million characters, which costs a second of a processor and 90 MB in each process.
 */
export const CHARACTER = fc
  .integer({ min: 0, max: 0x10_ffff - HALVES.count })
  .map((place) => String.fromCodePoint(place < HALVES.first ? place : place + HALVES.count), placeOf);

function placeOf(character: unknown): number {
  const code = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1;
  if (code < 0 || character !== String.fromCodePoint(code)) throw new Error('More or less than one character.');
  const isHalf = code >= HALVES.first && code < HALVES.first + HALVES.count;
  if (isHalf) throw new Error('Half a character.');
  return code < HALVES.first ? code : code - HALVES.count;
}
