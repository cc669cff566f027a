import { Menu, nativeImage, Tray } from 'electron';

export interface BackgroundTrayActions {
  readonly showWindow: () => void;
  readonly quit: () => void;
}

/** The icon by which the window comes back, while the application goes on without it. */
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
