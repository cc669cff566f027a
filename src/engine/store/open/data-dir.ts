import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * The application's own data folder, so that the window and the command line share one store: `store` in Electron's
 * user data folder for this application name (https://www.electronjs.org/docs/latest/api/app#appgetpathname).
 */
export function defaultDataDir(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  return path.join(configurationFolder(environment, platform, home), 'Nocturne', 'store');
}

/**
 * The file that records the last opening of a store. It lies beside the application's settings and never in the store's
 * folder, so that Nocturne notices when somebody restores a copy of that folder.
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
