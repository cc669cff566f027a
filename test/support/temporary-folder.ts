import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let root: string | undefined;
let count = 0;

/**
 * A new, empty folder for the tests of one file, wherever it is asked for: in the file, a hook or a test. It is removed
 * with all its content when the file's tests are over.
 */
export function temporaryFolder(): string {
  root ??= mkdtempSync(join(tmpdir(), 'nocturne-test-'));
  const folder = join(root, String((count += 1)));
  mkdirSync(folder);
  return folder;
}

/**
 * They are removed with the file, not with the test: tests of a file may run at the same time, and share what the file
 * has made.
 */
export function removeTemporaryFolders(): void {
  if (root !== undefined) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  root = undefined;
}
