/** What ffmpeg and ffprobe say, read strictly: a line that is not exactly as its filter writes it says nothing. */
import { z } from 'zod';

const NUMBER = String.raw`(-?(?:\d{1,12}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?|inf|-?nan))`;

/** A line from a filter: its name and address, the level, and its message. */
function ofFilter(filter: string, words: string): RegExp {
  return new RegExp(
    String.raw`^\[(?:Parsed_)?${filter}(?:_\d{1,3})? @ (?:0x)?[0-9a-fA-F]{1,16}\] \[info\] ${words}\s*$`,
    'u',
  );
}

const BLACK = ofFilter('blackdetect', String.raw`black_start:${NUMBER} black_end:${NUMBER} black_duration:${NUMBER}`);
const FREEZE_START = ofFilter('freezedetect', String.raw`lavfi\.freezedetect\.freeze_start: ${NUMBER}`);
const FREEZE_DURATION = ofFilter('freezedetect', String.raw`lavfi\.freezedetect\.freeze_duration: ${NUMBER}`);
const SILENCE_START = ofFilter('silencedetect', String.raw`silence_start: ${NUMBER}`);
const SILENCE_END = ofFilter('silencedetect', String.raw`silence_end: ${NUMBER} \| silence_duration: ${NUMBER}`);
const PEAK_LEVEL = ofFilter('astats', String.raw`Peak level dB: ${NUMBER}`);
const PEAK_COUNT = ofFilter('astats', String.raw`Peak count: ${NUMBER}`);
const SAMPLES = ofFilter('astats', String.raw`Number of samples: ${NUMBER}`);
const LOUDNESS_SUMMARY = ofFilter('ebur128', 'Summary:');
const LOUDNESS = new RegExp(String.raw`^ {4}I: {1,12}${NUMBER} LUFS\s*$`, 'u');
const SAMPLE_PEAK = new RegExp(String.raw`^ {4}Peak: {1,12}${NUMBER} dBFS\s*$`, 'u');
const BLUR = ofFilter('blurdetect', String.raw`blur mean: ${NUMBER}`);
const ERROR = /^(?:\[[^\]]{1,80}\] ){0,3}\[(?:error|fatal|panic)\] /u;
const OUT_TIME = /^out_time_us=(\d{1,15})$/u;

/** EBU R128 measures in blocks of 0.4 s: a shorter sound has no loudness. */
export const LEAST_LOUDNESS_SECONDS = 0.5;
/** Peaks from this level on are at the limit of what can be written. */
const FULL_LEVEL_DB = -0.1;

/** A number in a line; undefined if there is none, or it is not finite. */
function numberIn(pattern: RegExp, line: string, group = 1): number | undefined {
  const text = pattern.exec(line)?.[group];
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** What the summary of `ebur128` says: LUFS, and the peak in dB if it was told to look for it. */
export class LoudnessReader {
  lufs: number | undefined;
  peakDb: number | undefined;
  #isSummary = false;

  /** Takes a line of ffmpeg's messages about its work. */
  read(line: string): void {
    if (LOUDNESS_SUMMARY.test(line)) this.#isSummary = true;
    else if (line.startsWith('[')) this.#isSummary = false;
    if (!this.#isSummary) return;
    this.lufs = numberIn(LOUDNESS, line) ?? this.lufs;
    this.peakDb = numberIn(SAMPLE_PEAK, line) ?? this.peakDb;
  }
}

/** Gathers what is said about one file while it is decoded. Times are in seconds. */
export class DecodeReader {
  errors = 0;
  decodedSeconds: number | undefined;
  #black = 0;
  #frozen = 0;
  #frozenSince: number | undefined;
  #silent = 0;
  #silentSince: number | undefined;
  #peak = Number.NEGATIVE_INFINITY;
  #peakCount = 0;
  #samples = 0;
  readonly #loudness = new LoudnessReader();
  blur: number | undefined;

  /** Takes a line of ffmpeg's messages about its work. */
  read(line: string): void {
    if (ERROR.test(line)) this.errors += 1;
    this.#loudness.read(line);
    this.#black += numberIn(BLACK, line, 3) ?? 0;
    this.#frozenSince = numberIn(FREEZE_START, line) ?? this.#frozenSince;
    const frozen = numberIn(FREEZE_DURATION, line);
    if (frozen !== undefined) [this.#frozen, this.#frozenSince] = [this.#frozen + frozen, undefined];
    this.#silentSince = numberIn(SILENCE_START, line) ?? this.#silentSince;
    const silent = numberIn(SILENCE_END, line, 2);
    if (silent !== undefined) [this.#silent, this.#silentSince] = [this.#silent + silent, undefined];
    this.#peak = numberIn(PEAK_LEVEL, line) ?? this.#peak;
    this.#peakCount = numberIn(PEAK_COUNT, line) ?? this.#peakCount;
    this.#samples = numberIn(SAMPLES, line) ?? this.#samples;
    this.blur = numberIn(BLUR, line) ?? this.blur;
  }

  /** Takes a line of its progress. */
  readProgress(line: string): void {
    const microseconds = numberIn(OUT_TIME, line);
    if (microseconds !== undefined) this.decodedSeconds = Math.max(this.decodedSeconds ?? 0, microseconds / 1e6);
  }

  /** Shares of a sound of this length, in percent, and its loudness. */
  sound(seconds: number): { readonly loudness?: number; readonly clipped: number; readonly silent: number } {
    const open = this.#silentSince === undefined ? 0 : Math.max(0, seconds - this.#silentSince);
    const clipped = this.#peak < FULL_LEVEL_DB || this.#samples === 0 ? 0 : this.#peakCount / this.#samples;
    const { lufs } = this.#loudness;
    return {
      ...(lufs === undefined || seconds < LEAST_LOUDNESS_SECONDS ? {} : { loudness: lufs }),
      clipped: percentOf(clipped, 1),
      silent: percentOf(this.#silent + open, seconds),
    };
  }

  /** Shares of a film of this length, in percent. */
  film(seconds: number): { readonly black: number; readonly frozen: number } {
    const open = this.#frozenSince === undefined ? 0 : Math.max(0, seconds - this.#frozenSince);
    return { black: percentOf(this.#black, seconds), frozen: percentOf(this.#frozen + open, seconds) };
  }
}

/** Percent with one decimal, from 0 to 100. */
export function percentOf(part: number, whole: number): number {
  return whole > 0 ? Math.round(Math.min(1, Math.max(0, part / whole)) * 1000) / 10 : 0;
}

const count = z.number().int().nonnegative();
const probeSchema = z.object({
  streams: z
    .array(
      z.object({
        index: count,
        codec_type: z.string().optional(),
        width: count.optional(),
        height: count.optional(),
        disposition: z.object({ attached_pic: count.optional() }).optional(),
        side_data_list: z.array(z.object({ rotation: z.number().optional() })).optional(),
      }),
    )
    .max(1000),
  format: z
    .object({
      duration: z
        .string()
        .regex(/^\d{1,9}(?:\.\d{1,9})?$/u)
        .optional(),
    })
    .optional(),
});

/** What a file contains: its first sound, its first picture that is not a cover, its first cover, and its length. */
export interface ProbedFile {
  readonly seconds?: number;
  readonly sound?: { readonly index: number };
  readonly picture?: { readonly index: number; readonly width: number; readonly height: number };
  readonly cover?: { readonly index: number };
}

/** Reads ffprobe's JSON; undefined for anything else. */
export function readProbe(text: string): ProbedFile | undefined {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return undefined;
  }
  const probed = probeSchema.safeParse(given);
  if (!probed.success) return undefined;
  const { streams, format } = probed.data;
  const sound = streams.find(({ codec_type: type }) => type === 'audio');
  const seen = streams.find(
    ({ codec_type: type, disposition, width = 0, height = 0 }) =>
      type === 'video' && disposition?.attached_pic !== 1 && width > 0 && height > 0,
  );
  const cover = streams.find(({ disposition }) => disposition?.attached_pic === 1);
  const seconds = format?.duration === undefined ? undefined : Number(format.duration);
  return {
    ...(seconds === undefined ? {} : { seconds }),
    ...(sound === undefined ? {} : { sound: { index: sound.index } }),
    ...(seen === undefined ? {} : { picture: { index: seen.index, ...shownSize(seen) } }),
    ...(cover === undefined ? {} : { cover: { index: cover.index } }),
  };
}

function shownSize({
  width = 0,
  height = 0,
  side_data_list: sides = [],
}: z.output<typeof probeSchema>['streams'][number]): { readonly width: number; readonly height: number } {
  const turn = Math.abs(sides.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0) % 180;
  return turn === 90 ? { width: height, height: width } : { width, height };
}
