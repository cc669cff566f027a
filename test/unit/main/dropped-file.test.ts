import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { argumentsFor, droppedSheet, unaskedAmong } from '../../../src/main/services/unasked-sheet.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a dropped sheet is a file on a disk that ends as sheets do; nothing else is opened', () => {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  for (const name of ['a.csv', 'B.XLSX', 'id_rsa', 'passwd.csv.bak']) writeFileSync(at(name), 'x');
  mkdirSync(at('folder.csv'));
  expect(droppedSheet([at('a.csv')])).toEqual({ ok: true, value: at('a.csv') });
  expect(droppedSheet([at('B.XLSX')]).ok).toBe(true);
  for (const other of [at('id_rsa'), at('passwd.csv.bak'), at('folder.csv'), at('gone.csv'), '/dev/stdin']) {
    expect([other, droppedSheet([other])]).toEqual([
      other,
      { ok: false, error: expect.stringMatching(/^Drop/) as string },
    ]);
  }
  for (const nonsense of ['a.csv', `/${'x'.repeat(5000)}.csv`, 7, null, { path: '/a.csv' }]) {
    for (const given of [nonsense, [nonsense]]) expect(droppedSheet(given)).toEqual({ ok: false, error: undefined });
  }
  expect(droppedSheet([at('a.csv'), at('B.XLSX')])).toEqual({
    ok: false,
    error: 'Drop one sheet at a time: none was opened.',
  });
});

test('what the system names is a sheet, the folder of a batch, or an address of Nocturne that only shows something', () => {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  writeFileSync(at('a.csv'), 'x');
  for (const name of ['batch', 'other']) mkdirSync(at(name));
  writeFileSync(at('batch/manifest.json'), '{}');
  const among = (...args: readonly string[]): unknown => unaskedAmong(args, folder);
  expect(among('--background', at('other'), 'gone.csv', 'a.csv')).toEqual({ kind: 'sheet', path: at('a.csv') });
  expect(among(at('batch'))).toEqual({ kind: 'folder', path: at('batch') });
  expect(among(pathToFileURL(at('a.csv')).href)).toEqual({ kind: 'sheet', path: at('a.csv') });
  expect(among('file://elsewhere/a.csv')).toBeUndefined();
  expect(among('nocturne://ledger')).toEqual({ kind: 'ledger' });
  for (const address of [
    'nocturne:',
    `nocturne://${at('a.csv')}`,
    'nocturne://ledger/../a.csv',
    'nocturne://start?all',
  ]) {
    expect(among(address)).toBeUndefined();
  }
  const former = ['--user-data-dir=/d', at('a.csv'), 'gone.csv', at('batch'), 'nocturne://ledger', at('other')];
  expect(argumentsFor(former, { kind: 'ledger' })).toEqual(['--user-data-dir=/d', at('other'), 'nocturne://ledger']);
  expect(argumentsFor(former, { kind: 'folder', path: '/b' })).toEqual(['--user-data-dir=/d', at('other'), '/b']);
  expect(argumentsFor(former, undefined)).toEqual(['--user-data-dir=/d', at('other')]);
});
