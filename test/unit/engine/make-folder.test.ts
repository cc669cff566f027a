import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder, makeFolderSync } from '../../../src/engine/make-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MODULE = new URL('../../../src/engine/make-folder.ts', import.meta.url).href;

/** In a process of its own: what never ends would hold the tests as well. */
function codeOf(call: string): string {
  const script = `import { makeFolder, makeFolderSync } from '${MODULE}';
    try { ${call}; console.log('made'); } catch (error) { console.log(error.code); }`;
  const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 10_000 });
  return ended.error === undefined ? ended.stdout.toString().trim() : 'did not end';
}

describe('a folder that a user named', () => {
  test('is made with all above it, or is there already', async () => {
    const folder = join(temporaryFolder(), 'a', 'b', 'c');
    await Promise.all([makeFolder(folder), makeFolder(folder), makeFolder(join(folder, 'd'))]);
    makeFolderSync(folder, 0o700);
    makeFolderSync(join(folder, 'e', 'f'), 0o700);
    expect(statSync(folder).isDirectory()).toBe(true);
    if (process.platform !== 'win32') expect(statSync(join(folder, 'e', 'f')).mode & 0o777).toBe(0o700);
  });

  test.skipIf(process.platform !== 'linux')('ends where the system lets nothing be made and calls it missing', () => {
    expect(codeOf(`await makeFolder('/proc/nocturne/media')`)).toBe('ENOENT');
    expect(codeOf(`makeFolderSync('/proc/nocturne', 0o700)`)).toBe('ENOENT');
  });

  test.skipIf(process.platform === 'win32')('is not made behind a file or a link that leads nowhere', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'file'), '');
    symlinkSync(join(root, 'unplugged'), join(root, 'link'));
    mkdirSync(join(root, 'there'));
    await expect(makeFolder(join(root, 'file', 'x'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(makeFolder(join(root, 'link', 'x'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(makeFolder(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    expect(() => {
      makeFolderSync(join(root, 'link', 'x'), 0o700);
    }).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});
