/** Puts the shell together: settings, key, engine, routes, protocols, and the window that they serve. */
import { join } from 'node:path';
import {
  app,
  dialog,
  MessageChannelMain,
  nativeTheme,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  safeStorage,
  utilityProcess,
  type BrowserWindow,
} from 'electron';
import { APP_ORIGIN, APP_SCHEME, isOwnAddress, MEDIA_SCHEME, createAppProtocol } from './app-protocol.ts';
import { setAppMenu, BackgroundTray } from './menus.ts';
import { SettingsFile } from '../services/app-settings.ts';
import { Closing, type CloseAnswer } from './closing.ts';
import { electronDesktop } from './desktop.ts';
import { EngineHost, type EngineProcess, type SheetReaderProcess } from '../engine-process/engine-host.ts';
import { ALIVE_EVERY_MS } from '../engine-process/engine-protocol.ts';
import { GatewaySettings } from '../services/gateway-settings.ts';
import { denyPermissions } from './hardening.ts';
import { createIpcRouter, EventFeed, type MainHandlers } from '../ipc/bridge.ts';
import { KeyVault, type SecretCipher } from '../services/key-vault.ts';
import { causeWithoutContent, type Log } from './log.ts';
import { createMediaProtocol } from './media-protocol.ts';
import { NightNotifier, type NightNotice } from './night-notifier.ts';
import { createRoutes } from '../ipc/route-handlers.ts';
import { WakeKeeper } from './wake-keeper.ts';
import { answerWindow, WindowKeeper } from './window-keeper.ts';

const WINDOW_RESTORED = {
  level: 'warning' as const,
  title: 'The window stopped',
  message: 'Nocturne has opened it again. The engine was not affected, and the night continues.',
};

export interface ApplicationOptions {
  readonly log: Log;
  /** Of the development server, if there is one. */
  readonly devOrigin: string | undefined;
}

/** The running application. */
export interface Application {
  /** Opens the window, or brings it to the front. */
  showWindow(): void;
  /** Opens a sheet that was named on the command line. */
  openSheet(path: string): Promise<void>;
  /** Ends the engine in good order; returns what was left undone, in words. */
  stop(): Promise<readonly string[]>;
  /** Whether the application may end now; if not, the user is asked. */
  mayQuit(): boolean;
  /** Whether it continues when its window is closed. */
  readonly isInBackground: boolean;
  /** Ends without a question: the system's session ends. */
  endSession(): void;
}

/** Builds the application and opens its window. Call it once, when Electron is ready. */
export function startApplication({ log, devOrigin }: ApplicationOptions): Application {
  const userData = app.getPath('userData');
  const settings = new SettingsFile(userData, new Date());
  const feed = new EventFeed((event, payload) => window.send(event, payload));
  const window = new WindowKeeper({
    address: devOrigin ?? `${APP_ORIGIN}/index.html`,
    settings,
    log,
    onPageGone: () => feed.unheard(),
    onReloaded: () => feed.emit('notice', WINDOW_RESTORED),
    mayClose: () => closing.mayCloseWindow(),
    onShown: () => closing.windowShown(),
    onSessionEnd: () => closing.endSession(),
  });
  const tray = new BackgroundTray(join(app.getAppPath(), 'resources', 'icons', 'nocturne.png'), {
    showWindow: () => window.show(),
    quit: () => app.quit(),
  });
  const closing = new Closing({
    isRunning: () => awake.isRunning,
    ask: () => askToClose(window.current),
    closeWindow: () => window.close(),
    quit: () => app.quit(),
    onBackground: (isInBackground) => tray.setVisible(isInBackground),
    monotonicMs: () => performance.now(),
  });
  powerMonitor.on('shutdown', () => closing.endSession());
  const awake = new WakeKeeper(powerSaveBlocker);
  nativeTheme.themeSource = settings.current.theme;
  denyPermissions(log);
  protocol.handle(APP_SCHEME, createAppProtocol(join(import.meta.dirname, '../renderer')));
  protocol.handle(
    MEDIA_SCHEME,
    createMediaProtocol((fileId) => engine.request('file.locate', { fileId })),
  );
  // The page loads in a process of its own, while everything that answers it is made here.
  window.show();

  const vault = new KeyVault(join(userData, 'key.json'), systemCipher());
  for (const message of [settings.notice, vault.problem]) {
    if (message !== undefined) feed.emit('notice', { level: 'warning', title: 'Please check', message });
  }
  const notifier = new NightNotifier((notice) => {
    if (window.current?.isFocused() !== true) notifySystem(notice, () => window.show());
  });
  const engine = new EngineHost({
    storeFolder: join(userData, 'store'),
    incarnationFile: join(userData, 'store-incarnation.json'),
    spawn: () => spawnEngine(log),
    spawnSheetReader,
    keys: () => vault.keys,
    onState: (state, message) => {
      feed.emit('engine.stateChanged', { state, message });
      if (state === 'failed' || state === 'read-only') awake.noteNoneRuns();
      if (state === 'ready' || state === 'restarted') void beginToNotify(engine, notifier, awake);
    },
    onEvent: (told) => {
      if (told.event === 'batch.changed') {
        const { batch } = told.payload;
        awake.note(batch.id, batch.state === 'running');
        notifier.note(batch);
      }
      feed.pass(told);
    },
    monotonicMs: () => performance.now(),
    everyTick: (tick) => void setInterval(tick, ALIVE_EVERY_MS),
    log,
  });
  const desktop = electronDesktop(() => window.current);
  const gateway = new GatewaySettings({
    settings,
    vault,
    confirm: (question) => desktop.confirm(question),
    giveKey: (origin, key) => void engine.request('key.set', key === undefined ? { origin } : { origin, key }),
    onChanged: () => feed.emit('settings.changed', { settings: routes.currentSettings(), key: gateway.keyStatus }),
  });
  const routes = createRoutes({
    engine,
    settings,
    gateway,
    feed,
    desktop,
    app: {
      version: app.getVersion(),
      platform: process.platform,
      electron: process.versions.electron,
      folder: app.getAppPath(),
    },
    logFolder: join(userData, 'logs'),
    documentsFolder: app.getPath('documents'),
    applyTheme: (theme) => {
      nativeTheme.themeSource = theme;
    },
  });
  const handlers: MainHandlers = {
    ...routes.handlers,
    'app.info': (input) => {
      // The window's first question: the window listens now, and gets what it missed.
      setImmediate(() => {
        feed.emit('engine.stateChanged', engine.state);
        feed.heard();
      });
      return routes.handlers['app.info'](input);
    },
  };

  answerWindow({
    ask: createIpcRouter({
      handlers,
      engine,
      additions: routes.additions,
      isOwnAddress: (url) => isOwnAddress(url, devOrigin),
      log,
    }),
    isOwnAddress: (url) => isOwnAddress(url, devOrigin),
    openSheet: routes.openSheetUnasked,
    refuseDrop: (message) => feed.emit('notice', { level: 'warning', title: 'This is no sheet', message }),
    currentWindow: () => window.current,
  });
  setAppMenu({
    openSheet: () => void routes.chooseSheetUnasked(),
    backUp: () => void routes.backUpUnasked(),
    openHelp: () => void routes.handlers['help.open']({ topic: 'readme' }),
  });
  engine.start();
  return {
    showWindow: () => window.show(),
    openSheet: routes.openSheetUnasked,
    stop: () => engine.stop(),
    mayQuit: () => closing.mayQuit(),
    get isInBackground() {
      return closing.isInBackground;
    },
    endSession: () => closing.endSession(),
  };
}

async function beginToNotify(engine: EngineHost, notifier: NightNotifier, awake: WakeKeeper): Promise<void> {
  const batches = await engine.request('batch.list', undefined);
  if (!batches.ok) return;
  notifier.begin(batches.value);
  for (const batch of batches.value) awake.note(batch.id, batch.state === 'running');
}

/** Asks what should happen to the night; on the window, if there is one. */
async function askToClose(window: BrowserWindow | undefined): Promise<CloseAnswer> {
  const options = {
    type: 'question' as const,
    message: 'Rendering is still running.',
    detail:
      window === undefined
        ? 'If you stop, everything is kept, and rendering continues the next time you open Nocturne.'
        : 'It can keep running without this window; open Nocturne again to see it. If you stop, everything is kept, and rendering continues the next time you open Nocturne.',
    buttons: ['Keep running in the background', 'Stop and quit', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  };
  const { response } = await (window === undefined
    ? dialog.showMessageBox(options)
    : dialog.showMessageBox(window, options));
  return (['keep-running', 'stop', 'cancel'] as const)[response] ?? 'cancel';
}

/** Shown if the system shows notifications; a click brings the window to the front. */
function notifySystem({ title, body }: NightNotice, onClick: () => void): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title, body });
  notification.on('click', onClick);
  notification.show();
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

/** Reads one sheet for the engine. The environment may hold a key, which the reader must not get. */
function spawnSheetReader(): SheetReaderProcess {
  const child = utilityProcess.fork(join(import.meta.dirname, 'sheet-reader-process.js'), [], {
    serviceName: 'Nocturne sheet reader',
    stdio: 'ignore',
    env: {},
  });
  const { port1, port2 } = new MessageChannelMain();
  child.postMessage(undefined, [port1]);
  return { port: port2, kill: () => child.kill() };
}

function spawnEngine(log: Log): EngineProcess {
  const child = utilityProcess.fork(join(import.meta.dirname, 'engine-process.js'), [], {
    serviceName: 'Nocturne engine',
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk);
    const cause = causeWithoutContent(chunk.toString());
    if (cause !== '') log('error', `the engine’s process: ${cause}`);
  });
  return {
    post: (message, ports = []) => child.postMessage(message, [...ports]),
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.once('exit', listener),
    kill: () => {
      try {
        // Not its own `kill`, which asks: a hanging process does not hear that.
        if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL');
      } catch {
        // It has just ended by itself.
      }
    },
  };
}
