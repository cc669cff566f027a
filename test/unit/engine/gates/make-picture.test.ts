import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createPictureMaker } from '../../../../src/engine/gates/make-picture.ts';
import type { MadePicture } from '../../../../src/engine/ports/file-places.ts';
import { systemClock } from '../../../../src/engine/system-clock.ts';
import { inEnglish } from '../../../../src/shared/domain/base/reason.ts';
import { H264, makeMedia, TONE } from '../../../support/gate-files.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const { signal } = new AbortController();
const maker = createPictureMaker({ clock: systemClock });
let folder: string;
let to: string;

beforeEach(() => {
  folder = temporaryFolder();
  to = path.join(folder, '100% made');
});

function pictureOf(name: string, part: MadePicture['part'], mediaType: string): MadePicture {
  const sha256 = createHash('sha256')
    .update(readFileSync(path.join(folder, name)))
    .digest('hex');
  return { part, folder, path: name, sha256, mediaType };
}

async function said(picture: MadePicture, by = maker): Promise<string> {
  const made = await by.make(picture, to, signal);
  return made.ok ? 'made' : inEnglish(made.error);
}

/** The brightness of the middle of a picture, 0 to 255. */
function brightness(file: string): number {
  const filter = ['-vf', 'crop=2:2,format=gray,scale=1:1', '-frames:v', '1', '-f', 'rawvideo', '-'];
  return execFileSync('ffmpeg', ['-v', 'error', '-i', `file:${file}`, ...filter])[0] ?? -1;
}

/** Black for two seconds; its last frame alone is white. */
const LAST_IS_WHITE = [
  '-f',
  'lavfi',
  '-i',
  'color=black:s=64x64:r=10:d=2,geq=lum=if(eq(N\\,19)\\,235\\,16):cb=128:cr=128',
];

describe('the last frame of a film', () => {
  test.each([
    ['film.mp4', H264, 'video/mp4'],
    ['film.webm', ['-c:v', 'libvpx', '-deadline', 'realtime'], 'video/webm'],
  ])('%s', async (name, codec, type) => {
    makeMedia(folder, name, ...LAST_IS_WHITE, ...codec);
    expect(await said(pictureOf(name, 'lastFrame', type))).toBe('made');
    expect(brightness(to)).toBeGreaterThan(200);
    expect(readFileSync(to).subarray(1, 4).toString()).toBe('PNG');
  });

  test('also where its sound goes on for a minute', async () => {
    makeMedia(folder, 'film.mp4', ...LAST_IS_WHITE, '-f', 'lavfi', '-i', 'sine=440:d=60', ...H264);
    expect(await said(pictureOf('film.mp4', 'lastFrame', 'video/mp4'))).toBe('made');
    expect(brightness(to)).toBeGreaterThan(200);
  });

  test('in a folder whose name means something to ffmpeg', async () => {
    folder = path.join(folder, '-i %03d [a]\n');
    mkdirSync(folder);
    makeMedia(folder, 'film.mp4', ...LAST_IS_WHITE, ...H264);
    expect(await said(pictureOf('film.mp4', 'lastFrame', 'video/mp4'))).toBe('made');
  });
});

test('the cover in a song, as it is', async () => {
  const cover = path.join(folder, 'cover.jpg');
  makeMedia(folder, 'cover.jpg', '-f', 'lavfi', '-i', 'color=red:s=64x64', '-frames:v', '1');
  makeMedia(
    folder,
    'song.mp3',
    ...TONE,
    '-i',
    `file:${cover}`,
    '-map',
    '0',
    '-map',
    '1',
    '-c:v',
    'copy',
    '-disposition:v',
    'attached_pic',
  );
  expect(await said(pictureOf('song.mp3', 'cover', 'audio/mpeg'))).toBe('made');
  expect(readFileSync(to).equals(readFileSync(cover))).toBe(true);
});

describe('says why there is none', () => {
  test('a song without a cover, and what is no film', async () => {
    makeMedia(folder, 'song.mp3', ...TONE);
    expect(await said(pictureOf('song.mp3', 'cover', 'audio/mpeg'))).toBe('The song has no cover in it.');
    expect(await said(pictureOf('song.mp3', 'lastFrame', 'audio/mpeg'))).toContain('cannot be made of');
  });

  test('a file that was changed or removed, a folder elsewhere, no ffmpeg', async () => {
    makeMedia(folder, 'film.mp4', ...LAST_IS_WHITE, ...H264);
    const picture = pictureOf('film.mp4', 'lastFrame', 'video/mp4');
    expect(await said({ ...picture, folder: 's3://somewhere/else' })).toContain('a folder on this computer');
    expect(await said(picture, createPictureMaker({ clock: systemClock, find: () => undefined }))).toContain(
      'install it',
    );
    appendFileSync(path.join(folder, 'film.mp4'), 'more');
    expect(await said(picture)).toContain('was changed');
    rmSync(path.join(folder, 'film.mp4'));
    expect(await said(picture)).toContain('not in the media folder');
    expect(existsSync(to)).toBe(false);
  });
});
