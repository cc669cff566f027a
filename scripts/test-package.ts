/**
 * Proves the packages for Linux: builds them, installs the `.deb` into an empty folder, and uses what is installed.
 * With `-- --of-out`, they are made from what is already in `out`; with `-- --built`, those in `dist` are used. Other
 * arguments are Playwright's.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const OWN: ReadonlySet<string> = new Set(['--built', '--of-out']);

function run(...args: readonly string[]): boolean {
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status === 0;
}

const own = process.argv.slice(2).filter((argument) => OWN.has(argument));
const others = process.argv.slice(2).filter((argument) => !OWN.has(argument));
const playwright = ['playwright', 'test', '--config', 'test/package/playwright.config.ts', ...others];
const isBuilt = own.includes('--built') || run('scripts/package.ts', ...own);
process.exitCode = isBuilt && run('scripts/with-desktop.ts', ...playwright) ? 0 : 1;
