/**
 * `npm run demo`: a rehearsal. One with several workers (`-- --fleet`) needs PostgreSQL, which is installed if it is
 * missing, as root or with `--sudo`.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { ensureSystemPackages, POSTGRESQL } from './system-packages.ts';

const PROGRAM = join(import.meta.dirname, '../src/cli/nocturne.ts');

const given = process.argv.slice(2);
if (given.includes('--fleet') && globSync('/usr/lib/postgresql/*/bin/initdb').length === 0) {
  const outcome = ensureSystemPackages(given.includes('--sudo'), [POSTGRESQL]);
  if (outcome.kind === 'installed') console.log(`System packages installed: ${outcome.packages.join(' ')}`);
  if (outcome.kind === 'left-to-user') {
    console.error(`PostgreSQL is missing. Run this, then try again, or add --sudo:\n  ${outcome.commandLine}`);
    process.exit(1);
  }
}
// Run in this process: a signal reaches only one.
process.argv = [process.execPath, PROGRAM, 'demo', ...given.filter((option) => option !== '--sudo')];
await import(PROGRAM);
