/**
 * Writes the timeline of a delivery. If the user has worked on an earlier one since, it is kept, and the new one is
 * written beside it.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { extname } from 'node:path';
import { ALL_FORMATS, CustomSource, Input } from 'mediabunny';
import type { DataPackage, Delivered } from '../../shared/domain/delivery/data-package.ts';
import { hasLength, TIMELINE, timelineText, type TimedFile } from '../../shared/domain/delivery/timeline-text.ts';
import { writeWhole } from '../whole-file.ts';
import { isStillAsWritten, type DeliveryFolder } from './delivery-folder.ts';

/** The package with the lengths that were read and the timeline that was written, and what to say about it. */
export interface WrittenTimeline {
  readonly listed: DataPackage;
  /** Undefined if the delivery was cancelled: no timeline was written. */
  readonly report:
    | {
        readonly path: string;
        readonly clips: number;
        /** Films and songs whose length cannot be read: they are not in the timeline. */
        readonly left: readonly string[];
      }
    | undefined;
}

/**
 * Writes a timeline of everything that a package lists, in this order of outputs; files without a place in it, such as
 * those of another batch, come last. Throws errors of the disk.
 */
export async function writeTimeline(
  folder: DeliveryFolder,
  name: string,
  listed: DataPackage,
  order: readonly string[],
  signal: AbortSignal | undefined,
): Promise<WrittenTimeline> {
  const resources: Delivered[] = [];
  for (const file of listed.resources) {
    if (signal?.aborted === true) {
      const unread = listed.resources.slice(resources.length);
      return { listed: { ...listed, resources: [...resources, ...unread] }, report: undefined };
    }
    const isUnknown = file.length === undefined && hasLength(file);
    const length = isUnknown ? await lengthOf(folder, file.path) : undefined;
    resources.push(length === undefined ? file : { ...file, length });
  }
  const places = new Map(order.map((output, at) => [output, at]));
  const placeOf = ({ output }: Delivered): number => places.get(output) ?? order.length;
  const timed = resources.filter(isTimed).toSorted((a, b) => placeOf(a) - placeOf(b));
  const text = timelineText(name, timed);
  const hash = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  const path = await nameFor(folder, listed.nocturne.timeline, hash);
  await writeWhole(folder.fileAt(path), text);
  return {
    listed: { ...listed, resources, nocturne: { ...listed.nocturne, timeline: { path, hash } } },
    report: {
      path,
      clips: timed.length,
      left: resources.filter((file) => hasLength(file) && !isTimed(file)).map((file) => file.path),
    },
  };
}

function isTimed(file: Delivered): file is TimedFile {
  return hasLength(file) && file.length !== undefined;
}

/**
 * The name of the last timeline if it is still as written; otherwise the first name that is free or belongs to this
 * very timeline.
 */
async function nameFor(
  folder: DeliveryFolder,
  last: DataPackage['nocturne']['timeline'],
  hash: string,
): Promise<string> {
  if (last !== undefined && (await isStillAsWritten(folder.fileAt(last.path), last.hash))) return last.path;
  const extension = extname(TIMELINE);
  const stem = TIMELINE.slice(0, -extension.length);
  let name = TIMELINE;
  // A missing one is as good as this one.
  for (let number = 2; !(await isStillAsWritten(folder.fileAt(name), hash)); number += 1) {
    name = `${stem}-${number}${extension}`;
  }
  return name;
}

/** Usual frame rates: the average over a whole film is slightly off. */
const USUAL_RATES = [23.976_023_976, 24, 25, 29.970_029_97, 30, 50, 59.940_059_94, 60];
const CLOSE_BY = 0.005;
/** This many frames are enough to know the rate. */
const PICTURES_LOOKED_AT = 120;

/**
 * The length of a film or song in seconds, with its frames or its samples per second. Read from its packets: its header
 * may be wrong. Undefined if it cannot be read.
 */
async function lengthOf(folder: DeliveryFolder, path: string): Promise<Delivered['length']> {
  const file = await folder.open(path);
  if (file === undefined) return undefined;
  const { size } = await file.stat();
  const input = new Input({ source: sourceOf(file, size), formats: ALL_FORMATS });
  try {
    const film = await input.getPrimaryVideoTrack();
    const sound = await input.getPrimaryAudioTrack();
    // A film's sound may go on after its last picture.
    const seconds = await (film ?? sound)?.computeDuration();
    const rate =
      film === null
        ? await sound?.getSampleRate()
        : usualRate((await film.computePacketStats(PICTURES_LOOKED_AT)).averagePacketRate);
    if (rate === undefined || seconds === undefined || !(rate > 0 && seconds > 0)) return undefined;
    return { seconds, rate };
  } catch (error) {
    // The library throws plain errors for what it does not know; such a file is only missing from the timeline.
    if (error instanceof Error) return undefined;
    throw error;
  } finally {
    input.dispose();
    await file.close();
  }
}

/** An open file for the library: if the library opened files itself, it would follow a link, or a list of files. */
function sourceOf(file: FileHandle, size: number): CustomSource {
  return new CustomSource({
    getSize: () => size,
    read: async (start, end) => {
      const bytes = new Uint8Array(end - start);
      for (let done = 0; done < bytes.length;) {
        const { bytesRead } = await file.read(bytes, done, bytes.length - done, start + done);
        if (bytesRead === 0) throw new Error('The file has become shorter');
        done += bytesRead;
      }
      return bytes;
    },
    // The library may still be reading ahead when the file is closed.
    handleUnhandledError: () => undefined,
  });
}

function usualRate(average: number): number {
  return USUAL_RATES.find((rate) => Math.abs(rate - average) < rate * CLOSE_BY) ?? Math.round(average * 1000) / 1000;
}
