/** The last frame of a film, or the cover in a song, by ffmpeg. */
import { WorkSlots } from '../../shared/domain/base/work-slots.ts';
import { createHash } from 'node:crypto';
import { stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import { kindOfMediaType } from '../../shared/domain/files/media-type.ts';
import type { Clock } from '../ports/base.ts';
import type { MadePicture, PictureMaker } from '../ports/file-places.ts';
import { DECODER_BOUNDS, inputOf, probeFile, type DecodeInput } from './decode-file.ts';
import { openPlain, typeNamed, type MeasurerOptions } from './measure-files.ts';
import { findProgram, runMediaProgram } from './run-program.ts';

/** Reading an hour-long film takes less. */
const LIMIT_MS = 5 * 60_000;
const QUIET = ['-hide_banner', '-nostdin', '-loglevel', 'quiet', '-y'];
const EVERY_FRAME = ['-c:v', 'png', '-fps_mode', 'passthrough'];
/**
 * A film is read from near its end: each frame replaces the one before. Its sound may be longer than its picture, so
 * that there is no frame near the end; the last way reads the whole film, and ffmpeg before 5.1 supports only that.
 */
const LAST_FRAME_WAYS: readonly PictureWay[] = [
  { before: ['-sseof', '-1'], after: EVERY_FRAME },
  { before: ['-sseof', '-10'], after: EVERY_FRAME },
  { before: [], after: ['-c:v', 'png'] },
];
const COVER_WAYS: readonly PictureWay[] = [{ before: [], after: ['-c', 'copy', '-frames:v', '1'] }];

/** Arguments for ffmpeg: before the file that it reads, and before the picture that it writes. */
interface PictureWay {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

interface Making {
  readonly clock: Clock;
  readonly find: (name: string) => string | undefined;
  readonly signal: AbortSignal;
}

/** Makes one picture at a time: each takes as much memory as playing its film does. */
export function createPictureMaker({ clock, find = findProgram }: MeasurerOptions): PictureMaker {
  const turns = new WorkSlots(1);
  return { make: (picture, to, signal) => turns.take(() => make(picture, to, { clock, find, signal })) };
}

/** Why no pictures can be made from files in a media folder, as the end of a sentence; undefined if they can. */
export function whyNoPictures(folder: string | undefined, find = findProgram): Reason | undefined {
  if (folder !== undefined && isBucketAddress(folder)) return reason('file.folderIsBucket');
  const isHere = find('ffmpeg') !== undefined && find('ffprobe') !== undefined;
  return isHere ? undefined : reason('file.noFfmpeg');
}

async function make(picture: MadePicture, to: string, making: Making): Promise<Result<void, Reason>> {
  const { folder, mediaType, part, path: name } = picture;
  const kind = kindOfMediaType(mediaType);
  const type = typeNamed(mediaType);
  if (type === undefined || kind !== (part === 'cover' ? 'music' : 'video'))
    return err(reason('file.notMadeOf', mediaType));
  if (isBucketAddress(folder)) return err(reason('file.notOfBucket'));
  const place = path.join(folder, ...name.split('/'));
  const file = await openPlain(place);
  if (file === undefined) return err(reason('file.fileGone', name));
  try {
    if ((await sha256Of(file, making.signal)) !== picture.sha256) return err(reason('file.fileChanged', name));
    return await write(part, { fd: file.fd, path: place, type, kind }, to, making);
  } finally {
    await file.close();
  }
}

async function write(
  part: MadePicture['part'],
  input: DecodeInput,
  to: string,
  { clock, find, signal }: Making,
): Promise<Result<void, Reason>> {
  const [ffmpeg, ffprobe] = [find('ffmpeg'), find('ffprobe')];
  if (ffmpeg === undefined || ffprobe === undefined) return err(reason('file.needsFfmpeg'));
  const probed = await probeFile({ ffprobe }, input, clock, signal);
  signal.throwIfAborted();
  const seen = probed.kind === 'probed' ? probed.file : {};
  const index = part === 'cover' ? seen.cover?.index : seen.picture?.index;
  if (index === undefined) return err(reason(part === 'cover' ? 'file.noCover' : 'file.noFrame'));
  for (const { before, after } of part === 'cover' ? COVER_WAYS : LAST_FRAME_WAYS) {
    const target = ['-map', `0:${index}`, ...after, '-f', 'image2', '-update', '1', `file:${to}`];
    const args = [...QUIET, ...DECODER_BOUNDS, ...before, ...inputOf(input), ...target];
    const silent = { onOutput: () => undefined, onLine: () => undefined };
    const end = await runMediaProgram(
      { program: ffmpeg, args, file: input, limitMs: LIMIT_MS, signal, ...silent },
      clock,
    );
    signal.throwIfAborted();
    if (end.kind === 'late') return err(reason('file.tooSlow'));
    if (end.kind === 'ended' && end.code === 0 && (await hasBytes(to))) return ok(undefined);
  }
  return err(reason('file.notMade'));
}

async function sha256Of(file: FileHandle, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of file.createReadStream({ start: 0, autoClose: false, signal })) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

async function hasBytes(file: string): Promise<boolean> {
  return stat(file).then(
    ({ size }) => size > 0,
    () => false,
  );
}
