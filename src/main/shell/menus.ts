/** The application's menu, and the icon that brings its window back. */
import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import type { NightProgress } from '../presence/night-progress.ts';

export interface MenuActions {
  readonly openSheet: () => void;
  readonly backUp: () => void;
  readonly restore: () => void;
  readonly openHelp: () => void;
  readonly showDiagnostics: () => void;
  readonly openDataFolder: () => void;
  readonly openLogs: () => void;
  readonly showAbout: () => void;
}

/** Sets the application's menu: what every desktop application has, and the import of a sheet. */
export function setAppMenu(actions: MenuActions): void {
  const isMac = process.platform === 'darwin';
  const template: MenuItemConstructorOptions[] = [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    {
      label: '&File',
      submenu: [
        { label: 'Import a sheet…', accelerator: 'CmdOrCtrl+O', click: actions.openSheet },
        { label: 'Back up the store…', click: actions.backUp },
        { label: 'Restore a backup…', click: actions.restore },
        { type: 'separator' },
        { role: isMac ? 'close' : 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        { label: 'Documentation', accelerator: 'F1', click: actions.openHelp },
        { type: 'separator' },
        { label: 'Diagnostics…', click: actions.showDiagnostics },
        { label: 'Open the logs', click: actions.openLogs },
        { label: 'Open the data folder', click: actions.openDataFolder },
        { type: 'separator' },
        { label: 'About Nocturne, and licences', click: actions.showAbout },
      ],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

export interface BackgroundTrayActions {
  readonly showWindow: () => void;
  readonly pauseAll: (batchIds: readonly string[]) => void;
  readonly resumeAll: (batchIds: readonly string[]) => void;
  readonly quit: () => void;
}

/** The icon that shows the night and brings the window back while the application runs without it. */
export class BackgroundTray {
  readonly #iconPath: string;
  readonly #actions: BackgroundTrayActions;
  #tray: Tray | undefined;
  #progress: Pick<NightProgress, 'text' | 'running' | 'paused'> = { text: 'Starting', running: [], paused: [] };

  constructor(iconPath: string, actions: BackgroundTrayActions) {
    this.#iconPath = iconPath;
    this.#actions = actions;
  }

  setVisible(isVisible: boolean): void {
    if (isVisible) this.#tray ??= this.#make();
    else {
      this.#tray?.destroy();
      this.#tray = undefined;
    }
  }

  /** Shows how far the night is. */
  show(progress: NightProgress): void {
    this.#progress = progress;
    if (this.#tray !== undefined) this.#describe(this.#tray);
  }

  #make(): Tray {
    const size = process.platform === 'darwin' ? 18 : 24;
    const tray = new Tray(nativeImage.createFromPath(this.#iconPath).resize({ width: size, height: size }));
    tray.on('click', this.#actions.showWindow);
    this.#describe(tray);
    return tray;
  }

  #describe(tray: Tray): void {
    const { text, running, paused } = this.#progress;
    const { showWindow, pauseAll, resumeAll, quit } = this.#actions;
    tray.setToolTip(`Nocturne – ${text}`);
    // Linux shows a changed menu only if it is set anew.
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: text, enabled: false },
        { label: 'Open Nocturne', click: showWindow },
        { type: 'separator' },
        { label: 'Pause all', enabled: running.length > 0, click: () => pauseAll(running) },
        { label: 'Resume', enabled: paused.length > 0, click: () => resumeAll(paused) },
        { type: 'separator' },
        { label: 'Quit', click: quit },
      ]),
    );
  }
}
