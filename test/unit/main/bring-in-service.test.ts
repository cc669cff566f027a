import { listOf } from '../../../src/shared/domain/base/result.ts';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createEngine, type Engine } from '../../../src/engine/index.ts';
import {
  engineRequests,
  type TellWindow,
  type EngineHandlers,
  type EngineInput,
} from '../../../src/main/engine-process/engine-protocol.ts';
import { EngineService } from '../../../src/main/engine-process/engine-service.ts';
import { FolderDocuments } from '../../../src/engine/commands/folder-documents.ts';
import { headerSignature } from '../../../src/main/services/remembered-sheets.ts';
import { RehearsalGateway } from '../../../src/main/engine-process/rehearsal-gateway.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import { TEMPLATES } from '../../../src/shared/domain/operations/templates.ts';
import type { BatchView } from '../../../src/shared/ipc/batches.ts';
import type { Reply } from '../../../src/shared/ipc/contract.ts';
import type { SheetView } from '../../../src/shared/ipc/opening.ts';
import { sheetXml, workbookParts, zipParts } from '../../support/workbook-parts.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { storeAtOnce } from '../../support/store-at-once.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Its sheets are read in processes of their own.
vi.setConfig({ testTimeout: 60_000 });

/** A rehearsal waits a quarter of a second, not 2.5, before it first asks for a task. */
const NIGHT_BEGAN = Date.now();

let folder: string;
let engine: Engine;
let handlers: EngineHandlers;
let progress: number[];

beforeEach(async () => {
  folder = temporaryFolder();
  const created = await createEngine({
    dataDir: join(folder, 'store'),
    clock: fastClock(10, NIGHT_BEGAN),
    openStore: storeAtOnce,
  });
  if (!created.ok) throw new Error(created.error.message);
  engine = created.value;
  progress = [];
  const documents = new FolderDocuments({ write: (id) => engine.exportBatch(id), onProblem: () => undefined });
  const rehearsal = new RehearsalGateway(join(folder, 'rehearsal'));
  const storeFolder = join(folder, 'store');
  const tell: TellWindow = (event, told) => {
    if (event === 'sheet.progress' && 'rows' in told) progress.push(Number(told.rows));
  };
  ({ handlers } = new EngineService({ engine, documents, rehearsal, storeFolder, tell }));
});

afterEach(async () => {
  await handlers['engine.stop'](undefined);
});

async function value<T>(reply: Promise<Reply<T>> | Reply<T>): Promise<T> {
  const answered = await reply;
  if (!answered.ok) throw new Error(answered.error.message);
  return answered.value;
}

async function openText(
  lines: readonly string[],
  context: Partial<EngineInput<'sheet.open'>> = {},
): Promise<SheetView> {
  const path = join(folder, 'sheet.csv');
  writeFileSync(path, lines.join('\n'));
  const view = await value(handlers['sheet.open']({ sheetId: 's', path, name: 'Sheet', ...context }));
  expect(engineRequests['sheet.open'].output.parse(view)).toEqual(view);
  if (view === undefined) throw new Error('The sheet is gone.');
  return view;
}

const PLAIN = { sheetId: 's', mapping: {}, variables: {}, choices: 'draw' } as const;
const WHERE = () => ({ folder: join(folder, 'media'), rehearsal: true, profile: DEFAULT_PROFILE });
const create = () => value(handlers['batch.create']({ sheetId: 's', name: 'Batch', ...WHERE(), start: false }));

test('an import says how far it is; one that is cancelled leaves no batch, and the sheet stays open', async () => {
  await openText([
    'row,operation,prompt,lyrics_model',
    ...Array.from({ length: 9 }, (_, i) => `r${i},lyrics,A lighthouse,v1`),
  ]);
  const input = { sheetId: 's', name: 'Batch', ...WHERE(), start: false };
  const cancelling = new AbortController();
  const steps: number[] = [];
  const cancelled = handlers['batch.create'](input, {
    signal: cancelling.signal,
    onProgress: (done, of) => {
      expect(of).toBe(9);
      if (steps.push(done) === 5) cancelling.abort();
    },
    onBound: () => expect.unreachable(),
  });
  const ending: unknown = await Promise.resolve(cancelled).catch((error: unknown) => error);
  expect(cancelling.signal.reason).toBeInstanceOf(DOMException);
  expect(ending).toBe(cancelling.signal.reason);
  expect(steps).toEqual([0, 1, 2, 3, 4]);
  expect(await engine.store.batches()).toEqual([]);
  // What begins with its last row is finished.
  const late = new AbortController();
  const made = await value(
    handlers['batch.create'](input, { signal: late.signal, onBound: () => late.abort() }) as Promise<Reply<BatchView>>,
  );
  expect(made.rowCount).toBe(9);
  expect((await engine.store.batches()).map(({ id }) => id)).toEqual([made.id]);
});

describe('what is asked for while the folder is looked at', () => {
  const start = () => handlers['batch.create']({ sheetId: 's', name: 'Batch', ...WHERE(), start: true });

  test('a second click makes no second night of the same sheet', async () => {
    await openText(['row,operation,prompt,lyrics_model', 'one,lyrics,A lighthouse,v1']);
    // Both look at the folder at once, and the disk decides who is first: one of them starts, whichever it is.
    const replies = await Promise.all([start(), start()]);
    expect(replies.map((reply) => (reply.ok ? 'started' : reply.error.code)).toSorted()).toEqual([
      'not-found',
      'started',
    ]);
    expect(await engine.store.batches()).toHaveLength(1);
  });

  test('a sheet that is becoming a batch is not open any more', async () => {
    await openText(['row,operation,prompt,lyrics_model', 'one,lyrics,A lighthouse,v1']);
    let asked: unknown;
    const watch = {
      signal: new AbortController().signal,
      onBound: () => (asked = handlers['sheet.interpret']({ ...PLAIN, choices: 'draw' })),
    };
    const input = { sheetId: 's', name: 'Batch', ...WHERE(), start: false };
    await value(handlers['batch.create'](input, watch) as Promise<Reply<BatchView>>);
    expect(await asked).toMatchObject({ ok: false, error: { code: 'not-found' } });
  });

  test('a sheet that is understood in another way meanwhile is not started as it was', async () => {
    await openText(['row,operation,prompt,lyrics_model', 'one,lyrics,A {red|green} lighthouse,v1']);
    const started = start();
    await value(handlers['sheet.interpret']({ ...PLAIN, choices: 'expand' }));
    expect(await started).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('has changed in the meantime') as string },
    });
    expect(await engine.store.batches()).toHaveLength(0);
  });

  test('a folder that cannot be written to is refused as that, for its field', async () => {
    await openText(['row,operation,prompt,lyrics_model', 'one,lyrics,A lighthouse,v1']);
    const file = join(folder, 'a file');
    writeFileSync(file, 'x');
    const refused = { ok: false, error: { code: 'refused', field: 'folder' } };
    const wanted = { sheetId: 's', name: 'Night', start: true, ...WHERE(), folder: join(file, 'below') };
    expect(await handlers['batch.create'](wanted)).toMatchObject(refused);
    const { id: batchId } = await create();
    const other = { batchId, profile: DEFAULT_PROFILE, folder: join(file, 'below') };
    expect(await handlers['batch.configure'](other)).toMatchObject(refused);
  });

  test('two settings of a batch that are changed at once both count, and it stays what its sheet has become', async () => {
    await openText(['row,operation,prompt,lyrics_model', 'one,lyrics,A lighthouse,v1']);
    const { id: batchId, sheetId } = await create();
    expect(sheetId).toBe('s');
    const profile = DEFAULT_PROFILE;
    const other = join(folder, 'other');
    await Promise.all([
      value(handlers['batch.configure']({ batchId, profile, folder: other })),
      value(handlers['batch.configure']({ batchId, profile, maxSubmits: 3 })),
    ]);
    expect((await engine.store.batch(batchId))?.settings).toMatchObject({ folder: other, maxSubmits: 3, sheetId });
  });
});

describe('an opened sheet is understood as its user has it', () => {
  const STRANGE = ['Nr,Was,Prompt text,Mood', 'one,lyrics,A song about {place},calm', 'two,,A {mood} song,loud'];

  test('from what its headers and cells are taken for to what is kept with the batch', async () => {
    const first = await openText(STRANGE);
    expect(first).toMatchObject({ runnableRows: 1, needsOperation: true, variables: { place: '' } });
    // Its cells say what it is: that is asked, not said for the user, also where another header was chosen meanwhile.
    expect(first.columns[1]).toMatchObject({ header: 'Was', column: 'operation', how: 'synonym' });
    const second = await value(handlers['sheet.interpret']({ ...PLAIN, mapping: { Nr: 'row' } }));
    expect(second.columns[1]).toMatchObject({ header: 'Was', column: 'operation', how: 'synonym' });
    const without = await value(handlers['sheet.interpret']({ ...PLAIN, mapping: { Nr: 'row', Was: '' } }));
    expect(without.columns[1]).toMatchObject({ header: 'Was', column: '', how: 'ignored' });
    const understanding = {
      ...PLAIN,
      mapping: { Was: 'operation', Nr: 'row', 'Prompt text': 'prompt' },
      defaultOperation: 'musicgen/music/lyrics',
      variables: { place: 'a harbour' },
    } as const;
    const view = await value(handlers['sheet.interpret'](understanding));
    expect(view).toMatchObject({
      runnableRows: 2,
      needsOperation: false,
      defaultOperation: 'musicgen/music/lyrics',
      variables: { place: 'a harbour' },
      isMappingKept: false,
    });
    expect(view.columns.map(({ header, column, how }) => [header, column, how])).toEqual([
      ['Nr', 'row', 'chosen'],
      ['Was', 'operation', 'chosen'],
      ['Prompt text', 'prompt', 'chosen'],
      ['Mood', '', 'unknown'],
    ]);
    const { id } = await create();
    const { sheetId: _, ...kept } = understanding;
    expect((await engine.store.batch(id))?.sheet).toMatchObject({
      ...kept,
      source: { format: 'csv', encoding: 'utf-8' },
    });
    expect((await engine.store.row(id, 'one'))?.body).toEqual({ prompt: 'A song about a harbour' });
    expect((await engine.store.row(id, 'two'))?.body).toEqual({ prompt: 'A loud song' });
  });

  test('a text that is corrected once counts in every row, is kept with the batch, and is offered again', async () => {
    const lines = ['Nr,Type,prompt', '1,Vidoe-A,Waves', '2,Vidoe-A,Wind', '3,Clip,Rain', '4,image,Snow'];
    const { problems, columns } = await openText(lines);
    expect(problems.map(({ count, cell }) => [count, cell])).toContainEqual([2, { text: 'Vidoe-A', meant: 'video-a' }]);
    expect(problems.map(({ count, cell }) => [count, cell])).toContainEqual([
      1,
      { text: 'Clip', candidates: ['video-a', 'video-b'] },
    ]);
    expect(columns[1]).toMatchObject({ header: 'Type', column: 'operation' });
    const corrections = { Type: { 'Vidoe-A': 'video-a', Clip: 'video-b' } };
    const view = await value(handlers['sheet.interpret']({ ...PLAIN, corrections }));
    expect(view).toMatchObject({ runnableRows: 4, errorCount: 0, corrections });
    const { id } = await create();
    expect((await engine.store.batch(id))?.sheet).toMatchObject({ corrections });
    const stored = await listOf(engine.rows.allRows(id));
    expect(stored.map(({ row }) => row.cells['Type'])).toEqual(['video-a', 'video-a', 'video-b', 'image']);
    const kept = { [headerSignature(['Nr', 'Type', 'prompt'])]: { mapping: {}, corrections, keptAt: 1 } };
    expect(await openText(lines, { kept })).toMatchObject({ isMappingKept: true, runnableRows: 4 });
  });

  test('what was kept for the same headers is offered, in whatever order they are; for others it is not', async () => {
    const mapping = { Was: 'operation', Nr: 'row', 'Prompt text': 'prompt' };
    const kept = { [headerSignature(['Mood', 'Prompt text', 'Was', 'Nr'])]: { mapping, keptAt: 1 } };
    expect(await openText(STRANGE, { kept })).toMatchObject({ isMappingKept: true, runnableRows: 1 });
    expect(await openText(['Nr,Was', 'one,lyrics'], { kept })).toMatchObject({ isMappingKept: false });
  });

  test('every choice as a row of its own, with the number of rows told before', async () => {
    const lines = ['row,operation,prompt', 'a,image,A {red|green|blue} {fox|owl}', 'b,image,A plain {hare|}'];
    expect(await openText(lines)).toMatchObject({ choiceCells: 2, rowCount: 2, submits: 2, expandedRows: 8 });
    const expanded = await value(handlers['sheet.interpret']({ ...PLAIN, choices: 'expand' }));
    expect(expanded).toMatchObject({ choices: 'expand', rowCount: 8, submits: 8, expandedRows: 8 });
    expect((await create()).rowCount).toBe(8);
  });

  test('lists that it draws from, and what it costs by the profile', async () => {
    const prices = { 'videogen-b/image/generate': { amount: 0.25, currency: 'USD' } };
    const lines = ['row,operation,prompt,takes', 'a,image,An old __animals__,3', 'b,image,A __colours__ door,'];
    const before = await openText(lines, { prices });
    expect(before.lists).toEqual([
      { name: 'animals', isThere: false },
      { name: 'colours', isThere: false },
    ]);
    expect(before.cost).toEqual([{ currency: 'USD', amount: 1 }]);
    await value(handlers['lists.set']({ name: 'animals', text: 'owl\n' }));
    const after = await value(handlers['sheet.interpret']({ ...PLAIN, prices }));
    expect(after.lists.map(({ isThere }) => isThere)).toEqual([true, false]);
    await create();
    const [batch] = await engine.store.batches();
    expect((await engine.store.row(batch?.id ?? '', 'a'))?.body).toEqual({ prompt: 'An old owl' });
  });

  test('a large one tells how much of it was read', async () => {
    const rows = Array.from({ length: 12_000 }, (_, index) => `r${index},lyrics,A song about ${index}`);
    await openText(['row,operation,prompt', ...rows]);
    expect(progress.length).toBeGreaterThan(1);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  });

  test('another sheet of its workbook is read, and one that is not there is refused', async () => {
    const parts = workbookParts(
      sheetXml([
        ['row', 'operation', 'prompt'],
        ['one', 'image', 'A fox'],
      ]),
    );
    const again = (part: string, from: RegExp): string =>
      part.replace(from, (one) => one + one.replaceAll('1', '2').replace('One', 'Two'));
    const path = join(folder, 'two.xlsx');
    const workbook = zipParts({
      ...parts,
      'xl/workbook.xml': again(parts['xl/workbook.xml'] ?? '', /<sheet [^>]*>/),
      'xl/_rels/workbook.xml.rels': again(parts['xl/_rels/workbook.xml.rels'] ?? '', /<Relationship [^>]*>/),
      'xl/worksheets/sheet2.xml': sheetXml([
        ['row', 'operation', 'prompt'],
        ['two', 'image', 'A heron'],
      ]),
    });
    writeFileSync(path, workbook);
    const first = await value(handlers['sheet.open']({ sheetId: 's', path, name: 'Two' }));
    expect(first).toMatchObject({ sheets: ['One', 'Two'], sheet: 'One' });
    const second = await value(handlers['sheet.reread']({ sheetId: 's', sheet: 'Two' }));
    expect(second).toMatchObject({ sheet: 'Two', preview: { rows: [['two', 'image', 'A heron']] } });
    expect(await handlers['sheet.reread']({ sheetId: 's', sheet: 'Three' })).toMatchObject({ ok: false });
    expect(await handlers['sheet.reread']({ sheetId: 's', encoding: 'gbk' })).toMatchObject({ ok: false });
  });
});

describe('a table from the clipboard', () => {
  const open = (text: string) => handlers['sheet.openTable']({ sheetId: 's', name: 'Pasted table', html: '', text });

  test('is a sheet like any other, that no file is read again for', async () => {
    const view = await value(open('row\toperation\tprompt\none\tlyrics\t"A song\nof two lines"\n'));
    expect(view).toMatchObject({ format: 'clipboard', name: 'Pasted table', runnableRows: 1 });
    const { id } = await create();
    expect((await engine.store.row(id, 'one'))?.body).toEqual({ prompt: 'A song\nof two lines' });
    expect(await engine.store.batch(id)).not.toHaveProperty('sheetPath');
  });

  test('that cannot be read again says so', async () => {
    await value(open('row\toperation\tprompt\none\tlyrics\tA song\n'));
    const refused = await handlers['sheet.reread']({ sheetId: 's', encoding: 'gbk' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'refused' } });
  });

  test('is none where there is a word, or nothing', async () => {
    expect(await value(open('hello'))).toBeUndefined();
    expect(await value(open(''))).toBeUndefined();
  });
});

describe('from nothing', () => {
  const begin = (template: string) =>
    handlers['batch.new']({ from: { kind: 'template', template, name: 'New' }, ...WHERE() });

  test('every template is a batch that waits, with nothing wrong in it', async () => {
    for (const { name, rows, submits } of TEMPLATES) {
      const batch = await value(begin(name));
      expect(batch).toMatchObject({ state: 'ready', rowCount: rows.length, taskCount: submits, rows: { invalid: 0 } });
      expect(await engine.views.problems(batch.id, 10)).toEqual([]);
    }
  });

  test('what it would cost on the user’s gateway is said while it waits', async () => {
    const { id } = await value(begin('picture-to-video'));
    const prices = {
      'videogen-b/image/generate': { amount: 0.5, currency: 'USD' },
      'videogen-b/video/generate': { amount: 2, currency: 'USD' },
    };
    const cost = { submits: 3, cost: [{ currency: 'USD', amount: 2.5 }], submitsWithoutPrice: 1 };
    expect(await value(handlers['batch.cost']({ batchId: id, prices }))).toEqual(cost);
    expect(await value(handlers['batch.cost']({ batchId: id }))).toEqual({
      submits: 3,
      cost: [],
      submitsWithoutPrice: 3,
    });
    expect(await handlers['batch.cost']({ batchId: 'none' })).toMatchObject({ ok: false });
  });

  test('an unknown template is refused', async () => {
    expect(await begin('nonsense')).toMatchObject({ ok: false, error: { code: 'not-found' } });
  });

  test('a duplicate has the rows and what is known of them, and nothing that was rendered', async () => {
    await openText(['row,operation,prompt,takes', 'one,lyrics,A song,2', ',lyrics,Another,', 'three,nonsense,x,']);
    const original = await create();
    await value(handlers['batch.start']({ batchId: original.id }));
    await engine.settled(original.id);
    const kinds = [{ code: 'duplicate-request' } as const];
    await engine.editor.edit(original.id, { kind: 'ignore-warnings', kinds, isIgnored: true });
    const from = { kind: 'batch', batchId: original.id } as const;
    const copy = await value(handlers['batch.new']({ from, ...WHERE(), folder: join(folder, 'copy') }));
    expect(copy).toMatchObject({
      name: 'Batch copy',
      state: 'ready',
      rowCount: 3,
      taskCount: 3,
      submitsUsed: 0,
      files: 0,
    });
    const rowsOf = async (id: string) =>
      (await listOf(engine.rows.allRows(id))).map(({ row, problems }) => ({ row, problems }));
    expect(await rowsOf(copy.id)).toEqual(await rowsOf(original.id));
    expect((await engine.store.batch(copy.id))?.sheetPath).toBe((await engine.store.batch(original.id))?.sheetPath);
    expect((await engine.store.batch(copy.id))?.sheet.ignored).toEqual(kinds);
    // One more has a name of its own.
    const again = await value(handlers['batch.new']({ from, ...WHERE(), folder: join(folder, 'copy 2') }));
    expect(again.name).toBe('Batch copy 2');
    const ofCopy = { kind: 'batch', batchId: again.id } as const;
    const third = await value(handlers['batch.new']({ from: ofCopy, ...WHERE(), folder: join(folder, 'copy 3') }));
    expect(third.name).toBe('Batch copy 3');
    const missing = await handlers['batch.new']({ from: { kind: 'batch', batchId: 'none' }, ...WHERE() });
    expect(missing).toMatchObject({ ok: false, error: { code: 'not-found' } });
  });

  test('a duplicate warns of values that nothing uses as its original does, also once another value is one', async () => {
    await openText([
      'row,operation,prompt,duration,tags',
      'one,lyrics,A song,30,',
      'two,lyrics,Another,30,',
      'three,video-a,A film,,',
    ]);
    const original = await create();
    const from = { kind: 'batch', batchId: original.id } as const;
    const copy = await value(handlers['batch.new']({ from, ...WHERE(), folder: join(folder, 'copy') }));
    const unusedIn = async (id: string) => {
      const found = (await engine.rows.problems(id, 99)).map(({ problem }) => problem);
      return found.filter(({ code }) => code === 'unused-column').map(({ column, message }) => `${column}: ${message}`);
    };
    const before = await unusedIn(original.id);
    expect(before.join()).toContain('duration: ');
    const keys = (await listOf(engine.rows.allRows(copy.id))).map(({ key }) => key);
    await engine.editor.edit(copy.id, {
      kind: 'set-cells',
      rows: keys.slice(2),
      added: 0,
      headers: ['tags'],
      values: [['slow']],
    });
    expect(await unusedIn(copy.id)).toEqual([...before, expect.stringContaining('tags: ')]);
  });

  test('what was begun is configured until it is started', async () => {
    const { id } = await value(begin('lyrics'));
    const configure = (input: Partial<EngineInput<'batch.configure'>>) =>
      handlers['batch.configure']({ batchId: id, profile: DEFAULT_PROFILE, ...input });
    expect(await value(configure({ name: 'Named', maxSubmits: 3 }))).toMatchObject({ name: 'Named', maxSubmits: 3 });
    expect(await value(configure({}))).toMatchObject({ name: 'Named', maxSubmits: 3, rehearsal: true });
    expect((await value(configure({ maxSubmits: 0 }))).maxSubmits).toBeUndefined();
    const profile = { ...DEFAULT_PROFILE, baseUrl: 'https://gateway.example/api' };
    const real = await value(configure({ rehearsal: false, profile, folder: join(folder, 'elsewhere') }));
    expect(real).toMatchObject({ rehearsal: false, gateway: 'https://gateway.example' });
    expect(real.folder).toBe(join(folder, 'elsewhere'));
    await value(configure({ rehearsal: true }));
    await value(handlers['batch.start']({ batchId: id }));
    expect(await configure({ picks: true })).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(await configure({ name: 'At any time' })).toMatchObject({ ok: true, value: { name: 'At any time' } });
    // Name and cap alone can be changed: what was rendered belongs to its gateway and its folder.
    expect(await value(configure({ maxSubmits: 9 }))).toMatchObject({
      maxSubmits: 9,
      name: 'At any time',
      rehearsal: true,
    });
    expect(await configure({ maxSubmits: 9, folder: join(folder, 'third') })).toMatchObject({ ok: false });
    await engine.settled(id);
    expect((await engine.store.batch(id))?.name).toBe('At any time');
  });
});

test('lists are kept as files, edited and removed', async () => {
  expect(await value(handlers['lists.get'](undefined))).toEqual([]);
  const lists = await value(handlers['lists.set']({ name: 'animals', text: 'owl\n\n fox \n' }));
  expect(lists).toEqual([{ name: 'animals', items: 2, text: 'owl\n\n fox \n' }]);
  expect(readFileSync(join(folder, 'store', 'lists', 'animals.txt'), 'utf8')).toContain('owl');
  expect(await handlers['lists.set']({ name: '../away', text: 'x' })).toMatchObject({ ok: false });
  expect(await value(handlers['lists.remove']({ name: 'animals' }))).toEqual([]);
});

describe('a sample that comes with the application', () => {
  const LINES = 'row,operation,prompt\none,lyrics,A rhyme about an owl\ntwo,lyrics,A rhyme about a fox\n';

  test('is no file of the user’s: its results go where the user says, and never beside it', async () => {
    const application = join(folder, 'application');
    mkdirSync(application);
    const path = join(application, 'night.csv');
    writeFileSync(path, LINES);
    await value(handlers['sheet.open']({ sheetId: 's', path, name: 'Night', isSample: true }));
    const { id: batchId } = await create();
    expect((await value(handlers['sheet.get']({ batchId }))).file).toBeUndefined();
    for (const kind of ['copy', 'original'] as const) {
      expect(await handlers['results.write']({ batchId, into: { kind } })).toMatchObject({ ok: false });
    }
    const file = join(folder, 'Night.results.csv');
    const into = { kind: 'file' as const, file };
    expect(await value(handlers['results.write']({ batchId, into }))).toEqual({ file, notes: [] });
    const written = readFileSync(file, 'utf8');
    expect(written.split(/\r?\n/u)[0]).toBe('\u{feff}row,operation,prompt,status,files,taskCode,failure');
    expect(written).toMatch(/one,lyrics,A rhyme about an owl,queued/u);
    expect(readdirSync(application)).toEqual(['night.csv']);
    expect(readFileSync(path, 'utf8')).toBe(LINES);
  });

  test('is read again in another way like any file', async () => {
    const path = join(folder, 'night.csv');
    writeFileSync(path, LINES);
    await value(handlers['sheet.open']({ sheetId: 's', path, name: 'Night', isSample: true }));
    const view = await value(handlers['sheet.reread']({ sheetId: 's', delimiter: ';' }));
    expect(view?.columns).toHaveLength(1);
  });
});

describe('a probe of the keys of requests', () => {
  const profile = { ...DEFAULT_PROFILE, baseUrl: 'https://gateway.example/api' };
  const keeping = {
    ...profile,
    idempotency: { header: 'Idempotency-Key', onDuplicate: 'replay', keepHours: 24 },
  } as const;
  const probe = (submits: number, of: typeof profile = keeping) =>
    handlers['batch.probe']({
      operation: 'musicgen/music/lyrics',
      prompt: 'a harbour',
      submits,
      profile: of,
      folder: join(folder, 'media'),
    });

  test('is refused where the profile has none, and where fewer paid requests were confirmed than it may make', async () => {
    expect(await probe(2, profile)).toMatchObject({ ok: false });
    expect(await probe(1)).toMatchObject({ ok: false });
    expect(await engine.store.batches()).toEqual([]);
  });

  test('is made once by two clicks, as a batch of one row, and found again', async () => {
    const replies = await Promise.all([probe(2), probe(2)]);
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
    const [made, ...others] = await engine.store.batches();
    expect(others).toEqual([]);
    expect(made).toMatchObject({ rowCount: 1, settings: { probe: true, maxSubmits: 2, rehearsal: false } });
    const trust = await value(handlers['profile.keyTrust']({ profile: keeping }));
    expect(trust).toEqual({ header: 'Idempotency-Key', prices: {}, lastProbe: made?.id });
    expect(await value(handlers['profile.keyTrust']({ profile }))).toBeUndefined();
    expect(await value(handlers['profile.keyTrust']({ profile: keeping, batchId: made?.id }))).toBeUndefined();
  });
});

describe('a sheet for several accounts', () => {
  const limit = {};
  const LIST = [
    { name: 'main', profile: 'Main', limit },
    { name: 'spare', profile: 'Spare', limit },
  ];
  const profileAt = (name: string) => ({ ...DEFAULT_PROFILE, name, baseUrl: `https://${name}.example/api` });
  const several = () => ({
    folder: join(folder, 'media'),
    rehearsal: false,
    profile: profileAt('main'),
    accounts: { first: { name: 'main' }, others: [{ name: 'spare', profile: profileAt('spare') }] },
  });
  const SHEET = ['row,operation,prompt,lyrics_model,account', 'one,lyrics,A,v1,spare', 'two,lyrics,B,v1,spair'];
  const make = (where: ReturnType<typeof several> | ReturnType<typeof WHERE>) =>
    handlers['batch.create']({ sheetId: 's', name: 'Batch', ...where, start: false });

  test('is checked for their names, and makes no batch for others', async () => {
    const before = await openText(SHEET);
    expect(before.errorCount).toBe(0);
    expect(await make(several())).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('checked') as string },
    });
    const view = await value(handlers['sheet.interpret']({ ...PLAIN, accounts: { list: LIST } }));
    expect([view.errorCount, view.submits, view.accounts]).toEqual([1, 1, { list: LIST }]);
    expect(await make(WHERE())).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('checked') as string },
    });
    const made = await value(make(several()));
    expect(made.accounts?.map(({ name, gateway }) => [name, gateway])).toEqual([
      ['main', 'https://main.example'],
      ['spare', 'https://spare.example'],
    ]);
    const [task] = await listOf(engine.store.tasksByStatus(['queued'], made.id));
    expect(task?.pin).toBe('spare');
  });

  test('keeps them: while it waits for its start, in a copy, but not in a copy that rehearses', async () => {
    await openText(SHEET);
    await value(handlers['sheet.interpret']({ ...PLAIN, accounts: { list: LIST } }));
    const { id: batchId } = await value(make(several()));
    const other = profileAt('other');
    const named = await value(handlers['batch.configure']({ batchId, name: 'Renamed', profile: other }));
    expect([named.accounts?.length, named.gateway]).toEqual([2, 'https://main.example']);
    const rehearsed = await handlers['batch.configure']({ batchId, rehearsal: true, profile: other });
    expect(rehearsed).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('accounts of its own') as string },
    });
    const limits = [{ name: 'spare', limit: { requests: 2 } }];
    const limited = await value(handlers['batch.configure']({ batchId, accountLimits: limits, profile: other }));
    expect(limited.accounts?.map((account) => account.limit)).toEqual([{}, { requests: 2 }]);

    const from = { kind: 'batch', batchId } as const;
    const copy = { from, folder: join(folder, 'copy'), profile: other };
    const paid = await value(handlers['batch.new']({ ...copy, rehearsal: false }));
    expect([paid.accounts?.length, paid.rows.invalid, paid.taskCount]).toEqual([2, 1, 1]);
    const free = await value(handlers['batch.new']({ ...copy, folder: join(folder, 'free'), rehearsal: true }));
    expect([free.accounts, free.rows.invalid, free.taskCount]).toEqual([undefined, 0, 2]);
    const pins = (await listOf(engine.store.tasksByStatus(['queued'], free.id))).map(({ pin }) => pin);
    expect(pins).toEqual([undefined, undefined]);
  });

  test('gets others before its start, and its rows are checked for them; from its start on they stay', async () => {
    await openText(SHEET);
    const { id: batchId, ...before } = await value(make(WHERE()));
    expect([before.rows.invalid, before.taskCount]).toEqual([0, 2]);
    const { profile, accounts } = several();
    const rehearsal = false;
    const configure = (input: Partial<EngineInput<'batch.configure'>>) =>
      handlers['batch.configure']({ batchId, profile, rehearsal, ...input });
    const shared = await value(configure({ accounts }));
    expect(shared.accounts?.map(({ name, profile: of }) => [name, of])).toEqual([
      ['main', 'main'],
      ['spare', 'spare'],
    ]);
    expect([shared.rows.invalid, shared.taskCount]).toEqual([1, 1]);
    const pins = async () => (await listOf(engine.store.tasksByStatus(['queued'], batchId))).map(({ pin }) => pin);
    expect(await pins()).toEqual(['spare']);
    expect((await engine.store.batch(batchId))?.sheet.isUnchecked).toBeUndefined();
    const of = { kind: 'batch', batchId } as const;
    const limit = { requests: 1 };
    const limited = { first: { name: 'main', limit }, others: accounts.others.map((one) => ({ ...one, limit })) };
    const foretold = await value(handlers['start.forecast']({ of, profile, rehearsal, accounts: limited }));
    expect([foretold.requests, foretold.beyondLimit]).toEqual([1, 0]);
    const alone = await value(configure({ accounts: null }));
    expect([alone.accounts, alone.rows.invalid, alone.taskCount]).toEqual([undefined, 0, 2]);
    expect(await pins()).toEqual([undefined, undefined]);

    await value(configure({ accounts }));
    await value(handlers['batch.start']({ batchId }));
    for (const late of [accounts, null]) {
      const refused = await handlers['batch.configure']({ batchId, profile, accounts: late });
      expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining('started') as string } });
    }
  });
});
