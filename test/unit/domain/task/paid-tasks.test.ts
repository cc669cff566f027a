import { expect, test } from 'vitest';
import { failure } from '../../../../src/shared/domain/base/failure.ts';
import { paidTasks } from '../../../../src/shared/domain/task/plan-tasks.ts';
import type { Row } from '../../../../src/shared/domain/sheet/row.ts';
import type { Task } from '../../../../src/shared/domain/task/task.ts';
import { makeTask } from '../../../support/make-task.ts';

const ROW: Row = {
  id: 'r1',
  line: 2,
  operation: 'musicgen/music/generate',
  body: { prompt: 'owl' },
  takes: 1,
  priority: 0,
  filename: undefined,
  note: undefined,
  skip: false,
  cells: {},
};
const bytes = (prompt: string): Uint8Array => new TextEncoder().encode(JSON.stringify({ prompt }));
const suspected = { ...failure('MODERATED', 'no'), suspected: true as const };

function paid(tasks: readonly (readonly [Partial<Task>, string?])[], row = ROW): readonly number[] {
  const earlier = tasks.map(([task, prompt = 'owl']) => ({
    task: makeTask({
      status: 'done',
      taskCode: 'code',
      superseded: true,
      operation: 'musicgen/music/generate',
      ...task,
    }),
    sent: bytes(prompt),
  }));
  return paidTasks(row, () => bytes('owl'), earlier).map(({ id }) => id);
}

test('what was sent for it byte for byte, by the same operation, was paid for it', () => {
  expect(paid([[{ id: 1 }]])).toEqual([1]);
  expect(paid([[{ id: 1 }, 'owls']])).toEqual([]);
  expect(paid([[{ id: 1 }, 'fox']])).toEqual([]);
  expect(paid([[{ id: 1, operation: 'musicgen/music/lyrics' }]])).toEqual([]);
});

test('of several it is the newest that is done, for each take', () => {
  expect(paid([[{ id: 1 }], [{ id: 2 }], [{ id: 3, take: 2 }]])).toEqual([2, 3]);
  expect(paid([[{ id: 2 }], [{ id: 1 }], [{ id: 3, status: 'failed', failure: suspected }]])).toEqual([2]);
});

test('it was made again as often as any of its take that was sent for it, whatever came of that', () => {
  const failed = { status: 'failed', failure: failure('MODERATED', 'no') } as const;
  const sent = [{ id: 1 }, { id: 2, madeAgain: 1 }, { id: 3, madeAgain: 2, ...failed }, { id: 4, take: 2 }];
  const earlier = sent.map((task) => ({
    task: makeTask({ status: 'done', superseded: true, operation: 'musicgen/music/generate', ...task }),
    sent: bytes('owl'),
  }));
  const found = paidTasks(ROW, () => bytes('owl'), [
    ...earlier,
    { task: makeTask({ ...earlier[3]?.task, id: 5, madeAgain: 9 }), sent: bytes('fox') },
  ]);
  expect(found.map(({ id, madeAgain }) => [id, madeAgain])).toEqual([
    [2, 2],
    [4, undefined],
  ]);
});

test('what may still give a file comes back, and what gives none does not', () => {
  expect(paid([[{ id: 1, status: 'failed', failure: suspected }]])).toEqual([1]);
  expect(paid([[{ id: 1, status: 'downloading' }]])).toEqual([1]);
  expect(paid([[{ id: 1, status: 'rendering' }]])).toEqual([1]);
  expect(paid([[{ id: 1, status: 'failed', failure: failure('MODERATED', 'no') }]])).toEqual([]);
  expect(paid([[{ id: 1, status: 'cancelled' }]])).toEqual([]);
});

test('a row that refers to others may ask for something else with the same words', () => {
  const links = [{ column: 'prompt', text: '{{a.taskId}}' }] as unknown as NonNullable<Row['links']>;
  expect(paid([[{ id: 1 }]], { ...ROW, links })).toEqual([]);
});
