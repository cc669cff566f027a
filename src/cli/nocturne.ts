#!/usr/bin/env node
/** Starts the command line. The program itself is loaded from here so that its compiled code can be kept. */
import { lstatSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { makeFolderSync } from '../engine/make-folder.ts';

const DISK_ERRORS: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO']);

/** The folder for what Node has compiled: the user's own cache, because the program's folder may be read-only. */
function compiledFolder(): string {
  const { env, platform } = process;
  switch (platform) {
    case 'darwin':
      return path.join(homedir(), 'Library', 'Caches', 'Nocturne', 'compiled');
    case 'win32':
      return path.join(env['LOCALAPPDATA'] || path.join(homedir(), 'AppData', 'Local'), 'Nocturne', 'compiled');
    default:
      return path.join(cacheHome(env['XDG_CACHE_HOME']), 'nocturne', 'compiled');
  }
}

/** A relative path is ignored (XDG Base Directory Specification). */
function cacheHome(named: string | undefined): string {
  return named !== undefined && path.isAbsolute(named) ? named : path.join(homedir(), '.cache');
}

/**
 * Whether nobody else can write to a folder, which is made if it is missing. Compiled code is run as it is found: in a
 * shared folder, such as Node's own choice, another user could put code of their own. On Windows, the permissions of
 * the user's profile ensure that.
 */
function isOnlyOurs(folder: string): boolean {
  makeFolderSync(folder, 0o700);
  const found = lstatSync(folder);
  const isPrivate = process.platform === 'win32' || (found.uid === process.getuid?.() && (found.mode & 0o022) === 0);
  return found.isDirectory() && isPrivate;
}

/** Keeps what Node compiles from now on. Without a place for it, every start compiles again; nothing else changes. */
function keepCompiled(): void {
  // Node 20 keeps nothing.
  const { enableCompileCache } = module as Partial<Pick<typeof module, 'enableCompileCache'>>;
  try {
    const folder = compiledFolder();
    if (enableCompileCache === undefined) return;
    // Anybody who may write to the folder above could put another one in its place.
    if (isOnlyOurs(path.dirname(folder)) && isOnlyOurs(folder)) enableCompileCache(folder);
  } catch {
    // See above.
  }
}

/**
 * If the reader has gone (`| head`, a closed terminal), a night that costs money must not end for it. If a disk took not
 * all of what was printed, no script may take what it finds for all: an end with 0 becomes one with 5.
 */
function watchOutput(): void {
  let refused: NodeJS.ErrnoException | undefined;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (DISK_ERRORS.has(error.code) && !process.stdout.isTTY) refused ??= error;
  });
  process.once('exit', (code) => {
    if (refused === undefined) return;
    if (code === 0) process.exitCode = 5;
    const why = `standard output could not be written: ${refused.message}`;
    process.stderr.write(`error: ${why}\n    → What was printed is not complete. Free some space and ask again.\n`);
  });
}

watchOutput();
keepCompiled();
const { runProgram } = await import('./program.ts');
process.exitCode = await runProgram(process.argv.slice(2), new URL('../../package.json', import.meta.url));
