import { createHash } from 'node:crypto';
import { appendFileSync, copyFileSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FILE_CRASH_POINTS, watchCrashPoints } from '../../src/engine/crash-point.ts';
import { createFilePlaces } from '../../src/engine/file-places/file-places.ts';
import { reason } from '../../src/shared/domain/base/reason.ts';
import { err, ok } from '../../src/shared/domain/base/result.ts';
import { filesPlace } from '../../src/shared/domain/places/files-place.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FilePlaceRig, FIXTURES, NO_PICTURES } from '../support/file-place-rig.ts';
import type { S3Fault, S3Seen } from '../support/s3-proxy.ts';
import { S3_SERVER_IS_HERE } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WEBDAV_SERVER_IS_HERE } from '../support/webdav-server.ts';

vi.setConfig({ testTimeout: 30_000 });

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const PNG = sha(readFileSync(new URL('picture.png', FIXTURES)));
const JPG = sha(readFileSync(new URL('picture.jpg', FIXTURES)));
const WAYS = [
  { kind: 's3', isHere: S3_SERVER_IS_HERE },
  { kind: 'webdav', isHere: WEBDAV_SERVER_IS_HERE },
] as const;

describe.each(WAYS)('a place of the user’s own: $kind', ({ kind, isHere }) => {
  const rig = new FilePlaceRig(kind);
  const isPut = ({ method }: S3Seen): boolean => method === 'PUT';
  /** Does this to the first requests that are meant. */
  const fault = (what: S3Fault, isMeant: (request: S3Seen) => boolean, times = 1): void => {
    let left = times;
    rig.proxy.fault((request) => (isMeant(request) && left-- > 0 ? what : undefined));
  };
  /** What an address gives to somebody who has nothing but it. */
  const given = async (address: string): Promise<string> =>
    sha(Buffer.from(await (await fetch(address)).arrayBuffer()));
  let seen = 0;
  const puts = (): number => rig.puts().length - seen;

  describe.skipIf(!isHere)('on a real server', () => {
    beforeAll(() => rig.start(), 60_000);
    afterAll(() => rig.stop());
    beforeEach(async () => {
      await rig.prepare();
      seen = rig.puts().length;
    });
    afterEach(() => rig.endTest());

    test('a picture that is made of a finished file is put once, also by the next process', async () => {
      const made: string[] = [];
      rig.pictures = {
        make: (picture, to) => {
          made.push(`${picture.part} of ${picture.path}`);
          copyFileSync(new URL('picture.png', FIXTURES), to);
          return Promise.resolve(ok(undefined));
        },
      };
      const film = { folder: '/media', path: 'video/film.mp4', sha256: 'f'.repeat(64), mediaType: 'video/mp4' };
      const picture = { ...film, part: 'lastFrame' } as const;
      const order = rig.order('{{film.output.1.lastFrame}}', { picture, folder: undefined });
      const places = await rig.places();
      const addresses = await Promise.all(Array.from({ length: 5 }, () => rig.address(places, order)));
      expect(new Set(await Promise.all(addresses.map(given)))).toEqual(new Set([PNG]));
      expect(made).toEqual(['lastFrame of video/film.mp4']);
      expect(await given(await rig.address(await rig.places(), order))).toBe(PNG);
      expect([made.length, puts()]).toEqual([2, 1]);
      // The folders of a place are those of the user's own files.
      const folders = { ...rig.place, folders: [rig.sheet] };
      await places.allow(folders);
      expect(await given(await rig.address(places, { ...order, place: folders }))).toBe(PNG);
    });

    test('why a picture cannot be made is said, and nothing is put', async () => {
      rig.pictures = { make: () => Promise.resolve(err(reason('file.noCover'))) };
      const song = { folder: '/media', path: 'music/song.mp3', sha256: 'e'.repeat(64), mediaType: 'audio/mpeg' };
      const order = rig.order('{{song.output.1.cover}}', { picture: { ...song, part: 'cover' } });
      const answer = await rig.answer(await rig.places(), order);
      expect(answer).toMatchObject({ kind: 'refused', failure: { code: 'LOCAL_FILE' } });
      expect(JSON.stringify(answer)).toContain('“images” needs “{{song.output.1.cover}}”');
      expect(JSON.stringify(answer)).toContain('has no cover in it.');
      expect(puts()).toBe(0);
    });

    test('a film that is not found where it was is looked for where it is by now', async () => {
      rig.pictures = {
        make: (picture, to) => {
          if (picture.path !== 'rejected/film.mp4') return Promise.resolve(err(reason('file.fileGone', picture.path)));
          copyFileSync(new URL('picture.png', FIXTURES), to);
          return Promise.resolve(ok(undefined));
        },
      };
      const film = { folder: '/media', path: 'video/film.mp4', sha256: 'd'.repeat(64), mediaType: 'video/mp4' };
      const orderOf = (path: string): ReturnType<typeof rig.order> =>
        rig.order('{{film.output.1.lastFrame}}', { picture: { ...film, path, part: 'lastFrame' } });
      const places = await rig.places();
      expect(await rig.answer(places, orderOf(film.path))).toMatchObject({ kind: 'refused' });
      expect(await given(await rig.address(places, orderOf('rejected/film.mp4')))).toBe(PNG);
    });

    test('each content is put once, whatever it is called and however often it is named', async () => {
      rig.bring('picture.png', 'a moon.png');
      rig.bring('picture.png', 'Bilder/100% möön.png');
      rig.bring('picture.jpg', 'sun.jpg');
      linkSync(`${rig.sheet}/sun.jpg`, `${rig.sheet}/sun too.jpg`);
      const places = await rig.places();
      const named = ['a moon.png', 'Bilder/100% möön.png', './a moon.png', 'sun.jpg', 'sun too.jpg'];
      const all = Array.from({ length: 20 }, (_, i) => named[i % named.length] ?? '');
      const addresses = await Promise.all(all.map((written) => rig.address(places, rig.order(written))));
      expect(await rig.contents()).toEqual(
        new Map([
          [`${JPG}.jpg`, JPG],
          [`${PNG}.png`, PNG],
        ]),
      );
      expect(puts()).toBe(2);
      for (const [i, address] of addresses.entries()) {
        expect(address).not.toMatch(/moon|m%C3|sun|Bilder/u);
        expect(await given(address)).toBe((all[i] ?? '').includes('sun') ? JPG : PNG);
      }
    });

    test('nobody is told of an address before it gives the file', async () => {
      rig.bring('picture.png', 'moon.png');
      const places = await rig.places();
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      rig.proxy.fault(async (request) => {
        if (isPut(request)) await held;
        return undefined;
      });
      const first = await places.addressOf(rig.order('moon.png'));
      expect(first.kind).toBe('coming');
      expect((await places.addressOf(rig.order('moon.png'))).kind).toBe('coming');
      expect((await rig.contents()).size).toBe(0);
      release();
      const address = await rig.address(places, rig.order('moon.png'));
      // Asked as a gateway asks: the last request before it is told has no credentials.
      const last = rig.proxy.seen.at(-1);
      expect([last?.method, last?.headers.authorization]).toEqual(['GET', undefined]);
      expect(await given(address)).toBe(PNG);
    });

    test.each(FILE_CRASH_POINTS)('a kill at %s puts nothing twice', async (point) => {
      rig.bring('picture.png', 'moon.png');
      const stop = watchCrashPoints((name) => {
        if (name === point) throw new Error('killed');
      });
      const killed = await rig.places();
      const answer = await killed.addressOf(rig.order('moon.png'));
      if (answer.kind === 'coming') await answer.arrived;
      stop();
      expect(rig.bugs.splice(0)).toMatchObject([{ message: 'killed' }]);
      expect(puts()).toBe(1);
      const address = await rig.address(await rig.places(), rig.order('moon.png'));
      expect(puts()).toBe(1);
      expect(await given(address)).toBe(PNG);
      expect((await rig.contents()).size).toBe(1);
    });

    test('after a restart the record is enough, and the record that was cut off is no harm', async () => {
      rig.bring('picture.png', 'moon.png');
      const first = await rig.address(await rig.places(), rig.order('moon.png'));
      appendFileSync(`${rig.folder}/put.jsonl`, '{"place":"cut o');
      const again = await rig.address(await rig.places(), rig.order('moon.png'));
      expect(new URL(again).pathname).toBe(new URL(first).pathname);
      rig.bring('picture.jpg', 'sun.jpg');
      await rig.address(await rig.places(), rig.order('sun.jpg'));
      expect(puts()).toBe(2);
    });

    test.each<[string, S3Fault, (request: S3Seen) => boolean, number]>([
      ['an answer that is lost', { kind: 'lose-answer' }, isPut, 1],
      ['a connection that ends in the middle', { kind: 'cut-body' }, isPut, kind === 's3' ? 6 : 2],
      ['a server that is busy', { kind: 'refuse', status: 503 }, () => true, kind === 's3' ? 6 : 2],
      [
        'an address that does not answer at first',
        { kind: 'refuse', status: 502 },
        ({ method }) => method === 'GET',
        2,
      ],
    ])('%s holds back its own row, and is tried again', async (_, what, isMeant, times) => {
      rig.bring('picture.png', 'moon.png');
      const places = await rig.places();
      fault(what, isMeant, times);
      const first = await rig.answer(places, rig.order('moon.png'));
      if (first.kind === 'later') {
        expect(first.failure).toMatchObject({
          code: 'LOCAL_FILE',
          message: expect.stringContaining('moon.png') as string,
        });
        expect(first.waitMs).toBeGreaterThan(0);
      }
      expect(await given(await rig.address(places, rig.order('moon.png')))).toBe(PNG);
      expect([...(await rig.contents()).values()]).toEqual([PNG]);
    });

    test('refused credentials are said, and not tried for every file', async () => {
      rig.bring('picture.png', 'moon.png');
      rig.bring('picture.jpg', 'sun.jpg');
      const places = await rig.places();
      const no: S3Fault = { kind: 'refuse', status: kind === 's3' ? 403 : 401, code: 'SignatureDoesNotMatch' };
      fault(no, () => true, 99);
      const from = rig.proxy.seen.length;
      const first = await rig.answer(places, rig.order('moon.png'));
      expect(first).toMatchObject({ kind: 'refused', failure: { code: 'LOCAL_FILE' } });
      const asked = rig.proxy.seen.length - from;
      expect(JSON.stringify(first)).toMatch(/password|access key/u);
      expect(JSON.stringify(first)).not.toMatch(/passwörd|that-nobody-sees/u);
      expect(await rig.answer(places, rig.order('sun.jpg'))).toMatchObject({ kind: 'refused' });
      expect(rig.proxy.seen.length - from).toBe(asked);
    });

    test('an edit of the file counts, and only that', async () => {
      const file = rig.bring('picture.png', 'moon.png');
      const places = await rig.places();
      const before = await rig.address(places, rig.order('moon.png'));
      copyFileSync(new URL('picture.jpg', FIXTURES), file);
      const after = await rig.address(places, rig.order('moon.png'));
      expect([await given(before), await given(after)]).toEqual([PNG, JPG]);
      // Written again with the same bytes, it is the same content.
      writeFileSync(file, readFileSync(file));
      await rig.address(places, rig.order('moon.png'));
      expect(puts()).toBe(2);
      rmSync(file);
      const gone = await rig.answer(places, rig.order('moon.png'));
      expect(gone).toMatchObject({
        kind: 'refused',
        failure: { message: expect.stringContaining('no such file') as string },
      });
    });

    test('nothing of anybody’s is replaced, and what was cleared away is put again', async () => {
      await rig.write(`${PNG}.png`, 'half of');
      rig.bring('picture.png', 'moon.png');
      const address = await rig.address(await rig.places(), rig.order('moon.png'));
      expect(new URL(address).pathname).toContain(`${PNG}-2.png`);
      expect(await given(address)).toBe(PNG);
      await rig.remove(`${PNG}-2.png`);
      const again = await rig.address(await rig.places(), rig.order('moon.png'));
      expect(await given(again)).toBe(PNG);
      expect((await rig.contents()).get(`${PNG}.png`)).toBe(sha(Buffer.from('half of')));
    });

    test('what arrives damaged is not referred to', async () => {
      rig.bring('picture.png', 'moon.png');
      const hidden: S3Fault = { kind: 'answer-without', headers: ['x-amz-checksum-sha256'] };
      let isDamaged = false;
      rig.proxy.fault((request) => {
        if (!isPut(request) || isDamaged) return request.method === 'HEAD' ? hidden : undefined;
        isDamaged = true;
        return { kind: 'damage' };
      });
      const places = await rig.places();
      expect(await given(await rig.address(places, rig.order('moon.png')))).toBe(PNG);
    });

    test('a place that was never named on this computer is not believed', async () => {
      rig.bring('picture.png', 'moon.png');
      const places = await rig.places();
      const other = filesPlace.parse({ command: { argv: ['touch', `${rig.sheet}/ran`] } });
      const answer = await rig.answer(places, rig.order('moon.png', { place: other }));
      expect(answer).toMatchObject({
        kind: 'refused',
        failure: { message: expect.stringContaining('never named') as string },
      });
      expect(puts()).toBe(0);
      expect(() => readFileSync(`${rig.sheet}/ran`)).toThrow('ENOENT');
    });
  });
});

describe('a server that gives a byte a second is given up, in a time that grows with the file', () => {
  test.each([
    ['reading what has the name already', 'found', 0],
    ['putting it', 'answer', 0],
    ['looking at its address', 'address', 0],
    ['a file of 20 MB, which may take 30 minutes', 'address', 20_000_000],
  ] as const)('%s', async (_, at, size) => {
    const sheet = temporaryFolder();
    const file = Buffer.concat([readFileSync(new URL('picture.png', FIXTURES)), Buffer.alloc(size)]);
    writeFileSync(join(sheet, 'kite.png'), file);
    let isThere = at === 'found';
    let hasTrickled = (): void => undefined;
    const trickling = new Promise<void>((resolve) => (hasTrickled = resolve));
    const server = createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        const isPut = request.method === 'PUT';
        if (at !== 'answer' || !isPut) response.writeHead(isPut ? 201 : isThere ? 200 : 404);
        const isSlow = isThere ? at !== 'answer' : at === 'answer' && isPut;
        isThere ||= isPut;
        if (!isSlow) return void response.end();
        // Of the file, or of a head that has no end.
        const bytes = at === 'answer' ? Buffer.from('HTTP/1.1 201 Created\r\nX-Trickle: '.padEnd(10_000, 'x')) : file;
        const socket = at === 'answer' ? request.socket : response;
        let sent = 0;
        const trickle = (): void => {
          socket.write(bytes.subarray(sent, ++sent));
          clock.setTimer(1000, trickle);
        };
        trickle();
        hasTrickled();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const clock = new FakeClock();
    const { port } = server.address() as AddressInfo;
    const place = filesPlace.parse({ webdav: { url: `http://127.0.0.1:${port}/in` } });
    const places = createFilePlaces({
      folder: temporaryFolder(),
      placesNote: undefined,
      clock,
      random: { next: () => 0 },
      pictures: NO_PICTURES,
      environment: {},
      onBug: (error) => {
        throw error;
      },
    });
    onTestFinished(async () => {
      await places.close();
      server.closeAllConnections();
      server.close();
    });
    await places.allow(place);
    const order = { file: { column: 'images', media: 'image' as const, written: 'kite.png' }, place, folder: sheet };
    const going = await places.addressOf(order);
    if (going.kind !== 'coming') throw new Error(JSON.stringify(going));
    let isOver = false;
    void going.arrived.then(() => (isOver = true));
    await trickling;
    const longestMs = 600_000 + file.length / 16;
    await clock.advance(longestMs - 1);
    expect(isOver).toBe(false);
    await clock.advance(1);
    await going.arrived;
    const message = expect.stringContaining(`took longer than ${Math.round(longestMs / 60_000)} minutes`) as string;
    expect(await places.addressOf(order)).toMatchObject({ kind: 'later', failure: { message } });
  });
});
