import { expect, test } from 'vitest';
import { ok } from '../../../src/shared/domain/base/result.ts';
import { refuse, type Reply } from '../../../src/shared/ipc/contract.ts';
import type { ReviewStep } from '../../../src/renderer/state/review/decisions.ts';
import type { ViewedFileView } from '../../../src/shared/ipc/files.ts';
import { GalleryMode, type GalleryFilter } from '../../../src/renderer/state/gallery/gallery-mode.ts';
import { meantWith } from '../../../src/renderer/state/gallery/selection.ts';
import { layWall, rowsShown, scrolledTo, tileAfter } from '../../../src/renderer/state/gallery/wall-layout.ts';
import { ManualSchedule, settle } from './manual-schedule.ts';

test('as many tiles as fit stand beside each other, and only those near what is in sight are drawn', () => {
  const wall = layWall(1_000, 10_000);
  expect(wall.columns).toBe(5);
  expect(wall.rows).toBe(2_000);
  expect(layWall(0, 3)).toMatchObject({ columns: 1, rows: 3 });
  const { rowHeight } = wall;
  expect(rowsShown(wall, 0, 600)).toEqual({ first: 0, end: 5 });
  const middle = rowsShown(wall, 1_000 * rowHeight, 600);
  expect(middle).toEqual({ first: 998, end: 1_005 });
  expect(rowsShown(wall, wall.height - 600, 600).end).toBe(2_000);
  // A list that has become shorter than where one was.
  expect(rowsShown(layWall(1_000, 5), 100_000, 600)).toEqual({ first: 1, end: 1 });
});

test('a tile is scrolled to no further than until it is in sight', () => {
  const wall = layWall(1_000, 10_000);
  const { rowHeight } = wall;
  expect(scrolledTo(wall, 12, 0, 3 * rowHeight + 20)).toBe(0);
  expect(scrolledTo(wall, 4, 2 * rowHeight, 600)).toBe(0);
  const top = scrolledTo(wall, 9_999, 0, 600);
  expect(top + 600).toBe(wall.height);
});

test('keys lead through the wall and stay at its ends, in their column', () => {
  const wall = layWall(1_000, 13);
  const after = (key: string, index: number): number | undefined => tileAfter(key, index, 13, wall, 2 * wall.rowHeight);
  expect(after('ArrowRight', 12)).toBe(12);
  expect(after('ArrowLeft', 0)).toBe(0);
  expect(after('ArrowDown', 1)).toBe(6);
  // The last row has three.
  expect(after('ArrowDown', 9)).toBe(12);
  expect(after('ArrowDown', 11)).toBe(11);
  expect(after('ArrowUp', 2)).toBe(2);
  expect(after('PageDown', 1)).toBe(11);
  expect(after('PageUp', 11)).toBe(1);
  expect([after('Home', 7), after('End', 7), after('x', 7)]).toEqual([0, 12, undefined]);
  expect(tileAfter('End', 0, 0, wall, 600)).toBeUndefined();
});

function fileOf(id: string, key: number): ViewedFileView {
  const place = { key, row: `r${key}`, label: '', operation: 'videogen-b/image/generate', take: 1 } as const;
  return { id, name: `${id}.png`, mediaType: 'image/png', bytes: 1, flags: [], ...place };
}

/** A gallery over a store of files whose task is also the key of their row. */
function gallery(tasks: number[]) {
  const schedule = new ManualSchedule();
  const asked: (readonly string[])[] = [];
  const inSight: (readonly string[])[] = [];
  const filters: GalleryFilter[] = [];
  const recorded: ReviewStep[] = [];
  const refused: string[] = [];
  const answers: ((reply: Reply<undefined>) => void)[] = [];
  const mode = new GalleryMode({
    fetchFound: (_batch, filter) => {
      filters.push(filter);
      return Promise.resolve(ok({ files: Float64Array.from(tasks.flatMap((task) => [task, 1])) }));
    },
    fetchFiles: (_batch, ids) => {
      asked.push(ids);
      const there = ids.filter((id) => tasks.includes(Number.parseInt(id, 10)));
      return Promise.resolve(ok({ files: there.map((id) => fileOf(id, Number.parseInt(id, 10))) }));
    },
    record: (step) => {
      recorded.push(step);
      return new Promise((resolve) => answers.push(resolve));
    },
    tellRefused: (name, why) => void refused.push(`${name}: ${why}`),
    tellInSight: (ids) => void inSight.push(ids),
    schedule: schedule.schedule,
  });
  return { mode, schedule, asked, inSight, filters, recorded, refused, answers, state: () => mode.store.getState() };
}

test('what is in sight is asked for once, and what was scrolled past meanwhile is not', async () => {
  const { mode, asked, inSight, state } = gallery([1, 2, 3, 4]);
  mode.open('b');
  await settle();
  expect(state()).toMatchObject({ order: ['1-1', '2-1', '3-1', '4-1'], current: '1-1', arrived: 0 });
  mode.want(['1-1', '2-1']);
  mode.want(['2-1', '3-1']);
  mode.want(['3-1', '4-1', '9-1']);
  await settle();
  expect(asked).toEqual([
    ['1-1', '2-1'],
    ['3-1', '4-1', '9-1'],
  ]);
  expect(inSight.at(-1)).toEqual(['3-1', '4-1', '9-1']);
  expect(state().files.get('9-1')).toBeNull();
  mode.want(['1-1', '4-1']);
  await settle();
  expect(asked).toHaveLength(2);
});

test('files that arrive are counted, and nothing moves until the user asks; the cursor stays on its file', async () => {
  const tasks = [2, 4];
  const { mode, schedule, asked, state } = gallery(tasks);
  mode.open('b');
  await settle();
  mode.choose('4-1');
  mode.want(['2-1', '4-1']);
  await settle();
  tasks.splice(0, 2, 1, 2, 3, 4);
  mode.changed([{ key: 2 }, { key: 3 }], false);
  schedule.runAll();
  await settle();
  expect(state()).toMatchObject({ order: ['2-1', '4-1'], arrived: 2 });
  // Of what is in sight, only what has changed.
  expect(asked.slice(1)).toEqual([['2-1']]);
  mode.addArrived();
  await settle();
  expect(state()).toMatchObject({ order: ['1-1', '2-1', '3-1', '4-1'], arrived: 0, current: '4-1' });
});

test('a filter is the store’s business; one is left and found again as it was', async () => {
  const { mode, inSight, filters, state } = gallery([1]);
  mode.open('b');
  mode.filter({ verdict: 'kept' });
  await settle();
  mode.want(['1-1']);
  mode.leave();
  expect(inSight.at(-1)).toEqual([]);
  mode.open('b');
  await settle();
  expect(filters).toEqual([{}, { verdict: 'kept' }, { verdict: 'kept' }]);
  mode.open('another');
  expect(state()).toMatchObject({ filter: {}, order: undefined });
});

test('a decision is shown at once, whatever the store says meanwhile; one that is refused goes back, and says so', async () => {
  const { mode, schedule, recorded, refused, answers, state } = gallery([1, 2]);
  mode.open('b');
  await settle();
  mode.want(['1-1', '2-1']);
  await settle();
  mode.choose('2-1');
  mode.decide({ kind: 'keep' });
  mode.decide({ kind: 'rate', rating: 4 });
  expect(state().files.get('2-1')?.verdict).toEqual({ kept: true, rating: 4 });
  mode.changed([{ key: 2 }], false);
  schedule.runAll();
  await settle();
  expect(state().files.get('2-1')?.verdict).toEqual({ kept: true, rating: 4 });
  for (let decisions = 1; decisions <= 2; decisions += 1) {
    answers.at(-1)?.(refuse('refused', 'It is read only.'));
    await settle();
  }
  expect(recorded).toEqual([
    { fileId: '2-1', change: { kept: true } },
    { fileId: '2-1', change: { rating: 4 } },
  ]);
  expect(refused).toEqual(['2-1.png: It is read only.', '2-1.png: It is read only.']);
  expect(state().files.get('2-1')?.verdict).toBeUndefined();
});

test('several files are selected, stay so while they are shown, and the same is said of all of them', async () => {
  const tasks = [1, 2, 3, 4];
  const { mode, recorded, answers, state } = gallery(tasks);
  mode.open('b');
  await settle();
  mode.want(['1-1', '2-1', '3-1', '4-1']);
  await settle();
  mode.select('3-1', 'toggle');
  expect([...state().selection.ids]).toEqual(['1-1', '3-1']);
  mode.select('3-1', 'toggle');
  mode.select('3-1', 'toggle');
  expect(meantWith(state().selection, state().order ?? [], '3-1')).toEqual(['1-1', '3-1']);
  // Another file is meant alone.
  expect(meantWith(state().selection, state().order ?? [], '2-1')).toEqual(['2-1']);
  // From where it was begun, there and back.
  mode.select('4-1', 'from');
  expect([...state().selection.ids]).toEqual(['3-1', '4-1']);
  mode.select('2-1', 'from');
  expect([...state().selection.ids]).toEqual(['2-1', '3-1']);
  mode.decide({ kind: 'rate', rating: 3 });
  for (let stored = 1; stored <= 2; stored += 1) {
    await settle();
    answers.at(-1)?.(ok(undefined));
  }
  await settle();
  expect(recorded).toEqual(['2-1', '3-1'].map((fileId) => ({ fileId, change: { rating: 3 } })));
  tasks.splice(1, 1);
  mode.addArrived();
  await settle();
  expect([...state().selection.ids]).toEqual(['3-1']);
  expect([mode.selectNone(), mode.selectNone()]).toEqual([true, false]);
  mode.selectAll();
  expect(state().selection.ids.size).toBe(3);
});
