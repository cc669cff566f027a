/** Which draw is meant: the same for the same row, column and place in its cell, for ever. */
export interface DrawPlace {
  /** The row's seed: its cell in the column `seed`, else its id. */
  readonly seed: string;
  /** The exact name of the column. */
  readonly column: string;
  /** Which of the cell's choices and lists this is, from 0. */
  readonly ordinal: number;
}

/**
 * Draws a number from 0 to `count` - 1. The seed, the column and the ordinal alone decide, so that editing one cell
 * changes no draw in another one, and rows that are moved, or brought in again, draw what they drew before.
 *
 * The hash is FNV-1a with 32 bits over the code units of `seed NUL column NUL ordinal` (no cell holds a NUL), finished
 * with the mixing of MurmurHash3, because the upper bits of FNV-1a alone barely depend on the last characters. It is
 * part of what a sheet means: another hash would render other things, and is never to be put in its place.
 */
export function draw(place: DrawPlace, count: number): number {
  return Math.floor((mix(fnv1a(`${place.seed}\0${place.column}\0${place.ordinal}`)) / 2 ** 32) * count);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
