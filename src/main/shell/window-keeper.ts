import { join } from 'node:path';
import { app, BrowserWindow, dialog, screen, type WebContents, ipcMain, type WebFrameMain } from 'electron';
import {
  DROP_CHANNEL,
  EVENT_CHANNEL,
  type EventName,
  type Reply,
  REQUEST_CHANNEL,
  routes,
} from '../../shared/ipc/contract.ts';
import type { SettingsFile, WindowBounds } from '../services/app-settings.ts';
import type { Log } from './log.ts';
import { droppedSheet } from '../services/unasked-sheet.ts';
import type { RequestSender } from '../ipc/bridge.ts';
import { words } from '../../shared/words/words.ts';

const DEFAULT_SIZE = { width: 1280, height: 800 };
const MINIMUM_SIZE = { minWidth: 900, minHeight: 600 };
/** Shown until the page has painted: the background of the dark theme, so that nothing flashes at night. */
const BACKGROUND = '#0f1115';

/**
 * A page that ends again within this time is not reloaded automatically: the same cause would end it again and again.
 */
const CRASH_WINDOW_MS = 10_000;

export interface WindowKeeperOptions {
  /** What the window loads: asked each time, because the address names the language. */
  readonly address: () => string;
  /** Keeps its bounds. */
  readonly settings: SettingsFile;
  readonly log: Log;
  /** The page has ended or is about to, alone or with its window: nobody listens until the next page says so. */
  readonly onPageGone: () => void;
  /** The page had ended and is being reloaded. */
  readonly onReloaded: () => void;
  /** Whether the window may close now. */
  readonly mayClose: () => boolean;
  readonly onShown: () => void;
  /**
   * The user's session ends, on Windows. This is not the event that asks whether it may end, because that can be
   * cancelled.
   */
  readonly onSessionEnd: () => void;
}

/** The only window, if it is open. Whatever happens to its page, the engine does not notice. */
const PAGE_KEPT_MS = 2_000;

export class WindowKeeper {
  readonly #options: WindowKeeperOptions;
  #lastGoneAtMs: number | undefined;
  #window: BrowserWindow | undefined;

  constructor(options: WindowKeeperOptions) {
    this.#options = options;
  }

  get current(): BrowserWindow | undefined {
    return this.#window;
  }

  /** Opens the window, or brings it to the front. */
  show(): void {
    this.#options.onShown();
    if (this.#window !== undefined) {
      if (this.#window.isMinimized()) this.#window.restore();
      this.#window.focus();
      return;
    }
    const { address, settings, log, mayClose, onPageGone, onSessionEnd } = this.#options;
    const window = newWindow(settings.current.window);
    this.#window = window;
    window.on('session-end', onSessionEnd);
    window.on('close', (event) => {
      if (!mayClose()) {
        event.preventDefault();
        return;
      }
      try {
        settings.update({ window: { ...window.getNormalBounds(), isMaximized: window.isMaximized() } });
      } catch {
        // On a full disk, say: thrown here, it would hold up the end by a box that speaks of a bug.
        log('warning', 'the place of the window could not be noted');
      }
    });
    // Otherwise Chromium writes down only about once a minute what the page keeps.
    const { session } = window.webContents;
    const writing = setInterval(() => session.flushStorageData(), PAGE_KEPT_MS);
    window.on('closed', () => {
      clearInterval(writing);
      this.#window = undefined;
      onPageGone();
    });
    const { webContents } = window;
    webContents.on('render-process-gone', (_event, { reason }) => {
      onPageGone();
      if (reason !== 'clean-exit') this.#restore(webContents, reason);
    });
    // A hanging page is ended, and restored like one that ended by itself.
    window.on('unresponsive', () => webContents.forcefullyCrashRenderer());
    void window.loadURL(address());
  }

  /** Loads the page again, at its present address. */
  loadAnew(): void {
    // Its page is still there for a moment, but what it is told now is for nobody.
    this.#options.onPageGone();
    void this.#window?.loadURL(this.#options.address());
  }

  /** Closes the window, as its own button does. */
  close(): void {
    this.#window?.close();
  }

  /** Sends an event to the page, if there is one. */
  send(event: EventName, payload: unknown): void {
    const contents = this.#window?.webContents;
    if (contents?.isCrashed() === false) contents.send(EVENT_CHANNEL, event, payload);
  }

  #restore(contents: WebContents, reason: string): void {
    const { log, onReloaded } = this.#options;
    log('error', `the window’s page ended: ${reason}`);
    const now = performance.now();
    const isRepeated = this.#lastGoneAtMs !== undefined && now - this.#lastGoneAtMs < CRASH_WINDOW_MS;
    this.#lastGoneAtMs = now;
    const reload = (): void => {
      if (contents.isDestroyed()) return;
      onReloaded();
      contents.reload();
    };
    // Not while the event is still being handled: for Chromium, the page's process is not gone yet.
    if (isRepeated) void askToReload(reload);
    else setImmediate(reload);
  }
}

async function askToReload(reload: () => void): Promise<void> {
  const { stoppedTwice, nightGoesOn, showAgain, close } = words.desktop.window;
  const { response } = await dialog.showMessageBox({
    type: 'error',
    message: stoppedTwice,
    detail: nightGoesOn,
    buttons: [showAgain, close],
    cancelId: 0,
  });
  if (response === 0) reload();
  else app.quit();
}

/** Makes a window: sandboxed, isolated, without Node. */
function newWindow(bounds: WindowBounds | undefined): BrowserWindow {
  const window = new BrowserWindow({
    ...DEFAULT_SIZE,
    ...visibleBounds(bounds),
    ...MINIMUM_SIZE,
    title: 'Nocturne',
    autoHideMenuBar: true,
    backgroundColor: BACKGROUND,
    show: false,
    webPreferences: {
      preload: join(import.meta.dirname, '../preload/index.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      spellcheck: false,
      // Compiled code is cached from the first start on: the page always has the same code.
      v8CacheOptions: 'bypassHeatCheck',
      navigateOnDragDrop: false,
    },
  });
  if (bounds?.isMaximized === true) window.maximize();
  window.once('ready-to-show', () => window.show());
  return window;
}

/** The bounds from last time, unless their screen is gone. */
function visibleBounds(bounds: WindowBounds | undefined): Omit<WindowBounds, 'isMaximized'> | undefined {
  if (bounds === undefined) return undefined;
  const { isMaximized: _isMaximized, ...rectangle } = bounds;
  const { workArea } = screen.getDisplayMatching(rectangle);
  const overlapX =
    Math.min(rectangle.x + rectangle.width, workArea.x + workArea.width) - Math.max(rectangle.x, workArea.x);
  const overlapY =
    Math.min(rectangle.y + rectangle.height, workArea.y + workArea.height) - Math.max(rectangle.y, workArea.y);
  return overlapX > 100 && overlapY > 100 ? rectangle : undefined;
}

/** Requests that change something, unlike those that a page makes by itself when it is shown. */
const COMMANDS: ReadonlySet<string> = new Set(
  Object.entries(routes)
    .filter(([name, { kind }]) => kind === 'command' && name !== 'sheet.watch')
    .map(([name]) => name),
);

export interface WindowChannelsOptions {
  readonly ask: (sender: RequestSender, route: unknown, input: unknown) => Promise<Reply<unknown>>;
  /** The window asks for something to be done. */
  readonly onCommand: () => void;
  readonly isOwnAddress: (url: string) => boolean;
  readonly openSheet: (path: string) => Promise<void>;
  /** Tells the user why a drop did nothing. */
  readonly refuseDrop: (message: string) => void;
  readonly currentWindow: () => BrowserWindow | undefined;
}

/** Listens to the window from now on. */
export function answerWindow({
  ask,
  onCommand,
  isOwnAddress,
  openSheet,
  refuseDrop,
  currentWindow,
}: WindowChannelsOptions): void {
  const senderOf = (frame: WebFrameMain | null): RequestSender => {
    const topFrame = currentWindow()?.webContents.mainFrame;
    return { isTopFrame: frame !== null && frame === topFrame, url: frame?.url ?? '' };
  };
  ipcMain.handle(REQUEST_CHANNEL, (event, route: unknown, input: unknown) => {
    const sender = senderOf(event.senderFrame);
    const isOurs = sender.isTopFrame && isOwnAddress(sender.url);
    if (isOurs && typeof route === 'string' && COMMANDS.has(route)) onCommand();
    return ask(sender, route, input);
  });
  ipcMain.on(DROP_CHANNEL, (event, paths: unknown) => {
    const sender = senderOf(event.senderFrame);
    if (!sender.isTopFrame || !isOwnAddress(sender.url)) return;
    const sheet = droppedSheet(paths);
    if (sheet.ok) void openSheet(sheet.value);
    else if (sheet.error !== undefined) refuseDrop(sheet.error);
  });
}
