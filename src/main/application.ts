/** Puts the shell together: settings, key, engine, routes, protocols, and the window that they serve. */
import { join } from 'node:path';
import {
  app,
  ipcMain,
  nativeTheme,
  protocol,
  safeStorage,
  utilityProcess,
  BrowserWindow,
  type WebFrameMain,
} from 'electron';
import { DROP_CHANNEL, EVENT_CHANNEL, REQUEST_CHANNEL } from '../shared/ipc/contract.ts';
import { APP_ORIGIN, APP_SCHEME, isOwnAddress, MEDIA_SCHEME } from './app-address.ts';
import { setAppMenu } from './app-menu.ts';
import { createAppProtocol } from './app-protocol.ts';
import { SettingsFile } from './app-settings.ts';
import { electronDesktop } from './desktop.ts';
import { EngineHost, type EngineProcess } from './engine-host.ts';
import { EventFeed } from './event-feed.ts';
import { GatewaySettings } from './gateway-settings.ts';
import { denyPermissions } from './hardening.ts';
import { createIpcRouter, type RequestSender, type RouteHandlers } from './ipc-router.ts';
import { KeyVault, type SecretCipher } from './key-vault.ts';
import type { Log } from './log.ts';
import { openMainWindow } from './main-window.ts';
import { createMediaProtocol } from './media-protocol.ts';
import { createRoutes } from './route-handlers.ts';

/** A submit that is under way is waited for: cutting it off would leave a row whose outcome nobody knows. */
const STOP_TIMEOUT_MS = 30_000;
const PATH_MAX_CHARACTERS = 4096;

export interface ApplicationOptions {
  readonly log: Log;
  /** Of the development server, where there is one. */
  readonly devOrigin: string | undefined;
}

/** The running application. */
export interface Application {
  /** Opens the window, or brings it to the front. */
  showWindow(): void;
  /** Opens a sheet that was named on the command line. */
  openSheet(path: string): Promise<void>;
  /** Ends the engine in good order. */
  stop(): Promise<void>;
}

/** Builds the application. Call it once, when Electron is ready. */
export function startApplication({ log, devOrigin }: ApplicationOptions): Application {
  const userData = app.getPath('userData');
  const settings = new SettingsFile(userData, new Date());
  const vault = new KeyVault(join(userData, 'key.json'), systemCipher());
  const startProblems = [settings.notice, vault.problem].filter((problem) => problem !== undefined);
  let window: BrowserWindow | undefined;
  const feed = new EventFeed((event, payload) => window?.webContents.send(EVENT_CHANNEL, event, payload));
  const engine = new EngineHost({
    dataDir: join(userData, 'store'),
    spawn: spawnEngine,
    key: () => vault.held,
    onState: (state, message) => feed.emit('engine.stateChanged', { state, message }),
    onChange: (change) => {
      if (change.kind === 'listChanged') feed.emit('batch.listChanged', {});
      else feed.emit('batch.changed', { batch: change.batch, rows: change.rows, rowsStale: change.rowsStale });
    },
    monotonicMs: () => performance.now(),
    log,
  });
  const gateway = new GatewaySettings({
    settings,
    vault,
    giveKey: (origin, key) => void engine.request('key.set', key === undefined ? { origin } : { origin, key }),
    onChanged: () => feed.emit('settings.changed', { settings: routes.settingsView(), key: vault.status() }),
  });
  const routes = createRoutes({
    engine,
    settings,
    vault,
    gateway,
    feed,
    desktop: electronDesktop(() => window),
    app: { version: app.getVersion(), platform: process.platform, folder: app.getAppPath() },
    documentsFolder: app.getPath('documents'),
    applyTheme: (theme) => {
      nativeTheme.themeSource = theme;
    },
  });
  const isOwn = (url: string): boolean => isOwnAddress(url, devOrigin);
  const openSheet = async (path: string): Promise<void> => {
    const sheet = await routes.openSheet(path);
    if (sheet.ok) feed.emit('sheet.opened', { sheet: sheet.value });
    else feed.emit('notice', { level: 'error', title: 'The sheet could not be opened', message: sheet.error.message });
  };

  nativeTheme.themeSource = settings.current.theme;
  denyPermissions(log);
  protocol.handle(APP_SCHEME, createAppProtocol(join(import.meta.dirname, '../renderer')));
  protocol.handle(
    MEDIA_SCHEME,
    createMediaProtocol((fileId) => engine.request('file.locate', { fileId })),
  );
  const handlers: RouteHandlers = {
    ...routes.handlers,
    'app.info': (input) => {
      // The window's first question: it listens by now.
      setImmediate(tellNews);
      return routes.handlers['app.info'](input);
    },
  };
  answerWindow(createIpcRouter({ handlers, isOwnAddress: isOwn, log }), isOwn, openSheet, () => window);
  setAppMenu({
    openSheet: () => void chooseSheet(),
    openHelp: () => void routes.handlers['help.open']({ topic: 'readme' }),
  });
  engine.start();

  async function chooseSheet(): Promise<void> {
    const sheet = await routes.handlers['sheet.choose'](undefined);
    if (sheet.ok && sheet.value !== undefined) feed.emit('sheet.opened', { sheet: sheet.value });
  }

  /** What the window could not hear before it was there; of the start's problems, each once. */
  function tellNews(): void {
    const { state, message } = engine.state;
    feed.emit('engine.stateChanged', { state, message });
    for (const problem of startProblems.splice(0)) {
      feed.emit('notice', { level: 'warning', title: 'Please check', message: problem });
    }
  }

  return {
    showWindow() {
      if (window !== undefined) {
        if (window.isMinimized()) window.restore();
        window.focus();
        return;
      }
      window = openMainWindow({
        address: devOrigin ?? `${APP_ORIGIN}/index.html`,
        bounds: settings.current.window,
        onBounds: (bounds) => settings.update({ window: bounds }),
      });
      window.on('closed', () => {
        window = undefined;
      });
    },
    openSheet,
    stop: () => engine.stop(STOP_TIMEOUT_MS),
  };
}

type Router = ReturnType<typeof createIpcRouter>;

/** The two channels from the window: requests, and files that were dropped on it. */
function answerWindow(
  router: Router,
  isOwn: (url: string) => boolean,
  openSheet: (path: string) => Promise<void>,
  currentWindow: () => BrowserWindow | undefined,
): void {
  const senderOf = (frame: WebFrameMain | null): RequestSender => {
    const topFrame = currentWindow()?.webContents.mainFrame;
    return { isTopFrame: frame !== null && frame === topFrame, url: frame?.url ?? '' };
  };
  ipcMain.handle(REQUEST_CHANNEL, (event, route: unknown, input: unknown) =>
    router(senderOf(event.senderFrame), route, input),
  );
  ipcMain.on(DROP_CHANNEL, (event, path: unknown) => {
    const sender = senderOf(event.senderFrame);
    if (!sender.isTopFrame || !isOwn(sender.url)) return;
    if (typeof path === 'string' && path.length <= PATH_MAX_CHARACTERS) void openSheet(path);
  });
}

/** Chromium's last resort on Linux encrypts with a password that everybody knows: that is no keyring. */
function systemCipher(): SecretCipher {
  return {
    isSecure: () =>
      safeStorage.isEncryptionAvailable() &&
      (process.platform !== 'linux' || !['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend())),
    encrypt: (text) => safeStorage.encryptString(text),
    decrypt: (bytes) => safeStorage.decryptString(bytes),
  };
}

function spawnEngine(): EngineProcess {
  const child = utilityProcess.fork(join(import.meta.dirname, 'engine-process.js'), [], {
    serviceName: 'Nocturne engine',
    stdio: 'inherit',
  });
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a process has no origin
    post: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.once('exit', listener),
  };
}
