import type { Json } from '../../shared/domain/base/json.ts';
import { hash32, SeededRandom } from '../random.ts';
import type { GatewayTask } from '../tasks.ts';
import { Canvas } from './canvas.ts';
import { encodeH264 } from './h264.ts';
import { composePhrase, phrasesOf } from './melody.ts';
import { type FileNotes, encodeMp3, tagMp3, encodeWav } from './sound-files.ts';
import { muxMp4 } from './mp4.ts';
import { drawCaption, paintScene, sizeOf } from './picture.ts';
import { encodePng } from './encode-png.ts';

export type MediaFormat = 'mp3' | 'wav' | 'mp4' | 'png';

/** Which file of which task to render, and with how much effort. */
export interface MediaOrder {
  readonly task: GatewayTask;
  readonly index: number;
  readonly format: MediaFormat;
  /** Another version has different bytes. */
  readonly version: number;
  readonly detail: 'full' | 'tiny';
}

/** Makes a playable file in the right format: the same bytes for the same order. */
export function renderMedia(order: MediaOrder): Buffer {
  const notes = notesOf(order);
  switch (order.format) {
    case 'mp3':
      return tagMp3(tuneFrames(order), notes);
    case 'wav':
      return encodeWav(phrasesIn(order).map(composePhrase), notes);
    case 'png':
      return renderPicture(order, notes);
    case 'mp4':
      return renderFilm(order, notes);
  }
}

function notesOf({ task, index, version }: MediaOrder): FileNotes {
  const prompt = promptOf(task);
  const title = textOf(task.body['title']) || prompt.slice(0, 60) || `${task.operation.title} ${task.seq}`;
  return { title, prompt, identity: `${task.code} ${index + 1}.${version}` };
}

/** The subject of the task, in the words of its submitter. */
function promptOf({ body }: GatewayTask): string {
  for (const field of [
    'prompt',
    'gpt_description_prompt',
    'infill_lyrics',
    'continued_aligned_prompt',
    'title',
    'clip_id',
  ]) {
    const text = textOf(body[field]);
    if (text !== '') return text;
  }
  return 'untitled';
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** A clip keeps its tune through concatenation and conversion: the tune follows from its id, perhaps our code. */
function phrasesIn({ task, index, detail }: MediaOrder): readonly number[] {
  const clip =
    task.operation.path === 'musicgen/music/generate' ? task.code : textOf(task.body['clip_id']) || task.code;
  return phrasesOf(hash32(clip) + index, detail === 'full' ? 6 : 1);
}

const encodedPhrases = new Map<number, Buffer>();

function tuneFrames(order: MediaOrder): Buffer {
  return Buffer.concat(phrasesIn(order).map(phraseFrames));
}

function phraseFrames(phrase: number): Buffer {
  const frames = encodedPhrases.get(phrase) ?? encodeMp3(composePhrase(phrase));
  encodedPhrases.set(phrase, frames);
  return frames;
}

function footerOf({ task, index }: MediaOrder): string {
  return `${task.operation.title} ${index + 1} - ${textOf(task.body['model']) || 'rehearsal'} - ${task.code.slice(0, 24)}`;
}

function renderPicture(order: MediaOrder, notes: FileNotes): Buffer {
  const { width, height } = sizeOf(textOf(order.task.body['aspect_ratio']), order.detail === 'full' ? 512 : 64);
  const canvas = new Canvas(width, height);
  const { isBlack } = order.task;
  if (!isBlack) paintScene(canvas, new SeededRandom(order.task.seed, 'picture', order.index, order.version));
  if (order.detail === 'full' && !isBlack) drawCaption(canvas, notes.prompt, footerOf(order));
  return encodePng(canvas, { Title: notes.title, Description: notes.prompt, Comment: notes.identity });
}

/** A picture that belongs to no task. */
export function samplePng(): Buffer {
  const canvas = new Canvas(64, 64);
  paintScene(canvas, new SeededRandom('sample'));
  return encodePng(canvas, {});
}

const FRAMES_PER_SECOND = 8;

function renderFilm(order: MediaOrder, notes: FileNotes): Buffer {
  const { task, detail } = order;
  const { width, height } = sizeOf(filmRatio(task), detail === 'full' ? 240 : 48);
  const random = new SeededRandom(task.seed, 'film', order.index, order.version);
  const scene = new Canvas(width, height);
  const light = task.isBlack ? undefined : paintScene(scene, random);
  if (detail === 'full' && light !== undefined) drawCaption(scene, notes.prompt, footerOf(order));
  const sound = task.operation.path === 'musicgen/music/mp4' ? tuneFrames(order) : undefined;
  const seconds = detail === 'full' ? (sound ? 4.5 : 3) : 0.5;
  const film = encodeH264(flight(scene, light, random, Math.round(seconds * FRAMES_PER_SECOND)));
  const content = { width, height, framesPerSecond: FRAMES_PER_SECOND, film, notes };
  return muxMp4(sound ? { ...content, sound } : content);
}

function filmRatio({ body }: GatewayTask): string {
  const asked = textOf(body['aspectRatio']) || textOf(body['size']);
  if (/^\d+\s*[:x×]\s*\d+$/i.test(asked)) return asked;
  return /portrait|vertical/i.test(textOf(body['orientation'])) ? '9:16' : '16:9';
}

/**
 * The same scene repeated, with or without a light that flies across it and a bar that shows the progress of the film.
 */
function* flight(
  scene: Canvas,
  light: readonly [number, number, number] | undefined,
  random: SeededRandom,
  frames: number,
): Generator<Canvas> {
  const radius = Math.max(3, scene.height * 0.035);
  const [height, swing, turns] = [random.between(0.2, 0.45), random.between(0.05, 0.15), random.between(0.8, 2)];
  for (let frame = 0; frame < frames; frame += 1) {
    const passed = frame / Math.max(1, frames - 1);
    const canvas = scene.copy();
    if (light === undefined) {
      yield canvas;
      continue;
    }
    const x = scene.width * (0.06 + 0.88 * passed);
    const y = scene.height * (height + swing * Math.sin(passed * turns * Math.PI * 2));
    canvas.glow(x, y, radius * 2.4, light, 0.8);
    canvas.disc(x, y, radius, [255, 255, 250], 0.95);
    canvas.rectangle(0, scene.height - 3, Math.round(scene.width * passed), 3, light);
    yield canvas;
  }
}

/** Keeps the latest rendered files, up to a number of bytes; older files are made again on request. */
export class RenderedFiles {
  readonly #mostBytes: number;
  readonly #files = new Map<string, Buffer>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get(name: string, render: () => Buffer): Buffer {
    const kept = this.#files.get(name);
    if (kept) this.#files.delete(name);
    const content = kept ?? render();
    if (!kept) this.#bytes += content.length;
    this.#files.set(name, content);
    for (const [oldest, { length }] of this.#files) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#files.delete(oldest);
      this.#bytes -= length;
    }
    return content;
  }
}
