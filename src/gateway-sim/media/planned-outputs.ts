import type { Behaviour } from '../faults/behaviour.ts';
import type { GatewayState } from '../gateway-state.ts';
import type { MediaFormat } from './render.ts';
import { renderMedia } from './render.ts';
import type { GatewayTask } from '../tasks.ts';
import { mediaPath } from '../routes/urls.ts';

/** One of the files of a task, before it is rendered. */
export interface PlannedOutput {
  readonly index: number;
  readonly format: MediaFormat;
}

export const CONTENT_TYPES: Readonly<Record<MediaFormat, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  png: 'image/png',
};

const MOST_IMAGES = 10;

/** The files of a task; none for a failing task and for results that are data. */
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

/** The URL of a file, as a poll returns it now. */
export function outputUrl(gateway: GatewayState, task: GatewayTask, output: PlannedOutput): string {
  const fileName = `${task.seq}-${output.index}.${output.format}`;
  return gateway.origin + mediaPath(gateway.seed, task, fileName, gateway.behaviour.urls, gateway.now());
}

/** The bytes of a file: always the same, until another version replaces the file. */
export function outputBytes(gateway: GatewayState, task: GatewayTask, output: PlannedOutput): Buffer {
  const version = task.versions[output.index] ?? 0;
  const { detail } = gateway.behaviour.media;
  const name = `${task.seq}-${output.index}-${version}-${detail}`;
  return gateway.rendered.get(name, () => renderMedia({ task, ...output, version, detail }));
}
