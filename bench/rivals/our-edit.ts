import { SheetEditor } from '../../src/engine/edit/sheet-editor.ts';
import { openStoreThread } from '../../src/engine/store/thread/store-thread.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { PLAIN_SHEET } from '../../src/shared/domain/task/batch.ts';
import { checkSheet } from '../../src/shared/domain/sheet/check-sheet.ts';
import { KeyFinder } from '../../src/shared/domain/base/key-finder.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import type { SheetEdit } from '../../src/shared/ipc/editing.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { watchBlocks } from '../support/measure.ts';

const NO_KEYS = new KeyFinder([]);

const HEADERS = ['row', 'operation', 'prompt', 'title', 'note'];
const VIEW = { filter: {}, sort: { column: 'line', direction: 'ascending' } } as const;
const PASTED_ROWS = 2_000;
const REPEATS = 30;

/** Median milliseconds of edits in `rows` rows; the longest that nothing else could run. Input: `folder`, `rows`. */
export async function editByOurs(input: ContenderInput): Promise<Figures> {
  const opened = await openStoreThread(textIn(input, 'folder'));
  if (!opened.ok) throw new Error(opened.error.message);
  const { store, sheets } = opened.value;
  const rows = numberIn(input, 'rows');
  const lines = Array.from({ length: rows }, (_, i) => [
    `s${i}`,
    'music',
    `A song about the number ${i}`,
    `Number ${i}`,
    '',
  ]);
  const records = lines.map((cells, i) => ({ line: i + 2, cells }));
  const source = { format: 'csv', bytes: 0, sha256: '' } as const;
  const checked = checkSheet({ headers: HEADERS, records, problems: [], source });
  const { id } = await store.createBatch({
    name: 'Bench',
    headers: HEADERS,
    sheet: PLAIN_SHEET,
    settings: { folder: textIn(input, 'folder'), profile: profileSchema.parse({}), filename: '{row}', rehearsal: true },
    createdAt: Date.now(),
    rows: checked.rows,
    problems: checked.problems,
  });
  const editor = new SheetEditor({
    store,
    sheets,
    clock: systemClock,
    keys: { finder: NO_KEYS },
    lists: { current: () => Promise.resolve({}) },
    night: {
      sheetChanged: () => Promise.resolve(),
      stateStored: () => Promise.resolve(),
      holdingSubmits: (_, work) => work(),
    },
    changes: { tell: () => undefined },
  });
  const keys = async (offset: number, count = 1): Promise<number[]> => [
    ...(await sheets.keysInView(id, VIEW, offset, count)),
  ];
  const timed = async (edit: SheetEdit): Promise<number> => {
    const started = performance.now();
    const edited = await editor.edit(id, edit);
    if (!edited.ok || edited.value.undo === undefined) throw new Error('An edit changed nothing.');
    return performance.now() - started;
  };
  const median = async (edit: (n: number) => Promise<SheetEdit>): Promise<number> => {
    const times: number[] = [];
    for (let n = 0; n < REPEATS; n += 1) times.push(await timed(await edit(n)));
    return times.toSorted((a, b) => a - b)[REPEATS >> 1] ?? 0;
  };
  const middle = rows >> 1;
  const cellMs = await median(async (n) => ({
    kind: 'set-cells',
    rows: await keys(middle + n),
    added: 0,
    headers: ['prompt'],
    values: [[`Another song, the ${n}th`]],
  }));
  const insertMs = await median(async (n) => {
    const [key = 0] = await keys(middle + n);
    return { kind: 'insert-rows', at: { kind: 'row', key }, where: 'below', count: 1 };
  });
  const values = Array.from({ length: PASTED_ROWS }, (_, i) => [`p${i}`, 'music', `Pasted ${i}`, `Title ${i}`, 'new']);
  const pasteMs = await timed({
    kind: 'set-cells',
    rows: await keys(0, PASTED_ROWS),
    added: 0,
    headers: HEADERS,
    values,
  });
  const recheck = await watchBlocks(() => timed({ kind: 'set-variables', variables: { mood: 'calm' } }));
  const all = await keys(0, rows);
  const clear = await watchBlocks(() => timed({ kind: 'clear-cells', rows: all, headers: ['title'] }));
  await opened.value.close();
  return {
    cellMs,
    insertMs,
    pasteMs,
    recheckMs: recheck.ms,
    recheckBlockMs: recheck.blockMs,
    clearMs: clear.ms,
    clearBlockMs: clear.blockMs,
  };
}
