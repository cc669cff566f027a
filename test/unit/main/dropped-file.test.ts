import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { droppedSheet } from '../../../src/main/services/unasked-sheet.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a dropped sheet is a file on a disk that ends as sheets do; nothing else is opened', () => {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  for (const name of ['a.csv', 'B.XLSX', 'id_rsa', 'passwd.csv.bak']) writeFileSync(at(name), 'x');
  mkdirSync(at('folder.csv'));
  expect(droppedSheet(at('a.csv'))).toEqual({ ok: true, value: at('a.csv') });
  expect(droppedSheet(at('B.XLSX')).ok).toBe(true);
  for (const other of [at('id_rsa'), at('passwd.csv.bak'), at('folder.csv'), at('gone.csv'), '/dev/stdin']) {
    expect([other, droppedSheet(other)]).toEqual([
      other,
      { ok: false, error: expect.stringMatching(/^Drop/) as string },
    ]);
  }
  for (const nonsense of ['a.csv', `/${'x'.repeat(5000)}.csv`, 7, null, { path: '/a.csv' }]) {
    expect(droppedSheet(nonsense)).toEqual({ ok: false, error: undefined });
  }
});
