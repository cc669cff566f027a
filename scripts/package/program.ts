import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build, Platform } from 'electron-builder';
import configuration from '../../electron-builder.config.ts';
import { electronVersion, outdatedElectronProblem, type ElectronRuntime } from '../electron-runtime.ts';

export const ROOT = join(import.meta.dirname, '../..');
/** Where packages are put. */
export const DIST = join(ROOT, configuration.directories.output);

/** The program as it is on a user's disk. */
export interface UnpackedProgram {
  readonly folder: string;
  /** The version of packages. A package for tests only comes before the version that it tests. */
  readonly version: string;
  /** The other files that electron-builder has made. */
  readonly files: readonly string[];
}

/**
 * Builds the program for this system from what is in `out`, around a given Electron; with `formats` also its packages.
 */
export async function buildProgram(electron: ElectronRuntime, formats: boolean): Promise<UnpackedProgram> {
  process.env['SOURCE_DATE_EPOCH'] ??= commitTime();
  const files = await build({
    targets: Platform.current().createTarget(formats ? null : 'dir'),
    projectDir: ROOT,
    publish: 'never',
    config: {
      ...configuration,
      electronDist: electron.distPath,
      electronVersion: electronVersion(electron),
    },
  });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  const isForTests = outdatedElectronProblem(electronVersion(electron)) !== undefined;
  return {
    folder: join(DIST, unpackedFolder()),
    version: isForTests ? `${version}~electron${electronVersion(electron)}` : version,
    files: files.filter((path) => !path.endsWith('.blockmap')),
  };
}

/** As electron-builder names it. */
function unpackedFolder(): string {
  const arch = process.arch === 'x64' ? '' : `-${process.arch}`;
  switch (process.platform) {
    case 'darwin':
      return `mac${arch}`;
    case 'win32':
      return `win${arch}-unpacked`;
    default:
      return `linux${arch}-unpacked`;
  }
}

/** Files dated by this instead of the clock are the same whenever a commit is built. */
function commitTime(): string {
  // The checkout may be another user's.
  const ofCommit = ['-c', `safe.directory=${ROOT}`, 'log', '-1', '--format=%ct'];
  const { stdout } = spawnSync('git', ofCommit, { cwd: ROOT, encoding: 'utf8' });
  // Without git, or in an archive of the source, nobody knows the commit: then the date is that of the manifest.
  return stdout?.trim() || String(Math.floor(statSync(join(ROOT, 'package.json')).mtimeMs / 1000));
}
