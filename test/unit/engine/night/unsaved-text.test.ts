import { expect, test } from 'vitest';
import { unsavedText } from '../../../../src/engine/night/night-end.ts';

const submit = (row: string, taskCode?: string) => ({
  batchId: 'b',
  row,
  take: 1,
  kind: 'submit' as const,
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

test('a batch that goes on next time although it was paused comes first, by its name', () => {
  const word = { batchId: 'b', name: 'Whales\u202e' } as const;
  const lines = unsavedText([
    submit('k1'),
    ...(['pause', 'start', 'edit'] as const).map((kind) => ({ ...word, kind })),
  ]);
  expect(lines[1]).toMatch(/“Whales[^\u202e]*”.*continues it until you pause it again/u);
  expect(lines[2]).toMatch(/“Whales.*until you start it again/u);
  expect(lines[3]).toMatch(/“Whales.*completes it/u);
  expect(lines[4]).toContain('k1');
});
