import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EditResult, SheetEdit } from '../../src/shared/ipc/editing.ts';
import type { ViewOfRows } from '../../src/engine/ports/sheet-store.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const HEADERS = ['row', 'operation', 'prompt', 'note'];
const QUEUED: ViewOfRows = { filter: { status: ['queued'] } };
const IN_FLIGHT = 's3';

function song(id: string): string[] {
  return [id, 'music', `song ${id}`, ''];
}

/** A night in which the rows that are queued are on screen, and three of them are chosen: s2, s3 and s4. */
async function seenAndChosen() {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, ['s1', 's2', 's3', 's4', 's5', 's6'].map(song), {
    settings: { rehearsal: true },
  });
  await rig.night.store.setBatchState(batchId, 'running', undefined, 0);
  const chosen = [...(await rig.sheets.keysInView(batchId, QUEUED, 1, 3))];
  await submit(rig, batchId, IN_FLIGHT);
  return { rig, batchId, chosen, before: await rig.texts(batchId, ...HEADERS) };
}

/** The night takes a row up: it leaves the view of those that are queued. */
async function submit(rig: SheetRig, batchId: string, id: string): Promise<void> {
  const task = (await rig.rows(batchId)).find(({ row }) => row.id === id)?.tasks[0];
  if (task?.status !== 'queued') return;
  const next = { ...task, status: 'submitting' as const, revision: task.revision + 1 };
  await rig.night.store.commit([{ expectedRevision: task.revision, next, event: { kind: 'submit-started' }, at: 1 }]);
}

function refusedRows({ refused }: EditResult): readonly string[] {
  return refused.map(({ row }) => row);
}

const replacing = {
  kind: 'replace',
  find: 'song',
  replaceWith: 'owl',
  isCaseSensitive: true,
  isWholeCell: false,
  isPattern: false,
} as const;

const CORRECTIONS = Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`song s${n}`, `owl s${n}`]));

test.each<[string, (rows: number[]) => SheetEdit]>([
  ['clear', (rows) => ({ kind: 'clear-cells', rows, headers: ['prompt'] })],
  ['fill down', (rows) => ({ kind: 'fill-down', rows, headers: ['prompt'] })],
  ['paste', (rows) => ({ kind: 'set-cells', rows, added: 0, headers: ['prompt'], values: [['a'], ['b'], ['c']] })],
  ['replace', (rows) => ({ ...replacing, rows })],
  ['correct', (rows) => ({ kind: 'correct-cells', rows, corrections: { prompt: CORRECTIONS } })],
])(
  '%s of chosen rows of which one was taken up reaches the others, refuses it by name, and no other row',
  async (_, edit) => {
    const { rig, batchId, chosen, before } = await seenAndChosen();
    const result = await rig.edit(batchId, edit(chosen));
    expect(refusedRows(result)).toEqual([IN_FLIGHT]);
    const after = await rig.texts(batchId, ...HEADERS);
    const changed = after.flatMap((texts, i) => (texts.join() === before[i]?.join() ? [] : [texts[0]]));
    expect(changed.filter((id) => id !== 's2')).toEqual(['s4']);
    expect(after[3]?.[2]).toBe(
      { 'clear-cells': '', 'fill-down': 'song s2', 'set-cells': 'c', replace: 'owl s4', 'correct-cells': 'owl s4' }[
        edit(chosen).kind as 'replace'
      ],
    );
  },
);

test('rows are removed of which one was taken up: it stays, is named, and none goes in its place', async () => {
  const { rig, batchId, chosen } = await seenAndChosen();
  const result = await rig.edit(batchId, { kind: 'remove-rows', rows: chosen });
  expect(refusedRows(result)).toEqual([IN_FLIGHT]);
  expect((await rig.texts(batchId, 'row')).flat()).toEqual(['s1', 's3', 's5', 's6']);
});

test('rows are duplicated and moved as they were seen, also one that was taken up', async () => {
  const { rig, batchId, chosen } = await seenAndChosen();
  await rig.edit(batchId, { kind: 'duplicate-rows', rows: chosen });
  const ids = async () => (await rig.texts(batchId, 'row')).flat();
  expect(await ids()).toEqual(['s1', 's2', 's2-copy', 's3', 's3-copy', 's4', 's4-copy', 's5', 's6']);
  await rig.undo(batchId);
  const [to = -1] = await rig.keys(batchId, 5);
  await rig.edit(batchId, { kind: 'move-rows', rows: chosen, to, where: 'below' });
  expect(await ids()).toEqual(['s1', 's5', 's6', 's2', 's3', 's4']);
});

test('cells are copied of the rows that were chosen', async () => {
  const { rig, batchId, chosen } = await seenAndChosen();
  const copied = await rig.editor.copy(batchId, chosen, ['row']);
  expect(copied).toEqual({ ok: true, value: [['s2'], ['s3'], ['s4']] });
});

test('a row that is gone by now is refused, and a row beside which nothing can be put any more says so', async () => {
  const { rig, batchId, chosen } = await seenAndChosen();
  const [gone = -1] = chosen;
  await rig.edit(batchId, { kind: 'remove-rows', rows: [gone] });
  const write = { kind: 'set-cells', rows: [gone], added: 0, headers: ['note'], values: [['x']] } as const;
  const edit: SheetEdit = { ...write, rows: [...write.rows], headers: [...write.headers], values: [['x']] };
  expect(await rig.edit(batchId, edit)).toMatchObject({ changedRows: 0, refusedRows: 1 });
  expect((await rig.texts(batchId, 'note')).flat().join('')).toBe('');
  for (const beside of [
    { kind: 'insert-rows', at: { kind: 'row', key: gone }, where: 'below', count: 1 },
    { kind: 'move-rows', rows: [chosen[2] ?? -1], to: gone, where: 'below' },
  ] satisfies SheetEdit[]) {
    expect(await rig.editor.edit(batchId, beside)).toMatchObject({
      ok: false,
      error: expect.stringContaining('no longer exists') as string,
    });
  }
  expect((await rig.texts(batchId, 'row')).flat()).toEqual(['s1', 's3', 's4', 's5', 's6']);
});

interface Model {
  readonly key: number;
  readonly id: string;
  note: string;
  isInFlight: boolean;
}

test('whatever view rows are chosen in and whatever the night does meanwhile, an edit reaches these rows alone', async () => {
  const step = fc.record({
    view: fc.constantFrom<ViewOfRows>(
      QUEUED,
      {},
      { filter: { text: 's1' } },
      { sort: { column: 'status', direction: 'descending' } },
    ),
    at: fc.nat(11),
    count: fc.integer({ min: 1, max: 4 }),
    submitted: fc.array(fc.nat(11), { maxLength: 2 }),
    what: fc.constantFrom('clear' as const, 'write' as const, 'remove' as const, 'move' as const),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const rig = new SheetRig();
      const lines = Array.from({ length: 12 }, (_, i) => ['music', 'song', `note ${i}`]);
      const batchId = await rig.bringIn(
        ['row', 'operation', 'prompt', 'title'],
        lines.map(([a = '', b = '', c = ''], i) => [`s${i}`, a, b, c]),
      );
      await rig.night.store.setBatchState(batchId, 'running', undefined, 0);
      let model = (await rig.rows(batchId)).map(({ key, row }): Model => ({
        key,
        id: row.id,
        note: row.cells['title'] ?? '',
        isInFlight: false,
      }));
      for (const [number, { view, at, count, submitted, what }] of steps.entries()) {
        const rows = [...(await rig.sheets.keysInView(batchId, view, at, count))];
        for (const index of submitted) {
          const row = model[index];
          if (
            row === undefined ||
            (await rig.rows(batchId)).find(({ key }) => key === row.key)?.tasks[0]?.status !== 'queued'
          )
            continue;
          await submit(rig, batchId, row.id);
          row.isInFlight = true;
        }
        if (rows.length === 0) continue;
        const text = what === 'clear' ? '' : `edit ${number}`;
        const to = model[at % model.length]?.key ?? -1;
        if (what === 'remove') await rig.edit(batchId, { kind: 'remove-rows', rows });
        else if (what === 'move') await rig.edit(batchId, { kind: 'move-rows', rows, to, where: 'below' });
        else if (what === 'clear') await rig.edit(batchId, { kind: 'clear-cells', rows, headers: ['title'] });
        else await rig.edit(batchId, { kind: 'set-cells', rows, added: 0, headers: ['title'], values: [[text]] });
        const isMeant = ({ key, isInFlight }: Model): boolean => rows.includes(key) && (what === 'move' || !isInFlight);
        if (what === 'remove') model = model.filter((row) => !isMeant(row));
        else if (what === 'move') {
          const after = rows.includes(to) ? undefined : to;
          const others = model.filter((row) => !isMeant(row));
          const place = after === undefined ? undefined : others.findIndex(({ key }) => key === after) + 1;
          // Beside itself: what matters is that the others stay in their order.
          if (place !== undefined)
            others.splice(place, 0, ...rows.flatMap((key) => model.find((row) => row.key === key) ?? []));
          else
            others.splice(
              0,
              others.length,
              ...(await rig.rows(batchId)).flatMap(({ key }) => model.find((row) => row.key === key) ?? []),
            );
          model = others;
        } else for (const row of model) if (isMeant(row)) row.note = text;
        expect(await rig.texts(batchId, 'row', 'title')).toEqual(model.map(({ id, note }) => [id, note]));
      }
    }),
    { numRuns: Number(process.env['RUNS'] ?? 30) },
  );
}, 60_000);
