/** A file that is imported again is told from what it was: by its lines, its ids, its columns, and what was edited here. */
import { expect, test } from 'vitest';
import type { TaskEvent } from '../../src/shared/domain/task/task-event.ts';
import { correctCells, type RawSheet } from '../../src/shared/domain/sheet/sheet-raw.ts';
import { accepted, RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';
import { sheet, Living, SONGS } from '../support/living.ts';

test('a file that changed after it was compared is not taken over', async () => {
  const living = await Living.of(sheet(...SONGS));
  living.file = sheet(SONGS[0], ['a', 'music', 'an owl', '']);
  const { id } = await living.compare();
  living.file = sheet(SONGS[0], ['a', 'music', 'two owls', '']);
  expect(await living.sheets.apply(id, { removed: 'keep', withDependents: false })).toMatchObject({ ok: false });
  expect(await living.rows()).toEqual(['a queued owl', 'b queued fox', 'c queued elk']);
});

test('a second time the same file is the same sheet, also after rows were put in above', async () => {
  const plain = (...prompts: string[]): RawSheet => sheet(['operation', 'prompt'], ...prompts.map((p) => ['music', p]));
  const living = await Living.of(plain('owl', 'fox'));
  await living.run();
  living.file = plain('bat', 'owl', 'fox');
  expect((await living.compare()).comparison.rows.map((row) => row.kind)).toEqual(['new', 'unchanged', 'unchanged']);
  await living.apply();
  expect(await living.rows()).toEqual(['r0002-2 draft bat', 'r0002 done owl', 'r0003 done fox']);
  expect((await living.compare()).comparison.rows.map((row) => row.kind)).toEqual([
    'unchanged',
    'unchanged',
    'unchanged',
  ]);
});

test('what was corrected at the import is no change when the file, which keeps its mistake, is imported again', async () => {
  const corrections = { operation: { Lyrcs: 'lyrics' } };
  const file = sheet(['row', 'operation', 'prompt'], ['a', 'Lyrcs', 'A song'], ['b', 'lyrics', 'Another']);
  const living = await Living.of(correctCells(file, corrections), { corrections });
  living.file = file;
  await living.run();
  expect((await living.compare()).comparison.rows.map((row) => row.kind)).toEqual(['unchanged', 'unchanged']);
  living.file = sheet(['row', 'operation', 'prompt'], ['a', 'Lyrcs', 'A song'], ['b', 'Lyrcs', 'A third']);
  const { comparison, invalid } = await living.compare();
  expect(comparison.rows.map((row) => row.kind)).toEqual(['unchanged', 'changed']);
  expect(invalid.size).toBe(0);
});

test('results are found by the lines that the file has now', async () => {
  const living = await Living.of(sheet(...SONGS));
  await living.run();
  living.file = sheet(SONGS[0], SONGS[3], SONGS[1]);
  const results = await living.sheets.results(living.batchId);
  if (!results.ok) throw new Error(results.error);
  const { byLine, added } = results.value.results;
  expect([...byLine].map(([line, texts]) => [line, texts[0], texts[2]])).toEqual([
    [2, 'done', 'code-3'],
    [3, 'done', 'code-1'],
  ]);
  expect(added.map(({ cells, results: texts }) => [cells['row'], texts[0]])).toEqual([['b', 'done']]);
});

test('a row that was edited here has its results on its line of the file, whatever its id is now, and is counted', async () => {
  const corrections = { operation: { Muzik: 'music' } };
  const file = sheet(...SONGS, ['d', 'Muzik', 'ant', ''], ['e', 'music', 'bee', '']);
  const living = await Living.of(correctCells(file, corrections), { corrections });
  living.file = file;
  const rig = new SheetRig(living.night);
  await rig.set(living.batchId, 1, 'row', 'b2');
  await rig.set(living.batchId, 2, 'prompt', 'emu');
  await living.run();
  const results = await living.sheets.results(living.batchId);
  if (!results.ok) throw new Error(results.error);
  const { byLine, added, differing } = results.value.results;
  expect([...byLine].map(([line, texts]) => [line, texts[0], texts[1]])).toEqual([
    [2, 'done', 'music/a.mp3'],
    [4, 'done', 'music/c.mp3'],
    [5, 'done', 'music/d.mp3'],
    [6, 'done', 'music/e.mp3'],
    [3, 'done', 'music/b2.mp3'],
  ]);
  expect(added).toEqual([]);
  expect(differing).toBe(3);
});

test('a large file is taken over in the middle of a fast night, which goes on afterwards', async () => {
  const ROWS = 300;
  const songs = (word: string) =>
    sheet(SONGS[0], ...Array.from({ length: ROWS }, (_, i) => [`s${i}`, 'music', `${word} ${i}`, '']));
  let isFast = false;
  const living = await Living.of(
    songs('owl'),
    {},
    {
      // Between any two answers of the store, some rows are sent.
      before: async ({ clock }) => (isFast ? clock.advance(20) : undefined),
      limits: { activePerFamily: { musicgen: ROWS } },
    },
  );
  const { night, batchId } = living;
  night.gateway.onPoll = () => RUNNING;
  await night.scheduler.start(batchId);
  await night.clock.advance(200);
  living.file = songs('fox');
  const { id } = await living.compare();
  isFast = true;
  const applied = await living.sheets.apply(id, { removed: 'keep', withDependents: false });
  isFast = false;
  const sent = night.gateway.submits.length;
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(ROWS / 3);
  // What was on its way is left as it was sent, and everything else is taken over.
  expect(applied).toMatchObject({ ok: true, value: { left: { length: sent }, keys: { length: ROWS - sent } } });
  expect(await night.state(batchId)).toBe('running');
  await night.clock.advanceUntil(() => night.gateway.submits.length >= sent + 20);
  expect(night.gateway.submits.slice(sent).every(({ body }) => body.includes('fox'))).toBe(true);
  expect(night.bugs).toEqual([]);
});

test.each([
  ['refused, then corrected', ['b', 'music', 'a fox', ''], [], 'b draft a fox'],
  ['of an unknown operation, then corrected', ['b', 'music', 'fox', ''], [['b', 'nosuch', 'fox', '']], 'b draft fox'],
  ['removed, then put back', ['b', 'music', 'fox', ''], [undefined], 'b draft fox'],
  ['removed twice', ['b', 'music', 'fox', ''], [undefined, ['b', 'music', 'a fox', ''], undefined], 'b draft fox'],
] as const)('a held row that was %s is still held, also once it is run', async (what, last, meanwhile, shown) => {
  const living = await Living.of(sheet(...SONGS));
  const { night } = living;
  const isRefused = what.startsWith('refused');
  if (isRefused) {
    night.gateway.onSubmit = ({ body }, nth) =>
      body.includes('fox')
        ? { outcome: { kind: 'rejected', failure: { code: 'INPUT_INVALID', message: 'no' } } }
        : accepted(`code-${nth}`);
    await living.run();
  }
  const said = async (event: TaskEvent) => {
    const tasks = await night.store.tasksOfRow(living.batchId, 'b');
    await night.scheduler.decide(tasks.map(({ id }) => ({ taskId: id, event })));
  };
  await said({ kind: 'put-on-hold' });
  if (!isRefused) await living.run();
  const submits = night.gateway.submits.length;
  for (const between of [...meanwhile, last]) {
    living.file = sheet(SONGS[0], SONGS[1], ...(between === undefined ? [] : [between]), SONGS[3]);
    await living.apply({ removed: 'remove' });
  }
  expect(await living.rows()).toContain(shown);
  const page = await living.opened.views.rowPage(living.batchId, { offset: 0, limit: 9 });
  expect(page.rows.map(({ row, isHeld }) => [row, isHeld])).toContainEqual(['b', true]);
  await new SheetRig(night).editor.release(living.batchId, undefined);
  await living.run();
  expect(night.gateway.submits).toHaveLength(submits);
  night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
  await said({ kind: 'released' });
  await living.run();
  expect(night.gateway.submits).toHaveLength(submits + 1);
});

test('what a re-import brings is told as its own, and a row is edited from then on if the user changes it again', async () => {
  const living = await Living.of(sheet(...SONGS));
  const rig = new SheetRig(living.night);
  const edited = async (): Promise<readonly string[]> => {
    const page = await living.opened.views.rowPage(living.batchId, { offset: 0, limit: 9, filter: { isEdited: true } });
    return page.rows.map(({ row }) => row);
  };
  await rig.set(living.batchId, 0, 'prompt', 'crow');
  await rig.edit(living.batchId, await rig.block(living.batchId, 1, ['prompt', 'note'], [['wolf', 'mine']]));
  await rig.set(living.batchId, 2, 'note', 'mine');
  living.file = sheet(
    SONGS[0] ?? [],
    SONGS[1] ?? [],
    ['b', 'music', 'a fox', 'mine'],
    ['c', 'music', 'elk', 'mine'],
    ['d', 'music', 'new', ''],
  );
  await living.apply();
  const [key = -1] = await rig.keys(living.batchId, 1);
  const detail = await living.opened.views.rowDetail(living.batchId, key);
  expect(detail?.edits?.changes.map(({ before, after, isReimport }) => [before, after, isReimport])).toEqual([
    ['wolf', 'a fox', true],
    ['', 'mine', undefined],
    ['fox', 'wolf', undefined],
  ]);
  // The file has the change of the third row as well.
  expect(await edited()).toEqual([]);
  await rig.set(living.batchId, 1, 'prompt', 'fox');
  await rig.set(living.batchId, 3, 'prompt', 'newer');
  expect(await edited()).toEqual(['b', 'd']);
});

test.each([false, true])(
  'a row that the file has as it is stays as it is without a mark, on a server: %s',
  async (isOnServer) => {
    const hard = '\uD83E half \0 “"edits":[”';
    const living = await Living.of(sheet(...SONGS), {}, { isOnServer });
    const { batchId, opened } = living;
    const rig = new SheetRig(living.night);
    await rig.set(batchId, 1, 'note', hard);
    await rig.edit(batchId, { kind: 'insert-rows', at: await rig.at(batchId, 2), where: 'below', count: 1 });
    await rig.edit(batchId, await rig.block(batchId, 3, ['row', 'operation', 'prompt'], [['d', 'music', 'jay']]));
    const isAt = async (): Promise<readonly unknown[]> =>
      (await rig.rows(batchId)).map((row) => ({ ...row, edits: undefined }));
    const before = await isAt();
    const [head, a, b, c] = SONGS;
    living.file = sheet(head, a, [...b.slice(0, 3), hard], c, ['d', 'music', 'jay', '']);
    expect((await living.compare()).comparison.rows.map(({ kind }) => kind)).toEqual(Array(4).fill('unchanged'));
    expect((await living.apply()).ok).toBe(true);
    expect(await isAt()).toEqual(before);
    const filter = { isEdited: true } as const;
    expect((await opened.views.viewPage(batchId, { offset: 0, limit: 9, filter })).keys).toEqual([]);
    const [key = -1] = await rig.keys(batchId, 1);
    expect((await opened.views.rowDetail(batchId, key))?.edits?.changes).toMatchObject([{ before: '', after: hard }]);
    await rig.set(batchId, 1, 'note', 'mine');
    await rig.set(batchId, 3, 'note', 'mine');
    expect((await opened.views.viewPage(batchId, { offset: 0, limit: 9, filter })).keys).toHaveLength(2);
    expect(await opened.whole.checkIntegrity()).toEqual([]);
  },
);

test('a column that was removed here and that the file brings back is by the file, and results are no change of it', async () => {
  const [head, a] = SONGS;
  const living = await Living.of(sheet([...head, 'status'], [...a, '']));
  const { batchId, opened } = living;
  const rig = new SheetRig(living.night);
  await rig.set(batchId, 0, 'note', 'mine');
  await rig.edit(batchId, { kind: 'remove-column', header: 'note' });
  living.file = sheet([...head, 'status'], [...a.slice(0, 2), 'crow', 'of the file', 'done']);
  expect((await living.apply()).ok).toBe(true);
  const [key = -1] = await rig.keys(batchId, 0);
  const { changes = [] } = (await opened.views.rowDetail(batchId, key))?.edits ?? {};
  expect(changes.map(({ header, before, after, isReimport }) => [header, before, after, isReimport])).toEqual([
    ['note', '', 'of the file', true],
    ['prompt', 'owl', 'crow', true],
  ]);
  const filter = { isEdited: true } as const;
  expect((await opened.views.viewPage(batchId, { offset: 0, limit: 9, filter })).keys).toEqual([]);
});

test('a batch whose column became the one with the ids has the rows of its file, paid for as they are', async () => {
  const head = ['Nr', 'operation', 'prompt', 'note'];
  const lines = [1, 2, 3].map((nr) => [String(nr), 'music', `owl ${nr}`, '']);
  const living = await Living.of(sheet(head, ...lines));
  const { batchId, opened } = living;
  await living.run();
  const of = async () => opened.store.batch(batchId);
  const batch = await of();
  if (batch === undefined) throw new Error('no batch');
  // As an earlier version let it be mapped.
  await opened.sheets.change(batchId, { sheet: { ...batch.sheet, mapping: { Nr: 'row' } }, rows: [], at: 1 });
  const { comparison, submits } = await living.compare();
  expect(comparison.rows.map(({ kind }) => kind)).toEqual(['details', 'details', 'details']);
  expect([...submits]).toEqual([]);
  expect((await living.apply()).ok).toBe(true);
  expect(await living.rows()).toEqual(['1 done owl 1', '2 done owl 2', '3 done owl 3']);
  expect((await living.compare()).comparison.rows.map(({ kind }) => kind)).toEqual(Array(3).fill('unchanged'));
});

test('a warning about several rows is about the one of them that the file still has', async () => {
  const head = ['row', 'operation', 'prompt', 'title'];
  const all = [head, ['a', 'lyrics', 'owl', 'Owl'], ['b', 'lyrics', 'fox', 'Fox']];
  const living = await Living.of(sheet(...all));
  const warnings = async () =>
    (await living.opened.sheets.problems(living.batchId, 10)).map(({ problem }) => [problem.code, problem.row]);
  expect(await warnings()).toEqual([['unused-column', undefined]]);
  living.file = sheet(...all.slice(0, 2));
  await living.apply();
  expect(await warnings()).toEqual([['unused-column', 'a']]);
});
