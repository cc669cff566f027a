import { describe, expect, test } from 'vitest';
import { checkSheet } from '../../../../src/shared/domain/sheet/check-sheet.ts';
import { columnsOf, OPERATIONS, operationOf } from '../../../../src/shared/domain/operations/operations.ts';
import { findTemplate, TEMPLATES, type SheetTemplate } from '../../../../src/shared/domain/operations/templates.ts';

function checked(template: SheetTemplate) {
  return checkSheet(
    {
      headers: template.headers,
      records: template.rows.map((cells, index) => ({ line: index + 2, cells })),
      problems: [],
      source: { format: 'csv', bytes: 0, sha256: '' },
    },
    template.defaultOperation === undefined ? {} : { defaultOperation: template.defaultOperation },
  );
}

describe.each(TEMPLATES.map((template) => [template.name, template] as const))('the template %s', (_name, template) => {
  test('has nothing wrong with it', () => {
    const warnings = template.kind === 'empty' ? [] : checked(template).problems;
    expect(checked(template).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('runs as many submits as it says, and has a cell for each header', () => {
    const wanted = checked(template).rows.filter((row) => !row.skip);
    expect(wanted.reduce((sum, row) => sum + row.takes, 0)).toBe(template.submits);
    for (const row of template.rows) expect(row).toHaveLength(template.headers.length);
    expect(new Set(template.headers).size).toBe(template.headers.length);
  });
});

test('every operation has an example of it with three rows, and an empty sheet with all of its columns', () => {
  for (const operation of OPERATIONS) {
    const example = findTemplate(operation.short);
    expect(example?.rows).toHaveLength(3);
    expect(example && checked(example).rows.map((row) => row.operation)).toContain(operation.path);
    const empty = findTemplate(`empty-${operation.short}`);
    expect(empty?.headers).toEqual(expect.arrayContaining(columnsOf(operation).map(({ column }) => column)));
  }
});

test('a row without an operation in an empty sheet of one operation is a row of it', () => {
  const empty = findTemplate('empty-lyrics');
  if (empty === undefined) throw new Error('There is no such template.');
  const cells = empty.headers.map((header) => (header === 'prompt' ? 'A song about a door' : ''));
  expect(checked({ ...empty, rows: [cells] }).rows[0]?.operation).toBe('musicgen/music/lyrics');
});

test('templates are found by their names and by the operation’s path, whatever the case', () => {
  expect(findTemplate(' Lyrics-To-Song ')?.kind).toBe('chain');
  expect(findTemplate('musicgen/music/wav')).toBe(findTemplate('wav'));
  expect(findTemplate('nonsense')).toBeUndefined();
  expect(new Set(TEMPLATES.map(({ name }) => name)).size).toBe(TEMPLATES.length);
});

test('every chain refers to rows of its own', () => {
  for (const template of TEMPLATES.filter(({ kind, name }) => kind === 'chain' && name !== 'variations')) {
    expect(JSON.stringify(template.rows)).toMatch(/\{\{[\w-]+\.(taskId|result|output)/);
    expect(operationOf(checked(template).rows[0]?.operation ?? 'musicgen/music/mp4')).toBeDefined();
  }
});
