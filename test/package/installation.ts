/** Installs the package that was built into an empty folder, in place of a system's root, and removes it from there. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DIST } from '../../scripts/package/program.ts';

const IS_ROOT = process.getuid?.() === 0;

/** The only file in `dist` with this extension. */
export function builtPackage(extension: 'deb' | 'rpm'): string {
  const found = readdirSync(DIST).filter((name) => name.endsWith(`.${extension}`));
  if (found.length !== 1) throw new Error(`There are ${found.length} packages .${extension} in ${DIST}.`);
  return join(DIST, found[0] ?? '');
}

/** What an empty system would be. AppArmor is there, so the package's script has something to do. */
export function emptyRoot(): string {
  // Any user must get there, as to any system's root: the desktop's own folder for what is temporary is closed to others.
  const root = mkdtempSync('/tmp/nocturne-installed-');
  for (const folder of ['var/lib/dpkg/info', 'var/lib/dpkg/updates', 'etc/apparmor.d']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(root, 'var/lib/dpkg/status'), '');
  execFileSync('chmod', ['-R', 'a+rX', root]);
  return root;
}

/** Runs dpkg on the root. Scripts run beside it: nothing is in it that could run them inside. Gives what it says. */
export function dpkg(root: string, ...args: readonly string[]): string {
  const [program, ...before] = IS_ROOT ? ['dpkg'] : ['fakeroot', 'dpkg', '--force-not-root'];
  const common = [`--root=${root}`, '--log=/dev/null', '--force-script-chrootless', '--force-depends'];
  return execFileSync(program ?? '', [...before, ...common, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    // It asks for programs that an ordinary user of Debian has not on the path.
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` },
  });
}

/** Everything below a root but the notes of dpkg itself. */
export function filesIn(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('var/lib/dpkg'))
    .toSorted();
}

/** The permissions of a file as `ls` counts them, such as `4755`. */
export function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8);
}

interface ArchivedFolder {
  readonly files: Readonly<Record<string, ArchivedFolder | { readonly size: number }>>;
}

/** The files in an ASAR archive. It begins with two numbers of lengths, each with its own, then the list in JSON. */
export function filesInArchive(path: string): readonly string[] {
  const bytes = readFileSync(path);
  const list = bytes.subarray(16, 16 + bytes.readUInt32LE(12)).toString('utf8');
  const below = (folder: ArchivedFolder, at: string): readonly string[] =>
    Object.entries(folder.files).flatMap(([name, entry]) =>
      'files' in entry ? below(entry, `${at}${name}/`) : [`${at}${name}`],
    );
  return below(JSON.parse(list) as ArchivedFolder, '');
}
