/** Files for the gates, made with ffmpeg, and what the gates say about a file. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createFileMeasurer } from '../../src/engine/gates/measure-files.ts';
import type { FileMeasurer } from '../../src/engine/ports/file-looks.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { MEDIA_TYPES, type MediaTypeName } from '../../src/shared/domain/files/media-type.ts';
import { askGates, type GateReport } from '../../src/shared/domain/gates/ask-gates.ts';
import { USUAL_GATES } from '../../src/shared/domain/gates/gate-settings.ts';
import type { MeasuredFile, OtherTake, WishedFile } from '../../src/shared/domain/gates/measured-file.ts';

/** Makes a file in a folder with ffmpeg; returns its path in it. */
export function makeMedia(folder: string, name: string, ...args: readonly string[]): string {
  execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args, `file:${path.join(folder, name)}`]);
  return name;
}

/** Inputs and codecs that files are made of. */
export const MOVING = ['-f', 'lavfi', '-i', 'testsrc2=d=4:s=320x180:r=10'];
export const TONE = ['-f', 'lavfi', '-i', 'sine=440:d=4'];
export const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

const usual = createFileMeasurer({ clock: systemClock });

/** Measures a file that was verified as this type. */
export function measureFile(
  folder: string,
  name: string,
  type: MediaTypeName,
  measurer: FileMeasurer = usual,
): Promise<MeasuredFile> {
  const content = readFileSync(path.join(folder, name));
  const sha256 = createHash('sha256').update(content).digest('hex');
  const { mediaType } = MEDIA_TYPES[type];
  const { signal } = new AbortController();
  return measurer.measure({ folder, path: name, mediaType, bytes: content.length, sha256 }, signal);
}

/** What all gates say about a file, with their usual values. */
export async function gatesOn(
  folder: string,
  name: string,
  type: MediaTypeName,
  asked: WishedFile = {},
  others: readonly OtherTake[] = [],
): Promise<GateReport> {
  return askGates(await measureFile(folder, name, type), { on: USUAL_GATES.on, asked, others });
}
