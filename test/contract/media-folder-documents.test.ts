import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import Papa from 'papaparse';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { exportFolder } from '../../src/engine/media-folder/documents/export-folder.ts';
import { ownMark } from '../../src/engine/own-mark.ts';
import { verifyFolder } from '../../src/engine/media-folder/documents/verify-folder.ts';
import type { BatchRecord } from '../../src/shared/domain/task/batch.ts';
import { PLAIN_SHEET } from '../../src/shared/domain/task/batch.ts';
import type { ExportedRow } from '../../src/shared/domain/task/views/exported-row.ts';
import { FAILURE_POLICIES, failure } from '../../src/shared/domain/base/failure.ts';
import { manifestSchema } from '../../src/shared/domain/files/manifest.ts';
import type { MediaFolderData } from '../../src/shared/domain/files/manifest.ts';
import { DEFAULT_PROFILE } from '../../src/shared/domain/gateway/profile.ts';
import { speakLanguage } from '../../src/shared/words/catalogues.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PNG = readFileSync(new URL('../fixtures/media/picture.png', import.meta.url));
const MP3 = readFileSync(new URL('../fixtures/media/tone-cbr.mp3', import.meta.url));
const LYRICS = Buffer.from(
  JSON.stringify({ taskId: 'abc1', lyrics: 'Sleep now, </script> moon', url: 'https://m.example/1' }),
);

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

function batchIn(path: string): BatchRecord {
  return {
    id: 'b1',
    name: 'Night <one> & "two"',
    headers: ['row', 'operation', 'prompt', 'status'],
    sheet: PLAIN_SHEET,
    settings: { folder: path, profile: DEFAULT_PROFILE, filename: '{row}-{slug}', rehearsal: true },
    state: 'finished',
    createdAt: 0,
    rowCount: 4,
    revision: 0,
    taskCount: 3,
  };
}

function rowOf(id: string, prompt: string, changes: Partial<ExportedRow> = {}): ExportedRow {
  return {
    row: {
      id,
      line: 2,
      operation: 'musicgen/music/generate',
      body: { prompt, tags: ['slow', 'calm'], range: { start_s: 1 } },
      takes: 1,
      priority: 0,
      filename: undefined,
      note: undefined,
      skip: false,
      cells: { row: id, operation: 'music', prompt, status: 'old' },
    },
    status: 'done',
    tasks: [],
    ...changes,
  };
}

function outputOf(path: string, bytes: Buffer, mediaType: string, index = 1): ExportedRow['tasks'][0]['outputs'][0] {
  return { index, path, sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length, mediaType };
}

const ROWS: readonly ExportedRow[] = [
  rowOf('r1', 'A song <img src=x onerror=alert(1)>', {
    tasks: [
      {
        take: 1,
        taskCode: '1234567890123456789',
        status: 'done',
        submittedAt: Date.UTC(2026, 0, 15, 22),
        finishedAt: Date.UTC(2026, 0, 15, 22, 3),
        outputs: [outputOf('music/r1-1.mp3', MP3, 'audio/mpeg'), outputOf('image/r1 50%#.png', PNG, 'image/png', 2)],
      },
    ],
  }),
  rowOf('r2', "=cmd|'/c calc'!A1", {
    status: 'failed',
    failure: failure('MODERATED', 'Refused: "words", <b>bold</b>'),
    tasks: [{ take: 1, taskCode: 't2', status: 'failed', outputs: [], failure: failure('MODERATED', 'Refused') }],
  }),
  rowOf('r3', 'Words', {
    tasks: [
      { take: 1, taskCode: 't3', status: 'done', outputs: [outputOf('data/r3.json', LYRICS, 'application/json')] },
    ],
  }),
  rowOf('-5', 'Not run', { status: 'skipped' }),
];

function waiting(): ExportedRow['tasks'][0] {
  return { take: 1, status: 'queued', outputs: [] };
}

async function put(path: string, bytes: Buffer | string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), bytes);
}

async function exported(into = folder, rows = ROWS): Promise<void> {
  await put('music/r1-1.mp3', MP3);
  await put('image/r1 50%#.png', PNG);
  await put('data/r3.json', LYRICS);
  const data: MediaFolderData = { batch: batchIn(folder), rows, createdAt: Date.UTC(2026, 0, 16, 6) };
  expect(await exportFolder(into, data)).toBeUndefined();
}

/** What the gallery is made of. */
function galleryRows(page: string) {
  return JSON.parse(/id="rows">(?<rows>\[[\s\S]*?\])<\/script>/u.exec(page)?.groups?.['rows'] ?? '[]') as {
    readonly id: string;
    readonly label: string;
    readonly files: readonly { readonly path: string; readonly earlier?: true; readonly asked?: unknown }[];
  }[];
}

function text(name: string): Promise<string> {
  return readFile(join(folder, name), 'utf8');
}

test('documents that are not wanted any more leave the former ones as they are, and nothing beside them', async () => {
  await exported();
  const before = (await readdir(folder, { recursive: true })).toSorted();
  const page = await text('index.html');
  const other = [...ROWS, rowOf('r9', 'New')];
  for (const at of [1, ROWS.length + 2, 2 * other.length]) {
    const wish = new AbortController();
    const seen: number[] = [];
    const onProgress = (done: number): void => {
      seen.push(done);
      if (seen.length === at) wish.abort();
    };
    const data = { batch: { ...batchIn(folder), rowCount: other.length }, rows: other, createdAt: 0 };
    const watch = { signal: wish.signal, onProgress };
    await expect(exportFolder(folder, data, undefined, undefined, watch)).rejects.toThrow(/aborted/u);
    expect(seen.at(-1)).toBe(at);
  }
  expect((await readdir(folder, { recursive: true })).toSorted()).toEqual(before);
  expect(await text('index.html')).toBe(page);
});

describe('a row that is nested without end', () => {
  const deep = (levels: number): string => `${'['.repeat(levels)}"words"${']'.repeat(levels)}`;

  test('in its result has no preview, and takes no document of the others away', async () => {
    const document = Buffer.from(deep(5000));
    await put('data/r5.json', document);
    const output = outputOf('data/r5.json', document, 'application/json');
    const row = rowOf('r5', 'Words', { tasks: [{ take: 1, taskCode: 't5', status: 'done', outputs: [output] }] });
    await exported(folder, [...ROWS, row]);
    const manifest = manifestSchema.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));
    expect(manifest.rows.map(({ row: id }) => id)).toEqual(['r1', 'r2', 'r3', '-5', 'r5']);
    expect(await readFile(join(folder, 'index.html'), 'utf8')).toContain('Sleep now');
  });

  test('in its request is listed with its files, without the request', async () => {
    const body = { prompt: JSON.parse(deep(100_000)) as string };
    const { row, ...rest } = rowOf('r6', 'Words');
    await exported(folder, [...ROWS, { ...rest, row: { ...row, body } }]);
    const manifest = manifestSchema.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));
    expect(manifest.rows.at(-1)).toMatchObject({ row: 'r6', request: {} });
  });
});

describe('the documents', () => {
  test.skipIf(process.platform === 'win32')('are written where a pipe or a link has the name of one', async () => {
    const elsewhere = join(temporaryFolder(), 'theirs.json');
    await writeFile(elsewhere, '{"version":1,"batch":"theirs"}');
    await symlink(elsewhere, join(folder, 'manifest.json'));
    execFileSync('mkfifo', [join(folder, 'manifest.csv')]);
    await exported();
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['manifest.yours.csv', 'manifest.yours.json']));
    expect(await text('manifest.csv')).toContain('row,operation,take');
    expect(await readFile(elsewhere, 'utf8')).toBe('{"version":1,"batch":"theirs"}');
  });

  test('there are four, and no temporary file is left', async () => {
    await exported();
    expect((await readdir(folder)).sort()).toEqual([
      'data',
      'image',
      'index.html',
      'manifest.csv',
      'manifest.json',
      'music',
      'sheet.results.csv',
    ]);
  });

  test('what killed exports have left goes with the next one, and nothing that may be written now', async () => {
    // No system gives such a number to a process.
    const [dead, alive] = [4_194_304, process.ppid].map((pid) => ownMark().replace(`-${process.pid}-`, `-${pid}-`));
    const other = join(folder, 'elsewhere');
    await put(`.index.html.${dead}.tmp`, 'half');
    await put(`.manifest.csv.${alive}.tmp`, 'half');
    await put(`.notes.${dead}.tmp`, 'theirs');
    await put(`elsewhere/music/.${dead}.nocturne-part`, 'half');
    await put(`elsewhere/music/.${alive}.nocturne-part`, 'half');
    await exported();
    await exported(other);
    const hidden = async (path: string): Promise<readonly string[]> =>
      (await readdir(path)).filter((name) => name.startsWith('.')).toSorted();
    expect(await hidden(folder)).toEqual([`.manifest.csv.${alive}.tmp`, `.notes.${dead}.tmp`]);
    expect(await hidden(join(other, 'music'))).toEqual([`.${alive}.nocturne-part`]);
  });

  test('the manifest has the contracted shape, with the request of each row', async () => {
    await exported();
    const manifest = manifestSchema.parse(JSON.parse(await text('manifest.json')));
    expect(manifest).toMatchObject({ version: 1, batch: 'Night <one> & "two"', createdAt: '2026-01-16T06:00:00.000Z' });
    expect(manifest.rows[0]).toEqual({
      row: 'r1',
      operation: 'musicgen/music/generate',
      status: 'done',
      request: { prompt: 'A song <img src=x onerror=alert(1)>', tags: ['slow', 'calm'], range: { start_s: 1 } },
      tasks: [
        {
          take: 1,
          taskCode: '1234567890123456789',
          status: 'done',
          submittedAt: '2026-01-15T22:00:00.000Z',
          finishedAt: '2026-01-15T22:03:00.000Z',
          files: ['music/r1-1.mp3', 'image/r1 50%#.png'],
        },
      ],
    });
    expect(manifest.files.map(({ path, row, take, index, bytes }) => [path, row, take, index, bytes])).toEqual([
      ['music/r1-1.mp3', 'r1', 1, 1, MP3.length],
      ['image/r1 50%#.png', 'r1', 1, 2, PNG.length],
      ['data/r3.json', 'r3', 1, 1, LYRICS.length],
    ]);
  });

  test('the results sheet is the user’s own with results in place of older ones, and harmless to a spreadsheet', async () => {
    await exported();
    const { data } = Papa.parse<string[]>((await text('sheet.results.csv')).replace(/^\uFEFF/u, ''), {
      skipEmptyLines: true,
    });
    expect(data[0]).toEqual(['row', 'operation', 'prompt', 'status', 'files', 'taskCode', 'failure']);
    expect(data[1]?.slice(3)).toEqual(['done', 'music/r1-1.mp3|image/r1 50%#.png', '1234567890123456789', '']);
    expect(data[2]?.slice(2)).toEqual([
      "'=cmd|'/c calc'!A1",
      'failed',
      '',
      't2',
      'MODERATED: Refused: "words", <b>bold</b>',
    ]);
  });

  test('the gallery says of a row that failed what its user can do, not that it is tried again', async () => {
    const gone = { status: 'failed' as const, failure: failure('GATEWAY_UNAVAILABLE', 'No file came.') };
    await exported(folder, [rowOf('r9', 'Gone', { ...gone, tasks: [{ take: 1, outputs: [], ...gone }] })]);
    const page = await text('index.html');
    expect(page).toContain('Retry the row: Nocturne asks the gateway again. Nothing is paid for again.');
    expect(page).not.toContain(FAILURE_POLICIES.GATEWAY_UNAVAILABLE.remedy);
  });

  test('the gallery is English in a window of any language, as the page around it is', async () => {
    const gone = { status: 'failed' as const, failure: failure('GATEWAY_UNAVAILABLE', 'No file came.') };
    const output = { index: 1, path: 'a.png', mediaType: 'image/png', bytes: 1, sha256: '' };
    const flagged = {
      ...gone,
      take: 1,
      outputs: [{ ...output, flags: [{ gate: 'black' as const, message: 'Dark.' }] }],
    };
    const rows = [rowOf('r9', 'Gone', { ...gone, tasks: [flagged] })];
    await exported(folder, rows);
    const page = await text('index.html');
    speakLanguage('zh-Hans');
    onTestFinished(() => speakLanguage('en'));
    await exported(folder, rows);
    expect(await text('index.html')).toBe(page);
  });

  test('the gallery says of an invalid row that it was not sent, and why: no gateway refused it', async () => {
    const problem = 'The id “a1” is already used in line 2. Give this row another id.';
    await exported(folder, [rowOf('r9', 'Twice', { status: 'invalid', failure: failure('INPUT_INVALID', problem) })]);
    expect(galleryRows(await text('index.html'))).toMatchObject([
      { failure: { title: 'Not sent: something is wrong with the row', message: problem } },
    ]);
    expect(await text('index.html')).not.toContain('gateway’s message');
  });

  test('what was made for an earlier content of a row is in the manifest and, marked so, in the gallery; of a removed row in the manifest alone', async () => {
    const [song, , words] = ROWS;
    if (song === undefined || words === undefined) throw new Error('The rows are others.');
    const request = { prompt: 'A song of Lisbon', tags: ['fado'] };
    const earlier = song.tasks.map((task) => ({ ...task, superseded: true as const, request }));
    const edited = rowOf('r1', 'Another song', { status: 'queued', tasks: [...earlier, waiting()] });
    const removed = {
      ...words,
      isRemoved: true as const,
      tasks: words.tasks.map((task) => ({ ...task, superseded: true as const })),
    };
    await exported(folder, [edited, removed]);
    const manifest = manifestSchema.parse(JSON.parse(await text('manifest.json')));
    expect(manifest.rows).toMatchObject([
      {
        row: 'r1',
        status: 'queued',
        tasks: [{ superseded: true, request, files: { length: 2 } }, { status: 'queued' }],
      },
      { row: 'r3', removed: true, tasks: [{ superseded: true }] },
    ]);
    expect(manifest.rows[0]?.tasks[1]).not.toHaveProperty('superseded');
    expect(manifest.files.map(({ path, superseded }) => [path, superseded])).toEqual([
      ['music/r1-1.mp3', true],
      ['image/r1 50%#.png', true],
      ['data/r3.json', true],
    ]);
    expect(await verifyFolder(folder)).toMatchObject({ ok: true, problems: [] });
    const { data } = Papa.parse<string[]>((await text('sheet.results.csv')).replace(/^\uFEFF/u, ''), {
      skipEmptyLines: true,
    });
    expect(data.slice(1).map((line) => [line[0], line[3], line[4], line[5]])).toEqual([['r1', 'queued', '', '']]);
    const rows = galleryRows(await text('index.html'));
    expect(rows.map(({ id, files }) => [id, files.map(({ path, earlier }) => [path, earlier])])).toEqual([
      [
        'r1',
        [
          ['music/r1-1.mp3', true],
          ['image/r1 50%#.png', true],
        ],
      ],
    ]);
  });

  test('in the gallery a file of an earlier content is called by what was asked for then, not by what the row asks for now', async () => {
    const [song] = ROWS;
    if (song === undefined) throw new Error('The rows are others.');
    const request = { prompt: 'A song of Lisbon', tags: ['fado'] };
    const earlier = song.tasks.map((task) => ({ ...task, superseded: true as const, request }));
    const outputs = [outputOf('data/r3.json', LYRICS, 'application/json')];
    const present = { take: 1, taskCode: 'new', status: 'done' as const, outputs };
    await exported(folder, [rowOf('r1', 'A song of Porto', { tasks: [...earlier, present] })]);
    const [row] = galleryRows(await text('index.html'));
    expect(row?.label).toBe('A song of Porto');
    expect(row?.files.map(({ path, earlier: isEarlier, asked }) => [path, isEarlier, asked])).toEqual([
      ['data/r3.json', undefined, undefined],
      ...['music/r1-1.mp3', 'image/r1 50%#.png'].map((path) => [
        path,
        true,
        {
          operation: expect.any(String) as unknown,
          label: 'A song of Lisbon',
          prompt: 'A song of Lisbon',
          fields: [
            ['prompt', 'A song of Lisbon'],
            ['tags', 'fado'],
          ],
        },
      ]),
    ]);
  });

  test('a row that is done needs a file that was made for it as it is', async () => {
    const [song] = ROWS;
    if (song === undefined) throw new Error('The rows are others.');
    const earlier = song.tasks.map((task) => ({ ...task, superseded: true as const }));
    await exported(folder, [{ ...song, tasks: [...earlier, { ...waiting(), status: 'done' }] }]);
    expect((await verifyFolder(folder)).problems).toMatchObject([{ kind: 'done-without-file', row: 'r1' }]);
  });

  test('manifest.csv has one line for each file', async () => {
    await exported();
    const { data } = Papa.parse<string[]>((await text('manifest.csv')).replace(/^\uFEFF/u, ''), {
      skipEmptyLines: true,
    });
    expect(data.map((line) => line[4])).toEqual(['path', 'music/r1-1.mp3', 'image/r1 50%#.png', 'data/r3.json']);
  });

  test('a second export replaces them; a stranger’s file of the same name is kept beside', async () => {
    await put('index.html', '<h1>My page</h1>');
    await exported();
    await exported();
    expect((await readdir(folder)).filter((name) => name.includes('yours'))).toEqual(['index.yours.html']);
    expect(await text('index.yours.html')).toBe('<h1>My page</h1>');
    expect(await text('index.html')).toContain('Nocturne');
  });

  test.each([
    ['a sheet of the user’s', 'row,prompt,status\r\nr1,"status,files,taskCode,failure",done\r\n'],
    ['an empty file', ''],
  ])('the results sheet does not replace %s, which is kept beside', async (_, theirs) => {
    await put('sheet.results.csv', theirs);
    await exported();
    await exported();
    expect((await readdir(folder)).filter((name) => name.includes('yours'))).toEqual(['sheet.results.yours.csv']);
    expect(await text('sheet.results.yours.csv')).toBe(theirs);
    expect(await text('sheet.results.csv')).toContain('taskCode');
  });

  test.each([
    ['as it was, of another batch', '\uFEFFtitle,"a, ""b""\r\nc",status,files,taskCode,failure\r\n'],
    ['saved by a spreadsheet program', 'row;prompt;"status";files;taskCode;failure;mine\n'],
    ['of a wide sheet', `\uFEFF${'a long header,'.repeat(2_000)}status,files,taskCode,failure\r\n`],
  ])('the results sheet replaces an earlier one of ours: %s', async (_, ours) => {
    await put('sheet.results.csv', ours);
    await exported();
    expect((await readdir(folder)).filter((name) => name.includes('yours'))).toEqual([]);
    expect(await text('sheet.results.csv')).toContain('prompt');
  });

  test('a folder with an identity that has just gone is not made again in its place', async () => {
    const away = join(folder, 'away');
    const { settings, ...batch } = batchIn(away);
    const known = { ...batch, settings: { ...settings, folderIdentity: '0b6ff8d2-2f0e-4a55-9d58-1f6a3c9f7f10' } };
    expect(await exportFolder(away, { batch: known, rows: [], createdAt: 0 })).toMatchObject({
      message: `${away} cannot be used: it is missing (was a disk unplugged?).`,
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('a folder that cannot be made is a failure in words', async () => {
    await put('file', '');
    const data: MediaFolderData = { batch: batchIn(folder), rows: [], createdAt: 0 };
    expect(await exportFolder(join(folder, 'file', 'sub'), data)).toMatchObject({ code: 'DISK_DENIED' });
  });
});

describe('the gallery', () => {
  test('words of strangers stand in it as data only, and nothing is loaded from a network', async () => {
    await exported();
    const page = await text('index.html');
    expect(page).not.toContain('<img src=x');
    expect(page).not.toContain('</script> moon');
    expect(page).not.toContain('<b>bold');
    expect(page).toContain('<h1>Night &lt;one&gt; &amp; &quot;two&quot;</h1>');
    expect(page.match(/(?:src|href)="(?:https?:)?\/\//gu)).toBeNull();
  });

  test('its policy allows exactly the style and the script that are in it', async () => {
    await exported();
    const page = await text('index.html');
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/u.exec(page)?.[1] ?? '';
    const hash = (part: string | undefined): string =>
      `'sha256-${createHash('sha256')
        .update(part ?? '')
        .digest('base64')}'`;
    expect(policy).toContain(`style-src ${hash(/<style>([\s\S]*?)<\/style>/u.exec(page)?.[1])};`);
    expect(policy).toContain(`script-src ${hash(/<script>([\s\S]*?)<\/script>/u.exec(page)?.[1])};`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
  });

  test('its script compiles, and holds nothing that would end it early', async () => {
    await exported();
    const script = /<script>([\s\S]*?)<\/script>/u.exec(await text('index.html'))?.[1] ?? '';
    expect(() => new Script(script)).not.toThrow();
    expect(script.trimEnd().endsWith('})();')).toBe(true);
  });

  test('what the user and the gates say of a file is in it, and of the others nothing', async () => {
    const said = { kept: true, rating: 0, note: 'the <b>calm</b> one', pickedAt: 7 };
    const flags = [{ gate: 'black' as const, message: 'It is black for 90%.' }];
    const outputs = [
      { ...outputOf('music/r1-1.mp3', MP3, 'audio/mpeg'), verdict: said, flags },
      { ...outputOf('image/r1 50%#.png', PNG, 'image/png', 2), verdict: { kept: false, pickedAt: 3 }, flags: [] },
    ];
    await exported(folder, [
      rowOf('r1', 'A song', { tasks: [{ take: 1, status: 'done', outputs }] }),
      ...ROWS.slice(1),
    ]);
    const [first, , third] = galleryRows(await text('index.html'));
    expect(first?.files).toMatchObject([
      { kept: true, rating: 0, said: said.note, picked: true, flags: [['Black picture', 'It is black for 90%.']] },
      { kept: false },
    ]);
    const nothing = ['rating', 'said', 'picked', 'flags'];
    for (const name of nothing) expect(first?.files[1]).not.toHaveProperty(name);
    for (const name of ['kept', ...nothing]) expect(third?.files[0]).not.toHaveProperty(name);
  });

  test('of a document without words the numbers are shown', async () => {
    const beats = Buffer.from(JSON.stringify({ taskId: 'a-1', message: '[0.5,1]', addTime: '2026-01-15 22:00:00' }));
    await put('data/r5.json', beats);
    const outputs = [outputOf('data/r5.json', beats, 'application/json')];
    const rows = [rowOf('r5', '', { tasks: [{ take: 1, status: 'done', outputs }] })];
    await exportFolder(folder, { batch: batchIn(folder), rows, createdAt: 0 });
    expect(await text('index.html')).toContain(String.raw`\"message\": [\n    0.5,\n    1\n  ]`);
  });

  test('addresses of files are relative and encoded, failures are explained, documents can be read', async () => {
    await exported();
    const json = /id="rows">([\s\S]*?)<\/script>/u.exec(await text('index.html'))?.[1] ?? '';
    const rows = JSON.parse(json) as readonly { files: readonly Record<string, unknown>[]; failure?: unknown }[];
    expect(rows[0]?.files[1]).toMatchObject({ url: 'image/r1%2050%25%23.png', kind: 'image' });
    expect(rows[1]?.failure).toMatchObject({
      title: 'Refused by moderation',
      message: 'Refused: "words", <b>bold</b>',
    });
    expect(rows[2]?.files[0]).toMatchObject({ kind: 'data', text: 'Sleep now, </script> moon' });
  });
});

describe('into another folder', () => {
  test('the files come along, and the copy proves itself', async () => {
    const other = join(folder, 'elsewhere');
    await exported(other);
    const report = await verifyFolder(other);
    expect(report).toMatchObject({ ok: true, files: 3, verified: 3, problems: [], extras: [] });
    await exported(other);
    expect(await verifyFolder(other)).toMatchObject({ ok: true });
  });

  test('a file that was changed does not come along', async () => {
    await exported();
    await appendFile(join(folder, 'music/r1-1.mp3'), 'x');
    const data: MediaFolderData = { batch: batchIn(folder), rows: ROWS, createdAt: 0 };
    const other = join(folder, 'elsewhere');
    expect(await exportFolder(other, data)).toMatchObject({ code: 'OUTPUT_UNVERIFIABLE' });
    expect(await readdir(other)).toEqual(['music']);
  });

  test('a file that is there already and is another one is not replaced', async () => {
    await put('elsewhere/music/r1-1.mp3', 'mine');
    await put('music/r1-1.mp3', MP3);
    const data: MediaFolderData = { batch: batchIn(folder), rows: ROWS, createdAt: 0 };
    expect(await exportFolder(join(folder, 'elsewhere'), data)).toMatchObject({ code: 'DISK_DENIED' });
    expect(await text('elsewhere/music/r1-1.mp3')).toBe('mine');
  });
});

describe('verify', () => {
  test('an untouched folder passes, and says what it holds', async () => {
    await exported();
    expect(await verifyFolder(folder)).toEqual({
      ok: true,
      folder,
      batch: 'Night <one> & "two"',
      createdAt: '2026-01-16T06:00:00.000Z',
      files: 3,
      verified: 3,
      bytes: MP3.length + PNG.length + LYRICS.length,
      rows: { done: 2, failed: 1, skipped: 1 },
      problems: [],
      extras: [],
    });
  });

  test('every change to a file is found', async () => {
    await exported();
    const damaged = Buffer.from(MP3);
    damaged[1000] = (damaged[1000] ?? 0) ^ 1;
    await put('music/r1-1.mp3', damaged);
    await put('image/r1 50%#.png', PNG.subarray(1));
    await rm(join(folder, 'data/r3.json'));
    const report = await verifyFolder(folder);
    expect(report).toMatchObject({ ok: false, files: 3, verified: 0 });
    expect(report.problems.map(({ kind, path, row }) => [kind, path, row])).toEqual([
      ['hash-differs', 'music/r1-1.mp3', 'r1'],
      ['size-differs', 'image/r1 50%#.png', 'r1'],
      ['file-missing', 'data/r3.json', 'r3'],
    ]);
  });

  test('files that are not listed are named and are no problem; what was set aside is not named', async () => {
    await exported();
    await put('music/mine.mp3', 'x');
    await put('notes.txt', 'x');
    await put('set-aside/r9.txt', 'x');
    expect(await verifyFolder(folder)).toMatchObject({ ok: true, extras: ['music/mine.mp3', 'notes.txt'] });
  });

  async function withManifest(change: (manifest: Record<string, unknown>) => void): Promise<readonly string[]> {
    await exported();
    const manifest = JSON.parse(await text('manifest.json')) as Record<string, unknown>;
    change(manifest);
    await put('manifest.json', JSON.stringify(manifest));
    return (await verifyFolder(folder)).problems.map((problem) => problem.kind);
  }

  function filesOf(manifest: Record<string, unknown>): Record<string, unknown>[] {
    return manifest['files'] as Record<string, unknown>[];
  }

  test('paths that lead out are never read', async () => {
    for (const path of ['../secret', '/etc/passwd', 'music/../../secret', 'music\\..\\x', 'C:\\x', '.']) {
      const kinds = await withManifest((manifest) => Object.assign(filesOf(manifest)[0] ?? {}, { path }));
      expect([path, kinds.filter((kind) => kind === 'path-outside').length]).toEqual([path, 1]);
    }
  });

  test('a link that leads out is refused though its content is right', async () => {
    const outside = temporaryFolder();
    await exported();
    await writeFile(join(outside, 'r1-1.mp3'), MP3);
    await rm(join(folder, 'music'), { recursive: true });
    await symlink(outside, join(folder, 'music'));
    expect((await verifyFolder(folder)).problems).toMatchObject([{ kind: 'path-outside', path: 'music/r1-1.mp3' }]);
  });

  test('a path listed twice, a file that no list knows, and a done row without a file are problems', async () => {
    expect(
      await withManifest((manifest) => filesOf(manifest).push({ ...filesOf(manifest)[0], path: 'MUSIC/r1-1.mp3' })),
    ).toContain('path-twice');
    expect(await withManifest((manifest) => filesOf(manifest).pop())).toEqual(['not-listed']);
    const kinds = await withManifest((manifest) => {
      (manifest['rows'] as { status: string }[]).forEach((row) => (row.status = 'done'));
    });
    expect(kinds).toEqual(['done-without-file', 'done-without-file']);
  });

  test('a missing, broken or newer manifest is said in words', async () => {
    const missing = { ok: false, problems: [{ kind: 'manifest-missing' }] };
    expect(await verifyFolder(folder)).toMatchObject(missing);
    await put('night.zip', 'a file, not a folder');
    expect(await verifyFolder(join(folder, 'night.zip'))).toMatchObject(missing);
    await put('manifest.json', '{"version":1,"batch":');
    expect(await verifyFolder(folder)).toMatchObject({ ok: false, problems: [{ kind: 'manifest-invalid' }] });
    expect(await withManifest((manifest) => Object.assign(manifest, { version: 2 }))).toEqual(['manifest-invalid']);
    expect(await withManifest((manifest) => Object.assign(manifest, { later: true }))).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')(
    'a manifest that is a pipe or a link is refused, not waited for',
    async () => {
      execFileSync('mkfifo', [join(folder, 'manifest.json')]);
      const refusal = { ok: false, problems: [{ kind: 'manifest-invalid' }] };
      expect(await verifyFolder(folder)).toMatchObject(refusal);
      await rm(join(folder, 'manifest.json'));
      await symlink('/dev/zero', join(folder, 'manifest.json'));
      const report = await verifyFolder(folder);
      expect(report).toMatchObject(refusal);
      expect(report.problems[0]?.message).toContain('manifest.json is a link, a pipe, a device or a folder');
    },
  );

  test.skipIf(process.platform === 'win32')('a pipe under the name of a listed file is no file', async () => {
    await exported();
    await rm(join(folder, 'music/r1-1.mp3'));
    execFileSync('mkfifo', [join(folder, 'music/r1-1.mp3')]);
    expect((await verifyFolder(folder)).problems).toMatchObject([{ kind: 'file-missing', path: 'music/r1-1.mp3' }]);
  });

  test.each(['[', '{"a":', '[0,', '[[],'])(
    'a manifest of millions of %s is refused before it is read',
    async (part) => {
      await put('manifest.json', part.repeat(11_000_000));
      expect((await verifyFolder(folder)).problems).toMatchObject([{ kind: 'manifest-too-large' }]);
    },
  );

  test('of millions of bad members of a list, the first is named', async () => {
    const zeros = `[${'0,'.repeat(3_000_000)}0]`;
    await put('manifest.json', `{"version":1,"batch":"b","createdAt":"","rows":[],"files":${zeros}}`);
    const { problems } = await verifyFolder(folder);
    expect(problems).toMatchObject([{ kind: 'manifest-invalid' }]);
    expect(problems[0]?.message).toContain('files.0: Invalid input: expected object');
  });

  test('a manifest that is nested without end, or counts what every object has, is read like any other', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    await exported();
    const manifest = JSON.parse(await text('manifest.json')) as { rows: { status: string; request?: unknown }[] };
    manifest.rows.forEach((row, index) => {
      row.request = { prompt: 'DEEP' };
      row.status = index === 0 ? '__proto__' : 'constructor';
    });
    await put('manifest.json', JSON.stringify(manifest).replaceAll('"DEEP"', deep));
    const report = await verifyFolder(folder);
    expect(report.problems).toEqual([]);
    expect(Object.entries(report.rows)).toEqual([
      ['__proto__', 1],
      ['constructor', manifest.rows.length - 1],
    ]);
  });
});
