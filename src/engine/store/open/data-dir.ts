import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * The application's own data folder, where the window and the command line keep the same store: Electron's user data
 * folder of an application of this name (https://www.electronjs.org/docs/latest/api/app#appgetpathname), and `store`.
 */
export function defaultDataDir(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  return path.join(configurationFolder(environment, platform, home), 'Nocturne', 'store');
}

/**
 * Where it is noted which opening of a store was the last: beside the application's own settings, never inside of the
 * store's folder, so that a copy of that folder that was put back is noticed.
 */
export function incarnationFileOf(dataDir: string, applicationDataDir: string = defaultDataDir()): string {
  const folder = path.dirname(applicationDataDir);
  if (dataDir === applicationDataDir) return path.join(folder, 'store-incarnation.json');
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 24);
  return path.join(folder, 'incarnations', `${name}.json`);
}

function configurationFolder(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  home: string,
): string {
  switch (platform) {
    case 'darwin':
      return path.join(home, 'Library', 'Application Support');
    case 'win32':
      return environment['APPDATA'] ?? path.join(home, 'AppData', 'Roaming');
    default:
      return environment['XDG_CONFIG_HOME'] || path.join(home, '.config');
  }
}
