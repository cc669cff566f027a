import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeBatchFolder, newZipPath } from '../../../src/main/services/new-batch-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function folder(): string {
  return temporaryFolder();
}

describe('the media folder of a new batch', () => {
  test('is named after the batch inside the default folder, and never shared', () => {
    const defaultFolder = join(folder(), 'Nocturne');
    const make = () => makeBatchFolder({ chosen: undefined, defaultFolder, mayMake: true, batchName: 'Lullabies' });
    expect(make()).toEqual({ ok: true, value: join(defaultFolder, 'Lullabies') });
    expect(make()).toEqual({ ok: true, value: join(defaultFolder, 'Lullabies 2') });
    expect(existsSync(join(defaultFolder, 'Lullabies 2'))).toBe(true);
  });

  test('is the chosen one when that is empty', () => {
    const chosen = folder();
    expect(makeBatchFolder({ chosen, defaultFolder: '/unused', batchName: 'x' })).toEqual({ ok: true, value: chosen });
  });

  test('is not made where the chosen one is gone, which may be on a disk that is not connected', () => {
    const chosen = join(folder(), 'disk', 'Songs');
    const made = makeBatchFolder({ chosen, defaultFolder: '/unused', batchName: 'x' });
    expect(made).toMatchObject({ ok: false, error: expect.stringContaining('Connect its disk') as string });
    expect(existsSync(join(chosen, '..'))).toBe(false);
  });

  test('is not made where the default folder of the settings is gone, either', () => {
    const defaultFolder = join(folder(), 'disk', 'Nights');
    const made = makeBatchFolder({ chosen: undefined, defaultFolder, mayMake: false, batchName: 'x' });
    expect(made).toMatchObject({ ok: false, error: expect.stringContaining('Connect its disk') as string });
    expect(existsSync(join(defaultFolder, '..'))).toBe(false);
  });

  test('is a new one inside the chosen one when that holds something', () => {
    const chosen = folder();
    writeFileSync(join(chosen, 'manifest.json'), '{}');
    const made = makeBatchFolder({ chosen, defaultFolder: '/unused', batchName: 'x' });
    expect(made).toEqual({ ok: true, value: join(chosen, 'x') });
  });

  test.each(['../../escape', '/etc', 'a/b\\c', 'CON', '..', '  '])('stays where it belongs: %o', (batchName) => {
    const defaultFolder = folder();
    const made = makeBatchFolder({ chosen: undefined, defaultFolder, batchName });
    if (!made.ok) throw new Error(made.error);
    expect(join(made.value, '..')).toBe(defaultFolder);
  });

  test('that cannot be made is refused with the reason', () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    const made = makeBatchFolder({ chosen: undefined, defaultFolder: file, batchName: 'x' });
    expect(made).toMatchObject({ ok: false, error: expect.stringContaining(file) as string });
  });
});

test('a ZIP gets a name that nothing has, and one also where the folder cannot be read any more', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'Night.zip'), '');
  expect(newZipPath(folder, 'Night')).toBe(join(folder, 'Night 2.zip'));
  // Another program has put a file in its place.
  const replaced = join(folder, 'Night.zip');
  expect(newZipPath(replaced, 'Night')).toBe(join(replaced, 'Night.zip'));
});
