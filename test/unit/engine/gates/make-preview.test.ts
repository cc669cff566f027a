import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createPreviewMaker } from '../../../../src/engine/gates/make-preview.ts';
import type { Preview, SongSound } from '../../../../src/engine/ports/file-looks.ts';
import { systemClock } from '../../../../src/engine/system-clock.ts';
import { H264, makeMedia } from '../../../support/gate-files.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const { signal } = new AbortController();
const maker = createPreviewMaker({ clock: systemClock });
let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

function made(name: string, mediaType: string, by = maker, until = signal): Promise<Preview | undefined> {
  const { size } = statSync(path.join(folder, name), { throwIfNoEntry: false }) ?? { size: 0 };
  return by.make({ folder, path: name, mediaType, bytes: size, sha256: '0'.repeat(64) }, until);
}

/** How wide and tall a picture is, and how bright in its middle, from 0 to 255. */
function lookOf(preview: Preview | undefined): { readonly size: string; readonly brightness: number } {
  if (preview?.kind !== 'picture') throw new Error(`No picture: ${preview?.kind}`);
  const file = path.join(folder, 'made.jpg');
  writeFileSync(file, preview.jpeg);
  const size = execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'stream=width,height', '-of', 'csv=p=0', file]);
  const filter = ['-vf', 'crop=2:2,format=gray,scale=1:1', '-frames:v', '1', '-f', 'rawvideo', '-'];
  const [brightness = -1] = execFileSync('ffmpeg', ['-v', 'error', '-i', file, ...filter]);
  return { size: size.toString().trim(), brightness };
}

function soundOf(preview: Preview | undefined): SongSound {
  if (preview?.kind !== 'sound') throw new Error(`No sound: ${preview?.kind}`);
  return preview.sound;
}

describe('a small picture', () => {
  test('of an image is at most 480 pixels wide; a smaller one stays as large as it is', async () => {
    makeMedia(folder, 'large.png', '-f', 'lavfi', '-i', 'color=white:s=1600x900', '-frames:v', '1');
    makeMedia(folder, 'small.jpg', '-f', 'lavfi', '-i', 'color=white:s=64x32', '-frames:v', '1');
    expect(lookOf(await made('large.png', 'image/png')).size).toBe('480,270');
    expect(lookOf(await made('small.jpg', 'image/jpeg')).size).toBe('64,32');
  });

  test('of an image that one sees through lies on black', async () => {
    makeMedia(folder, 'clear.png', '-f', 'lavfi', '-i', 'color=white@0.0:s=64x64,format=rgba', '-frames:v', '1');
    expect(lookOf(await made('clear.png', 'image/png')).brightness).toBeLessThan(20);
  });

  test('of a film that begins black shows what it is like after that', async () => {
    const faded = 'color=black:s=640x360:r=10:d=4,geq=lum=if(lt(N\\,8)\\,16\\,200):cb=128:cr=128';
    makeMedia(folder, 'film.mp4', '-f', 'lavfi', '-i', faded, ...H264);
    const { size, brightness } = lookOf(await made('film.mp4', 'video/mp4'));
    expect(size).toBe('480,270');
    expect(brightness).toBeGreaterThan(150);
  });

  test('there is none of what is no such file, nor of words', async () => {
    writeFileSync(path.join(folder, 'broken.png'), 'no picture');
    expect(await made('broken.png', 'image/png')).toEqual({ kind: 'none' });
    writeFileSync(path.join(folder, 'words.json'), '{}');
    expect(await made('words.json', 'application/json')).toEqual({ kind: 'none' });
  });
});

describe('how a song sounds', () => {
  test('its length, its loudness and its peak, and which parts are loud', async () => {
    // Two seconds at full level, then two at a tenth of it.
    const tone = "aevalsrc='if(lt(t,2),1,0.1)*0.5*sin(880*PI*t)':d=4:s=44100";
    makeMedia(folder, 'song.wav', '-f', 'lavfi', '-i', tone);
    const { seconds, levels, lufs, peakDb } = soundOf(await made('song.wav', 'audio/wav'));
    expect(seconds).toBeCloseTo(4, 1);
    expect(peakDb).toBeCloseTo(-6, 0);
    const said = execFileSync(
      'sh',
      [
        '-c',
        `ffmpeg -hide_banner -i "$0" -af ebur128 -f null - 2>&1 | grep ' I:' | tail -1`,
        path.join(folder, 'song.wav'),
      ],
      { encoding: 'utf8' },
    );
    expect(said).toContain(` ${lufs?.toFixed(1)} LUFS`);
    expect(levels).toHaveLength(180);
    expect(Math.max(...levels)).toBe(1);
    expect(Math.min(...levels.slice(5, 85))).toBeGreaterThan(0.9);
    expect(Math.max(...levels.slice(95))).toBeLessThan(0.2);
  });

  test('silence has neither loudness nor peak, and is drawn flat', async () => {
    makeMedia(folder, 'silent.wav', '-f', 'lavfi', '-i', 'anullsrc=d=2');
    const { lufs, peakDb, levels } = soundOf(await made('silent.wav', 'audio/wav'));
    expect([lufs, peakDb, Math.max(...levels)]).toEqual([undefined, undefined, 0]);
  });

  test('there is none of what is no song', async () => {
    writeFileSync(path.join(folder, 'broken.mp3'), 'no song');
    expect(await made('broken.mp3', 'audio/mpeg')).toEqual({ kind: 'none' });
  });
});

describe('nothing is said of a file', () => {
  beforeEach(() => makeMedia(folder, 'image.png', '-f', 'lavfi', '-i', 'color=white:s=64x64', '-frames:v', '1'));

  test('where this computer has no ffmpeg', async () => {
    const none = createPreviewMaker({ clock: systemClock, find: () => undefined });
    expect(await made('image.png', 'image/png', none)).toBeUndefined();
  });

  test('that is gone, another than was verified, or a link', async () => {
    expect(await made('gone.png', 'image/png')).toBeUndefined();
    const other = { folder, path: 'image.png', mediaType: 'image/png', bytes: 7, sha256: '0'.repeat(64) };
    expect(await maker.make(other, signal)).toBeUndefined();
    symlinkSync(path.join(folder, 'image.png'), path.join(folder, 'link.png'));
    expect(await made('link.png', 'image/png')).toBeUndefined();
  });

  test('that nobody waits for any more', async () => {
    expect(await made('image.png', 'image/png', maker, AbortSignal.abort())).toBeUndefined();
  });

  test.skipIf(process.platform === 'win32')(
    'that nobody waits for any more, also where ffmpeg has a child of its own that goes on',
    async () => {
      const program = path.join(folder, 'ffmpeg');
      const begun = path.join(folder, 'begun');
      writeFileSync(program, `#!/bin/sh\n/bin/sleep 30 &\necho begun > '${begun}'\nwait\n`, { mode: 0o755 });
      const stop = new AbortController();
      const by = createPreviewMaker({ clock: systemClock, find: () => program });
      const making = made('image.png', 'image/png', by, stop.signal);
      await vi.waitUntil(() => existsSync(begun), 20_000);
      stop.abort();
      expect(await making).toBeUndefined();
    },
    25_000,
  );
});
