/** The application's menu, and the icon that brings its window back. */
import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';

export interface MenuActions {
  readonly openSheet: () => void;
  readonly backUp: () => void;
  readonly openHelp: () => void;
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
    { role: 'help', submenu: [{ label: 'Documentation', accelerator: 'F1', click: actions.openHelp }] },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

export interface BackgroundTrayActions {
  readonly showWindow: () => void;
  readonly quit: () => void;
}

/** The icon that brings the window back while the application runs without it. */
export class BackgroundTray {
  readonly #iconPath: string;
  readonly #actions: BackgroundTrayActions;
  #tray: Tray | undefined;

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

  #make(): Tray {
    const size = process.platform === 'darwin' ? 18 : 24;
    const tray = new Tray(nativeImage.createFromPath(this.#iconPath).resize({ width: size, height: size }));
    const { showWindow, quit } = this.#actions;
    tray.setToolTip('Nocturne keeps running');
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: 'Show Nocturne', click: showWindow },
        { type: 'separator' },
        { label: 'Quit', click: quit },
      ]),
    );
    tray.on('click', showWindow);
    return tray;
  }
}
