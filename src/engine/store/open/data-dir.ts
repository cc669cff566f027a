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
 * The file that records the last opening of the store in a folder; beside it, each store has one under its own name.
 * They are beside the application's settings and never in the store's folder, so that Nocturne notices when somebody
 * restores a copy of that folder, there or elsewhere.
 */
export function incarnationFileOf(dataDir: string, applicationDataDir: string = defaultDataDir()): string {
  const folder = path.join(path.dirname(applicationDataDir), 'incarnations');
  const name = dataDir === applicationDataDir ? 'application' : shortHash(dataDir);
  return path.join(folder, `${name}.json`);
}

/** The file for the last opening of a store, wherever the store is; beside the file for its folder. */
export function incarnationFileOfStore(fileOfFolder: string, storeId: string): string {
  return path.join(path.dirname(fileOfFolder), `store-${shortHash(storeId)}.json`);
}

/**
 * The note of the places for files that the user has named for a store, also there: it does not come along when a store
 * is handed over.
 */
export function placesNoteOf(fileOfFolder: string, storeId: string): string {
  return path.join(path.dirname(fileOfFolder), `places-${shortHash(storeId)}.json`);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
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
