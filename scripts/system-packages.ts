import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** For the tests of stores on a server, and for rehearsals with several workers. */
export const POSTGRESQL: readonly string[] = ['postgresql-17', 'postgresql-16', 'postgresql-15', 'postgresql-14'];

/**
 * What an Electron window and the tests need from Debian or Ubuntu. If a release renamed a package, the first name that
 * the release knows is installed, and any of them counts as present.
 */
const PACKAGES: readonly (readonly string[])[] = [
  ['xvfb'],
  ['xauth'],
  ['libgtk-3-0t64', 'libgtk-3-0'],
  ['libnss3'],
  ['libasound2t64', 'libasound2'],
  ['libgbm1'],
  ['libsecret-1-0'],
  ['dbus'],
  ['dbus-x11'],
  ['gnome-keyring'],
  ['fonts-dejavu-core'],
  // Builds a package of the program for Fedora and the like.
  ['rpm'],
  // Installs packages into a folder that is not root's.
  ['fakeroot'],
  // Shows in which order the engine syncs and sends.
  ['strace'],
  POSTGRESQL,
  // Measures files for the gates.
  ['ffmpeg'],
  // These read what a delivery has written: other people's programs must find it.
  ['libimage-exiftool-perl'],
  ['python3-mutagen'],
  // Media folders in buckets are tested on a server in an environment of its own.
  ['python3-venv'],
  // Places for files on this computer are tested on a WebDAV server: its program alone, without a service.
  ['apache2-bin'],
];

/** The result for the system packages: already there, installed now, or left to the user with the command to run. */
export type SystemPackagesOutcome =
  | { readonly kind: 'present' }
  | { readonly kind: 'installed'; readonly packages: readonly string[] }
  | { readonly kind: 'not-needed'; readonly reason: string }
  | { readonly kind: 'left-to-user'; readonly commandLine: string };

/**
 * Installs missing system packages: as root, or with sudo if the user allows it (`--sudo`) and no password is needed.
 * Otherwise the user runs the printed command.
 * @param packages Which packages; by default all.
 */
export function ensureSystemPackages(maySudo: boolean, packages = PACKAGES): SystemPackagesOutcome {
  if (process.platform !== 'linux') return { kind: 'not-needed', reason: `${process.platform} brings its own` };
  if (!existsSync('/usr/bin/dpkg-query') || !existsSync('/usr/bin/apt-get')) {
    return { kind: 'not-needed', reason: 'not a Debian or Ubuntu: install GTK 3, NSS, ALSA, GBM, libsecret and Xvfb' };
  }
  if (missingOf(packages).length === 0) return { kind: 'present' };
  const prefix = rootPrefix(maySudo);
  if (prefix === undefined) {
    return {
      kind: 'left-to-user',
      commandLine: `sudo apt-get install --yes ${missingOf(packages).map(lastName).join(' ')}`,
    };
  }
  const apt = (...args: string[]): boolean => {
    const [command = 'apt-get', ...rest] = [...prefix, 'apt-get', ...args];
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return spawnSync(command, rest, { stdio: ['ignore', 'ignore', 'inherit'], env: environment }).status === 0;
  };
  apt('update', '-qq');
  const chosen = missingOf(packages).map(nameKnownHere);
  if (!apt('install', '-qq', '--yes', '--no-install-recommends', ...chosen)) {
    return { kind: 'left-to-user', commandLine: `sudo apt-get install --yes ${chosen.join(' ')}` };
  }
  return { kind: 'installed', packages: chosen };
}

function missingOf(packages: typeof PACKAGES): readonly (readonly string[])[] {
  const query = spawnSync('dpkg-query', ['-W', '-f=${Package} ${db:Status-Status}\n', ...packages.flat()], {
    encoding: 'utf8',
  });
  const installed = new Set(
    query.stdout
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.split(' ')[0]),
  );
  return packages.filter((names) => !names.some((name) => installed.has(name)));
}

function nameKnownHere(names: readonly string[]): string {
  const known = names.find((name) => spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status === 0);
  return known ?? lastName(names);
}

function lastName(names: readonly string[]): string {
  return names.at(-1) ?? '';
}

/** The prefix that makes a command run as root, or undefined if that takes the user's permission or a password. */
function rootPrefix(maySudo: boolean): readonly string[] | undefined {
  if (process.getuid?.() === 0) return [];
  if (!maySudo) return undefined;
  const sudo = spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' });
  return sudo.status === 0 ? ['sudo', '-n', '--preserve-env=DEBIAN_FRONTEND'] : undefined;
}
