import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createEngine, type EngineChange } from '../../../src/engine/index.ts';
import {
  engineRequests,
  type EngineInput,
  type EngineOutput,
  type EngineRequestName,
} from '../../../src/main/engine-process/engine-protocol.ts';
import { EngineService } from '../../../src/main/engine-process/engine-service.ts';
import { FolderDocuments } from '../../../src/engine/commands/folder-documents.ts';
import { RehearsalGateway } from '../../../src/main/engine-process/rehearsal-gateway.ts';
import { DEFAULT_PROFILE, type Profile } from '../../../src/shared/domain/gateway/profile.ts';
import type { Reply } from '../../../src/shared/ipc/contract.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { storeAtOnce } from '../../support/store-at-once.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Its sheets are read in processes of their own.
vi.setConfig({ testTimeout: 60_000 });

/** A rehearsal waits a quarter of a second, not 2.5, before it first asks for a task. */
const NIGHT_BEGAN = Date.now();

const SHEET = [
  'row,operation,prompt,title',
  'a,music,{title} at night,Owls',
  'b,lyrics,words,',
  'c,music,{{b.taskId}},',
].join('\n');

/** A service with a batch of the sheet that is not started; what it answers is held to the protocol. */
async function opened(
  own: { readonly rehearsal?: false; readonly profile?: Profile; readonly maxSubmits?: number } = {},
) {
  const folder = temporaryFolder();
  const created = await createEngine({
    dataDir: join(folder, 'store'),
    clock: fastClock(10, NIGHT_BEGAN),
    openStore: storeAtOnce,
  });
  if (!created.ok) throw new Error(created.error.message);
  const engine = created.value;
  const documents = new FolderDocuments({
    write: (batchId) => engine.exportBatch(batchId),
    onProblem: () => undefined,
  });
  const rehearsal = new RehearsalGateway(join(folder, 'rehearsal'));
  const service = new EngineService({ engine, documents, rehearsal, storeFolder: join(folder, 'store') });
  onTestFinished(async () => {
    await service.handlers['engine.stop'](undefined);
  });
  const path = join(folder, 'sheet.csv');
  writeFileSync(path, SHEET);
  await service.handlers['sheet.open']({ sheetId: 's', path, name: 'Sheet' });
  const batch = await service.handlers['batch.create']({
    sheetId: 's',
    name: 'Night',
    folder: join(folder, 'media'),
    rehearsal: true,
    profile: DEFAULT_PROFILE,
    ...own,
    start: false,
  });
  if (!batch.ok) throw new Error(batch.error.message);
  const { id: batchId } = batch.value;
  const changes: EngineChange[] = [];
  engine.onChange((change) => changes.push(change));
  /** About the batch, where the request is about one. */
  const ask = async <N extends EngineRequestName>(name: N, input: Omit<EngineInput<N>, 'batchId'>) => {
    const handle = service.handlers[name] as (
      given: unknown,
    ) => Promise<Reply<EngineOutput<N>>> | Reply<EngineOutput<N>>;
    const reply = await handle(
      engineRequests[name].input.parse(name === 'sheet.pasteSize' ? input : { batchId, ...input }),
    );
    if (!reply.ok) throw new Error(`${reply.error.code}: ${reply.error.message}`);
    expect(engineRequests[name].output.parse(reply.value)).toEqual(reply.value);
    return reply.value;
  };
  const [a = 0, b = 0, c = 0] = await engine.rows.keysInView(batchId, {}, 0, 3);
  return { engine, batchId, ask, changes, keys: { a, b, c } };
}

test('a sheet tells of its columns, its operations, its problems and what can be undone', async () => {
  const { ask, batchId, changes, keys } = await opened();
  expect(await ask('sheet.get', {})).toMatchObject({
    batchId,
    file: 'sheet.csv',
    operations: ['musicgen/music/generate', 'musicgen/music/lyrics'],
    errorCount: 0,
  });
  const rows = [keys.b];
  await ask('sheet.edit', {
    edit: { kind: 'set-cells', rows, added: 0, headers: ['operation'], values: [['nonsense']] },
  });
  expect(changes).toContainEqual({ kind: 'sheet', batchId, rows: [keys.b, keys.c] });
  expect(await ask('sheet.get', {})).toMatchObject({ errorCount: 2, undo: 'Edit “operation”' });
  const problems = await ask('sheet.problems', { limit: 100 });
  expect(problems.filter(({ severity }) => severity === 'error').map(({ code, key }) => [code, key])).toEqual([
    ['operation-unknown', keys.b],
    ['reference-blocked', keys.c],
  ]);
  expect(await ask('sheet.undo', {})).toMatchObject({ changedRows: 1, redo: 'Edit “operation”' });
  expect(await ask('sheet.get', {})).toMatchObject({ errorCount: 0 });
});

test('warnings that are ignored are neither counted nor listed, but told by kind', async () => {
  const { ask, batchId, changes, keys } = await opened();
  await ask('sheet.edit', { edit: { kind: 'add-column', header: 'mood' } });
  await ask('sheet.edit', {
    edit: { kind: 'set-cells', rows: [keys.a], added: 0, headers: ['mood'], values: [['calm']] },
  });
  const kind = { code: 'unknown-column', column: 'mood' } as const;
  expect(await ask('sheet.get', {})).toMatchObject({ warningCount: 1, ignored: [] });
  await ask('sheet.edit', { edit: { kind: 'ignore-warnings', kinds: [kind], isIgnored: true } });
  expect(await ask('sheet.get', {})).toMatchObject({ warningCount: 0, ignored: [{ ...kind, count: 1 }] });
  // Every row may show another problem now.
  expect(changes.at(-1)).toEqual({ kind: 'sheet', batchId, rows: undefined });
  expect(await ask('sheet.problems', { limit: 9 })).toEqual([]);
  await ask('sheet.undo', {});
  expect(await ask('sheet.get', {})).toMatchObject({ warningCount: 1, ignored: [] });
});

test('rows with very long texts are counted, also where the warning is ignored', async () => {
  const { ask, keys } = await opened();
  const long = 'night '.repeat(20_000);
  await ask('sheet.edit', {
    edit: { kind: 'set-cells', rows: [keys.b], added: 0, headers: ['prompt'], values: [[long]] },
  });
  expect(await ask('sheet.longRows', {})).toBe(1);
  const kinds = [{ code: 'value-long', column: 'prompt' } as const];
  await ask('sheet.edit', { edit: { kind: 'ignore-warnings', kinds, isIgnored: true } });
  expect(await ask('sheet.get', {})).toMatchObject({ ignored: [{ count: 1 }] });
  expect(await ask('sheet.longRows', {})).toBe(1);
});

test('cells are copied as text and table, cut, and pasted elsewhere', async () => {
  const { ask, keys } = await opened();
  const rows = [keys.a, keys.b];
  const copied = await ask('sheet.copy', { rows, headers: ['row', 'prompt'], isCut: false });
  expect(copied.text).toBe('a\t{title} at night\nb\twords\n');
  const cut = await ask('sheet.copy', { rows, headers: ['prompt'], isCut: true });
  expect(cut.result).toMatchObject({ changedCells: 2, undo: 'Clear 2 cells' });
  const at = { rows: [keys.b, keys.c], added: 0 };
  expect(await ask('sheet.pasteSize', { text: cut.text, html: cut.html })).toEqual({ rows: 2, columns: 1 });
  const pasted = await ask('sheet.paste', { ...at, headers: ['prompt', 'title'], text: cut.text, html: cut.html });
  expect(pasted).toMatchObject({ changedRows: 2, refusedRows: 0 });
  expect(await ask('sheet.cell', { key: keys.c, header: 'prompt' })).toEqual({ text: 'words' });
  await expect(
    ask('sheet.paste', { ...at, rows: [keys.b], headers: ['title'], text: 'x\ty', html: '' }),
  ).rejects.toThrow('2 columns wide');
  // Another table has come into the clipboard since the rows were named.
  await expect(ask('sheet.paste', { ...at, headers: ['title'], text: 'a\nb\nc', html: '' })).rejects.toThrow(
    'once more',
  );
  await expect(ask('sheet.paste', { ...at, headers: ['title'], text: '', html: '' })).rejects.toThrow('refused');
});

test('a row is previewed as it is written and as it is sent', async () => {
  const { ask, keys } = await opened();
  const preview = await ask('sheet.preview', { key: keys.a });
  expect(JSON.parse(preview.before)).toMatchObject({ prompt: '{title} at night' });
  expect(JSON.parse(preview.after)).toMatchObject({ prompt: 'Owls at night' });
  expect(preview.filledIn).toEqual([{ column: 'prompt', written: '{title}', value: 'Owls' }]);
  expect((await ask('sheet.preview', { key: keys.c })).waitsFor).toEqual(['b']);
  await expect(ask('sheet.preview', { key: 9_999 })).rejects.toThrow('not-found');
});

test('a row is copied as its prompt and as a request, and never with a key in it', async () => {
  const { ask, keys, engine } = await opened();
  expect(await ask('row.text', { key: keys.a, what: 'prompt' })).toEqual({ text: 'Owls at night' });
  const key = 'sk-copied-4f8a01c2';
  // The sheet had it before anybody knew that it is one.
  const values = [[`It's ${key} at night`]];
  const rows = [keys.a];
  await ask('sheet.edit', { edit: { kind: 'set-cells', rows, added: 0, headers: ['prompt'], values } });
  const { origin } = new URL(DEFAULT_PROFILE.baseUrl || 'https://gateway.example');
  engine.setKey(origin, key);
  for (const what of ['prompt', 'curl'] as const) {
    const { text } = await ask('row.text', { key: keys.a, what });
    expect(text).not.toContain(key);
    expect(text).toContain('at night');
  }
  const { text } = await ask('row.text', { key: keys.a, what: 'curl' });
  expect(text).toContain('-H "aiKey: $NOCTURNE_KEY"');
  await expect(ask('row.text', { key: 9_999, what: 'curl' })).rejects.toThrow('not-found');
});

test('rows that were let run set the batch going', async () => {
  const { ask, engine, batchId } = await opened();
  expect(await ask('batch.release', { submits: 0 })).toEqual({ tasks: 0 });
  expect((await engine.store.batch(batchId))?.state).toBe('running');
});

test('a pause that comes while changed rows are let run is the later word', async () => {
  const { ask } = await opened();
  await ask('batch.release', { submits: 0 });
  const words = { headers: ['operation', 'prompt'], values: [['lyrics', 'words']] };
  await ask('sheet.edit', { edit: { kind: 'set-cells', rows: [], added: 1, ...words } });
  const released = ask('batch.release', { submits: 1 });
  await ask('batch.pause', {});
  await released;
  expect(await ask('batch.get', {})).toMatchObject({ state: 'paused' });
});

test('rows are let run for what was shown, and not for more that an edit under way asks for', async () => {
  const { ask, engine, batchId, keys } = await opened();
  await ask('batch.release', { submits: 0 });
  await engine.settled(batchId);
  const change = (key: number, prompt: string) =>
    ask('sheet.edit', { edit: { kind: 'set-cells', rows: [key], added: 0, headers: ['prompt'], values: [[prompt]] } });
  await change(keys.a, 'Owls at dawn');
  const editing = change(keys.b, 'other words');
  await expect(ask('batch.release', { submits: 1 })).rejects.toThrow('now ask for 2 paid requests, not 1');
  await editing;
  expect((await engine.views.batchSummary(batchId))?.draftSubmits).toBe(2);
  expect(await ask('batch.release', { submits: 2 })).toEqual({ tasks: 2 });
});

test('rows that failed only because of one that is to be run count with it: they go on by themselves', async () => {
  const { ask, engine, batchId, keys } = await opened();
  await ask('batch.cancelRows', { rows: [keys.b] });
  await ask('batch.release', { submits: 0 });
  await engine.settled(batchId);
  const { takes } = await ask('batch.retryable', { rows: [keys.b] });
  const { others } = await ask('batch.retryCost', { takes });
  expect([others.shown.length, others.following, others.takesWithoutPrice]).toEqual([1, 1, 2]);
  const { takes: all } = await ask('batch.retryable', { rows: [keys.b, keys.c] });
  const { others: both } = await ask('batch.retryCost', { takes: all });
  expect([both.shown.length, both.following, both.takesWithoutPrice]).toEqual([2, 0, 2]);
  await ask('sheet.edit', {
    edit: { kind: 'set-cells', rows: [keys.b], added: 0, headers: ['prompt'], values: [['other words']] },
  });
  const { following, unpriced } = await ask('batch.releaseCost', {});
  expect([following, unpriced.reduce((sum, { requests }) => sum + requests, 0)]).toEqual([1, 2]);
  await ask('batch.release', { submits: 1 });
  await engine.settled(batchId);
  expect((await engine.views.batchSummary(batchId))?.rows).toMatchObject({ done: 3 });
});

test('rows that are to be run say what they cost by the prices of their batch, and which limit keeps some of it back', async () => {
  const prices = { 'musicgen/music/generate': { amount: 0.1, currency: 'USD' } };
  const { ask, engine, batchId } = await opened({
    rehearsal: false,
    profile: { ...DEFAULT_PROFILE, baseUrl: 'https://gateway.example/v1', prices },
    maxSubmits: 4,
  });
  // Without a key, it pauses before anything is sent.
  await ask('batch.start', {});
  await vi.waitFor(async () => expect((await engine.store.batch(batchId))?.state).toBe('paused'));
  const values = [
    ['music', 'Owls'],
    ['music', 'Larks'],
    ['lyrics', 'words'],
  ];
  await ask('sheet.edit', {
    edit: { kind: 'set-cells', rows: [], added: 3, headers: ['operation', 'prompt'], values },
  });
  expect(await ask('batch.releaseCost', {})).toEqual({
    following: 0,
    // Two songs wait beside the two new ones.
    cost: [{ amount: 0.4, currency: 'USD' }],
    unpriced: [{ operation: 'musicgen/music/lyrics', requests: 2 }],
    beyondLimit: 2,
    stop: { of: 'batch', limit: { requests: 4 }, lacks: 'requests', operations: [] },
  });
});
