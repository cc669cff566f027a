import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

test('a file of tests leaves nothing in the temporary folder', { timeout: 120_000 }, () => {
  const temporary = join(temporaryFolder(), 'tmp');
  mkdirSync(temporary);
  const files = ['test/cli/new.test.ts', 'test/unit/engine/sheet-files/sheet-ods.test.ts'];
  const run = spawnSync(process.execPath, [VITEST, 'run', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: temporary, TMP: temporary, TEMP: temporary },
  });
  expect([run.status, run.stdout]).toEqual([0, expect.anything()]);
  expect(readdirSync(temporary)).toEqual([]);
});
