/** What a page shows instead of a whole file, made by ffmpeg: a small picture, or how a song sounds. */
import path from 'node:path';
import { assertNever, present } from '../../shared/domain/base/result.ts';
import { WorkSlots } from '../../shared/domain/base/work-slots.ts';
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import { kindOfMediaType } from '../../shared/domain/files/media-type.ts';
import type { Clock } from '../ports/base.ts';
import type { FileToMeasure, Preview, PreviewMaker } from '../ports/file-looks.ts';
import { DECODER_BOUNDS, inputOf, TALK, type DecodeInput } from './decode-file.ts';
import { openPlain, typeNamed, type MeasurerOptions } from './measure-files.ts';
import { LEAST_LOUDNESS_SECONDS, LoudnessReader } from './read-ffmpeg.ts';
import { findProgram, runMediaProgram, type MediaProgramEnd } from './run-program.ts';

/** Two small files at once, but only one film, because decoding films takes memory. */
const AT_ONCE = 2;
const FILMS_AT_ONCE = 1;
/** A whole song takes a few seconds, even on a busy computer. */
const LIMIT_MS = 60_000;
/** More bytes than a picture of this size has. */
const MOST_PICTURE_BYTES = 1 << 20;
/** Wide enough for a tile on a screen with two pixels per point. */
const SMALL = "scale=w='min(480,iw)':h=-2:flags=area";
/** Frames are made small before one is chosen: this many large ones would take all memory. */
const FILM_FRAMES = 50;
/** Fully transparent pixels become black, like the background behind pictures. */
const ON_BLACK = 'format=gbrap,premultiply=inplace=1,';
const JPEG = ['-frames:v', '1', '-map_metadata', '-1', '-pix_fmt', 'yuvj420p', '-c:v', 'mjpeg', '-q:v', '4'];
/** Samples per second: enough to distinguish loud from quiet. */
const RATE = 8_000;
/** Samples per block of a song; the loudest of each block is kept. */
const BLOCK = RATE / 100;
const LEVELS = 180;
const FULL = 32_768;
/** Anything this quiet is silence, and is not drawn as tall as a song. */
const SILENCE_LUFS = -70;
const LEAST_PEAK = 0.01;

/** Makes two previews at a time, at low priority. */
export function createPreviewMaker({ clock, find = findProgram }: MeasurerOptions): PreviewMaker {
  const all = new WorkSlots(AT_ONCE);
  const films = new WorkSlots(FILMS_AT_ONCE);
  return {
    make(file, signal) {
      const make = (): Promise<Preview | undefined> => all.take(() => previewOf(file, { clock, find, signal }));
      return kindOfMediaType(file.mediaType) === 'video' ? films.take(make) : make();
    },
  };
}

interface Making {
  readonly clock: Clock;
  readonly find: (name: string) => string | undefined;
  readonly signal: AbortSignal;
}

async function previewOf(file: FileToMeasure, making: Making): Promise<Preview | undefined> {
  const { folder, mediaType, bytes } = file;
  const ffmpeg = making.find('ffmpeg');
  const type = typeNamed(mediaType);
  if (ffmpeg === undefined || type === undefined || isBucketAddress(folder) || making.signal.aborted) return undefined;
  const place = path.join(folder, ...file.path.split('/'));
  const handle = await openPlain(place);
  if (handle === undefined) return undefined;
  try {
    // A preview of another file would be kept under the verified file's name.
    if ((await handle.stat()).size !== bytes) return undefined;
    const kind = kindOfMediaType(mediaType);
    const input = { fd: handle.fd, path: place, type, kind };
    switch (kind) {
      case 'image':
      case 'video':
        return await pictureOf(ffmpeg, input, making);
      case 'music':
        return await soundOf(ffmpeg, input, making);
      case 'data':
        return { kind: 'none' };
      default:
        return assertNever(kind);
    }
  } finally {
    await handle.close();
  }
}

/**
 * An image as it is; for a film, whichever of its first frames looks most like the others, because it may begin with
 * black.
 */
async function pictureOf(ffmpeg: string, file: DecodeInput, { clock, signal }: Making): Promise<Preview | undefined> {
  const look =
    file.kind === 'video' ? `${SMALL},thumbnail=n=${FILM_FRAMES}` : `${hasAlpha(file) ? ON_BLACK : ''}${SMALL}`;
  const args = [...TALK, ...DECODER_BOUNDS, ...inputOf(file), '-map', '0:V:0', '-vf', look, ...JPEG];
  const chunks: Buffer[] = [];
  const end = await runMediaProgram(
    {
      program: ffmpeg,
      args: [...args, '-f', 'image2pipe', 'pipe:1'],
      file,
      limitMs: LIMIT_MS,
      signal,
      onOutput: (chunk) => chunks.push(chunk),
      onLine: () => undefined,
    },
    clock,
  );
  const jpeg = Buffer.concat(chunks);
  const isWhole = wasDone(end) && jpeg.length > 0 && jpeg.length <= MOST_PICTURE_BYTES;
  return isWhole ? { kind: 'picture', jpeg } : notMade(end);
}

function hasAlpha({ type }: DecodeInput): boolean {
  return type === 'png' || type === 'webp' || type === 'gif';
}

async function soundOf(ffmpeg: string, file: DecodeInput, { clock, signal }: Making): Promise<Preview | undefined> {
  const graph = [
    '[0:a:0]asplit=2[heard][drawn]',
    '[heard]ebur128=peak=sample:framelog=verbose[loudness]',
    `[drawn]aresample=${RATE},aformat=sample_fmts=s16:channel_layouts=mono[wave]`,
  ].join(';');
  const outputs = ['-map', '[wave]', '-f', 's16le', 'pipe:1', '-map', '[loudness]', '-f', 'null', '-'];
  const args = [...TALK, ...DECODER_BOUNDS, ...inputOf(file), '-filter_complex', graph, ...outputs];
  const loudness = new LoudnessReader();
  const wave = new WaveReader();
  const end = await runMediaProgram(
    {
      program: ffmpeg,
      args,
      file,
      limitMs: LIMIT_MS,
      signal,
      onOutput: (chunk) => wave.add(chunk),
      onLine: (line) => loudness.read(line),
    },
    clock,
  );
  const { seconds } = wave;
  if (!wasDone(end) || seconds === 0) return notMade(end);
  const { lufs = SILENCE_LUFS, peakDb } = loudness;
  const isMeasured = lufs > SILENCE_LUFS && seconds >= LEAST_LOUDNESS_SECONDS;
  const sound = { seconds, levels: wave.levels(LEVELS), ...present({ lufs: isMeasured ? lufs : undefined, peakDb }) };
  return { kind: 'sound', sound };
}

function wasDone(end: MediaProgramEnd): boolean {
  return end.kind === 'ended' && end.code === 0;
}

function notMade(end: MediaProgramEnd): Preview | undefined {
  return end.kind === 'stopped' ? undefined : { kind: 'none' };
}

/** Gathers the loudest samples of a sound as it comes, however long the sound is. */
class WaveReader {
  readonly #peaks: number[] = [];
  #peak = 0;
  #samples = 0;
  /** The first half of a sample whose second comes with the next bytes. */
  #half: number | undefined;

  add(chunk: Buffer): void {
    let at = 0;
    if (this.#half !== undefined && chunk.length > 0) {
      this.#take(Buffer.from([this.#half, chunk[0] ?? 0]).readInt16LE());
      this.#half = undefined;
      at = 1;
    }
    for (; at + 1 < chunk.length; at += 2) this.#take(chunk.readInt16LE(at));
    if (at < chunk.length) this.#half = chunk[at];
  }

  get seconds(): number {
    return this.#samples / RATE;
  }

  /** The loudest sample in each of this many equal parts, relative to the loudest of all. */
  levels(parts: number): readonly number[] {
    const peaks = [...this.#peaks, this.#peak];
    const loudest = peaks.reduce((most, peak) => Math.max(most, peak), LEAST_PEAK);
    const length = Math.min(parts, peaks.length);
    const begin = (part: number): number => Math.floor((part * peaks.length) / length);
    const levels = Array.from({ length }, (_, part) => Math.max(...peaks.slice(begin(part), begin(part + 1))));
    return levels.map((level) => level / loudest);
  }

  #take(sample: number): void {
    this.#peak = Math.max(this.#peak, Math.abs(sample) / FULL);
    this.#samples += 1;
    if (this.#samples % BLOCK !== 0) return;
    this.#peaks.push(this.#peak);
    this.#peak = 0;
  }
}
