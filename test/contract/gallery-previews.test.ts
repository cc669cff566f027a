import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { exportFolder } from '../../src/engine/media-folder/documents/export-folder.ts';
import type { PreviewMaking } from '../../src/engine/media-folder/documents/gallery/make-previews.ts';
import type { GalleryFile } from '../../src/engine/media-folder/documents/gallery/gallery-row.ts';
import { verifyFolder } from '../../src/engine/media-folder/documents/verify-folder.ts';
import type { Preview } from '../../src/engine/ports/file-looks.ts';
import type { JsonObject } from '../../src/shared/domain/base/json.ts';
import { PLAIN_SHEET, type BatchRecord } from '../../src/shared/domain/task/batch.ts';
import type { ExportedRow, ExportedTask } from '../../src/shared/domain/task/views/exported-row.ts';
import { DEFAULT_PROFILE } from '../../src/shared/domain/gateway/profile.ts';
import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HIDDEN = '.nocturne-previews';
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
const WEBP = Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1');
const SOUND = { seconds: 20, levels: [0, 0.5, 1], lufs: -14.2, peakDb: -1 };

let folder: string;
let clock: FakeClock;
/** What the maker was asked for, by path. */
let asked: string[];
let answer: (path: string, signal: AbortSignal) => Promise<Preview | undefined> | Preview | undefined;

beforeEach(() => {
  folder = temporaryFolder();
  clock = new FakeClock();
  asked = [];
  answer = (path) => (path.endsWith('.mp3') ? { kind: 'sound', sound: SOUND } : { kind: 'picture', jpeg: JPEG });
});

function batch(): BatchRecord {
  return {
    id: 'b1',
    name: 'Night',
    headers: ['row', 'operation', 'prompt'],
    sheet: PLAIN_SHEET,
    settings: { folder, profile: DEFAULT_PROFILE, filename: '{row}', rehearsal: true },
    state: 'finished',
    createdAt: 0,
    rowCount: 1,
    revision: 0,
    taskCount: 1,
  };
}

const TYPES: Readonly<Record<string, string>> = { png: 'image/png', mp3: 'audio/mpeg', json: 'application/json' };

function shaOf(path: string): string {
  return createHash('sha256').update(path).digest('hex');
}

/** Where the preview of a file is kept. */
function keptAt(path: string, extension: string): string {
  return join(HIDDEN, shaOf(path).slice(0, 2), `${shaOf(path)}.${extension}`);
}

interface Take extends Partial<ExportedTask> {
  readonly operation?: OperationPath;
}

/** A row with one take, whose files hold their own paths. */
async function rowWith(id: string, paths: readonly string[], { operation, ...take }: Take = {}): Promise<ExportedRow> {
  for (const path of paths) await put(path, path);
  const outputs = paths.map((path, at) => ({
    index: at + 1,
    path,
    sha256: shaOf(path),
    bytes: Buffer.byteLength(path),
    mediaType: TYPES[path.split('.').at(-1) ?? ''] ?? '',
  }));
  return {
    row: {
      id,
      line: 2,
      operation: operation ?? 'videogen-b/image/generate',
      body: { prompt: id },
      takes: 1,
      priority: 0,
      filename: undefined,
      note: undefined,
      skip: false,
      cells: { row: id },
    },
    status: 'done',
    tasks: [{ take: 1, taskCode: `code-${id}`, status: 'done', outputs, ...take }],
  };
}

async function put(path: string, bytes: Buffer | string, into = folder): Promise<void> {
  await mkdir(dirname(join(into, path)), { recursive: true });
  await writeFile(join(into, path), bytes);
}

async function written(
  rows: readonly ExportedRow[],
  making: Partial<PreviewMaking> = {},
  into = folder,
): Promise<readonly GalleryFile[]> {
  const maker: PreviewMaking['maker'] = {
    make: async ({ path }, signal) => {
      asked.push(path);
      return answer(path, signal);
    },
  };
  const data = { batch: batch(), rows, createdAt: 0 };
  expect(await exportFolder(into, data, undefined, { maker, clock, ...making })).toBeUndefined();
  const page = await readFile(join(into, 'index.html'), 'utf8');
  const json = /id="rows">(?<rows>\[[\s\S]*?\])<\/script>/u.exec(page)?.groups?.['rows'] ?? '[]';
  return (JSON.parse(json) as { readonly files: readonly GalleryFile[] }[]).flatMap(({ files }) => files);
}

/** All that is kept. */
async function kept(of = folder): Promise<readonly string[]> {
  const names = await readdir(join(of, HIDDEN), { recursive: true }).catch(() => []);
  return names.filter((name) => name.includes('.')).toSorted();
}

describe('small pictures beside the page', () => {
  test('are made once, by content, and no stranger to verify', async () => {
    const same = await rowWith('c', ['image/a.png']);
    const rows = [await rowWith('a', ['image/a.png']), await rowWith('b', ['image/b.png', 'music/b.mp3']), same];
    let begun = 0;
    const files = await written(rows, { onFirst: () => (begun += 1) });
    expect(begun).toBe(1);
    expect(files.map(({ picture, sound }) => picture ?? sound)).toEqual([
      'jpg',
      'jpg',
      { levels: '0iz', lufs: -14.2, peakDb: -1 },
      'jpg',
    ]);
    expect(await readFile(join(folder, keptAt('image/a.png', 'jpg')))).toEqual(JPEG);
    expect(await written(rows)).toEqual(files);
    expect(asked.toSorted()).toEqual(['image/a.png', 'image/b.png', 'music/b.mp3']);
    expect(clock.timers()).toBe(0);
    const report = await verifyFolder(folder);
    expect(report.extras).toEqual([]);
  });

  test('are waited for by no document: those are there before the first is made', async () => {
    const rows = [await rowWith('a', ['image/a.png'])];
    let before: readonly string[] = [];
    answer = async () => {
      before = await readdir(folder);
      return { kind: 'picture', jpeg: JPEG };
    };
    expect(await written(rows)).toMatchObject([{ picture: 'jpg' }]);
    expect(before).toEqual(
      expect.arrayContaining(['index.html', 'manifest.csv', 'manifest.json', 'sheet.results.csv']),
    );
  });

  test('go along into another folder, without being made again', async () => {
    const rows = [await rowWith('a', ['image/a.png'])];
    await written(rows);
    const other = temporaryFolder();
    expect(await written(rows, {}, other)).toMatchObject([{ picture: 'jpg' }]);
    expect(await kept(other)).toEqual(await kept());
    expect(asked).toHaveLength(1);
    expect(await verifyFolder(other)).toMatchObject({ ok: true, extras: [] });
  });

  test('are those of the window where it has them; what is no picture there is not taken', async () => {
    const windowFolder = temporaryFolder();
    const inWindow = (path: string): string => join(shaOf(path).slice(0, 2), `${shaOf(path)}.webp`);
    await put(inWindow('image/a.png'), WEBP, windowFolder);
    await put(inWindow('image/b.png'), '<svg onload=…>', windowFolder);
    await put(inWindow('music/c.mp3'), WEBP, windowFolder);
    const rows = [await rowWith('a', ['image/a.png', 'image/b.png', 'music/c.mp3'])];
    const files = await written(rows, { windowFolder });
    expect(files.map(({ picture, sound }) => picture ?? sound?.lufs)).toEqual(['webp', 'jpg', -14.2]);
    expect(asked.toSorted()).toEqual(['image/b.png', 'music/c.mp3']);
    expect(await readFile(join(folder, keptAt('image/a.png', 'webp')))).toEqual(WEBP);
  });

  test('that take too long are left to the next time, which goes on from there', async () => {
    const rows = await Promise.all(['a', 'b', 'c'].map((id) => rowWith(id, [`image/${id}.png`])));
    // The first takes no time, the next all of it.
    answer = (path, signal) => {
      if (path === 'image/a.png') return { kind: 'picture', jpeg: JPEG };
      const stopped = new Promise<undefined>((resolve) =>
        signal.addEventListener('abort', () => resolve(undefined), { once: true }),
      );
      void clock.advance(20_000);
      return stopped;
    };
    const first = await written(rows, { withinMs: 20_000 });
    expect(first.map(({ picture }) => picture)).toEqual(['jpg', undefined, undefined]);
    answer = () => ({ kind: 'picture', jpeg: JPEG });
    asked = [];
    const second = await written(rows, { withinMs: 20_000 });
    expect(second.map(({ picture }) => picture)).toEqual(['jpg', 'jpg', 'jpg']);
    expect(asked.toSorted()).toEqual(['image/b.png', 'image/c.png']);
    expect(clock.timers()).toBe(0);
  });

  test('are not waited for by who ends the program, or has no time for them', async () => {
    const rows = [await rowWith('a', ['image/a.png'])];
    await written(rows, { signal: AbortSignal.abort() });
    await written(rows, { withinMs: 0 });
    expect(asked).toEqual([]);
  });

  test('that cannot be made are tried again a day later', async () => {
    const rows = [await rowWith('a', ['image/a.png'])];
    answer = () => ({ kind: 'none' });
    clock = new FakeClock(Date.now());
    const [file] = await written(rows);
    expect(file).not.toHaveProperty('picture');
    await written(rows);
    expect(asked).toHaveLength(1);
    answer = () => ({ kind: 'picture', jpeg: JPEG });
    clock.jump(25 * 3_600_000);
    expect(await written(rows)).toMatchObject([{ picture: 'jpg' }]);
    expect(await kept()).toEqual([keptAt('image/a.png', 'jpg').slice(HIDDEN.length + 1)]);
  });

  test.each([
    '{"seconds":1,"levels":["x"]}',
    '{"seconds":1,"levels":[]}',
    '{"seconds":1,"levels":[1],"lufs":1e308}',
    '{"seconds":1,"levels":[1],"peakDb":-1e308}',
  ])('under whose name something else lies are made again: %s', async (edited) => {
    const rows = [await rowWith('a', ['image/a.png', 'music/a.mp3'])];
    await put(keptAt('image/a.png', 'jpg'), '<script>');
    await put(keptAt('music/a.mp3', 'json'), edited);
    const files = await written(rows);
    expect(files.map(({ picture, sound }) => picture ?? sound?.lufs)).toEqual(['jpg', -14.2]);
    expect(await readFile(join(folder, keptAt('image/a.png', 'jpg')))).toEqual(JPEG);
  });

  test('of files that are gone are removed, and nothing of anybody else', async () => {
    const [first, second] = [await rowWith('a', ['image/a.png']), await rowWith('b', ['image/b.png'])];
    await written([first, second]);
    const theirs = [
      join(HIDDEN, 'notes.txt'),
      join(HIDDEN, shaOf('image/b.png').slice(0, 2), 'holiday.jpg'),
      // In the wrong folder.
      join(HIDDEN, shaOf('another').slice(0, 2), `${shaOf('image/b.png')}.jpg`),
      join('elsewhere', `${shaOf('image/b.png')}.jpg`),
    ];
    for (const path of theirs) await put(path, 'theirs');
    const linked = shaOf('elsewhere').slice(0, 2);
    await symlink(join(folder, 'elsewhere'), join(folder, HIDDEN, linked)).catch(() => undefined);
    await written([first], { withinMs: 0 });
    expect(await kept()).not.toContain(keptAt('image/b.png', 'jpg').slice(HIDDEN.length + 1));
    expect(await kept()).toContain(keptAt('image/a.png', 'jpg').slice(HIDDEN.length + 1));
    for (const path of theirs) expect(await readFile(join(folder, path), 'utf8')).toBe('theirs');
  });

  test('nothing is removed where the rows could not all be read', async () => {
    const [first, second] = [await rowWith('a', ['image/a.png']), await rowWith('b', ['image/b.png'])];
    await written([first, second]);
    const rows = (async function* () {
      yield first;
      throw new Error('the store is away');
    })();
    const maker = { make: () => Promise.resolve(undefined) };
    const data = { batch: batch(), rows, createdAt: 0 };
    await expect(exportFolder(folder, data, undefined, { maker, clock })).rejects.toThrow('the store is away');
    expect(await kept()).toHaveLength(2);
  });

  test.skipIf(process.platform === 'win32').each(['the folder', 'one in it'])(
    'nothing is written, read or removed through a link: %s',
    async (which) => {
      const elsewhere = temporaryFolder();
      const sub = shaOf('image/a.png').slice(0, 2);
      // The one that is looked for, and one of a file that is gone.
      const names = [shaOf('image/a.png'), `${sub}${'0'.repeat(62)}`].map((sha256) => `${sha256}.jpg`);
      const inside = names.map((name) => (which === 'the folder' ? join(sub, name) : name));
      for (const name of inside) await put(name, JPEG, elsewhere);
      const rows = [await rowWith('a', ['image/a.png']), await rowWith('b', ['image/b.png'])];
      await mkdir(join(folder, HIDDEN), { recursive: true });
      if (which === 'the folder') await rm(join(folder, HIDDEN), { recursive: true });
      await symlink(elsewhere, which === 'the folder' ? join(folder, HIDDEN) : join(folder, HIDDEN, sub));
      const [file] = await written(rows);
      expect(file).not.toHaveProperty('picture');
      const there = await readdir(elsewhere, { recursive: true });
      expect(there.toSorted()).toEqual([...(which === 'the folder' ? [sub] : []), ...inside].toSorted());
    },
  );

  test('where they cannot be kept, the page is written all the same', async () => {
    await put(HIDDEN, 'a file of somebody');
    const paths = Array.from({ length: 20 }, (_, i) => `image/${i}.png`);
    const [file] = await written([await rowWith('a', paths)]);
    expect(file).not.toHaveProperty('picture');
    // Nor are all of them made to be thrown away, each time.
    expect(asked.length).toBeLessThan(10);
  });

  test('what another program of that name makes is no picture, and not asked for each time', async () => {
    const rows = [await rowWith('a', ['image/a.png'])];
    answer = () => ({ kind: 'picture', jpeg: Buffer.from('usage: …') });
    clock = new FakeClock(Date.now());
    expect((await written(rows))[0]).not.toHaveProperty('picture');
    await written(rows);
    expect(asked).toHaveLength(1);
    expect(await kept()).toEqual([keptAt('image/a.png', 'none').slice(HIDDEN.length + 1)]);
  });

  test('a sha256 that is none names no file', async () => {
    const row = await rowWith('a', ['image/a.png']);
    const tasks = row.tasks.map((task) => ({
      ...task,
      outputs: task.outputs.map((output) => ({ ...output, sha256: '..escaped' })),
    }));
    await written([{ ...row, tasks }]);
    expect([await kept(), (await readdir(folder)).filter((name) => name.includes('escaped'))]).toEqual([[], []]);
  });
});

describe('what is sung in a song', () => {
  const LYRICS = '[Verse]\nThe lamp is lit\nThe <b>oil</b> is low';
  const WORDS = 'The lamp is lit the b oil b is low'.split(' ');
  const timing = (unit: number): string =>
    JSON.stringify({ message: JSON.stringify(WORDS.map((word, at) => ({ word, start: at * unit }))) });

  /** A song of which two rows tell, one before and one after it. */
  async function songs(sent: JsonObject, clip = 'code-song', unit = 1_000): Promise<readonly ExportedRow[]> {
    const about = { sent: { clip_id: clip } };
    const rows = [
      await rowWith('words', ['data/words.json'], { operation: 'musicgen/music/timing', ...about }),
      await rowWith('song', ['music/1.mp3', 'music/2.mp3'], { operation: 'musicgen/music/generate', sent }),
      await rowWith('beats', ['data/beats.json'], { operation: 'musicgen/music/downbeats', ...about }),
    ];
    await put('data/words.json', timing(unit));
    await put('data/beats.json', '{"downbeats":[0.5,2.5]}');
    return rows;
  }

  const sungIn = (files: readonly GalleryFile[]) =>
    files.filter(({ kind }) => kind === 'music').map(({ sung }) => sung);
  const LINES = [['[Verse]'], ['The lamp is lit', 0], ['The <b>oil</b> is low', 4]];

  test('stands beside it with times, as the rows that refer to it found out; the second song of the take has none', async () => {
    const files = await written(await songs({ prompt: LYRICS }));
    expect(sungIn(files)).toEqual([
      { lines: LINES, beats: [0.5, 2.5] },
      { lines: LINES.map(([text]) => [text]), beats: [] },
    ]);
    expect(await readFile(join(folder, 'index.html'), 'utf8')).not.toContain('<b>oil');
  });

  test.each([1, 1_000])('has its times also where nobody has measured the song; unit of a second: %s', async (unit) => {
    answer = () => undefined;
    const [first] = sungIn(await written(await songs({ prompt: LYRICS }, 'code-song', unit)));
    expect(first?.lines).toEqual(LINES);
  });

  test('has no times that are those of another song, or of a longer one', async () => {
    const plain = LINES.map(([text]) => [text]);
    expect(sungIn(await written(await songs({ prompt: LYRICS }, 'code-other')))[0]?.lines).toEqual(plain);
    const [long] = sungIn(await written(await songs({ prompt: LYRICS }, 'code-song', 60_000)));
    expect(long?.lines).toEqual(plain);
  });

  test('is not what a song is about', async () => {
    const [first] = sungIn(await written(await songs({ prompt: 'A song of a lamp' }, 'code-other')));
    expect(first).toBeUndefined();
  });
});
