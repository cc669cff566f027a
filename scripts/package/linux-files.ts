import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  type Dirent,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import configuration from '../../electron-builder.config.ts';
import { ROOT, type UnpackedProgram } from './program.ts';

/** Where the program is on Linux. */
export const PROGRAM_FOLDER = '/usr/lib/nocturne';
const WINDOW = posix.join(PROGRAM_FOLDER, configuration.linux.executableName);
/** The package's script copies it to where AppArmor looks, if the system understands it. */
const APPARMOR_PROFILE = posix.join(PROGRAM_FOLDER, 'resources', 'apparmor-profile');

/** Lays out what a package of a distribution installs, in a new temporary folder, which the caller removes. */
export function layOutFiles({ folder }: UnpackedProgram): string {
  const root = mkdtempSync(join(tmpdir(), 'nocturne-package-'));
  const at = (path: string): string => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    return join(root, path);
  };
  cpSync(folder, at(PROGRAM_FOLDER), { recursive: true, verbatimSymlinks: true });
  writeFileSync(at(APPARMOR_PROFILE), apparmorProfile());
  symlinkSync(`..${PROGRAM_FOLDER.slice('/usr'.length)}/resources/cli/bin/nocturne`, at('/usr/bin/nocturne'));
  symlinkSync(`..${WINDOW.slice('/usr'.length)}`, at(`/usr/bin/${configuration.linux.executableName}`));
  writeFileSync(at('/usr/share/applications/nocturne.desktop'), desktopEntry());
  cpSync(join(ROOT, 'resources/icons/nocturne.png'), at('/usr/share/icons/hicolor/512x512/apps/nocturne.png'));
  cpSync(join(ROOT, 'resources/icons/nocturne.svg'), at('/usr/share/icons/hicolor/scalable/apps/nocturne.svg'));
  cpSync(join(ROOT, 'LICENSE'), at('/usr/share/doc/nocturne/copyright'));
  settle(root);
  return root;
}

/** Everybody may read and nobody but root may write, whatever the umask here is; dated by the commit. */
function settle(root: string): void {
  const date = Number(process.env['SOURCE_DATE_EPOCH']);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink()) chmodSync(path, modeOf(entry));
    lutimesSync(path, date, date);
  }
  chmodSync(root, 0o755);
  lutimesSync(root, date, date);
}

function modeOf(entry: Dirent): number {
  // If the system has no user namespaces, this program makes Chromium's sandbox, as root.
  if (entry.name === 'chrome-sandbox') return 0o4755;
  const isExecutable = entry.isDirectory() || (statSync(join(entry.parentPath, entry.name)).mode & 0o100) !== 0;
  return isExecutable ? 0o755 : 0o644;
}

/** By the Desktop Entry Specification: how desktops show and start the window, and for which files they offer it. */
function desktopEntry(): string {
  const { category, desktop, mimeTypes } = configuration.linux;
  const entry = {
    Type: 'Application',
    ...desktop.entry,
    Exec: `${WINDOW} %U`,
    Icon: 'nocturne',
    Terminal: 'false',
    Categories: `${category};`,
    MimeType: `${mimeTypes.join(';')};`,
  };
  return `[Desktop Entry]\n${Object.entries(entry)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')}`;
}

/** Ubuntu 24.04 lets only programs with a profile make the namespaces that Chromium's sandbox consists of. */
export function apparmorProfile(rules = 'userns,'): string {
  const text = `abi <abi/4.0>,
include <tunables/global>

profile nocturne ${WINDOW} flags=(unconfined) {
  ${rules}

  include if exists <local/nocturne>
}
`;
  // By the hash, a package recognises its own text, of any version.
  const hash = createHash('sha256').update(text).digest('hex');
  return `# Put your changes into local/nocturne. A changed file is left alone: sha256 ${hash}\n${text}`;
}

/** Defines `profile`, its place, and `is_ours`, which is true if only a package has written what is there. */
const PLACE_OF_PROFILE = `
profile=$root/etc/apparmor.d/nocturne
is_ours() {
  [ "$(sed -n '1s/^# .* sha256 //p' "$profile")" = "$(sed 1d "$profile" | sha256sum | cut -d ' ' -f 1)" ]
}
unload() {
  if [ -z "$root" ] && aa-enabled --quiet 2>/dev/null; then
    apparmor_parser --remove "$profile" || true
  fi
}
`;

/** What a shell does as root once the files are there, and once they are gone; `$root` is where they are. */
export const AFTER_INSTALL = `${PLACE_OF_PROFILE}
new=$root${APPARMOR_PROFILE}
if [ -e "$profile" ] && ! is_ours; then
  echo "$profile was changed and stays as it is. The profile of this version is $new."
elif [ -d "$root/etc/apparmor.d" ] && apparmor_parser --skip-kernel-load --skip-cache "$new" >/dev/null 2>&1; then
  cp "$new" "$profile"
  if [ -z "$root" ] && [ ! -e /etc/apparmor.d/disable/nocturne ] && aa-enabled --quiet 2>/dev/null; then
    apparmor_parser --replace --write-cache --skip-read-cache "$profile" || true
  fi
fi
`;
export const AFTER_REMOVAL = `${PLACE_OF_PROFILE}
if [ -e "$profile" ] && is_ours; then
  unload
  rm "$profile"
fi
echo 'Nocturne is removed. What it kept for a user stays in ~/.config/Nocturne; what it rendered stays in its folders.'
`;
/** For Debian: what an administrator changed is removed, too. */
export const AFTER_PURGE = `${PLACE_OF_PROFILE}
if [ -e "$profile" ]; then
  unload
  rm "$profile"
fi
`;
