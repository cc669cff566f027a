import { expect, test } from 'vitest';
import { unsavedText, type Unsaved } from '../../../../src/engine/night/night-end.ts';

const submit = (row: string, taskCode?: string): Unsaved => ({
  batchId: 'b',
  row,
  take: 1,
  kind: 'submit',
  ...(taskCode === undefined ? {} : { taskCode }),
});

test('where everything was saved nothing is said', () => {
  expect(unsavedText([])).toEqual([]);
});

test('a paid request is named with the code to adopt, and what else is open is said to be harmless', () => {
  const lines = unsavedText([submit('k1', 'abc-1'), submit('k2'), { ...submit('k3'), kind: 'other' }]);
  expect(lines[1]).toContain('k1');
  expect(lines[1]).toContain('adopt task code abc-1');
  expect(lines[2]).toContain('k2');
  expect(lines[2]).toContain('outcome unknown');
  expect(lines[3]).toContain('nothing is lost');
});

test('a long list is cut, and what the gateway wrote cannot break the lines', () => {
  const many = Array.from({ length: 500 }, (_, i) => submit(`k${i}`, 'a\nb\u202e'));
  const lines = unsavedText(many);
  expect(lines).toHaveLength(22);
  expect(lines.at(-1)).toContain('480');
  expect(lines.join('')).not.toMatch(/[\n\u202e]/u);
});
