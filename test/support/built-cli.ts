import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the built command line is: it is what users install, and it starts in half the time of its source. */
export const CLI_FOLDER = new URL('../../out/cli/', import.meta.url);
export const CLI_ENTRY = fileURLToPath(new URL('nocturne.js', CLI_FOLDER));
/** The environment variable with the moment from which a hurried command line counts. */
export const CLI_EPOCH = 'NOCTURNE_TEST_EPOCH';

/** The environment variable with how many times faster than the machine's its clock is. */
export const CLI_SPEED = 'NOCTURNE_TEST_SPEED';

/** What goes into the build; the window's half of the source does not. */
const SOURCES = [
  'src/{cli,engine,gateway-sim,shared}/**/*.ts',
  'resources/tables/*.json',
  'scripts/{engine-parts,sbom,shipped-packages,undici-parts}.ts',
  'vite.cli.config.ts',
  'package-lock.json',
];

/**
 * Builds the command line, unless it is newer than its source. Called once for all tests of a run, before the first.
 */
export function setup(): void {
  const builtAt = statSync(CLI_ENTRY, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isCurrent = globSync(SOURCES, { cwd: ROOT }).every((file) => statSync(join(ROOT, file)).mtimeMs < builtAt);
  if (isCurrent) return;
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const built = spawnSync(process.execPath, [vite, 'build', '--config', 'vite.cli.config.ts', '--logLevel', 'warn'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (built.status !== 0) throw new Error('The command line could not be built.');
}
