/**
 * Writes the pages of docs/ that have another source; with `--check`, only checks them and fails if one is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLinePage } from './docs/command-line-page.ts';
import { doorCommandsPage, openApiPage } from './docs/door-commands-page.ts';
import { operationsPage } from './docs/operations-page.ts';
import { troubleshootingPage } from './docs/troubleshooting-page.ts';

const FOLDER = join(import.meta.dirname, '..', 'docs');
const PAGES: Readonly<Record<string, () => string>> = {
  'command-line.md': commandLinePage,
  'door-commands.md': doorCommandsPage,
  'openapi.json': openApiPage,
  'operations.md': operationsPage,
  'troubleshooting.md': troubleshootingPage,
};

function currentPage(name: string): string | undefined {
  try {
    return readFileSync(join(FOLDER, name), 'utf8');
  } catch {
    return undefined;
  }
}

const isCheck = process.argv.includes('--check');
for (const [name, page] of Object.entries(PAGES)) {
  if (!isCheck) writeFileSync(join(FOLDER, name), page());
  else if (currentPage(name) === page()) console.log(`docs/${name} is current`);
  else {
    console.error(`docs/${name} is out of date: run \`npm run docs\``);
    process.exitCode = 1;
  }
}
