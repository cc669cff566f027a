import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const TESTS = join(import.meta.dirname, '..');

interface Case {
  readonly file: string;
  readonly test: string;
}

/** The lines of the tables that name a case. */
function readCases(): readonly Case[] {
  const lines = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [, , , file = '', name = ''] = line.split('|').map((cell) => cell.trim());
    return file.includes('/') ? [{ file, test: name }] : [];
  });
}

test('every case of the catalogue names a test that there is', () => {
  const cases = readCases();
  console.log(`${cases.length} hostile cases are listed in test/hostile/README.md`);
  expect(cases.length).toBeGreaterThan(100);
  const sources = new Map<string, string>();
  const sourceOf = (file: string): string => {
    const path = join(TESTS, `${file}.test.ts`);
    const source = sources.get(file) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '');
    sources.set(file, source);
    return source;
  };
  expect(cases.filter(({ file, test: name }) => name === '' || !sourceOf(file).includes(name))).toEqual([]);
});
