/** Parts of the program that are loaded when they are needed: one that cannot even be read shows only then. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';

const PARTS = join(import.meta.dirname, '../../out/main');

test('every part of the built application is a program that Node can read', () => {
  const parts = globSync('*.js', { cwd: PARTS });
  expect(parts.length).toBeGreaterThan(20);
  const broken = parts.flatMap((name) => {
    const { status, stderr } = spawnSync(process.execPath, ['--check', join(PARTS, name)], { encoding: 'utf8' });
    return status === 0 ? [] : [`${name}: ${stderr}`];
  });
  expect(broken).toEqual([]);
});
