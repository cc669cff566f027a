import { expect, test } from 'vitest';
import { editedWords } from '../../../src/renderer/state/batch/edit-words.ts';
import type { RowDetail } from '../../../src/shared/ipc/rows.ts';

const LAST = { at: 2, header: 'prompt', before: 'owl', after: 'crow' };
const QUEUED = { status: 'queued', attempts: 0 };

/** A row that waits for its first rendering, but for what is given. */
function detailOf(given: object = {}, status = 'queued'): RowDetail {
  return {
    row: { status },
    tasks: status === 'draft' ? [] : [QUEUED, QUEUED],
    earlierTakes: { shown: [], count: 0, paidRequests: 0 },
    earlierFiles: [],
    edits: { changes: [LAST] },
    ...given,
  } as unknown as RowDetail;
}

test('an edit of a row that was never sent applies when it is rendered, or once it is run', () => {
  expect(editedWords(detailOf(), LAST, 'prompt', '16:59')).toBe('Edited at 16:59; applies when this row is rendered.');
  expect(editedWords(detailOf({}, 'draft'), LAST, 'prompt', '16:59')).toBe(
    'Edited at 16:59; applies once you run this row.',
  );
});

test.each([
  ['one more take waits', { tasks: [{ status: 'done', attempts: 1 }, QUEUED] }],
  ['it is tried again', { tasks: [{ status: 'queued', attempts: 1 }] }],
  ['it is rendered again', { earlierTakes: { shown: [], count: 1, paidRequests: 1 } }],
  ['it has earlier files', { earlierFiles: [{}] }],
  ['the edit was undone', { edits: { changes: [LAST, { ...LAST, before: 'crow', after: 'owl' }] } }],
])('nothing is promised where %s', (_, given) => {
  for (const status of ['queued', 'draft'])
    expect(editedWords(detailOf(given, status), LAST, 'prompt', '16:59')).toBe('Edited at 16:59.');
});

test('nor of a column that is not sent, or of a row that is done', () => {
  expect(editedWords(detailOf(), LAST, '', '16:59')).toBe('Edited at 16:59.');
  expect(editedWords(detailOf({}, 'done'), LAST, 'prompt', '16:59')).toBe('Edited at 16:59.');
});
