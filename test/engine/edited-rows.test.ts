import { expect, test } from 'vitest';
import { KeyFinder } from '../../src/shared/domain/base/key-finder.ts';
import { cellText } from '../../src/shared/domain/sheet/row.ts';
import { RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const HEADERS = ['row', 'operation', 'prompt', 'title', 'note'];
const KEY = 'sk-canary-0123456789';

function lines(count: number): string[][] {
  return Array.from({ length: count }, (_, i) => [`s${i + 1}`, 'music', `song ${i + 1}`, '', '']);
}

/** The rows that the filter shows, each with its marked columns. */
async function edited(rig: SheetRig, batchId: string): Promise<readonly string[]> {
  const { views } = rig.night.opened;
  const all = await views.viewPage(batchId, { offset: 0, limit: 500, withCells: true });
  const marked = new Map(
    all.rows.flatMap(({ key, row, sheet }) => {
      const columns = (sheet?.editedCells ?? []).map((index) => HEADERS[index]);
      return [[key, columns.length === 0 ? row : `${row} ${columns.join('+')}`]];
    }),
  );
  const found = await views.viewPage(batchId, { offset: 0, limit: 500, filter: { isEdited: true } });
  for (const { key, sheet } of all.rows)
    expect(sheet?.editedCells === undefined || found.keys.includes(key)).toBe(true);
  return found.keys.map((key) => marked.get(key) ?? '');
}

async function story(rig: SheetRig, batchId: string, offset: number): Promise<readonly string[]> {
  const [key = -1] = await rig.keys(batchId, offset);
  const detail = await rig.night.opened.views.rowDetail(batchId, key);
  const added = detail?.edits?.addedAt === undefined ? [] : ['added'];
  const changes = detail?.edits?.changes ?? [];
  return [...changes.map(({ header, before, after }) => `${header}: ${before} → ${after}`), ...added];
}

test('a removed row comes back after its id was given to another and the clock was put back', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, lines(2));
  const { night } = rig;
  const run = async (): Promise<void> => {
    await rig.editor.release(batchId);
    await night.scheduler.start(batchId);
    await night.untilRest(batchId);
  };
  const prompts = () => rig.texts(batchId, 'row', 'prompt');
  await run();
  await rig.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, 0) });
  await rig.edit(batchId, { kind: 'insert-rows', at: await rig.at(batchId, 0), where: 'below', count: 1 });
  await rig.edit(
    batchId,
    await rig.block(batchId, 1, ['row', 'operation', 'prompt'], [['s1', 'music', 'another song']]),
  );
  await run();
  night.clock.jump(-3_600_000);
  const before = await prompts();
  expect(before).toEqual([
    ['s2', 'song 2'],
    ['s1', 'another song'],
  ]);
  const keys = await rig.keys(batchId, 0, 2);
  await rig.edit(batchId, { kind: 'remove-rows', rows: keys.slice(1) });
  await rig.undo(batchId);
  expect(await prompts()).toEqual(before);
  expect(await rig.keys(batchId, 0, 2)).toEqual(keys);
  expect(await night.statuses(batchId)).toEqual(['done', 'done']);
});

test('a removed row that comes back leaves its id to a row that is rendered under it by now', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, lines(2));
  const { night } = rig;
  const ids = async () =>
    (await rig.rows(batchId)).map(({ row, problems }) => [row.id, ...problems.map(({ code }) => code)]);
  await rig.set(batchId, 1, 'row', 's1');
  expect(await ids()).toEqual([['s1'], ['r0004', 'row-id-duplicate']]);
  await rig.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, 0) });
  expect(await ids()).toEqual([['s1']]);
  night.gateway.onPoll = () => RUNNING;
  await rig.editor.release(batchId);
  await night.scheduler.start(batchId);
  await night.clock.advance(10_000);
  await rig.undo(batchId);
  expect(await ids()).toEqual([['r0003', 'row-id-duplicate'], ['s1']]);
});

test('edited cells are marked and told, also after a restart; an undo is one more change', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, lines(4));
  expect(await edited(rig, batchId)).toEqual([]);
  await rig.set(batchId, 1, 'prompt', 'an owl');
  await rig.edit(
    batchId,
    await rig.block(
      batchId,
      1,
      ['prompt', 'title'],
      [
        ['a crow', 'Crow'],
        ['song 3', 'Third'],
      ],
    ),
  );
  rig.reopen();
  expect(await edited(rig, batchId)).toEqual(['s2 prompt+title', 's3 title']);
  expect(await story(rig, batchId, 1)).toEqual([
    'title:  → Crow',
    'prompt: an owl → a crow',
    'prompt: song 2 → an owl',
  ]);
  await rig.set(batchId, 1, 'prompt', 'song 2');
  await rig.undo(batchId);
  expect((await story(rig, batchId, 1)).slice(0, 2)).toEqual(['prompt: song 2 → a crow', 'prompt: a crow → song 2']);
  await rig.redo(batchId);
  expect(await edited(rig, batchId)).toEqual(['s2 title', 's3 title']);
});

test('rows that were added count as edited, and keep their story when they are deleted and put back', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, lines(3));
  await rig.set(batchId, 0, 'title', 'First');
  await rig.edit(batchId, { kind: 'duplicate-rows', rows: await rig.keys(batchId, 0) });
  await rig.set(batchId, 1, 'prompt', 'an owl');
  const before = [await story(rig, batchId, 0), await story(rig, batchId, 1)];
  expect(before).toEqual([['title:  → First'], ['prompt: song 1 → an owl', 'added']]);
  const shown = await edited(rig, batchId);
  expect(shown).toHaveLength(2);
  await rig.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, 0, 3) });
  expect(await edited(rig, batchId)).toEqual([]);
  await rig.undo(batchId);
  expect([await story(rig, batchId, 0), await story(rig, batchId, 1)]).toEqual(before);
  expect(await edited(rig, batchId)).toEqual(shown);
  expect(await story(rig, batchId, 2)).toEqual([]);
});

test('a column that is removed and comes back marks nothing, and neither does what checks rows anew', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, lines(3));
  await rig.set(batchId, 1, 'prompt', 'an owl');
  await rig.edit(batchId, { kind: 'remove-column', header: 'prompt' });
  expect(await story(rig, batchId, 1)).toEqual([]);
  await rig.undo(batchId);
  await rig.edit(batchId, { kind: 'add-column', header: 'mood' });
  await rig.edit(batchId, {
    kind: 'move-rows',
    rows: await rig.keys(batchId, 1),
    to: (await rig.keys(batchId, 0))[0] ?? 0,
    where: 'above',
  });
  expect(await edited(rig, batchId)).toEqual(['s2 prompt']);
  expect(await story(rig, batchId, 0)).toEqual(['prompt: song 2 → an owl']);
});

test('an edit of a started batch is told once its row has run, and what the user has let run forgets nothing', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, lines(2));
  await rig.night.scheduler.start(batchId);
  await rig.night.untilRest(batchId);
  await rig.set(batchId, 0, 'prompt', 'an owl');
  await rig.set(batchId, 1, 'note', 'mine');
  expect((await rig.rows(batchId)).map(({ isDraft }) => isDraft)).toEqual([true, false]);
  expect(await rig.editor.release(batchId)).toMatchObject({ ok: true, value: 1 });
  expect(await edited(rig, batchId)).toEqual(['s1 prompt', 's2 note']);
  expect(await story(rig, batchId, 0)).toEqual(['prompt: song 1 → an owl']);
});

test('many rows that are edited in parts are all told', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, lines(450));
  const rows = await rig.keys(batchId, 0, 450);
  await rig.edit(batchId, { kind: 'set-cells', rows, added: 0, headers: ['note'], values: [['x']] });
  expect(await edited(rig, batchId)).toHaveLength(450);
  await rig.undo(batchId);
  expect(await edited(rig, batchId)).toEqual([]);
  expect(await story(rig, batchId, 449)).toEqual(['note: x → ', 'note:  → x']);
});

test('a key that was entered since the import is not kept in the story of a row', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, [['s1', 'music', `owl ${KEY}`, '', '']]);
  rig.knownKeys.finder = new KeyFinder([KEY]);
  await rig.set(batchId, 0, 'prompt', 'an owl');
  const [row] = await rig.rows(batchId);
  expect(cellText(row?.row.cells ?? {}, 'prompt')).toBe('an owl');
  expect(row?.edits?.earlier).toHaveLength(1);
  expect(JSON.stringify(row)).not.toContain(KEY);
});

test('a row that is named twice runs once', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, lines(1));
  await rig.night.scheduler.start(batchId);
  await rig.night.untilRest(batchId);
  await rig.set(batchId, 0, 'prompt', 'an owl');
  const [key = 0] = await rig.keys(batchId, 0);
  expect(await rig.editor.release(batchId, [key, key])).toMatchObject({ ok: true, value: 1 });
  expect(await rig.night.store.tasksOfRow(batchId, 's1')).toHaveLength(1);
});
