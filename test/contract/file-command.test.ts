import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createFilePlaces } from '../../src/engine/file-places/file-places.ts';
import type { FileAnswer, FilePlaces } from '../../src/engine/ports/file-places.ts';
import { spokenMessage } from '../../src/shared/domain/base/failure.ts';
import { speakLanguage } from '../../src/shared/words/catalogues.ts';
import { filesPlace, type FilesPlace } from '../../src/shared/domain/places/files-place.ts';
import type { BatchRecord } from '../../src/shared/domain/task/batch.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { fastClock } from '../support/fast-clock.ts';
import { FIXTURES, NO_PICTURES } from '../support/file-place-rig.ts';
import { profileWith } from '../support/night-harness.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 30_000 });

const PNG = readFileSync(new URL('picture.png', FIXTURES));
const SHA = createHash('sha256').update(PNG).digest('hex');
let folder: string;
let uploads: string;
let server: Server;
let origin: string;
const open: FilePlaces[] = [];

beforeEach(async () => {
  folder = temporaryFolder();
  uploads = join(folder, 'uploads');
  mkdirSync(uploads);
  copyFileSync(new URL('picture.png', FIXTURES), join(folder, 'a kite.png'));
  server = createServer((request, response) => {
    const named = (request.url ?? '').replace('/get?file=', '/');
    const file = join(uploads, named.replace(/^\/|\?.*$/gu, ''));
    if (request.url?.startsWith('/moved') === true) response.writeHead(302, { location: `/${SHA}?sig=1` }).end();
    else if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((places) => places.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A program with this text, as a user would write one. */
function program(text: string): string {
  const file = join(folder, 'put-it');
  writeFileSync(file, `#!/bin/sh\necho "$@" >> "${folder}/calls"\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

const calls = (): readonly string[] =>
  existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];

/** Places of files in this test's folder. */
function placesWith(given: Partial<Parameters<typeof createFilePlaces>[0]> = {}): FilePlaces {
  const places = createFilePlaces({
    folder: join(folder, 'files-place'),
    placesNote: join(folder, 'places.json'),
    clock: fastClock(20, Date.now()),
    random: { next: () => 0 },
    pictures: NO_PICTURES,
    environment: {},
    onBug: (error) => {
      throw error;
    },
    ...given,
  });
  open.push(places);
  return places;
}

/** What becomes of a file of that folder, once it is known. */
async function addressIn(places: FilePlaces, place: FilesPlace, written = 'a kite.png'): Promise<FileAnswer> {
  const order = { file: { column: 'images', media: 'image' as const, written }, place, folder };
  for (;;) {
    const one = await places.addressOf(order);
    if (one.kind !== 'coming') return one;
    await one.arrived;
  }
}

async function answer(text: string, more: object = {}): Promise<FileAnswer> {
  const places = placesWith({ placesNote: undefined });
  const place = filesPlace.parse({ command: { argv: [program(text), '--public; echo $HOME'], ...more } });
  await places.allow(place);
  return addressIn(places, place);
}

const COPY = 'cp "$2" "$(dirname "$0")/uploads/$NOCTURNE_FILE_SHA256"';

test('a command gets a copy without a shell, and its address is used once it gives the file', async () => {
  process.env['NOCTURNE_FILES_PASSWORD'] = 'not for programs';
  const text = `${COPY}; env > "${folder}/env"; echo ${origin}/$NOCTURNE_FILE_SHA256?sig=1`;
  const address = `${origin}/${SHA}?sig=1`;
  expect(await answer(text)).toEqual({ kind: 'there', address });
  delete process.env['NOCTURNE_FILES_PASSWORD'];
  expect(calls()).toEqual([expect.stringMatching(/^--public; echo \$HOME \S+\/on-the-way\/[0-9a-f-]+\.png$/u)]);
  expect(calls()[0]).not.toContain('kite');
  expect(readFileSync(join(folder, 'env'), 'utf8')).not.toContain('not for programs');
  expect(readdirSync(join(folder, 'files-place', 'on-the-way'))).toEqual([]);
  // By the record, as after a restart.
  expect(await answer(text)).toEqual({ kind: 'there', address });
  expect(calls().length).toBe(1);
});

test('an address that leads on is one', async () => {
  expect(await answer(`${COPY}; echo ${origin}/moved`)).toMatchObject({ kind: 'there', address: `${origin}/moved` });
});

test.each([
  ['prints nothing', 'true', 'printed nothing'],
  ['prints more than an address', `echo uploaded; echo ORIGIN/x`, 'printed “uploaded'],
  ['prints a path', 'echo "$2"', 'printed “/'],
  ['prints an address in the clear', 'echo http://example.com/x', 'must start with https://'],
  ['prints a password', 'echo https://me:secret@example.com/x', 'must not carry a user name'],
])(
  'a command that %s is refused: in English where it is recorded, whatever the window speaks',
  async (_, text, words) => {
    speakLanguage('zh-Hans');
    onTestFinished(() => speakLanguage('en'));
    const refused = await answer(text.replace('ORIGIN', origin));
    if (refused.kind !== 'refused') throw new Error(refused.kind);
    expect(refused.failure.message).toContain(words);
    expect(refused.failure.message).not.toMatch(/\p{Script=Han}/u);
    expect(spokenMessage(refused.failure)).toMatch(/，要放到命令 .*：.*应输出一个地址/u);
  },
);

test.each([
  ['fails', 'echo no such bucket >&2; exit 3', 'ended with code 3: no such bucket'],
  ['names an address that does not give the file', `echo ORIGIN/nothing`, 'HTTP 404'],
  [
    'names an address that gives something else',
    'echo other > "$(dirname "$0")/uploads/x"; echo ORIGIN/x',
    'is not the file',
  ],
])('a command that %s is run again later', async (_, text, words) => {
  const later = await answer(text.replace('ORIGIN', origin));
  expect(later).toMatchObject({ kind: 'later', failure: { message: expect.stringContaining(words) as string } });
});

test('a command that does not end is ended, with all that it has started', async () => {
  const later = await answer(`sleep 60 & sleep 60`, { minutes: 0.2 });
  expect(later).toMatchObject({
    kind: 'later',
    failure: { message: expect.stringContaining('was ended after 12 s') as string },
  });
});

test('a command that is not there is no reason to wait', async () => {
  const missing = filesPlace.parse({ command: { argv: [join(folder, 'nothing')] } });
  const places = placesWith({ placesNote: undefined });
  await places.allow(missing);
  expect(await addressIn(places, missing)).toMatchObject({ kind: 'refused' });
});

test('a store that is handed over with a note of its own names no place of this computer', async () => {
  const place = filesPlace.parse({ command: { argv: [program(`${COPY}; echo ${origin}/$NOCTURNE_FILE_SHA256`)] } });
  const order = { file: { column: 'images', media: 'image' as const, written: 'a kite.png' }, place, folder };
  const placesNote = join(folder, 'of this computer', 'places.json');
  const openPlaces = (): FilePlaces => placesWith({ folder: join(folder, 'store'), placesNote });
  mkdirSync(join(folder, 'store'));
  writeFileSync(join(folder, 'store', 'places.json'), JSON.stringify({ places: [place] }));
  expect(await openPlaces().addressOf(order)).toMatchObject({ kind: 'refused' });
  expect(calls()).toEqual([]);
  await openPlaces().allow(place);
  expect(await openPlaces().addressOf(order)).toMatchObject({ kind: 'coming' });
});

test('the command that deletes is given the address, when the batch is over', async () => {
  const remove = join(folder, 'remove-it');
  writeFileSync(
    remove,
    `#!/bin/sh\nprintf '%s|' "$@" "$NOCTURNE_FILE_SHA256" >> "${folder}/removed"\nexit $(cat "${folder}/code")\n`,
  );
  chmodSync(remove, 0o755);
  writeFileSync(join(folder, 'code'), '3');
  const argv = [program(`${COPY}; echo "${origin}/$NOCTURNE_FILE_SHA256?sig=1"`), '--public'];
  const place = filesPlace.parse({ command: { argv, delete: [remove, '--for good'] }, deleteAfterBatch: true });
  let isOver = false;
  const places = placesWith({
    batches: {
      batch: () => Promise.resolve(undefined),
      batches: () =>
        Promise.resolve([{ id: 'a', settings: { filesPlace: place, profile: profileWith() } } as BatchRecord]),
      tasksByStatus: async function* () {
        if (!isOver) yield { status: 'queued' } as Task;
      },
      watchedTasks: () => Promise.resolve([]),
    },
  });
  await places.allow(place);
  const given = await addressIn(places, place);
  const address = given.kind === 'there' ? given.address : '';
  expect(await places.noteUse('a', Buffer.from(JSON.stringify({ images: [address] })))).toBe(true);
  isOver = true;
  places.deleteUnneeded();
  await places.deleted();
  expect(readFileSync(join(folder, 'removed'), 'utf8')).toBe(`--for good|${address}|${SHA}|`.repeat(4));
  expect(await places.putFor('a', place)).toMatchObject({
    left: 1,
    problems: [expect.stringContaining('remove-it ended with code 3') as string],
  });
  // The user has put it right, and says so.
  writeFileSync(join(folder, 'code'), '0');
  await places.allow(place);
  places.deleteUnneeded();
  await places.deleted();
  expect(await places.putFor('a', place)).toEqual({ left: 0, deleted: 1, notOurs: 0, problems: [] });
});

test('files whose addresses differ only behind the question mark are told apart', async () => {
  copyFileSync(new URL('picture.jpg', FIXTURES), join(folder, 'sun.jpg'));
  const argv = [program(`${COPY}; echo "${origin}/get?file=$NOCTURNE_FILE_SHA256"`), '--public'];
  const remove = join(folder, 'remove-it');
  writeFileSync(remove, '#!/bin/sh\n');
  chmodSync(remove, 0o755);
  const place = filesPlace.parse({ command: { argv, delete: [remove] }, deleteAfterBatch: true });
  const places = placesWith();
  await places.allow(place);
  const images: string[] = [];
  for (const written of ['a kite.png', 'sun.jpg']) {
    const given = await addressIn(places, place, written);
    images.push(given.kind === 'there' ? given.address : '');
  }
  expect(await places.noteUse('a', Buffer.from(JSON.stringify({ images })))).toBe(true);
  // A batch keeps both of them where they are.
  expect(await places.putFor('a', place)).toMatchObject({ left: 2 });
});
