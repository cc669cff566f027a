import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

let root: string | undefined;
let count = 0;

// With the file, not with the test: tests of a file may run at the same time, and share what a module has made.
afterAll(() => {
  if (root !== undefined) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});

/**
 * A new, empty folder for the tests of one file, wherever it is asked for: in a module, a hook or a test. It is gone
 * with all that is in it when the file's tests are over.
 */
export function temporaryFolder(): string {
  root ??= mkdtempSync(join(tmpdir(), 'nocturne-test-'));
  const folder = join(root, String((count += 1)));
  mkdirSync(folder);
  return folder;
}
