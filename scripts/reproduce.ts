/**
 * Builds the packages of one commit twice, in two folders, and compares everything of ours in them byte for byte. The
 * printed hashes also allow the packages of two machines to be compared.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Our files; Electron and Node, as they were fetched, do not come from here. */
const OURS = ['dist/*.{deb,rpm}', 'dist/*/**/resources/{app.asar,app.asar.unpacked/**,help/**,cli/**}', 'out/**'];

const work = mkdtempSync(join(tmpdir(), 'nocturne-reproduced-'));
try {
  const commit = git('rev-parse', 'HEAD').trim();
  console.log(`Commit ${commit}`);
  const [one, other] = ['once', 'and-again'].map((name) => hashesOf(build(commit, join(work, name))));
  const names = [...new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])].toSorted();
  const different = names.filter((name) => one?.[name] !== other?.[name]);
  for (const name of names.filter((path) => /app\.asar$|\.deb$|\.rpm$/u.test(path)))
    console.log(`${one?.[name]}  ${name}`);
  for (const name of different) console.error(`different: ${name}`);
  console.log(`${names.length} files, ${different.length} of them different`);
  process.exitCode = names.length > 0 && different.length === 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
}

/** Builds a commit in a folder of its own, with the dependencies that are installed here. */
function build(commit: string, folder: string): string {
  mkdirSync(folder);
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x'], { cwd: folder, input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const date = git('log', '-1', '--format=%ct', commit).trim();
  execFileSync(process.execPath, ['scripts/package.ts'], {
    cwd: folder,
    env: { ...process.env, SOURCE_DATE_EPOCH: date },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return folder;
}

function hashesOf(folder: string): Readonly<Record<string, string>> {
  const files = globSync(OURS, { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), createHash('sha256').update(readFileSync(path)).digest('hex')];
    }),
  );
}
