import { join } from 'node:path';
import { BrowserWindow, screen } from 'electron';
import type { WindowBounds } from './app-settings.ts';

const DEFAULT_SIZE = { width: 1280, height: 800 };
const MINIMUM_SIZE = { minWidth: 900, minHeight: 600 };
/** Shown until the page has painted: the dark theme's ground, so that nothing flashes at night. */
const BACKGROUND = '#0f1115';

export interface MainWindowOptions {
  /** What to load. */
  readonly address: string;
  readonly bounds: WindowBounds | undefined;
  readonly onBounds: (bounds: WindowBounds) => void;
}

/** Opens the window: sandboxed, isolated, without Node. */
export function openMainWindow(options: MainWindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    ...DEFAULT_SIZE,
    ...visibleBounds(options.bounds),
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
  if (options.bounds?.isMaximized === true) window.maximize();
  window.once('ready-to-show', () => window.show());
  window.on('close', () => options.onBounds({ ...window.getNormalBounds(), isMaximized: window.isMaximized() }));
  void window.loadURL(options.address);
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
