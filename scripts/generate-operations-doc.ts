/** Writes docs/operations.md from the catalogue; with `--check`, only checks it and fails if it is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationsPage } from './operations-page.ts';

const PAGE = join(import.meta.dirname, '..', 'docs', 'operations.md');

function currentPage(): string | undefined {
  try {
    return readFileSync(PAGE, 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv.includes('--check')) {
  const isCurrent = currentPage() === operationsPage();
  console.log(isCurrent ? 'docs/operations.md is current' : 'docs/operations.md is out of date: run `npm run docs`');
  process.exitCode = isCurrent ? 0 : 1;
} else {
  writeFileSync(PAGE, operationsPage());
}
