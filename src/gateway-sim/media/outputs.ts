import { createHash } from 'node:crypto';
import type { Behaviour } from '../faults/behaviour.ts';
import type { GatewayState } from '../gateway-state.ts';
import type { MediaFormat } from './render.ts';
import { renderMedia } from './render.ts';
import type { GatewayTask } from '../tasks.ts';
import { mediaPath } from '../routes/urls.ts';

/** The gateway's own knowledge of one file that a task gives. */
export interface GatewayOutput {
  readonly index: number;
  /** The URL that a poll would give now. */
  readonly url: string;
  readonly sha256: string;
  /** Length in bytes. */
  readonly bytes: number;
  readonly mediaType: string;
}

/** One of the files of a task, before it is rendered. */
export interface PlannedOutput {
  readonly index: number;
  readonly format: MediaFormat;
}

export const MEDIA_TYPES: Readonly<Record<MediaFormat, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  png: 'image/png',
};

const MOST_IMAGES = 10;

/** The files that a task gives; none for a task that fails and for results that are data. */
export function outputsOf(task: GatewayTask, behaviour: Behaviour): readonly PlannedOutput[] {
  if (task.failure !== undefined) return [];
  const { path, output } = task.operation;
  if (output === 'data') return [];
  if (path === 'musicgen/music/wav') return planned('wav', 1);
  if (output === 'video') return planned('mp4', 1);
  if (output === 'image') return planned('png', wantedImages(task.body['num_images']));
  return planned('mp3', path === 'musicgen/music/generate' ? behaviour.results.clips : 1);
}

function planned(format: MediaFormat, count: number): readonly PlannedOutput[] {
  return Array.from({ length: count }, (_, index) => ({ index, format }));
}

function wantedImages(wanted: unknown): number {
  return typeof wanted === 'number' ? Math.min(MOST_IMAGES, Math.max(1, wanted)) : 1;
}

/** The URL of a file as a poll gives it now. */
export function outputUrl(gateway: GatewayState, task: GatewayTask, output: PlannedOutput): string {
  const fileName = `${task.seq}-${output.index}.${output.format}`;
  return gateway.origin + mediaPath(gateway.seed, task, fileName, gateway.behaviour.urls, gateway.now());
}

/** The bytes of a file: the same whenever they are asked for, until the file is replaced by another version. */
export function outputBytes(gateway: GatewayState, task: GatewayTask, output: PlannedOutput): Buffer {
  const version = task.versions[output.index] ?? 0;
  const { detail } = gateway.behaviour.media;
  const name = `${task.seq}-${output.index}-${version}-${detail}`;
  return gateway.rendered.get(name, () => renderMedia({ task, ...output, version, detail }));
}

/** What the gateway itself knows of the files of a task. */
export function describeOutputs(gateway: GatewayState, taskCode: string): readonly GatewayOutput[] {
  const task = gateway.tasks.find(taskCode);
  if (!task) return [];
  return outputsOf(task, gateway.behaviour).map((output) => {
    const content = outputBytes(gateway, task, output);
    return {
      index: output.index,
      url: outputUrl(gateway, task, output),
      sha256: createHash('sha256').update(content).digest('hex'),
      bytes: content.length,
      mediaType: MEDIA_TYPES[output.format],
    };
  });
}

/** Keeps what was rendered last, up to a number of bytes: files are made anew when they are asked for again later. */
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
