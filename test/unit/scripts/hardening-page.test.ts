import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('every place that the page on hardening names is there', () => {
  const named = [...read('docs/hardening.md').matchAll(/`((?:src|test)\/[^`]+)`/gu)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('nothing is opened by an address that somebody may have written', () => {
  const sources = globSync('src/**/*.{ts,tsx}', { cwd: ROOT });
  expect(sources.length).toBeGreaterThan(500);
  expect(sources.filter((path) => /openExternal/u.test(read(path)))).toEqual([]);
});
