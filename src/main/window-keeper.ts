import { join } from 'node:path';
import { BrowserWindow, screen } from 'electron';
import { EVENT_CHANNEL, type EventName } from '../shared/ipc/contract.ts';
import type { SettingsFile, WindowBounds } from './app-settings.ts';

const DEFAULT_SIZE = { width: 1280, height: 800 };
const MINIMUM_SIZE = { minWidth: 900, minHeight: 600 };
/** Shown until the page has painted: the dark theme's ground, so that nothing flashes at night. */
const BACKGROUND = '#0f1115';

/** The one window, where it is open. */
export class WindowKeeper {
  readonly #address: string;
  readonly #settings: SettingsFile;
  #window: BrowserWindow | undefined;

  /** `address` is what the window loads; its bounds are kept in the settings. */
  constructor(address: string, settings: SettingsFile) {
    this.#address = address;
    this.#settings = settings;
  }

  get current(): BrowserWindow | undefined {
    return this.#window;
  }

  /** Opens the window, or brings it to the front. */
  show(): void {
    if (this.#window !== undefined) {
      if (this.#window.isMinimized()) this.#window.restore();
      this.#window.focus();
      return;
    }
    const window = newWindow(this.#settings.current.window);
    this.#window = window;
    window.on('close', () => {
      this.#settings.update({ window: { ...window.getNormalBounds(), isMaximized: window.isMaximized() } });
    });
    window.on('closed', () => {
      this.#window = undefined;
    });
    void window.loadURL(this.#address);
  }

  /** Sends an event to the page, where there is one. */
  send(event: EventName, payload: unknown): void {
    this.#window?.webContents.send(EVENT_CHANNEL, event, payload);
  }
}

/** Makes a window: sandboxed, isolated, without Node. */
function newWindow(bounds: WindowBounds | undefined): BrowserWindow {
  const window = new BrowserWindow({
    ...DEFAULT_SIZE,
    ...visibleBounds(bounds),
    ...MINIMUM_SIZE,
    title: 'Nocturne',
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
      navigateOnDragDrop: false,
    },
  });
  if (bounds?.isMaximized === true) window.maximize();
  window.once('ready-to-show', () => window.show());
  return window;
}

/** The bounds of last time, unless the screen they were on is gone. */
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
