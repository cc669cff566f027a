/** What a picture looks like, from a small grey copy of it. */
import { percentOf } from './read-ffmpeg.ts';

/** The side of the copy, in pixels; a byte for each. */
export const LOOK_SIDE = 64;
/** Darker than this, out of 255, is black; a scene at night is not. */
const BLACK_BELOW = 6;
/** How many fields per side the print compares, each with the next one. */
const PRINT_SIDE = 16;
/** Neighbours that differ by less than this, out of 255, are one surface. */
const EDGE = 2;
/** A picture with fewer edges than this is like all others with few: it has no print. */
const LEAST_EDGES = 24;

/** What a small grey copy shows; undefined unless it is whole. */
export function pictureLookOf(grey: Buffer): { readonly black: number; readonly print?: string } | undefined {
  if (grey.length !== LOOK_SIDE * LOOK_SIDE) return undefined;
  const black = grey.filter((light) => light < BLACK_BELOW).length;
  const print = printOf(grey);
  return { black: percentOf(black, grey.length), ...(print === undefined ? {} : { print }) };
}

/**
 * Two bits for each of 16 × 16 fields: whether it is lighter than its right and its lower neighbour. The same scene
 * drawn a little differently has nearly the same bits; pictures of one prompt differ in many.
 */
function printOf(grey: Buffer): string | undefined {
  const size = LOOK_SIDE / PRINT_SIDE;
  const field = (x: number, y: number): number => {
    let sum = 0;
    for (let dy = 0; dy < size; dy += 1)
      for (let dx = 0; dx < size; dx += 1)
        sum += grey[((y % PRINT_SIDE) * size + dy) * LOOK_SIDE + (x % PRINT_SIDE) * size + dx] ?? 0;
    return sum / (size * size);
  };
  let edges = 0;
  let print = '';
  for (let y = 0; y < PRINT_SIDE; y += 1) {
    for (let x = 0; x < PRINT_SIDE; x += 2) {
      let digit = 0;
      for (const at of [x, x + 1]) {
        for (const difference of [field(at, y) - field(at + 1, y), field(at, y) - field(at, y + 1)]) {
          if (Math.abs(difference) >= EDGE) edges += 1;
          digit = digit * 2 + (difference >= EDGE ? 1 : 0);
        }
      }
      print += digit.toString(16);
    }
  }
  return edges < LEAST_EDGES ? undefined : print;
}
