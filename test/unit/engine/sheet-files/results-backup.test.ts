import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readSheet } from '../../../../src/engine/sheet-files/read/read-sheet.ts';
import { writeResults } from '../../../../src/engine/sheet-files/results/write-results.ts';
import { asOrdinaryUser } from '../../../support/ordinary-user.ts';
import { READER_HERE, sheetFile } from '../../../support/sheet-files.ts';

const disk = vi.hoisted(() => ({ onHalf: (): void => undefined, done: [] as string[] }));

/** A disk that stops in the middle of each copy, and notes what is made durable and what is renamed. */
vi.mock('node:fs/promises', async (importOriginal) => {
  const actual = await importOriginal<typeof import('node:fs/promises')>();
  return {
    ...actual,
    copyFile: async (...[from, to, mode]: Parameters<typeof actual.copyFile>) => {
      await actual.writeFile(to, 'half of it');
      disk.onHalf();
      await actual.rm(to);
      await actual.copyFile(from, to, mode);
    },
    open: async (...order: Parameters<typeof actual.open>) => {
      const file = await actual.open(...order);
      const sync = file.sync.bind(file);
      file.sync = async () => {
        disk.done.push((await file.stat()).isFile() ? 'content' : 'names');
        await sync();
      };
      return file;
    },
    rename: async (...[from, to]: Parameters<typeof actual.rename>) => {
      disk.done.push(String(to));
      await actual.rename(from, to);
    },
  };
});

const BEFORE = 'row,prompt\na,owl\n';

async function writeInto(original: string, into = original) {
  const read = await readSheet(original);
  if (!read.ok) throw new Error(read.error.message);
  const target = { original, source: read.value.source, into: { kind: 'file', file: into } } as const;
  return writeResults(target, { byLine: new Map([[2, ['done', 'a.mp3', 'T-1', '']]]), added: [] }, READER_HERE);
}

test.each(['the original', 'another file'])('a backup of %s is durable before anything else is done', async (which) => {
  const original = sheetFile(BEFORE);
  const file = which === 'the original' ? original : original.replace('.csv', '-other.csv');
  writeFileSync(file, BEFORE);
  const halves: boolean[] = [];
  disk.onHalf = () => halves.push(existsSync(`${file}.bak`));
  disk.done = [];
  expect(await writeInto(original, file)).toMatchObject({ ok: true });
  // Whoever is killed in the middle leaves no backup.
  expect(halves).toEqual([false]);
  expect(disk.done).toEqual(['content', `${file}.bak`, 'names', 'content', file, 'names']);
  expect(readFileSync(`${file}.bak`, 'utf8')).toBe(BEFORE);
});

test('the backup of a file that nobody may write is one, too', async () => {
  const file = sheetFile(BEFORE);
  chmodSync(file, 0o444);
  chmodSync(dirname(dirname(file)), 0o755);
  chmodSync(dirname(file), 0o777);
  await asOrdinaryUser(async () => expect(await writeInto(file)).toMatchObject({ ok: true }));
  expect([file, `${file}.bak`].map((name) => statSync(name).mode & 0o777)).toEqual([0o444, 0o444]);
});

test('a backup that another one makes meanwhile stays, and so does the original', async () => {
  const file = sheetFile(BEFORE);
  disk.onHalf = () => writeFileSync(`${file}.bak`, 'of another one');
  onTestFinished(() => void (disk.onHalf = () => undefined));
  expect(await writeInto(file)).toMatchObject({ ok: false });
  expect(readFileSync(`${file}.bak`, 'utf8')).toBe('of another one');
  expect(readFileSync(file, 'utf8')).toBe(BEFORE);
});
