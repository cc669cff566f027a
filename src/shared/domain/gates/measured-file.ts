/** What can be measured about a file, and what its row asked for. The gates say what is wrong with it (gates.ts). */
import type { JsonObject } from '../base/json.ts';
import { present } from '../base/result.ts';
import type { OutputKind } from '../operations/operations.ts';

/** What decoding a file to its end has shown. Shares are in percent. */
export interface DecodedFile {
  /** How much of it could be decoded. Absent for a picture. */
  readonly seconds?: number;
  /** Places that could not be decoded. */
  readonly errors: number;
  /** The decoder gave up before the end. */
  readonly isBroken: boolean;
  /**
   * Integrated loudness in LUFS (EBU R128); -70 for silence. This and the other facts about sound are absent if the
   * file has none.
   */
  readonly loudness?: number;
  /** The share of its samples that are at the limit of what can be written. */
  readonly clipped?: number;
  readonly silent?: number;
  /** This and the other facts about the picture are absent if the file has none. */
  readonly black?: number;
  readonly frozen?: number;
  /** The mean width of its edges; larger is softer. */
  readonly blur?: number;
  /**
   * What the picture looks like, in hexadecimal: similar pictures differ in few bits. Absent for one without any edges.
   */
  readonly print?: string;
}

/** Why a file was not decoded. */
export type Undecoded = 'no-ffmpeg' | 'elsewhere' | 'missing' | 'late' | 'large' | 'failed';

/** Whether measuring the file again would give the same result. */
export function isForGood(why: Undecoded): boolean {
  return why === 'late' || why === 'large';
}

/** One file, as far as it could be measured. */
export interface MeasuredFile {
  readonly kind: OutputKind;
  readonly bytes: number;
  readonly sha256: string;
  readonly seconds?: number;
  /** In pixels, as it is shown. */
  readonly width?: number;
  readonly height?: number;
  readonly decoded: DecodedFile | { readonly not: Undecoded };
}

/** A file of another take of the same row, for comparison. */
export interface OtherTake {
  readonly path: string;
  readonly sha256: string;
  readonly print?: string;
}

/** What a request asked for, as far as its words are understood. */
export interface WishedFile {
  readonly seconds?: number;
  /** Width divided by height. */
  readonly aspect?: number;
  readonly orientation?: 'landscape' | 'portrait' | 'square';
  /** The shorter side, in pixels, that the file has at least. */
  readonly shortSide?: number;
  /** The file is meant to show one picture for all of its length. */
  readonly isStill?: true;
}

/** Words for a size that name its shorter side, or its longer one, in pixels. */
const SIZE_WORD = /^(?<count>\d{1,5})\s?(?<unit>[pk])$/iu;
const TWO_NUMBERS = /^(?<wide>\d{1,5})\s?(?<between>[:x×*/])\s?(?<high>\d{1,5})$/iu;
/** From this size on, two numbers are pixels. */
const LEAST_PIXELS = 64;
/** `2K` and `4K` name about the longer side; as files are made, their shorter side is at least half of it. */
const PIXELS_OF_K = 1000;
/** Operations whose film shows the cover of its song. */
const STILL_OPERATIONS: ReadonlySet<string> = new Set(['musicgen/music/mp4']);

/**
 * Reads what a request asks of the file: length, shape and size. What is not understood asks for nothing: gateways have
 * their own words, and a gate that guesses would flag good files.
 */
export function askedIn(request: JsonObject, operation?: string): WishedFile {
  const fields = ['aspectRatio', 'aspect_ratio', 'size', 'resolution', 'orientation'];
  const shapes = fields.flatMap((name) => shapeIn(request[name]));
  const [aspect, orientation, shortSide] = (['aspect', 'orientation', 'shortSide'] as const).map((fact) =>
    shapes.find((shape) => shape[fact] !== undefined),
  );
  return {
    ...present({
      seconds: secondsIn(request['duration']),
      aspect: aspect?.aspect,
      orientation: orientation?.orientation,
      shortSide: shortSide?.shortSide,
    }),
    ...(operation !== undefined && STILL_OPERATIONS.has(operation) ? { isStill: true as const } : {}),
  };
}

type Shape = Pick<WishedFile, 'aspect' | 'orientation' | 'shortSide'>;

function shapeIn(value: unknown): readonly Shape[] {
  if (typeof value !== 'string') return [];
  const text = value.trim().toLowerCase();
  if (text === 'landscape' || text === 'portrait' || text === 'square') return [{ orientation: text }];
  const two = TWO_NUMBERS.exec(text)?.groups;
  if (two !== undefined) {
    const [wide, high] = [Number(two['wide']), Number(two['high'])];
    if (wide === 0 || high === 0) return [];
    const isPixels = Math.min(wide, high) >= LEAST_PIXELS && two['between'] !== ':' && two['between'] !== '/';
    return [{ aspect: wide / high, ...(isPixels ? { shortSide: Math.min(wide, high) } : {}) }];
  }
  const one = SIZE_WORD.exec(text)?.groups;
  if (one === undefined) return [];
  const count = Number(one['count']);
  return [{ shortSide: one['unit']?.toLowerCase() === 'p' ? count : (count * PIXELS_OF_K) / 2 }];
}

function secondsIn(value: unknown): number | undefined {
  const text =
    typeof value === 'string' ? /^(\d{1,5}(?:\.\d{1,3})?)\s?(?:s|sec|seconds)?$/iu.exec(value.trim())?.[1] : value;
  const seconds = typeof text === 'string' ? Number(text) : text;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

/** What the picture of a measured file looks like, if it was decoded. */
export function printOf({ decoded }: MeasuredFile): string | undefined {
  return 'not' in decoded ? undefined : decoded.print;
}

/** How many percent of the bits of two prints differ; 100 if they cannot be compared. */
export function printDistance(one: string, other: string): number {
  if (one.length !== other.length || one.length === 0) return 100;
  let bits = 0;
  for (let at = 0; at < one.length; at += 1) {
    let difference = Number.parseInt(one.charAt(at), 16) ^ Number.parseInt(other.charAt(at), 16);
    for (; difference > 0; difference >>= 1) bits += difference & 1;
  }
  return (100 * bits) / (one.length * 4);
}
