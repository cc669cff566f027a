import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { itemsByName, readWordLists, WordListFolder } from '../../../../src/engine/sheet-files/lists/word-lists.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

function folderWith(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

async function read(folder: string): Promise<{ items: unknown; problems: readonly string[] }> {
  const lists = await readWordLists(folder);
  if (!lists.ok) throw new Error(lists.error);
  return { items: itemsByName(lists.value.lists), problems: lists.value.problems };
}

describe('the lists of a folder', () => {
  test('are its text files, one item a line', async () => {
    const folder = folderWith({
      'animals.txt': '\uFEFFowl\r\n\r\n  red fox  \rwolf\n',
      'Tiere_äöü.txt': 'Eule',
      'none.txt': '\n\n',
      'notes.md': 'x',
      'constructor.txt': 'c',
    });
    expect(await read(folder)).toEqual({
      items: { animals: ['owl', 'red fox', 'wolf'], Tiere_äöü: ['Eule'], none: [], constructor: ['c'] },
      problems: [],
    });
  });

  test('of a folder that is not there are none', async () => {
    expect(await read(join(temporaryFolder(), 'nowhere'))).toEqual({ items: {}, problems: [] });
    expect((await readWordLists(join(folderWith({ file: 'x' }), 'file'))).ok).toBe(false);
  });

  test('are never what a link leads to, a folder, or a pipe', async () => {
    const folder = folderWith({ 'good.txt': 'x' });
    const secret = join(temporaryFolder(), 'secret');
    writeFileSync(secret, 'secret');
    symlinkSync(secret, join(folder, 'link.txt'));
    mkdirSync(join(folder, 'folder.txt'));
    execFileSync('mkfifo', [join(folder, 'pipe.txt')]);
    const { items, problems } = await read(folder);
    expect(items).toEqual({ good: ['x'] });
    expect(problems).toHaveLength(3);
    expect(JSON.stringify({ items, problems })).not.toContain('"secret"');
  });

  test('that are too large, no UTF-8, or cannot be named by a cell are left out and said', async () => {
    const folder = folderWith({
      'large.txt': 'x\n'.repeat(600_000),
      'latin.txt': Uint8Array.from([0x63, 0xe4, 0x74]),
      'zero.txt': 'a\0b',
      'two words.txt': 'x',
      'a__b.txt': 'x',
      'good.txt': 'x',
    });
    const { items, problems } = await read(folder);
    expect(items).toEqual({ good: ['x'] });
    expect(problems).toHaveLength(5);
    for (const word of ['1 MiB', 'UTF-8', 'NUL', 'letters']) expect(problems.join()).toContain(word);
  });

  test('that have too much text together are left out from there on', async () => {
    const text = 'x'.repeat(1024 * 1024);
    const folder = folderWith(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`l${n + 10}.txt`, text])));
    const lists = await readWordLists(folder);
    expect(lists.ok && lists.value.lists).toHaveLength(16);
    expect(lists.ok && lists.value.problems).toHaveLength(4);
  });
});

describe('a list that is written', () => {
  test('is there as it was typed, replaces the one before, and can be removed', async () => {
    const folder = join(folderWith(), 'made');
    for (const text of ['owl\nfox', 'wolf\r\n']) {
      expect(await new WordListFolder(folder).save('animals', text)).toMatchObject({ ok: true });
      expect(readFileSync(join(folder, 'animals.txt'), 'utf8')).toBe(text);
    }
    expect(await read(folder)).toMatchObject({ items: { animals: ['wolf'] } });
    expect(readdirSync(folder)).toEqual(['animals.txt']);
    expect(await new WordListFolder(folder).remove('animals')).toBeUndefined();
    expect(await new WordListFolder(folder).remove('animals')).toBeUndefined();
    writeFileSync(join(folder, 'u\u0308ber.txt'), 'x');
    expect(await read(folder)).toMatchObject({ items: { über: ['x'] } });
    expect(await new WordListFolder(folder).remove('über')).toBeUndefined();
    expect(await read(folder)).toMatchObject({ items: {} });
    expect(await new WordListFolder(join(folder, 'nowhere')).remove('animals')).toBeUndefined();
  });

  test.each(['', '..', '../x', 'a/b', 'a\\b', 'CON', 'nul', 'a b', '.hidden', 'x'.repeat(101), 'a\nb', 'ä\u0000'])(
    'under the name %j is refused',
    async (name) => {
      const folder = folderWith();
      expect((await new WordListFolder(folder).save(name, 'x')).ok).toBe(false);
      expect(await new WordListFolder(folder).remove(name)).toBeDefined();
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('is read again once another program has written into its file, and only then', async () => {
    const folder = folderWith({ 'animals.txt': 'owl' });
    const lists = new WordListFolder(folder);
    const first = await lists.current();
    expect(await lists.current()).toBe(first);
    writeFileSync(join(folder, 'animals.txt'), 'owl\nfox');
    const second = await lists.current();
    expect(second).toEqual({ animals: ['owl', 'fox'] });
    expect(await lists.current()).toBe(second);
  });

  test('is not written through a link, but in its place', async () => {
    const folder = folderWith();
    const target = join(temporaryFolder(), 'target');
    writeFileSync(target, 'untouched');
    symlinkSync(target, join(folder, 'animals.txt'));
    expect(await new WordListFolder(folder).save('animals', 'owl')).toMatchObject({ ok: true });
    expect(readFileSync(target, 'utf8')).toBe('untouched');
    expect(await new WordListFolder(folder).remove('animals')).toBeUndefined();
    expect(existsSync(target)).toBe(true);
  });

  test('is refused where it could not be read again', async () => {
    const folder = folderWith();
    for (const text of ['a\0', '\uD83D', 'ä'.repeat(600_000)]) {
      expect((await new WordListFolder(folder).save('a', text)).ok).toBe(false);
    }
    expect((await new WordListFolder(join(folderWith({ file: '' }), 'file')).save('a', 'x')).ok).toBe(false);
  });
});
