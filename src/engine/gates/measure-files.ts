/** Measures files of media folders: with ffmpeg if the machine has it, otherwise from their headers. */
import { WorkSlots } from '../../shared/domain/base/work-slots.ts';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import { kindOfMediaType, MEDIA_TYPES, type MediaTypeName } from '../../shared/domain/files/media-type.ts';
import type { MeasuredFile, Undecoded } from '../../shared/domain/gates/measured-file.ts';
import type { Clock } from '../ports/base.ts';
import type { FileMeasurer, FileToMeasure } from '../ports/file-looks.ts';
import { decodeFile, MAX_PIXELS, probeFile, type FfmpegPrograms } from './decode-file.ts';
import { headerFacts, type HeaderFacts } from './header-facts.ts';
import { findProgram, runMediaProgram } from './run-program.ts';

/** How many files at once: the night's own work goes first. Only one film, because each takes a lot of memory. */
const AT_ONCE = 2;
const FILMS_AT_ONCE = 1;
const VERSION_LIMIT_MS = 30_000;

/** Where the programs are; undefined if they are missing. By default they are searched for. */
export interface MeasurerOptions {
  readonly clock: Clock;
  readonly find?: (name: string) => string | undefined;
}

/** Measures files, two at a time, and films one at a time. The programs are searched for once. */
export function createFileMeasurer({ clock, find = findProgram }: MeasurerOptions): FileMeasurer {
  const all = new WorkSlots(AT_ONCE);
  const films = new WorkSlots(FILMS_AT_ONCE);
  let programs: Promise<FfmpegPrograms | undefined> | undefined;
  return {
    async measure(file, signal) {
      const measure = async (): Promise<MeasuredFile> => {
        programs ??= findPrograms(find, clock);
        return measured(file, await programs, clock, signal);
      };
      const isFilm = kindOfMediaType(file.mediaType) === 'video';
      return isFilm ? films.take(() => all.take(measure)) : all.take(measure);
    },
  };
}

async function findPrograms(
  find: (name: string) => string | undefined,
  clock: Clock,
): Promise<FfmpegPrograms | undefined> {
  const [ffmpeg, ffprobe] = [find('ffmpeg'), find('ffprobe')];
  if (ffmpeg === undefined || ffprobe === undefined) return undefined;
  const chunks: Buffer[] = [];
  const args = ['-hide_banner', '-nostdin', '-filters'];
  const { signal } = new AbortController();
  const onOutput = (chunk: Buffer): void => void chunks.push(chunk);
  await runMediaProgram(
    { program: ffmpeg, args, limitMs: VERSION_LIMIT_MS, signal, onOutput, onLine: () => undefined },
    clock,
  );
  const said = Buffer.concat(chunks).toString('latin1');
  const has = (filter: string): boolean => new RegExp(`^ ?[A-Z.|]{2,4} ${filter} `, 'mu').test(said);
  const isWhole = ['blackdetect', 'freezedetect', 'silencedetect', 'astats', 'ebur128', 'scale'].every(has);
  return isWhole ? { ffmpeg, ffprobe, hasBlur: has('blurdetect') } : undefined;
}

async function measured(
  file: FileToMeasure,
  programs: FfmpegPrograms | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<MeasuredFile> {
  const { folder, mediaType, bytes, sha256 } = file;
  const kind = kindOfMediaType(mediaType);
  const type = typeNamed(mediaType);
  const not = (why: Undecoded, facts: HeaderFacts = {}): MeasuredFile => ({
    kind,
    bytes,
    sha256,
    ...facts,
    decoded: { not: why },
  });
  if (isBucketAddress(folder)) return not('elsewhere');
  if (type === undefined || kind === 'data') return not('failed');
  const place = path.join(folder, ...file.path.split('/'));
  const handle = await openPlain(place);
  if (handle === undefined) return not('missing');
  try {
    const facts = await headerFacts(handle, type);
    if (programs === undefined) return not('no-ffmpeg', facts);
    if (isLarge(facts)) return not('large', facts);
    const input = { fd: handle.fd, path: place, type, kind };
    const probed = await probeFile(programs, input, clock, signal);
    if (probed.kind === 'failed') return not(probed.why, facts);
    if (isLarge(probed.file.picture)) return not('large', facts);
    const decoded = await decodeFile(programs, input, probed.file, clock, signal);
    const { seconds, picture } = probed.file;
    return {
      kind,
      bytes,
      sha256,
      ...(kind === 'image' || seconds === undefined ? {} : { seconds }),
      ...(picture === undefined || kind === 'music' ? {} : { width: picture.width, height: picture.height }),
      decoded,
    };
  } finally {
    await handle.close();
  }
}

function isLarge({ width = 0, height = 0 }: HeaderFacts = {}): boolean {
  return width * height > MAX_PIXELS;
}

/** A file that is neither a link nor a device; undefined if there is none, or the disk cannot read it. */
export async function openPlain(place: string): Promise<FileHandle | undefined> {
  let handle;
  try {
    handle = await open(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    if ((await handle.stat()).isFile()) return handle;
  } catch {
    return undefined;
  }
  await handle.close();
  return undefined;
}

/** A type of media by its name in headers; undefined for any other. */
export function typeNamed(mediaType: string): MediaTypeName | undefined {
  const names = Object.keys(MEDIA_TYPES) as readonly MediaTypeName[];
  return names.find((name) => MEDIA_TYPES[name].mediaType === mediaType);
}
