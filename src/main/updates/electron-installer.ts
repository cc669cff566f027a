/** Fetches and installs versions with electron-updater: an AppImage, a Windows installer or a macOS archive. */
import { sayError } from '../../shared/domain/base/reason.ts';
import { existsSync, mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app, autoUpdater, net } from 'electron';
import type { AppUpdater, ResolvedUpdateFileInfo, UpdateInfo } from 'electron-updater';
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { ownImage, replaceImage } from '../shell/own-image.ts';
import type { Log } from '../shell/log.ts';
import { UpdateError, digestOf, FEED_MAX_BYTES, type SelfUpdating } from './release-feed.ts';
import type { UpdateInstaller, WantedFile } from './updates.ts';
import { words } from '../../shared/words/words.ts';

const ASK_MS = 30_000;
/** The same for everybody: Chromium would name the system and its language. */
const HEADERS = { 'User-Agent': 'Nocturne', 'Accept-Language': 'en' };

/** Asks for the feed, with the system's proxies and nothing that distinguishes one user from another. */
export async function askForFeed(feed: string): Promise<Result<Uint8Array, UpdateError>> {
  try {
    const answer = await net.fetch(feed, {
      cache: 'no-store',
      credentials: 'omit',
      headers: HEADERS,
      signal: AbortSignal.timeout(ASK_MS),
    });
    if (!answer.ok) return err(new UpdateError((told) => told.answers(new URL(feed).host, answer.status)));
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of answer.body ?? []) {
      pieces.push(piece as Uint8Array);
      length += (piece as Uint8Array).length;
      if (length > FEED_MAX_BYTES) return err(new UpdateError((told) => told.tooLong));
    }
    return ok(Buffer.concat(pieces));
  } catch (error) {
    return err(new UpdateError((told) => told.unreachable(new URL(feed).host, sayError(error))));
  }
}

/** How this program was installed, if it can replace itself. */
export function ownFormat(): SelfUpdating | undefined {
  if (!app.isPackaged) return undefined;
  switch (process.platform) {
    case 'linux':
      return ownImage(process) === undefined ? undefined : 'AppImage';
    case 'win32':
      // The installer leaves this file there; an unpacked folder is the user's own.
      return existsSync(join(dirname(process.execPath), `Uninstall ${app.getName()}.exe`)) ? 'nsis' : undefined;
    case 'darwin':
      return 'zip';
    default:
      return undefined;
  }
}

/** Makes the installer for a program in this format. `restart` has the program start again once it has ended. */
export function electronInstaller(
  format: SelfUpdating,
  restart: () => void,
  log: Log,
): UpdateInstaller & { readonly format: SelfUpdating } {
  /** What was fetched last. */
  let fetched: { readonly updater: AppUpdater; readonly path: string; readonly wanted: WantedFile } | undefined;
  return {
    format,
    fetch: async (wanted, onProgress, signal) => {
      fetched = undefined;
      const { updater, token } = await prepare(format, wanted, log);
      signal.throwIfAborted();
      updater.on('download-progress', ({ transferred }) => onProgress(transferred));
      signal.addEventListener('abort', () => token.cancel(), { once: true });
      const found = await updater.checkForUpdates();
      if (found?.isUpdateAvailable !== true) throw new Error(`Version ${wanted.version} is not for this program.`);
      try {
        await mustBeAsLong(wanted, signal);
        const [path = ''] = await updater.downloadUpdate(token);
        signal.throwIfAborted();
        fetched = { updater, path, wanted };
      } catch (error) {
        throw fetchError(error);
      }
    },
    obstacle: () => {
      const own = format === 'AppImage' ? ownImage(process) : process.execPath;
      if (own === undefined || !existsSync(own)) return words.desktop.updates.moved;
      const folder = dirname(own);
      try {
        // Only a try shows it: an access list may forbid what the folder's mode allows.
        rmdirSync(mkdtempSync(join(folder, '.nocturne-')));
        return undefined;
      } catch {
        return words.desktop.updates.notWritable(folder);
      }
    },
    install: async (version) => {
      if (fetched?.wanted.version !== version) throw new Error(`Version ${version} was not fetched.`);
      const { updater, path, wanted } = fetched;
      if (digestOf(readFileSync(path)) !== wanted.file.sha512) throw new UpdateError((told) => told.otherFile);
      switch (format) {
        case 'AppImage':
          replaceImage(path, ownImage(process) ?? '');
          restart();
          return;
        case 'nsis': {
          let problem: Error | undefined;
          updater.on('error', (error) => (problem = error));
          updater.quitAndInstall(true, true);
          if (problem !== undefined) throw problem;
          return;
        }
        case 'zip':
          // macOS takes over by itself, and then ends this program.
          await new Promise<void>((resolve, reject) => {
            autoUpdater.once('update-downloaded', () => resolve());
            autoUpdater.once('error', reject);
            updater.quitAndInstall(true, true);
          });
      }
    },
  };
}

/** An updater that only knows this one version, which was chosen and whose digest comes from a signed feed. */
async function prepare(format: SelfUpdating, { version, file, url, isOlder }: WantedFile, log: Log) {
  // Loaded only when there is something to fetch, because it is large.
  const { AppImageUpdater, MacUpdater, NsisUpdater, Provider, CancellationToken } = await import('electron-updater');
  class OneRelease extends Provider<UpdateInfo> {
    constructor(_options: unknown, _updater: unknown, runtime: ProviderRuntimeOptions) {
      super(runtime);
    }
    override getLatestVersion(): Promise<UpdateInfo> {
      const { size, sha512 } = file;
      const releaseDate = new Date(0).toISOString();
      return Promise.resolve({
        version,
        files: [{ url: file.url, size, sha512 }],
        path: file.url,
        sha512,
        releaseDate,
      });
    }
    override resolveFiles({ files }: UpdateInfo): ResolvedUpdateFileInfo[] {
      return files.map((info) => ({ url, info }));
    }
    /** The original would send a number that identifies this installation. */
    override setRequestHeaders(): void {}
  }
  const updater =
    format === 'AppImage' ? new AppImageUpdater() : format === 'nsis' ? new NsisUpdater() : new MacUpdater();
  updater.setFeedURL({ provider: 'custom', updateProvider: OneRelease });
  updater.logger = {
    info: () => undefined,
    warn: (text) => log('warning', `updater: ${String(text)}`),
    error: () => undefined,
  };
  updater.requestHeaders = HEADERS;
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  updater.allowDowngrade = isOlder;
  updater.disableDifferentialDownload = true;
  updater.isUserWithinRollout = () => true;
  // The calls report their own errors; without a listener, these events would end the process.
  updater.on('error', () => undefined);
  return { updater, token: new CancellationToken() };
}

/** The digest would show that too much came, but only once the disk is full: the server must say how much will come. */
async function mustBeAsLong({ url, file: { size } }: WantedFile, signal: AbortSignal): Promise<void> {
  const { headers, ok: isThere } = await net.fetch(url.href, {
    method: 'HEAD',
    credentials: 'omit',
    headers: HEADERS,
    signal,
  });
  if (!isThere || headers.get('Content-Length') !== String(size)) {
    throw new UpdateError((told) => told.otherFile);
  }
}

function fetchError(error: unknown): UpdateError {
  if (error instanceof UpdateError) return error;
  const isOther = error instanceof Error && 'code' in error && error.code === 'ERR_CHECKSUM_MISMATCH';
  return new UpdateError((told) => (isOther ? told.otherFile : told.fetchFailed(sayError(error))), { cause: error });
}
