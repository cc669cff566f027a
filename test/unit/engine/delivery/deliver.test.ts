import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { unzipSync } from 'fflate';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type * as WriteTimeline from '../../../../src/engine/delivery/write-timeline.ts';
import { deliver, type DeliveryRun, type DeliveryWish } from '../../../../src/engine/delivery/deliver.ts';
import { ownMark } from '../../../../src/engine/own-mark.ts';
import type { Failure } from '../../../../src/shared/domain/base/failure.ts';
import type { DataPackage } from '../../../../src/shared/domain/delivery/data-package.ts';
import { deliveryListOf } from '../../../../src/shared/domain/delivery/delivery-item.ts';
import {
  deliveryOutcome,
  deliveryWords,
  type DeliveryProgress,
} from '../../../../src/shared/domain/delivery/delivery-report.ts';
import { nameColumnsOf } from '../../../../src/shared/domain/files/name-template.ts';
import { PLAIN_SHEET, type BatchRecord } from '../../../../src/shared/domain/task/batch.ts';
import type { ExportedRow, ExportedTask } from '../../../../src/shared/domain/task/views/exported-row.ts';
import { DEFAULT_PROFILE } from '../../../../src/shared/domain/gateway/profile.ts';
import type { Verdict } from '../../../../src/shared/domain/review/verdict.ts';
import { exiftoolTags, mutagenTags } from '../../../support/other-programs.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** What happens while the lengths of films are read. */
const timeline = vi.hoisted(() => ({ meanwhile: async (): Promise<void> => undefined }));

vi.mock('../../../../src/engine/delivery/write-timeline.ts', async (original) => {
  const { writeTimeline } = await original<typeof WriteTimeline>();
  const write: typeof writeTimeline = async (...args) => {
    await timeline.meanwhile();
    return writeTimeline(...args);
  };
  return { writeTimeline: write };
});

const MEDIA = new URL('../../../fixtures/media/', import.meta.url);
const [MP3, MP4, PNG] = ['tone-cbr.mp3', 'clip.mp4', 'picture.png'].map((name) => readFileSync(new URL(name, MEDIA)));
const LYRICS = Buffer.from(JSON.stringify({ lyrics: 'Sleep now,\nmoon of 夜' }));

/** A number that no system gives to a process. */
const NO_PROCESS = 4_194_304;

/** What another process of this machine has in the names of its unfinished files. */
function markOf(pid: number): string {
  return ownMark().replace(`-${process.pid}-`, `-${pid}-`);
}

let media: string;
let out: string;

beforeEach(() => {
  media = temporaryFolder();
  out = join(temporaryFolder(), 'delivered');
});

function batch(): BatchRecord {
  return {
    id: 'b1',
    name: 'Night',
    headers: ['row', 'operation', 'title', 'prompt', 'mood'],
    sheet: PLAIN_SHEET,
    settings: { folder: media, profile: DEFAULT_PROFILE, filename: '{row}-{slug}', rehearsal: true },
    state: 'finished',
    createdAt: 0,
    rowCount: 4,
    revision: 0,
    taskCount: 4,
  };
}

interface Given {
  readonly operation?: ExportedRow['row']['operation'];
  readonly body?: ExportedRow['row']['body'];
  readonly links?: ExportedRow['row']['links'];
  readonly cells?: Readonly<Record<string, string>>;
  readonly takes: readonly (Partial<ExportedTask> & {
    readonly path: string;
    readonly bytes: Buffer | undefined;
    readonly mediaType: string;
    readonly verdict?: Verdict;
  })[];
  readonly isRemoved?: true;
}

/** A row whose files lie in the media folder. */
function rowOf(
  id: string,
  { operation = 'musicgen/music/generate', body = {}, links, cells = {}, takes, isRemoved }: Given,
): ExportedRow {
  const tasks = takes.map(({ path, bytes = Buffer.alloc(0), mediaType, verdict, ...task }, at): ExportedTask => {
    mkdirSync(dirname(join(media, path)), { recursive: true });
    writeFileSync(join(media, path), bytes);
    const output = { index: 1, path, sha256: sha256(bytes), bytes: bytes.length, mediaType };
    return {
      take: at + 1,
      taskCode: `${id}-code-${at}`,
      status: 'done',
      outputs: [verdict === undefined ? output : { ...output, verdict }],
      ...task,
    };
  });
  return {
    row: {
      id,
      line: 2,
      operation,
      body,
      takes: takes.length,
      priority: 0,
      filename: undefined,
      note: undefined,
      skip: false,
      cells: { row: id, ...cells },
      ...(links === undefined ? {} : { links }),
    },
    status: 'done',
    tasks,
    ...(isRemoved === undefined ? {} : { isRemoved }),
  };
}

const song = (path: string, verdict?: Verdict): Given['takes'][number] => ({
  path,
  bytes: MP3,
  mediaType: 'audio/mpeg',
  ...(verdict === undefined ? {} : { verdict }),
});

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function run(
  rows: readonly ExportedRow[] | (() => readonly ExportedRow[]),
  wish: Partial<DeliveryWish> = {},
  given: Partial<DeliveryRun> = {},
): ReturnType<typeof deliver> {
  const all = { folder: out, isKeptOnly: false, hasTags: false, hasSidecars: false, hasTimeline: false, isZip: false };
  async function* exportRows(): AsyncIterable<ExportedRow> {
    yield* typeof rows === 'function' ? rows() : rows;
  }
  return deliver(batch(), { exportRows }, {}, { ...all, ...wish }, { now: 0, batches: [batch()], ...given });
}

async function reportOf(rows: readonly ExportedRow[], wish: Partial<DeliveryWish> = {}) {
  const delivered = await run(rows, wish);
  if (!delivered.ok) throw new Error(delivered.error.message);
  return delivered.value;
}

async function failureOf(rows: readonly ExportedRow[], wish: Partial<DeliveryWish> = {}): Promise<Failure> {
  const delivered = await run(rows, wish);
  if (delivered.ok) throw new Error('It was delivered');
  return delivered.error;
}

/** Every file, inside the folder; what is hidden counts. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

function packageIn(folder: string): DataPackage {
  return JSON.parse(readFileSync(join(folder, 'datapackage.json'), 'utf8')) as DataPackage;
}

describe('copies', () => {
  test('lie where the originals lie, and are told of in the package', async () => {
    const rows = [
      rowOf('r1', { body: { title: 'Moon', prompt: 'a moon', model: 'm1' }, takes: [song('music/r1-moon.mp3')] }),
      rowOf('r2', { takes: [song('music/r2.mp3', { kept: true, rating: 3, note: 'soft' })] }),
    ];
    const before = filesIn(media).map((file) => [file, statSync(join(media, file)).mtimeMs]);
    expect(await reportOf(rows)).toMatchObject({ added: ['music/r1-moon.mp3', 'music/r2.mp3'], had: 0 });
    expect(filesIn(out)).toEqual(['datapackage.json', 'music/r1-moon.mp3', 'music/r2.mp3']);
    expect(filesIn(media).map((file) => [file, statSync(join(media, file)).mtimeMs])).toEqual(before);
    const hash = `sha256:${sha256(MP3 ?? Buffer.alloc(0))}`;
    expect(packageIn(out)).toMatchObject({
      profile: 'data-package',
      resources: [
        {
          path: 'music/r1-moon.mp3',
          hash,
          original: hash,
          mediatype: 'audio/mpeg',
          title: 'Moon',
          prompt: 'a moon',
          row: 'r1',
          take: 1,
        },
        { path: 'music/r2.mp3', hash, rating: 3, note: 'soft', kept: true },
      ],
    });
  });

  test('are of the files that were kept, also of earlier versions; without --kept, of none of those', async () => {
    const rows = [
      rowOf('r1', {
        takes: [song('music/a.mp3', { kept: true }), song('music/b.mp3', { kept: false }), song('music/c.mp3')],
      }),
      rowOf('r2', { takes: [{ ...song('music/old.mp3', { kept: true }), superseded: true }, song('music/new.mp3')] }),
      rowOf('r3', { takes: [song('music/gone.mp3')], isRemoved: true }),
    ];
    expect(await reportOf(rows, { isKeptOnly: true })).toMatchObject({
      added: ['music/a.mp3', 'music/old.mp3'],
      unkept: 3,
    });
    expect(filesIn(out)).toEqual(['datapackage.json', 'music/a.mp3', 'music/old.mp3']);
    out = join(temporaryFolder(), 'all');
    expect(await reportOf(rows)).toMatchObject({
      added: ['music/a.mp3', 'music/b.mp3', 'music/c.mp3', 'music/new.mp3'],
      unkept: 0,
    });
  });

  test('are named by a template with folders, safe, and one beside the other', async () => {
    const rows = [
      rowOf('r1', {
        cells: { mood: 'Calm/../../x' },
        body: { title: 'CON' },
        takes: [song('m/1.mp3'), song('m/2.mp3')],
      }),
      rowOf('r2', { cells: { mood: '' }, body: { title: 'datapackage' }, takes: [song('m/3.mp3')] }),
      rowOf('r3', { cells: { mood: 'calm-..-..-X' }, body: { title: 'con' }, takes: [song('m/4.mp3')] }),
    ];
    await reportOf(rows, { template: '{mood}/{operation}/{title}' });
    expect(filesIn(out)).toEqual([
      'Calm-..-..-x/music/CON-take1.mp3',
      'Calm-..-..-x/music/CON-take2.mp3',
      'calm-..-..-X/music/_con.mp3',
      'datapackage.json',
      'other/music/datapackage.mp3',
    ]);
    out = join(temporaryFolder(), 'flat');
    await reportOf(rows, { template: 'same' });
    expect(filesIn(out)).toEqual(['datapackage.json', 'same-2.mp3', 'same-take1.mp3', 'same-take2.mp3', 'same.mp3']);
  });

  test('are named by every column that a template may name, however its header is written', async () => {
    const headers = ['row', 'operation', ' Mood ', 'Comment'];
    const rows = [rowOf('r1', { cells: { ' Mood ': 'calm', Comment: 'first' }, takes: [song('music/r1.mp3')] })];
    const columns = nameColumnsOf({ headers, sheet: PLAIN_SHEET });
    const template = columns
      .filter((column) => column !== 'operation')
      .map((column) => `{${column}}`)
      .join('-');
    expect(template).toBe('{Mood}-{Comment}-{note}');
    const list = await deliveryListOf({ ...batch(), headers }, rows, { isKeptOnly: false, template });
    expect(list.items.map(({ place }) => place.stem)).toEqual(['calm-first-first']);
  });

  test('replace nothing, whatever lies there, and leave the folder by no link', async () => {
    mkdirSync(join(out, 'music'), { recursive: true });
    writeFileSync(join(out, 'music', 'r1.mp3'), 'mine');
    const rows = [rowOf('r1', { takes: [song('music/r1.mp3')] })];
    expect(await reportOf(rows)).toMatchObject({ added: ['music/r1-2.mp3'] });
    expect(readFileSync(join(out, 'music', 'r1.mp3'), 'utf8')).toBe('mine');
    const elsewhere = temporaryFolder();
    out = temporaryFolder();
    symlinkSync(elsewhere, join(out, 'music'));
    const link = join(out, 'music');
    expect(await failureOf(rows)).toMatchObject({
      code: 'DISK_DENIED',
      message: `${out} cannot be used: ${link} leads out of the folder of the delivery through a link.`,
    });
    expect(filesIn(elsewhere)).toEqual([]);
    rmSync(elsewhere, { recursive: true });
    const inTheWay = `${out} cannot be used: ${link} is a file, or a link that leads nowhere, where a folder should be.`;
    expect(await failureOf(rows)).toMatchObject({ message: inTheWay });
    rmSync(link);
    writeFileSync(link, 'theirs');
    expect(await failureOf(rows)).toMatchObject({ message: inTheWay });
    expect(await failureOf(rows, { template: 'music/{operation}/{row}' })).toMatchObject({ message: inTheWay });
    out = link;
    expect(await failureOf(rows)).toMatchObject({
      message: `${link} cannot be used: something that is not a folder, such as a file or a pipe, has its name.`,
    });
  });

  test('are of the verified file or of none: a changed original is named, and keeps no other file back', async () => {
    const rows = ['r1', 'r2', 'r3'].map((id) => rowOf(id, { takes: [song(`music/${id}.mp3`)] }));
    const original = join(media, 'music', 'r2.mp3');
    const bytes = readFileSync(original);
    writeFileSync(original, Buffer.concat([bytes.subarray(0, -1), Buffer.from([7])]));
    expect(await failureOf(rows, { hasTags: true })).toMatchObject({ code: 'OUTPUT_UNVERIFIABLE' });
    expect(filesIn(out)).toEqual(['datapackage.json', 'music/r1.mp3', 'music/r3.mp3']);
    writeFileSync(original, bytes);
    expect(await reportOf(rows, { hasTags: true })).toMatchObject({ had: 2, added: ['music/r2.mp3'] });
  });
});

describe('again', () => {
  const two = (): readonly ExportedRow[] => ['r1', 'r2'].map((id) => rowOf(id, { takes: [song(`music/${id}.mp3`)] }));

  test('only what is new is added, whatever it is called now; what is gone comes back', async () => {
    await reportOf(two(), { hasTags: true });
    const before = statSync(join(out, 'music/r1.mp3')).mtimeMs;
    const three = [...two(), rowOf('r3', { takes: [song('music/r3.mp3')] })];
    expect(await reportOf(three, { template: 'all/{row}' })).toMatchObject({ added: ['all/r3.mp3'], had: 2 });
    expect(statSync(join(out, 'music/r1.mp3')).mtimeMs).toBe(before);
    expect(packageIn(out).resources.map(({ path }) => path)).toEqual(['music/r1.mp3', 'music/r2.mp3', 'all/r3.mp3']);
    rmSync(join(out, 'music/r2.mp3'));
    writeFileSync(join(out, 'all/r3.mp3'), 'edited');
    expect(await reportOf(three)).toMatchObject({ added: ['music/r2.mp3'], had: 2, changed: ['all/r3.mp3'] });
    expect(packageIn(out).resources).toHaveLength(3);
    expect(readFileSync(join(out, 'all/r3.mp3'), 'utf8')).toBe('edited');
  });

  test('with XMP, what is there gets it; with tags, what stays without is counted, and what to do', async () => {
    await reportOf(two());
    const again = await reportOf(two(), { hasTags: true, hasSidecars: true });
    expect(again).toMatchObject({ added: [], had: 2, sidecars: 2, tagless: 2 });
    expect(deliveryOutcome(again)).toBe('delivered');
    expect(deliveryWords(again, 'terminal')).toContain(
      '2 files delivered before stay without tags: nothing is replaced. For tags, deliver to another folder, or delete them here first.',
    );
    expect(packageIn(out).resources.map(({ path, sidecar }) => [path, sidecar])).toEqual([
      ['music/r1.mp3', 'music/r1.mp3.xmp'],
      ['music/r2.mp3', 'music/r2.mp3.xmp'],
    ]);
    expect(readFileSync(join(out, 'music/r2.mp3.xmp'), 'utf8')).toContain('trainedAlgorithmicMedia');
    expect(readFileSync(join(out, 'music/r1.mp3'))).toEqual(MP3);
    expect(await reportOf(two(), { hasTags: true, hasSidecars: true })).toMatchObject({ sidecars: 0, tagless: 0 });
  });

  test('no XMP goes beside what was changed, or in the place of another file', async () => {
    await reportOf(two());
    writeFileSync(join(out, 'music/r1.mp3'), Buffer.alloc(MP3?.length ?? 0));
    writeFileSync(join(out, 'music/r2.mp3.xmp'), 'theirs');
    const again = await reportOf(two(), { hasSidecars: true });
    expect(again).toMatchObject({ sidecars: 0, changed: ['music/r1.mp3'], noSidecars: ['music/r2.mp3'] });
    expect(readFileSync(join(out, 'music/r2.mp3.xmp'), 'utf8')).toBe('theirs');
    expect(existsSync(join(out, 'music/r1.mp3.xmp'))).toBe(false);
    expect(packageIn(out).resources.every(({ sidecar }) => sidecar === undefined)).toBe(true);
  });

  test('files of an export that was killed before it listed them are taken for what they are', async () => {
    for (const hasTags of [false, true]) {
      out = join(temporaryFolder(), 'killed');
      await reportOf(two(), { hasTags, hasSidecars: true, hasTimeline: true });
      rmSync(join(out, 'datapackage.json'));
      mkdirSync(join(out, '.nocturne-delivery'));
      writeFileSync(join(out, '.nocturne-delivery', `${markOf(NO_PROCESS)}left`), 'half of a file');
      const files = filesIn(out).filter((file) => !file.startsWith('.'));
      await reportOf(two(), { hasTags, hasSidecars: true, hasTimeline: true });
      expect(filesIn(out)).toEqual(['datapackage.json', ...files]);
    }
  });

  test('a room for parts that is a link is refused, and nothing is removed where it leads', async () => {
    const elsewhere = temporaryFolder();
    const old = join(elsewhere, '00000000-1-0b6ff8d2-2f0e-4a55-9d58-1f6a3c9f7f10');
    writeFileSync(old, 'theirs');
    utimesSync(old, 0, 0);
    mkdirSync(out);
    symlinkSync(elsewhere, join(out, '.nocturne-delivery'));
    expect(await failureOf(two())).toMatchObject({ message: expect.stringContaining('.nocturne-delivery') as string });
    expect(existsSync(old)).toBe(true);
  });

  test('what is not ours among the parts stays there', async () => {
    const room = join(out, '.nocturne-delivery');
    mkdirSync(room, { recursive: true });
    writeFileSync(join(room, 'notes.txt'), 'theirs');
    utimesSync(join(room, 'notes.txt'), 0, 0);
    await reportOf(two());
    expect(existsSync(join(room, 'notes.txt'))).toBe(true);
  });

  test('a folder that is not for deliveries is refused, and left as it is', async () => {
    mkdirSync(out);
    writeFileSync(join(out, 'datapackage.json'), '{"name":"theirs","resources":[]}');
    expect(await failureOf(two())).toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('not a package that') as string,
    });
    expect(filesIn(out)).toEqual(['datapackage.json']);
  });
});

describe('a media folder', () => {
  const rows = (): readonly ExportedRow[] => [
    rowOf('r1', { cells: { mood: 'calm' }, takes: [song('music/r1.mp3', { kept: true })] }),
  ];
  /** Everything below a folder, links as such. */
  const all = (folder: string): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const refusal = async (folder: string, wish: Partial<DeliveryWish> = {}, given?: Partial<DeliveryRun>) => {
    const before = [all(media), all(dirname(media))];
    const delivered = await run(rows(), { folder, ...wish }, given);
    expect([all(media), all(dirname(media))]).toEqual(before);
    return delivered.ok ? 'delivered' : `${delivered.error.code}: ${delivered.error.message}`;
  };

  beforeEach(() => {
    media = join(temporaryFolder(), 'media');
    rows();
  });

  test('takes no delivery, itself or inside, by whatever way', async () => {
    const links = temporaryFolder();
    symlinkSync(media, join(links, 'link'));
    symlinkSync(join(media, 'music'), join(links, 'songs'));
    for (const folder of [media, `${media}/`, join(links, 'link')])
      expect(await refusal(folder)).toBe(
        `INPUT_INVALID: ${folder} is the media folder of “Night”: a delivery goes into a folder of its own, outside the media folder.`,
      );
    for (const folder of [join(media, 'new', 'one'), join(links, 'link', 'new'), join(links, 'songs')])
      expect(await refusal(folder)).toContain(`is inside the media folder of “Night”, ${media}:`);
    // A folder that the delivery would use, too.
    out = temporaryFolder();
    symlinkSync(media, join(out, 'music'));
    expect(await refusal(out)).toContain(`${join(out, 'music')} is the media folder of “Night”`);
    expect(await refusal(join(media, 'night.zip'), { isZip: true })).toContain('is the media folder of “Night”');
    // The batch may know its folder by a link.
    const real = `${media}-real`;
    renameSync(media, real);
    symlinkSync(real, media);
    expect(await refusal(join(real, 'new'))).toContain(`is inside the media folder of “Night”, ${real}:`);
  });

  test('is in nobody’s way where the names lead elsewhere, and refused where they lead into it', async () => {
    const above = dirname(media);
    expect(await refusal(above, { template: 'media/{row}' })).toContain(`${media} is the media folder of “Night”`);
    expect(await reportOf(rows(), { folder: above, template: '{mood}/{row}' })).toMatchObject({
      added: ['calm/r1.mp3'],
    });
  });

  test('of another batch is refused by its name, and by its mark where the name is not known', async () => {
    const other = temporaryFolder();
    const named = { id: 'b2', name: 'Second', settings: { ...batch().settings, folder: join(other, 'away') } };
    mkdirSync(join(other, 'away'));
    expect(await refusal(join(other, 'away', 'x'), {}, { batches: [batch(), named] })).toContain('of “Second”');
    const folderIdentity = '7f7b5f0e-0d0b-4c39-9a61-6d4a6ee2f9a1';
    writeFileSync(join(other, '.nocturne-folder.json'), JSON.stringify({ version: 1, folder: folderIdentity }));
    const moved = { ...named, settings: { ...named.settings, folder: '/elsewhere', folderIdentity } };
    expect(await refusal(join(other, 'x'), {}, { batches: [batch(), moved] })).toContain(`of “Second”, ${other}`);
    expect(await refusal(other)).toContain(`${other} is the media folder of a batch:`);
  });
});

describe('a delivery that is watched', () => {
  const three = (): readonly ExportedRow[] =>
    ['r1', 'r2', 'r3'].map((id) => rowOf(id, { takes: [song(`m/${id}.mp3`)] }));
  const size = MP3?.length ?? 0;

  test('says how far it is, of what is new', async () => {
    await reportOf(three().slice(0, 1));
    const told: DeliveryProgress[] = [];
    await run(three(), {}, { onProgress: (progress) => told.push(progress) });
    expect(told).toEqual(
      [0, 1, 2].map((files) => ({ step: 'copying', files, ofFiles: 2, bytes: files * size, ofBytes: 2 * size })),
    );
  });

  test('is cancelled between two files: those that are there are whole and listed, and the next one goes on', async () => {
    const cancelling = new AbortController();
    const onProgress = ({ files }: DeliveryProgress): void => {
      if (files === 2) cancelling.abort();
    };
    const stopped = await run(three(), { hasTimeline: true }, { signal: cancelling.signal, onProgress });
    expect(stopped).toMatchObject({ ok: true, value: { added: ['m/r1.mp3', 'm/r2.mp3'], left: 1 } });
    expect(stopped.ok && deliveryWords(stopped.value, 'window')).toContain(
      '1 file not delivered: the delivery was cancelled. Deliver again to continue.',
    );
    expect(filesIn(out)).toEqual(['datapackage.json', 'm/r1.mp3', 'm/r2.mp3']);
    expect(packageIn(out).resources.map(({ path }) => path)).toEqual(['m/r1.mp3', 'm/r2.mp3']);
    expect(await reportOf(three())).toMatchObject({ added: ['m/r3.mp3'], had: 2, left: 0 });
  });

  test('is cancelled before its first file, and leaves nothing', async () => {
    expect(await run(three(), {}, { signal: AbortSignal.abort() })).toMatchObject({ ok: true, value: { left: 3 } });
    expect(filesIn(out)).toEqual([]);
  });

  test.each(['copying', 'packing'] as const)('leaves nothing of a ZIP that is cancelled while %s', async (step) => {
    const zip = join(temporaryFolder(), 'night.zip');
    const cancelling = new AbortController();
    const onProgress = (progress: DeliveryProgress): void => {
      if (progress.step === step && progress.files === 1) cancelling.abort();
    };
    const stopped = await run(three(), { folder: zip, isZip: true }, { signal: cancelling.signal, onProgress });
    expect(stopped).toMatchObject({ ok: true, value: { added: [], left: 3 } });
    expect(readdirSync(dirname(zip))).toEqual([]);
  });
});

describe('a file that a review moves in the middle of it', () => {
  const ids = ['r1', 'r2', 'r3'];
  let verdicts: Record<string, Verdict>;
  let paths: Record<string, string>;
  let listed: readonly ExportedRow[];

  beforeEach(() => {
    verdicts = Object.fromEntries(ids.map((id) => [id, { kept: true }]));
    paths = Object.fromEntries(ids.map((id) => [id, `music/${id}.mp3`]));
    listed = ids.map((id) => rowOf(id, { takes: [song(`music/${id}.mp3`)] }));
  });

  /** As the store has it by now. */
  const now = (): readonly ExportedRow[] =>
    listed.map(({ tasks, ...rest }) => {
      const { id } = rest.row;
      const asNow = { path: paths[id] ?? '', verdict: verdicts[id] ?? {} };
      const outputs = tasks.flatMap((task) => task.outputs.map((output) => ({ ...output, ...asNow })));
      return { ...rest, tasks: tasks.map((task) => ({ ...task, outputs })) };
    });
  const moved = (id: string, kept: boolean): void => {
    const to = kept ? `music/${id}.mp3` : `rejected/music/${id}.mp3`;
    mkdirSync(join(media, 'rejected', 'music'), { recursive: true });
    renameSync(join(media, paths[id] ?? ''), join(media, to));
    paths[id] = to;
    verdicts[id] = { kept };
  };
  const delivered = (wish: Partial<DeliveryWish>, deed: () => void) =>
    run(now, wish, {
      onProgress: ({ files }) => {
        if (files === 1) deed();
      },
    });

  test('is left out of what was kept, and counted so', async () => {
    const report = await delivered({ isKeptOnly: true }, () => moved('r2', false));
    expect(report).toMatchObject({ ok: true, value: { added: ['music/r1.mp3', 'music/r3.mp3'], unkept: 1 } });
    expect(filesIn(out)).toEqual(['datapackage.json', 'music/r1.mp3', 'music/r3.mp3']);
  });

  test('keeps its listed name from another file, also where its copy is gone', async () => {
    const titled = (): readonly ExportedRow[] =>
      now().map((one) => ({ ...one, row: { ...one.row, cells: { title: 'Moon' } } }));
    const wish = { isKeptOnly: true, template: '{title}' };
    verdicts = { r2: { kept: true } };
    await run(titled, wish);
    rmSync(join(out, 'Moon.mp3'));
    verdicts = { r2: { kept: true }, r3: { kept: true } };
    const onProgress = ({ files }: DeliveryProgress): void => {
      if (files === 0) moved('r2', false);
    };
    expect(await run(titled, wish, { onProgress })).toMatchObject({ ok: true, value: { unkept: 2 } });
    const paths = packageIn(out).resources.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test('makes no ZIP of nothing', async () => {
    const folder = join(temporaryFolder(), 'night.zip');
    let isMoved = false;
    const onProgress = (): void => {
      if (!isMoved) for (const id of ids) moved(id, false);
      isMoved = true;
    };
    const report = await run(now, { isKeptOnly: true, isZip: true, folder }, { onProgress });
    expect(report).toMatchObject({ ok: true, value: { added: [], unkept: 3, left: 0 } });
    expect(readdirSync(dirname(folder))).toEqual([]);
  });

  test('is delivered from where it is where every file is wanted, also back again', async () => {
    expect(await delivered({ template: '{row}' }, () => moved('r2', false))).toMatchObject({
      value: { added: ['r1.mp3', 'r2.mp3', 'r3.mp3'] },
    });
    out = join(temporaryFolder(), 'back');
    expect(await delivered({}, () => moved('r2', true))).toMatchObject({
      value: { added: ['music/r1.mp3', 'music/r2.mp3', 'music/r3.mp3'] },
    });
  });

  test('is told with a true reason where it is gone, beside the others, and where its folder is', async () => {
    const missing = await delivered({}, () => rmSync(join(media, 'music', 'r2.mp3')));
    expect(missing).toMatchObject({ error: { message: expect.stringContaining('music/r2.mp3 is missing') as string } });
    expect(packageIn(out).resources.map(({ path }) => path)).toEqual(['music/r1.mp3', 'music/r3.mp3']);
    rowOf('r2', { takes: [song('music/r2.mp3')] });
    out = join(temporaryFolder(), 'unplugged');
    const unplugged = await delivered({}, () => renameSync(media, `${media}-away`));
    expect(unplugged).toMatchObject({
      error: { message: `${media} cannot be used: it is missing (was a disk unplugged?).` },
    });
  });
});

describe('where nothing is to be delivered', () => {
  test.each([
    [['r1'], 'the one file of this batch is not kept'],
    [['r1', 'r2'], 'none of the 2 files of this batch is kept'],
    [[], 'no verified file yet'],
  ])('nothing is written, and the words say what to do: %j', async (ids, words) => {
    const rows = ids.map((id) => rowOf(id, { takes: [song(`m/${id}.mp3`)] }));
    for (const isZip of [false, true]) {
      const report = await reportOf(rows, { isKeptOnly: true, isZip, folder: join(dirname(out), 'a', 'new') });
      expect(deliveryOutcome(report)).toBe('nothing');
      expect(deliveryWords(report, 'terminal')).toEqual([expect.stringContaining(words)]);
      // In the window, there is a button for it.
      expect(deliveryWords(report, 'window').join()).not.toContain('nocturne ');
    }
    expect(readdirSync(dirname(out))).toEqual([]);
  });
});

describe('a folder that goes away or gets full', () => {
  const rows = (): readonly ExportedRow[] =>
    ['r1', 'r2', 'r3'].map((id) => rowOf(id, { takes: [song(`m/${id}.mp3`)] }));

  test('is not made anew, and that is said', async () => {
    const deed = ({ files }: DeliveryProgress): void => {
      if (files === 1) renameSync(out, `${out}-away`);
    };
    expect(await run(rows(), {}, { onProgress: deed })).toMatchObject({
      error: { message: `${out} cannot be used: it is missing (was a disk unplugged?).` },
    });
    expect(existsSync(out)).toBe(false);
    renameSync(`${out}-away`, out);
    expect(await reportOf(rows())).toMatchObject({ added: ['m/r1.mp3', 'm/r2.mp3', 'm/r3.mp3'] });
    expect(filesIn(out)).toEqual(['datapackage.json', 'm/r1.mp3', 'm/r2.mp3', 'm/r3.mp3']);
  });

  test('has what it took listed', async () => {
    // As good as full: the second file has no place.
    mkdirSync(join(out, 'b'), { recursive: true });
    writeFileSync(join(out, 'b', 'x'), 'a file where a folder should be');
    const deed = ({ files }: DeliveryProgress): void => {
      if (files === 1) {
        rmSync(join(out, 'b'), { recursive: true });
        writeFileSync(join(out, 'b'), '');
      }
    };
    const two = [rowOf('r1', { takes: [song('a/1.mp3')] }), rowOf('r2', { takes: [song('b/2.mp3')] })];
    expect(await run(two, {}, { onProgress: deed })).toMatchObject({ ok: false, error: { code: 'DISK_DENIED' } });
    expect(packageIn(out).resources.map(({ path }) => path)).toEqual(['a/1.mp3']);
  });

  test('may be shared with another delivery that ends in the middle of this one', async () => {
    const room = join(out, '.nocturne-delivery');
    const onProgress = ({ files }: DeliveryProgress): void => {
      if (files === 1) rmSync(room, { recursive: true });
    };
    expect(await run(rows(), {}, { onProgress })).toMatchObject({ ok: true, value: { left: 0 } });
    expect(existsSync(room)).toBe(false);
  });
});

describe('what is told of a file', () => {
  const link = (row: string, ...path: string[]): ExportedRow['row']['links'] => [
    {
      column: 'prompt',
      value: { kind: 'text', text: [{ row, path: { kind: 'result', path }, text: `${row}.result.${path.join('.')}` }] },
    },
  ];

  test('goes into its tags, with lyrics and cover that other rows give', async () => {
    const rows = [
      rowOf('words', {
        operation: 'musicgen/music/lyrics',
        takes: [{ path: 'data/words.json', bytes: LYRICS, mediaType: 'application/json' }],
      }),
      rowOf('art', {
        operation: 'videogen-b/image/generate',
        takes: [{ path: 'image/art.png', bytes: PNG, mediaType: 'image/png' }],
      }),
      rowOf('s1', {
        body: { title: 'Moon', prompt: '{{words.result.lyrics}}', tags: ['slow', 'soft'], model: 'm1' },
        cells: { prompt: '{{words.result.lyrics}}', cover: '{{art.output.1.url}}' },
        links: link('words', 'lyrics'),
        takes: [song('music/s1.mp3', { rating: 5 })],
      }),
      rowOf('wav', {
        operation: 'musicgen/music/wav',
        cells: { clip_id: '{{s1.taskId}}' },
        takes: [{ path: 'music/w.wav', bytes: readFileSync(new URL('tone.wav', MEDIA)), mediaType: 'audio/wav' }],
      }),
    ];
    const report = await reportOf(rows, { hasTags: true });
    expect(report.untagged).toMatchObject([{ path: 'data/words.json' }]);
    expect(mutagenTags(join(out, 'music/s1.mp3'))).toMatchObject({
      TIT2: 'Moon',
      'USLT::und': 'Sleep now,\nmoon of 夜',
      'COMM::und': 'slow, soft',
      'APIC:': expect.anything() as unknown,
    });
    expect(mutagenTags(join(out, 'music/w.wav'))).toMatchObject({ TIT2: 'Moon', 'TXXX:MODEL': 'm1' });
    const listed = packageIn(out).resources.find(({ path }) => path === 'music/s1.mp3');
    expect(listed?.hash).toBe(`sha256:${sha256(readFileSync(join(out, 'music/s1.mp3')))}`);
    expect(listed?.original).toBe(`sha256:${sha256(MP3 ?? Buffer.alloc(0))}`);
  });

  test('lies beside it with --xmp, and the copy is the original', async () => {
    const rows = [
      rowOf('s1', { body: { title: 'A & B <c>', prompt: 'one\u0001 two' }, takes: [song('music/s1.mp3')] }),
    ];
    await reportOf(rows, { hasSidecars: true });
    expect(readFileSync(join(out, 'music/s1.mp3')).equals(MP3 ?? Buffer.alloc(0))).toBe(true);
    expect(exiftoolTags(join(out, 'music/s1.mp3.xmp'))).toMatchObject({
      'XMP-dc:Title': 'A & B <c>',
      'XMP-dc:Description': 'one\u{fffd} two',
    });
  });

  test('content credentials: the copy is the original, byte for byte, and the tags lie beside it', async () => {
    const box = Buffer.from(
      `00000020${Buffer.from('uuid').toString('hex')}d8fec3d61b0e483c92975828877ec4810000000000000000`,
      'hex',
    );
    const signed = Buffer.concat([MP4 ?? Buffer.alloc(0), box]);
    const rows = [
      rowOf('f1', {
        operation: 'videogen-a/video/generate',
        body: { prompt: 'a moon' },
        takes: [{ path: 'video/f1.mp4', bytes: signed, mediaType: 'video/mp4' }],
      }),
    ];
    expect(await reportOf(rows, { hasTags: true })).toMatchObject({
      withCredentials: ['video/f1.mp4'],
      untagged: [{ path: 'video/f1.mp4', why: expect.stringContaining('content credentials') as string }],
    });
    expect(readFileSync(join(out, 'video/f1.mp4')).equals(signed)).toBe(true);
    expect(exiftoolTags(join(out, 'video/f1.mp4.xmp'))).toMatchObject({ 'XMP-dc:Description': 'a moon' });
    expect(packageIn(out).resources).toMatchObject([{ contentCredentials: true, sidecar: 'video/f1.mp4.xmp' }]);
  });
});

describe('a timeline', () => {
  const film = (id: string): ExportedRow =>
    rowOf(id, {
      operation: 'videogen-a/video/generate',
      body: { title: `Film ${id}` },
      takes: [{ path: `video/${id} #1.mp4`, bytes: MP4, mediaType: 'video/mp4' }],
    });

  test('has films and songs in the order of the sheet, as long as they are', async () => {
    await reportOf([film('f2')], { hasTimeline: true });
    const rows = [film('f1'), rowOf('s1', { takes: [song('music/s1.mp3')] }), film('f2')];
    expect((await reportOf(rows, { hasTimeline: true })).timeline).toEqual({
      path: 'timeline.otio',
      clips: 3,
      left: [],
    });
    const read = JSON.parse(readFileSync(join(out, 'timeline.otio'), 'utf8')) as {
      readonly tracks: {
        readonly children: readonly { readonly kind: string; readonly children: readonly object[] }[];
      };
    };
    const [video, audio] = read.tracks.children;
    expect(read).toMatchObject({ OTIO_SCHEMA: 'Timeline.1', tracks: { OTIO_SCHEMA: 'Stack.1' } });
    expect([video?.kind, audio?.kind]).toEqual(['Video', 'Audio']);
    // As ffprobe says of it: six pictures, ten a second.
    const clip = (name: string, url: string) => ({
      OTIO_SCHEMA: 'Clip.2',
      name,
      source_range: {
        duration: { value: 6, rate: 10 },
        start_time: { value: 0 },
      },
      media_references: { DEFAULT_MEDIA: { OTIO_SCHEMA: 'ExternalReference.1', target_url: url } },
    });
    expect(video?.children).toMatchObject([
      clip('Film f1', 'video/f1%20%231.mp4'),
      clip('Film f2', 'video/f2%20%231.mp4'),
    ]);
    expect(audio?.children).toMatchObject([{ name: 's1', source_range: { duration: { rate: 44_100 } } }]);
  });

  test('that somebody has worked on stays, and the next lies beside it', async () => {
    await reportOf([film('f1')], { hasTimeline: true });
    writeFileSync(join(out, 'timeline.otio'), 'mine');
    await reportOf([film('f1'), film('f2')], { hasTimeline: true });
    expect(readFileSync(join(out, 'timeline.otio'), 'utf8')).toBe('mine');
    expect(existsSync(join(out, 'timeline-2.otio'))).toBe(true);
  });

  test('whose package names a file elsewhere is refused, and that file stays', async () => {
    await reportOf([film('f1')], { hasTimeline: true });
    const elsewhere = join(temporaryFolder(), 'paid.mp4');
    writeFileSync(elsewhere, 'paid');
    const given = packageIn(out);
    const timeline = { path: relative(out, elsewhere), hash: `sha256:${sha256(Buffer.from('paid'))}` };
    writeFileSync(
      join(out, 'datapackage.json'),
      JSON.stringify({ ...given, nocturne: { ...given.nocturne, timeline } }),
    );
    const refused = await failureOf([film('f1')], { hasTimeline: true });
    expect(readFileSync(elsewhere, 'utf8')).toBe('paid');
    expect(refused).toMatchObject({ code: 'INPUT_INVALID', message: expect.stringContaining('outside') as string });
  });

  test('is not begun once the delivery is cancelled, and that is said; the next one writes it', async () => {
    const cancelling = new AbortController();
    const onProgress = ({ files }: DeliveryProgress): void => {
      if (files === 1) cancelling.abort();
    };
    const stopped = await run([film('f1')], { hasTimeline: true }, { signal: cancelling.signal, onProgress });
    expect(stopped).toMatchObject({ ok: true, value: { added: ['video/f1 #1.mp4'], left: 0 } });
    if (!stopped.ok) throw new Error(stopped.error.message);
    expect(deliveryOutcome(stopped.value)).toBe('cancelled');
    expect(deliveryWords(stopped.value, 'window')).toContain(
      'No timeline was written: the delivery was cancelled. Deliver again to write it.',
    );
    expect(filesIn(out)).toEqual(['datapackage.json', 'video/f1 #1.mp4']);
    expect(await reportOf([film('f1')], { hasTimeline: true })).toMatchObject({ had: 1, timeline: { clips: 1 } });
  });

  test('takes its time, in which another delivery into the folder stays listed', async () => {
    timeline.meanwhile = async () => {
      timeline.meanwhile = async () => undefined;
      await reportOf([film('f2')]);
    };
    await reportOf([film('f1')], { hasTimeline: true });
    const { resources, nocturne } = packageIn(out);
    expect(resources.map(({ path }) => path).toSorted()).toEqual(['video/f1 #1.mp4', 'video/f2 #1.mp4']);
    expect(resources.find(({ row }) => row === 'f1')).toHaveProperty('length');
    expect(nocturne).toHaveProperty('timeline.path', 'timeline.otio');
  });

  test('is read through no link: neither its own name nor the folder of a film', async () => {
    await reportOf([film('f1')]);
    const elsewhere = join(temporaryFolder(), 'away');
    renameSync(join(out, 'video'), elsewhere);
    symlinkSync(elsewhere, join(out, 'video'));
    symlinkSync(join(elsewhere, 'none'), join(out, 'timeline.otio'));
    expect(await reportOf([film('f1')], { hasTimeline: true })).toMatchObject({
      changed: ['video/f1 #1.mp4'],
      timeline: { path: 'timeline-2.otio', clips: 0, left: ['video/f1 #1.mp4'] },
    });
    expect(lstatSync(join(out, 'timeline.otio')).isSymbolicLink()).toBe(true);
  });
});

describe('a ZIP', () => {
  const rows = (): readonly ExportedRow[] => [rowOf('r1', { body: { title: '夜' }, takes: [song('music/r1.mp3')] })];

  test('holds what the folder would, media as they are', async () => {
    const zip = join(temporaryFolder(), 'night.zip');
    await reportOf(rows(), { folder: zip, isZip: true, template: '{title}' });
    const held = unzipSync(readFileSync(zip));
    expect(Object.keys(held)).toEqual(['datapackage.json', '夜.mp3']);
    expect(Buffer.from(held['夜.mp3'] ?? []).equals(MP3 ?? Buffer.alloc(0))).toBe(true);
    expect(filesIn(dirname(zip))).toEqual(['night.zip']);
    const before = sha256(readFileSync(zip));
    expect(await failureOf(rows(), { folder: zip, isZip: true })).toMatchObject({ code: 'INPUT_INVALID' });
    expect(sha256(readFileSync(zip))).toBe(before);
  });

  test('holds nothing that an earlier export has left beside it', async () => {
    const zip = join(temporaryFolder(), 'night.zip');
    const left = join(dirname(zip), '.night.zip.nocturne-delivery');
    mkdirSync(left);
    writeFileSync(join(left, 'nobody-kept-this.mp3'), 'x');
    await reportOf(rows(), { folder: zip, isZip: true });
    expect(Object.keys(unzipSync(readFileSync(zip))).filter((name) => name.includes('nobody'))).toEqual([]);
    expect(readdirSync(dirname(zip)).toSorted()).toEqual(['.night.zip.nocturne-delivery', 'night.zip']);
  });

  test('takes away what one that was killed has left beside it, and nothing of one that is under way', async () => {
    const zip = join(temporaryFolder(), 'night.zip');
    const [dead, alive] = [NO_PROCESS, process.ppid].map((pid) => `.night.zip.nocturne-${markOf(pid)}aBc123`);
    for (const name of [dead, alive]) mkdirSync(join(dirname(zip), name ?? '', 'files'), { recursive: true });
    const elsewhere = temporaryFolder();
    writeFileSync(join(elsewhere, 'theirs'), 'x');
    symlinkSync(elsewhere, join(dirname(zip), `${dead}2`));
    await reportOf(rows(), { folder: zip, isZip: true });
    expect(new Set(readdirSync(dirname(zip)))).toEqual(new Set([alive, `${dead}2`, 'night.zip']));
    expect(filesIn(elsewhere)).toEqual(['theirs']);
  });

  test('of more than it takes is refused before anything is copied', async () => {
    const [large = rows()[0]] = rows();
    const tasks = large?.tasks.map((task) => ({
      ...task,
      outputs: task.outputs.map((output) => ({ ...output, bytes: 2 ** 32 })),
    }));
    const zip = join(temporaryFolder(), 'night.zip');
    const refused = await failureOf([{ ...large, tasks } as ExportedRow], { folder: zip, isZip: true });
    expect(refused.message).toContain('4 GiB');
    expect(filesIn(dirname(zip))).toEqual([]);
    const [first, ...rest] = Array.from({ length: 33_000 }, () => large);
    const many = { ...first, tasks: [first, ...rest].flatMap((row) => row?.tasks ?? []) } as ExportedRow;
    expect((await failureOf([many], { folder: zip, isZip: true, hasSidecars: true })).message).toContain(
      '66,001 files',
    );
    expect(filesIn(dirname(zip))).toEqual([]);
  });
});

test('a media folder that is not there is said to be missing', async () => {
  const rows = [rowOf('r1', { takes: [song('music/r1.mp3')] })];
  renameSync(media, `${media}-away`);
  expect(await failureOf(rows)).toMatchObject({ code: 'DISK_DENIED' });
});
