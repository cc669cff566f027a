import { describe, expect, test } from 'vitest';
import type { LinkedField } from '../../../../src/shared/domain/cells/reference.ts';
import type { Row } from '../../../../src/shared/domain/sheet/row.ts';
import { layOutColumns } from '../../../../src/shared/domain/sheet/sheet-columns.ts';
import { changedCells, compareSheets, type KnownRow } from '../../../../src/shared/domain/sheet/sheet-difference.ts';

function makeRow(id: string, prompt: string, changes: Partial<Row> = {}): Row {
  return {
    id,
    line: 2,
    operation: 'musicgen/music/generate',
    body: { prompt },
    takes: 1,
    priority: 0,
    filename: undefined,
    note: undefined,
    skip: false,
    cells: { row: id, operation: 'music', prompt },
    ...changes,
  };
}

function known(rows: readonly Row[], locked: Readonly<Record<string, string>> = {}): KnownRow[] {
  return rows.map((row, i) => ({ key: i + 1, row, locked: locked[row.id], isBlocked: false }));
}

const OWN_IDS = (): boolean => false;
const NONE: ReadonlySet<number> = new Set();
const MADE_IDS = (): boolean => true;

function kinds(
  before: readonly KnownRow[],
  after: readonly Row[],
  isIdMade: (row: Row) => boolean = OWN_IDS,
): readonly string[] {
  return compareSheets(before, after, isIdMade, NONE).rows.map((difference) =>
    difference.kind === 'removed'
      ? `${difference.before.id} removed`
      : `${difference.after.id} ${difference.kind}${'key' in difference ? ` ${difference.key}` : ''}`,
  );
}

function linkTo(row: string): readonly LinkedField[] {
  const reference = { row, path: { kind: 'task-code' as const }, text: `${row}.taskId` };
  return [{ column: 'task_id', value: { kind: 'text', text: [reference] } }];
}

describe('a sheet that is re-imported', () => {
  const batch = [makeRow('a', 'owl'), makeRow('b', 'fox'), makeRow('c', 'elk')];

  test('unchanged is unchanged, in any order and with other capitals in its ids', () => {
    expect(kinds(known(batch), [makeRow('C', 'elk'), makeRow('a', 'owl'), makeRow('b', 'fox')])).toEqual([
      'c details 3',
      'a unchanged 1',
      'b unchanged 2',
    ]);
  });

  test('with a reference spelled otherwise is no other request: nothing is rendered again', () => {
    const respelled = JSON.parse(JSON.stringify(linkTo('a')).replace('a.taskId', 'A.taskId')) as LinkedField[];
    const spelled = (links: readonly LinkedField[], cell: string): Row =>
      makeRow('b', 'fox', { body: { task_id: cell }, links, cells: { row: 'b', task_id: cell } });
    const [before, after] = [spelled(linkTo('a'), '{a.taskId}'), spelled(respelled, '{A.taskId}')];
    expect(kinds(known([before]), [after])).toEqual(['b details 1']);
  });

  test('tells what is new, what asks for something else and what is gone', () => {
    expect(kinds(known(batch), [makeRow('a', 'owl'), makeRow('b', 'a fox'), makeRow('d', 'bat')])).toEqual([
      'a unchanged 1',
      'b changed 2',
      'd new',
      'c removed',
    ]);
  });

  test('a note, a name and a priority ask for nothing', () => {
    const noted = makeRow('a', 'owl', { note: 'x', cells: { row: 'a', operation: 'music', prompt: 'owl', note: 'x' } });
    expect(kinds(known(batch), [noted, makeRow('b', 'fox', { priority: 2 }), makeRow('c', 'elk')])).toEqual([
      'a details 1',
      'b details 2',
      'c unchanged 3',
    ]);
  });

  test('more takes ask for more, fewer for nothing', () => {
    const two = known([makeRow('a', 'owl', { takes: 2 })]);
    expect(kinds(two, [makeRow('a', 'owl', { takes: 3 })])).toEqual(['a changed 1']);
    expect(kinds(two, [makeRow('a', 'owl', { takes: 1 })])).toEqual(['a details 1']);
  });

  test('leaving a row out asks for nothing, taking it in again does', () => {
    expect(kinds(known([makeRow('a', 'owl')]), [makeRow('a', 'an owl', { skip: true })])).toEqual(['a details 1']);
    expect(kinds(known([makeRow('a', 'owl', { skip: true })]), [makeRow('a', 'owl')])).toEqual(['a changed 1']);
  });

  test('a row in flight stays as it is, and says why', () => {
    const { rows } = compareSheets(
      known(batch, { b: 'It is being rendered.' }),
      [makeRow('b', 'a fox')],
      OWN_IDS,
      NONE,
    );
    expect(rows[0]).toMatchObject({ kind: 'locked', key: 2, reason: 'It is being rendered.' });
  });

  test('the columns that Nocturne writes are no change', () => {
    const cells = { row: 'a', operation: 'music', prompt: 'owl', status: 'done', files: 'music/a.mp3', taskCode: '7' };
    expect(kinds(known([makeRow('a', 'owl')]), [makeRow('a', 'owl', { cells })])).toEqual(['a unchanged 1']);
    expect(changedCells(makeRow('a', 'owl'), makeRow('a', 'owl', { cells }))).toEqual([]);
  });
});

describe('rows without ids of their own', () => {
  const cellsOf = (prompt: string): Row['cells'] => ({ operation: 'music', prompt });
  const onLines = (...prompts: string[]): Row[] =>
    prompts.map((prompt, i) => makeRow(`r000${i + 2}`, prompt, { line: i + 2, cells: cellsOf(prompt) }));

  test('keep their ids when a line is put in above them', () => {
    expect(kinds(known(onLines('owl', 'fox')), onLines('bat', 'owl', 'fox'), MADE_IDS)).toEqual([
      'r0002-2 new',
      'r0002 unchanged 1',
      'r0003 unchanged 2',
    ]);
  });

  test('that ask for the same are matched one by one', () => {
    expect(kinds(known(onLines('owl', 'owl')), onLines('owl', 'owl', 'owl'), MADE_IDS)).toEqual([
      'r0002 unchanged 1',
      'r0003 unchanged 2',
      'r0004 new',
    ]);
  });

  test('that ask for something else are matched by their lines', () => {
    expect(kinds(known(onLines('owl', 'fox')), onLines('owl', 'a fox'), MADE_IDS)).toEqual([
      'r0002 unchanged 1',
      'r0003 changed 2',
    ]);
  });
});

test('rows that refer to a changed row are named, whatever the distance', () => {
  const chain = (first: string): Row[] => [
    makeRow('lyrics', first),
    makeRow('song', 'x', { links: linkTo('lyrics') }),
    makeRow('wav', 'y', { links: linkTo('Song') }),
    makeRow('other', 'z'),
  ];
  expect([...compareSheets(known(chain('owl')), chain('fox'), OWN_IDS, NONE).dependents]).toEqual(['song', 'wav']);
  expect([...compareSheets(known(chain('owl')), chain('owl'), OWN_IDS, NONE).dependents]).toEqual([]);
});

test('rows that refer to each other come to an end', () => {
  const ring = (prompt: string): Row[] => [
    makeRow('a', prompt, { links: linkTo('b') }),
    makeRow('b', 'x', { links: linkTo('a') }),
  ];
  expect([...compareSheets(known(ring('owl')), ring('fox'), OWN_IDS, NONE).dependents]).toEqual(['b']);
});

test('the columns of results are known: a sheet with them is not warned about', () => {
  const { problems } = layOutColumns(['row', 'operation', 'prompt', 'status', 'files', 'taskCode', 'failure', 'mood']);
  expect(problems.map((problem) => `${problem.code} ${problem.column}`)).toEqual(['unknown-column mood']);
});

test('rows that are given ids of their own since are the same rows, under these ids', () => {
  const before = ['r0002', 'r0003', 'r0004'].map((id, i) =>
    makeRow(id, ['owl', 'fox', 'fox'][i] ?? '', {
      cells: { operation: 'music', prompt: ['owl', 'fox', 'fox'][i] ?? '' },
    }),
  );
  const isIdMade = (row: Row): boolean => row.cells['row'] === undefined;
  const after = [makeRow('hen', 'hen'), makeRow('x', 'fox'), makeRow('y', 'fox'), makeRow('night', 'owl')];
  expect(kinds(known(before), after, isIdMade)).toEqual(['hen new', 'x details 2', 'y details 3', 'night details 1']);
});
