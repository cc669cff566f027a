import { describe, expect, test } from 'vitest';
import { ok } from '../../../src/shared/domain/base/result.ts';
import { refuse, type Reply } from '../../../src/shared/ipc/contract.ts';
import { withReview, type ReviewStep } from '../../../src/renderer/state/review/file-decision.ts';
import { ReviewMode } from '../../../src/renderer/state/review/review-mode.ts';
import { VerdictLog } from '../../../src/renderer/state/review/verdict-log.ts';
import type { ViewedFileView } from '../../../src/shared/ipc/files.ts';
import type { RowDetail } from '../../../src/shared/ipc/rows.ts';
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
    log: new VerdictLog((step) => {
      recorded.push(step);
      return new Promise((resolve) => answers.push(resolve));
    }),
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

test('what was asked for before it is left is not known when it is opened again: it may have changed since', async () => {
  const { mode, asked, state } = gallery([1]);
  mode.open('b');
  await settle();
  mode.want(['1-1']);
  mode.leave();
  await settle();
  expect(state().files.size).toBe(0);
  mode.open('b');
  await settle();
  mode.want(['1-1']);
  await settle();
  expect(asked).toEqual([['1-1'], ['1-1']]);
  expect(state().files.get('1-1')).toMatchObject({ id: '1-1' });
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

/** A gallery and a review of the same files, as their store has them: a row for each, of the same number. */
function bothOf(tasks: number[], said: Readonly<Record<string, ViewedFileView['verdict']>> = {}) {
  const stored = new Map(tasks.map((task) => [`${task}-1`, fileOf(`${task}-1`, task)]));
  for (const [id, verdict] of Object.entries(said)) stored.set(id, { ...fileOf(id, Number.parseInt(id, 10)), verdict });
  const refused = new Set<string>();
  const told: string[] = [];
  const log = new VerdictLog(async (step) => {
    await settle();
    if (refused.has(step.fileId)) return refuse('refused', 'It is gone.');
    const file = fileOf(step.fileId, Number.parseInt(step.fileId, 10));
    const [after] = withReview([stored.get(step.fileId) ?? file], step);
    stored.set(step.fileId, { ...file, ...(after?.verdict && { verdict: after.verdict }) });
    return ok(undefined);
  });
  const schedule = (): (() => void) => () => undefined;
  const tellRefused = (name: string, why: string): void => void told.push(`${name}: ${why}`);
  const mode = new GalleryMode({
    fetchFound: (_batch, { verdict }) => {
      const isFound = (task: number): boolean =>
        verdict === undefined || stored.get(`${task}-1`)?.verdict?.kept === (verdict === 'kept');
      return Promise.resolve(
        ok({ files: Float64Array.from(tasks.flatMap((task) => (isFound(task) ? [task, 1] : []))) }),
      );
    },
    fetchFiles: (_batch, ids) => Promise.resolve(ok({ files: ids.flatMap((id) => stored.get(id) ?? []) })),
    tellInSight: () => undefined,
    log,
    tellRefused,
    schedule,
  });
  const review = new ReviewMode({
    fetchPage: () => Promise.resolve(ok({ keys: new Float64Array(), rows: [], sequence: 1 })),
    fetchDetail: (_batch, key) =>
      Promise.resolve(
        ok({ row: { label: '' }, cells: [], tasks: [{ files: [stored.get(`${key}-1`)] }] } as unknown as RowDetail),
      ),
    setTakes: () => Promise.resolve(undefined),
    log,
    tellRefused,
    schedule,
  });
  const done = async (): Promise<void> => {
    await log.settled();
    for (let turns = 0; turns < 10; turns += 1) await settle();
  };
  const verdicts = (): unknown[] => tasks.map((task) => stored.get(`${task}-1`)?.verdict);
  return { mode, review, log, refused, told, done, verdicts, state: () => mode.store.getState() };
}

describe('what was said', () => {
  test('of many files by one key is taken back by one, each to what it was, also those that were never seen', async () => {
    const said = {
      '2-1': { kept: false, rating: 2 },
      '4-1': { kept: true, note: 'the calm one' },
      '5-1': { isPicked: true },
    } as const;
    const { mode, done, verdicts, state } = bothOf([1, 2, 3, 4, 5], said);
    mode.open('b');
    await done();
    mode.want(['1-1', '2-1']);
    await done();
    mode.selectAll();
    mode.decide({ kind: 'reject' });
    expect(state().said).toBe('5 files: rejected · U takes it back');
    mode.decide({ kind: 'rate', rating: 5 });
    expect(state().files.get('2-1')?.verdict).toEqual({ kept: false, rating: 5 });
    await done();
    expect(verdicts()).toMatchObject(Array.from({ length: 5 }, () => ({ kept: false, rating: 5 })));
    mode.undo();
    // Shown at once, where it is known.
    expect(state().files.get('1-1')?.verdict).toEqual({ kept: false });
    await done();
    mode.undo();
    await done();
    expect(verdicts()).toEqual([undefined, said['2-1'], undefined, said['4-1'], said['5-1']]);
    expect(state().files.get('2-1')?.verdict).toEqual(said['2-1']);
    mode.undo();
    expect(state().said).toBe('Nothing to take back');
  });

  test('is taken back before it is stored, in its order', async () => {
    const { mode, done, verdicts } = bothOf([1, 2, 3], { '3-1': { rating: 1 } });
    mode.open('b');
    await done();
    mode.want(['1-1']);
    await done();
    mode.selectAll();
    mode.decide({ kind: 'rate', rating: 4 });
    mode.undo();
    mode.decide({ kind: 'keep' });
    await done();
    expect(verdicts()).toEqual([{ kept: true }, { kept: true }, { kept: true, rating: 1 }]);
  });

  test('in the gallery and in the review is taken back in its order, wherever that is asked for', async () => {
    const { mode, review, done, verdicts, state } = bothOf([1, 2, 3]);
    mode.open('b');
    await done();
    mode.want(['1-1', '2-1', '3-1']);
    await done();
    mode.selectAll();
    mode.decide({ kind: 'keep' });
    mode.selectNone();
    // The review is opened while that is still being stored, and what is said there counts.
    review.open('b', 3);
    expect(review.store.getState().undoable).toBe(1);
    await done();
    review.decide({ kind: 'reject' });
    await done();
    expect(verdicts()).toEqual([{ kept: true }, { kept: true }, { kept: false }]);
    review.close();
    mode.choose('1-1');
    expect(mode.undo()).toBe('3-1');
    expect(state()).toMatchObject({ current: '3-1', said: '3-1.png: taken back' });
    await done();
    expect(verdicts()).toEqual(Array.from({ length: 3 }, () => ({ kept: true })));
    review.open('b', 2);
    await done();
    review.undo();
    expect(review.store.getState()).toMatchObject({ key: 2, said: { words: '3 files: taken back.' }, undoable: 0 });
    expect(review.store.getState().files?.[0]?.verdict).toBeUndefined();
    await done();
    expect(verdicts()).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    ['', []],
    ['1-1', ['A file: It is gone.']],
  ])('of many files is taken back in a review that has no row, but for what is refused: %j', async (gone, words) => {
    const { mode, review, done, verdicts, refused, told } = bothOf([1, 2, 3]);
    mode.open('b');
    await done();
    mode.want(['1-1']);
    await done();
    mode.selectAll();
    mode.decide({ kind: 'keep' });
    await done();
    review.open('b');
    await done();
    if (gone !== '') refused.add(gone);
    review.undo();
    await done();
    expect(verdicts()).toEqual([gone === '' ? undefined : { kept: true }, undefined, undefined]);
    expect(review.store.getState()).toMatchObject({ undoable: 0, unstored: 0 });
    expect(told).toEqual(words);
  });

  test('and was refused is not taken back: that would change what is stored', async () => {
    const { mode, done, verdicts, refused, told } = bothOf([1, 2, 3], { '2-1': { kept: true } });
    mode.open('b');
    await done();
    mode.want(['1-1', '2-1', '3-1']);
    await done();
    mode.selectAll();
    refused.add('2-1');
    mode.decide({ kind: 'reject' });
    await done();
    expect([verdicts(), told]).toEqual([[{ kept: false }, { kept: true }, { kept: false }], ['2-1.png: It is gone.']]);
    mode.undo();
    await done();
    expect([verdicts(), told.length]).toEqual([[undefined, { kept: true }, undefined], 1]);
  });

  test('counts for a filter as soon as it is stored', async () => {
    const { mode, done, state } = bothOf([1, 2, 3]);
    mode.open('b');
    await done();
    mode.want(['1-1', '2-1', '3-1']);
    await done();
    mode.selectAll();
    mode.decide({ kind: 'keep' });
    mode.filter({ verdict: 'kept' });
    await done();
    expect(state().order).toEqual(['1-1', '2-1', '3-1']);
    mode.undo();
    mode.filter({ verdict: 'kept' });
    await done();
    expect(state().order).toEqual([]);
  });

  test('is all sent when the window closes', async () => {
    const { mode, log, done, verdicts } = bothOf([1, 2, 3]);
    mode.open('b');
    await done();
    mode.want(['1-1', '2-1', '3-1']);
    await done();
    mode.selectAll();
    mode.decide({ kind: 'keep' });
    mode.decide({ kind: 'rate', rating: 3 });
    log.sendWaiting();
    // Not one after the other.
    for (let turns = 0; turns < 3; turns += 1) await settle();
    expect(verdicts()).toEqual(Array.from({ length: 3 }, () => ({ kept: true, rating: 3 })));
  });
});
