import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { copyFileSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createFileMeasurer } from '../../../../src/engine/gates/measure-files.ts';
import { findProgram } from '../../../../src/engine/gates/run-program.ts';
import { systemClock } from '../../../../src/engine/system-clock.ts';
import type { JsonObject } from '../../../../src/shared/domain/base/json.ts';
import type { MediaTypeName } from '../../../../src/shared/domain/files/media-type.ts';
import { askGates } from '../../../../src/shared/domain/gates/ask-gates.ts';
import { USUAL_GATES } from '../../../../src/shared/domain/gates/gate-settings.ts';
import type { GateCode } from '../../../../src/shared/domain/gates/gates.ts';
import { askedIn } from '../../../../src/shared/domain/gates/measured-file.ts';
import { gatesOn, H264, makeMedia, measureFile, MOVING, TONE } from '../../../support/gate-files.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = temporaryFolder();
const PICTURE = ['-f', 'lavfi', '-i', 'mandelbrot=s=320x180', '-frames:v', '1'];
const BLACK = ['-f', 'lavfi', '-i', 'color=black:d=4:s=320x180:r=10'];
const SILENCE = ['-f', 'lavfi', '-i', 'anullsrc', '-t', '4'];

// Elsewhere than on Linux, whoever wants these tests brings ffmpeg.
const isMissing = process.platform !== 'linux' && findProgram('ffmpeg') === undefined;

describe.skipIf(isMissing)('gates on files', { timeout: 240_000 }, () => {
  beforeAll(() => {
    makeMedia(folder, 'good.mp4', ...MOVING, ...TONE, ...H264);
    makeMedia(folder, 'good.mp3', ...TONE);
    makeMedia(folder, 'good.png', ...PICTURE);
  }, 60_000);

  describe('each fires on a file made for it, and no other does', () => {
    const still = ['-f', 'lavfi', '-i', 'color=blue:d=4:s=320x180:r=10', '-vf', 'drawbox=40:40:80:80:white:fill'];
    const cases: [gate: GateCode, type: MediaTypeName, args: string[], request?: JsonObject][] = [
      ['short', 'wav', ['-f', 'lavfi', '-i', 'sine=440:d=0.3']],
      ['length', 'mp4', [...MOVING, ...H264], { duration: 8 }],
      ['aspect', 'mp4', [...MOVING, ...H264], { aspectRatio: '9:16' }],
      ['resolution', 'png', PICTURE, { resolution: '1080p' }],
      ['silence', 'mp3', ['-f', 'lavfi', '-i', 'sine=440:d=3', '-af', 'apad=pad_dur=5']],
      ['quiet', 'mp3', [...TONE, '-af', 'volume=-25dB']],
      ['clipping', 'wav', ['-f', 'lavfi', '-i', 'sine=40:d=4', '-af', 'volume=19dB']],
      ['frozen', 'mp4', [...still, ...H264]],
      ['blur', 'png', [...MOVING, '-frames:v', '1', '-vf', 'gblur=sigma=6']],
    ];
    it.each(cases)('%s', async (gate, type, args, request = {}) => {
      const name = makeMedia(folder, `${gate}.${type}`, ...args);
      const { flags } = await gatesOn(folder, name, type, askedIn(request));
      expect(flags.map((flag) => flag.gate)).toEqual([gate]);
    });

    it('black, on a film and on a picture', async () => {
      const film = await gatesOn(folder, makeMedia(folder, 'black.mp4', ...BLACK, ...H264), 'mp4');
      expect(film.flags.find(({ gate }) => gate === 'black')?.message).toMatch(/^9\d.* % of it is black\.$/u);
      const picture = await gatesOn(folder, makeMedia(folder, 'black.png', ...BLACK, '-frames:v', '1'), 'png');
      expect(picture.flags.map(({ gate }) => gate)).toEqual(['black']);
    });

    it('loud, which is clipped as well', async () => {
      const { flags } = await gatesOn(folder, makeMedia(folder, 'loud.wav', ...TONE, '-af', 'volume=30dB'), 'wav');
      expect(flags.map(({ gate }) => gate)).toEqual(['loud', 'clipping']);
    });

    it('silence of a whole film’s sound', async () => {
      const name = makeMedia(folder, 'mute.mp4', ...MOVING, ...SILENCE, ...H264);
      expect((await gatesOn(folder, name, 'mp4')).flags.map(({ gate }) => gate)).toEqual(['silence']);
    });

    it('decodes: a file that is damaged inside, and one that ends early', async () => {
      const bytes = readFileSync(path.join(folder, 'good.mp4'));
      for (let at = 4000; at < bytes.length * 0.7; at += 97) bytes[at] = 0;
      writeFileSync(path.join(folder, 'damaged.mp4'), bytes);
      expect((await gatesOn(folder, 'damaged.mp4', 'mp4')).flags.map(({ gate }) => gate)).toContain('decodes');
      copyFileSync(path.join(folder, 'good.png'), path.join(folder, 'cut.png'));
      truncateSync(path.join(folder, 'cut.png'), 3000);
      const cut = await gatesOn(folder, 'cut.png', 'png');
      expect(cut.flags.map(({ gate }) => gate)).toContain('decodes');
    });

    it('twin: the same bytes, and the same picture in another format', async () => {
      const other = await measureFile(folder, 'good.png', 'png');
      const print = 'not' in other.decoded ? undefined : other.decoded.print;
      const take = { path: 'image/a.png', sha256: other.sha256, ...(print === undefined ? {} : { print }) };
      expect((await gatesOn(folder, 'good.png', 'png', {}, [take])).flags).toMatchObject([
        { gate: 'twin', message: 'It is the same file as image/a.png.' },
      ]);
      const again = await gatesOn(folder, makeMedia(folder, 'again.jpg', ...PICTURE), 'jpeg', {}, [take]);
      expect(again.flags).toMatchObject([{ gate: 'twin', message: 'It looks the same as image/a.png.' }]);
    });

    it('and stay silent on good ones', async () => {
      const asked = askedIn({ duration: 4, aspectRatio: '16:9', size: '320x180' });
      expect(await gatesOn(folder, 'good.mp4', 'mp4', asked)).toEqual({ flags: [], unchecked: [] });
      expect(await gatesOn(folder, 'good.mp3', 'mp3', asked)).toEqual({ flags: [], unchecked: [] });
      expect(await gatesOn(folder, 'good.png', 'png', asked)).toEqual({ flags: [], unchecked: [] });
    });
  });

  describe('a file that means harm', () => {
    it.each(['-i.mp4', 'a\nb.mp4', '%d.mp4', '%03d%s.mp4', 'concat:a|b.mp4', "x';[y],z.mp4", 'pipe:0.mp4'])(
      'is measured under the name %j',
      async (name) => {
        copyFileSync(path.join(folder, 'good.mp4'), path.join(folder, name));
        expect(await gatesOn(folder, name, 'mp4')).toEqual({ flags: [], unchecked: [] });
      },
    );

    it('opens no other file and no address, whatever it names', async () => {
      let requests = 0;
      const server = createServer((_, response) => {
        requests += 1;
        response.end();
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => void server.once('listening', resolve));
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/film.ts`;
      const texts = [
        `ffconcat version 1.0\nfile good.mp4\n`,
        `ffconcat version 1.0\nfile '${path.join(folder, 'good.mp4')}'\n`,
        `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n${address}\n#EXT-X-ENDLIST\n`,
        `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nfile:${path.join(folder, 'good.mp4')}\n#EXT-X-ENDLIST\n`,
        `<svg xmlns="http://www.w3.org/2000/svg"><image href="${address}"/></svg>`,
        `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n`,
      ];
      try {
        for (const [at, text] of texts.entries()) {
          for (const type of ['mp4', 'mp3', 'png', 'webm'] as const) {
            const name = `harm-${at}.${type}`;
            writeFileSync(path.join(folder, name), text);
            const { decoded, seconds, width } = await measureFile(folder, name, type);
            expect({ decoded, seconds, width }).toMatchObject({ seconds: undefined, width: undefined });
            expect(decoded).toMatchObject({ isBroken: true });
          }
        }
      } finally {
        server.close();
      }
      expect(requests).toBe(0);
    });

    it('says nothing in the words of a filter', async () => {
      const line = '[blackdetect @ 0x1] [info] black_start:0 black_end:4 black_duration:4';
      const title = `x\n${line}\r${line}\n[Parsed_ebur128_1 @ 0x1] [info] Summary:\n    I: -1.0 LUFS`;
      makeMedia(folder, 'titled.mp4', ...MOVING, ...TONE, ...H264, '-metadata', `title=${title}`);
      expect(await gatesOn(folder, 'titled.mp4', 'mp4')).toEqual({ flags: [], unchecked: [] });
    });

    it('is not decoded if its picture is larger than 8K', async () => {
      const head = Buffer.from('89504e470d0a1a0a0000000d49484452000000000000000008020000000000000000', 'hex');
      head.writeUInt32BE(30_000, 16);
      head.writeUInt32BE(30_000, 20);
      writeFileSync(path.join(folder, 'huge.png'), head);
      const { decoded, width } = await measureFile(folder, 'huge.png', 'png');
      expect([decoded, width]).toEqual([{ not: 'large' }, 30_000]);
    });

    it('is no link to another one', async () => {
      symlinkSync(path.join(folder, 'good.mp4'), path.join(folder, 'link.mp4'));
      expect((await measureFile(folder, 'link.mp4', 'mp4')).decoded).toEqual({ not: 'missing' });
    });
  });

  it('a signal ends it at once, and a limit of time soon', async () => {
    const file = { folder, path: 'good.mp4', mediaType: 'video/mp4', bytes: 1, sha256: 'a'.repeat(64) };
    const stopped = await createFileMeasurer({ clock: systemClock }).measure(file, AbortSignal.abort());
    expect(stopped.decoded).toEqual({ not: 'failed' });
    const hurried = { ...systemClock, setTimer: (_: number, ring: () => void) => systemClock.setTimer(0, ring) };
    const late = await createFileMeasurer({ clock: hurried, find: findProgram }).measure(
      file,
      new AbortController().signal,
    );
    expect(late.decoded).toEqual({ not: 'no-ffmpeg' });
  });

  it('without ffmpeg, headers say what they can, and nothing that needs decoding is flagged', async () => {
    const without = createFileMeasurer({ clock: systemClock, find: () => undefined });
    makeMedia(folder, 'plain.wav', ...TONE);
    makeMedia(folder, 'plain.jpg', ...PICTURE);
    makeMedia(folder, 'plain.gif', ...MOVING);
    const sizes = { width: 320, height: 180 };
    expect(await measureFile(folder, 'black.mp4', 'mp4', without)).toMatchObject({ seconds: 4, ...sizes });
    expect(await measureFile(folder, 'good.png', 'png', without)).toMatchObject(sizes);
    expect(await measureFile(folder, 'plain.jpg', 'jpeg', without)).toMatchObject(sizes);
    expect(await measureFile(folder, 'plain.gif', 'gif', without)).toMatchObject(sizes);
    expect((await measureFile(folder, 'plain.wav', 'wav', without)).seconds).toBeCloseTo(4, 2);
    const measured = await measureFile(folder, 'black.mp4', 'mp4', without);
    const report = askGates(measured, { on: USUAL_GATES.on, asked: askedIn({ duration: 8 }), others: [] });
    expect(report.flags.map(({ gate }) => gate)).toEqual(['length']);
    expect(report).toMatchObject({
      unchecked: ['decodes', 'silence', 'clipping', 'black', 'frozen', 'blur'],
      why: 'no-ffmpeg',
    });
  });
});
