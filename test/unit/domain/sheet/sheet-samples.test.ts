import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAMILIES, OPERATION_PATHS, operationOf } from '../../../../src/shared/domain/operations/operations.ts';
import { rowsReferredTo } from '../../../../src/shared/domain/cells/reference.ts';
import { blockedRowIds, isSheetRefused } from '../../../../src/shared/domain/sheet/row.ts';
import { loadHere } from '../../../support/sheet-files.ts';

const sample = (name: string): string => join(import.meta.dirname, '../../../../resources/samples', name);

describe('the sample sheets', () => {
  test('all-operations.csv has every operation and no problem', async () => {
    const sheet = await loadHere(sample('all-operations.csv'));
    expect(sheet.problems).toEqual([]);
    expect(new Set(sheet.rows.map((row) => row.operation))).toEqual(new Set(OPERATION_PATHS));
  });

  test('chain.csv has 20 rows over all families that wait for each other, and no problem', async () => {
    const sheet = await loadHere(sample('chain.csv'));
    expect(sheet.problems).toEqual([]);
    expect(sheet.rows).toHaveLength(20);
    expect(new Set(sheet.rows.map(({ operation }) => operation && operationOf(operation).family))).toEqual(
      new Set(FAMILIES),
    );
    expect(new Set(sheet.rows.map(({ operation }) => operation))).toEqual(new Set(OPERATION_PATHS));
    expect(sheet.rows.filter(({ links }) => rowsReferredTo(links).length > 0)).toHaveLength(18);
  });

  test('night.csv and night.xlsx ask for the same 60 rows, without a problem', async () => {
    const [text, workbook] = await Promise.all([loadHere(sample('night.csv')), loadHere(sample('night.xlsx'))]);
    expect(text.problems).toEqual([]);
    expect(workbook.problems).toEqual([]);
    expect(text.rows).toHaveLength(60);
    const withoutCells = (sheet: typeof text): unknown => sheet.rows.map((row) => ({ ...row, cells: {} }));
    expect(withoutCells(workbook)).toEqual(withoutCells(text));
  });

  test('mistakes.csv has the mistake of each row that its note announces', async () => {
    const sheet = await loadHere(sample('mistakes.csv'));
    expect(isSheetRefused(sheet)).toBe(false);
    const blocked = blockedRowIds(sheet);
    for (const row of sheet.rows) {
      const isFine = row.skip || ['good', 'twin'].includes(row.id) || row.note?.startsWith('warning');
      expect([row.note, blocked.has(row.id)]).toEqual([row.note, !isFine]);
    }
    const codes = new Set(sheet.problems.map((problem) => problem.code));
    expect([...codes].toSorted()).toEqual([
      'choice-invalid',
      'duplicate-request',
      'extra-cells',
      'list-unknown',
      'local-file',
      'nothing-to-render',
      'operation-missing',
      'operation-unknown',
      'reference-blocked',
      'reference-cycle',
      'reference-invalid',
      'reference-missing',
      'reserved-value',
      'row-id-duplicate',
      'row-id-mangled',
      'unknown-column',
      'unused-column',
      'value-range',
      'value-type',
      'variable-unknown',
    ]);
  });
});
