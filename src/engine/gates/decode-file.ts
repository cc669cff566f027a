/** One file through ffprobe and, once, through ffmpeg with every filter that looks at it. */
import type { MediaTypeName } from '../../shared/domain/files/media-type.ts';
import type { DecodedFile, Undecoded } from '../../shared/domain/gates/measured-file.ts';
import type { OutputKind } from '../../shared/domain/operations/operations.ts';
import type { Clock } from '../ports/base.ts';
import { LOOK_SIDE, pictureLookOf } from './picture-look.ts';
import { DecodeReader, readProbe, type ProbedFile } from './read-ffmpeg.ts';
import { inputAddressOf, Lines, runMediaProgram, type OpenedFile, type MediaProgramEnd } from './run-program.ts';

/** Where ffmpeg and ffprobe are, and whether this ffmpeg (5.1 and later) measures blur. */
export interface FfmpegPrograms {
  readonly ffmpeg: string;
  readonly ffprobe: string;
  readonly hasBlur: boolean;
}

/** A file that is open, and what it was verified to be. */
export interface DecodeInput extends OpenedFile {
  readonly type: MediaTypeName;
  readonly kind: OutputKind;
}

const PROBE_LIMIT_MS = 60_000;
/** Less than the end of a run waits, so that each start gets further. */
const DECODE_LIMIT_MS = 5 * 60_000;
/** An 8K picture has 33 million: decoding one takes about 200 MB. */
export const MAX_PIXELS = 36_000_000;
const MAX_PROBE_BYTES = 1 << 20;

/**
 * The one reader that ffmpeg may use for each type. It must not guess: a file that is really a list of other files, a
 * playlist or a script is read as the type it was verified to be, or not at all.
 */
const READERS: Readonly<Record<Exclude<MediaTypeName, 'json'>, string>> = {
  mp3: 'mp3',
  wav: 'wav',
  m4a: 'mov',
  flac: 'flac',
  ogg: 'ogg',
  weba: 'matroska',
  mp4: 'mov',
  mov: 'mov',
  webm: 'matroska',
  ogv: 'ogg',
  png: 'png_pipe',
  jpeg: 'jpeg_pipe',
  webp: 'webp_pipe',
  gif: 'gif',
};

/** Opens only this file and no address, and takes no more memory than an 8K picture needs. */
export function inputOf(file: DecodeInput): readonly string[] {
  const reader = file.type === 'json' ? [] : ['-f', READERS[file.type]];
  return ['-protocol_whitelist', 'file', ...reader, '-i', inputAddressOf(file)];
}
export const TALK = ['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'level+info'];
const BOUNDS = ['-max_alloc', String(1 << 30)];
const PICTURE_BOUND = ['-max_pixels', String(MAX_PIXELS)];
export const DECODER_BOUNDS = [...BOUNDS, ...PICTURE_BOUND, '-threads', '1', '-filter_complex_threads', '1'];

/** What a file contains. */
export type Probed =
  | { readonly kind: 'probed'; readonly file: ProbedFile }
  | { readonly kind: 'failed'; readonly why: Undecoded };

/** Asks ffprobe what a file contains; nothing if ffprobe cannot read it. */
export async function probeFile(
  { ffprobe }: Pick<FfmpegPrograms, 'ffprobe'>,
  file: DecodeInput,
  clock: Clock,
  signal: AbortSignal,
): Promise<Probed> {
  const entries =
    'stream=index,codec_type,width,height:stream_disposition=attached_pic:stream_side_data=rotation:format=duration';
  const args = [
    '-hide_banner',
    '-loglevel',
    'quiet',
    ...BOUNDS,
    ...PICTURE_BOUND,
    '-show_entries',
    entries,
    '-of',
    'json',
    ...inputOf(file),
  ];
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onOutput = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= MAX_PROBE_BYTES) chunks.push(chunk);
  };
  const run = { program: ffprobe, args, file, limitMs: PROBE_LIMIT_MS, signal, onOutput, onLine: () => undefined };
  const end = await runMediaProgram(run, clock);
  if (end.kind !== 'ended') return { kind: 'failed', why: whyNot(end) };
  return { kind: 'probed', file: readProbe(Buffer.concat(chunks).toString('utf8')) ?? {} };
}

/** Decodes a file to its end, at low priority, and says what its sound and its picture are like. */
export async function decodeFile(
  { ffmpeg, hasBlur }: Pick<FfmpegPrograms, 'ffmpeg' | 'hasBlur'>,
  file: DecodeInput,
  probed: ProbedFile,
  clock: Clock,
  signal: AbortSignal,
): Promise<DecodedFile | { readonly not: Undecoded }> {
  const { graph, outputs } = graphOf(file.kind, probed, hasBlur);
  // ffmpeg finds neither sound nor picture in it.
  if (outputs.length === 0) return { errors: 1, isBroken: true };
  const reader = new DecodeReader();
  const grey: Buffer[] = [];
  const progress = new Lines((line) => reader.readProgress(line));
  const args = [
    ...TALK,
    ...DECODER_BOUNDS,
    ...inputOf(file),
    '-filter_complex',
    graph,
    ...(file.kind === 'image' ? [] : ['-progress', 'pipe:1']),
    ...outputs,
  ];
  const onOutput = (chunk: Buffer): void => {
    if (file.kind === 'image') grey.push(chunk);
    else progress.add(chunk);
  };
  const onLine = (line: string): void => reader.read(line);
  const end = await runMediaProgram(
    { program: ffmpeg, args, file, limitMs: DECODE_LIMIT_MS, signal, onOutput, onLine },
    clock,
  );
  progress.end();
  if (end.kind !== 'ended') return { not: whyNot(end) };
  // ffmpeg cannot read animated WebP.
  if (file.type === 'webp' && end.code !== 0) return { not: 'failed' };
  const seconds = probed.seconds ?? reader.decodedSeconds ?? 0;
  return {
    errors: reader.errors,
    isBroken: end.code !== 0,
    ...(reader.decodedSeconds === undefined ? {} : { seconds: reader.decodedSeconds }),
    ...(probed.sound === undefined || file.kind === 'image' ? {} : reader.sound(seconds)),
    ...(probed.picture === undefined || file.kind !== 'video' ? {} : reader.film(seconds)),
    ...(file.kind === 'image' ? pictureLookOf(Buffer.concat(grey)) : {}),
    ...(reader.blur === undefined ? {} : { blur: Math.round(reader.blur * 10) / 10 }),
  };
}

function whyNot(end: Exclude<MediaProgramEnd, { kind: 'ended' }>): Undecoded {
  return end.kind === 'late' ? 'late' : 'failed';
}

/** All filters on one decoding, and where their output goes: nowhere, or to us as a small grey copy. */
function graphOf(
  kind: OutputKind,
  { sound, picture }: ProbedFile,
  hasBlur: boolean,
): { readonly graph: string; readonly outputs: readonly string[] } {
  const small = "scale=w='min(640,iw)':h=-2:flags=bicubic,format=gray,blurdetect";
  const chains: string[] = [];
  const outputs: string[] = [];
  if (sound !== undefined && kind !== 'image') {
    const measures = 'silencedetect=n=-50dB:d=0.5,astats=measure_perchannel=none,ebur128=framelog=verbose';
    chains.push(`[0:${sound.index}]aformat=sample_fmts=s16p,${measures}[sound]`);
    outputs.push('-map', '[sound]');
  }
  if (picture !== undefined && kind === 'video') {
    const watched = 'blackdetect=d=0.1:pix_th=0.1,freezedetect=n=-60dB:d=1';
    chains.push(`[0:${picture.index}]${hasBlur ? 'split=2[seen][soft];[seen]' : ''}${watched}[film]`);
    outputs.push('-map', '[film]');
    if (hasBlur) {
      chains.push(`[soft]fps=1,${small}[blur]`);
      outputs.push('-map', '[blur]');
    }
  }
  if (outputs.length > 0) outputs.push('-f', 'null', '-');
  if (picture !== undefined && kind === 'image') {
    const copy = `scale=${LOOK_SIDE}:${LOOK_SIDE}:flags=area,format=gray[copy]`;
    chains.push(`[0:${picture.index}]${hasBlur ? 'split=2[seen][soft];[seen]' : ''}${copy}`);
    outputs.push('-map', '[copy]', '-frames:v', '1', '-f', 'rawvideo', 'pipe:1');
    if (hasBlur) {
      chains.push(`[soft]${small}[blur]`);
      outputs.push('-map', '[blur]', '-f', 'null', '-');
    }
  }
  return { graph: chains.join(';'), outputs };
}
