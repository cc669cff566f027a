/** The menu bar, and the icon that brings the window back. */
import { Menu, nativeImage, Tray } from 'electron';
import { words } from '../../shared/words/words.ts';
import type { NightProgress } from '../presence/night-progress.ts';
import { menuTemplate, type MenuActions, type MenuState } from './menu-template.ts';

/** Sets the menu bar. */
export function setAppMenu(state: MenuState, actions: MenuActions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(state, actions)));
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
  #progress: Pick<NightProgress, 'text' | 'running' | 'paused'> | undefined;

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

  /** Shows how far the night has come. */
  show(progress: NightProgress): void {
    const { text, running, paused } = progress;
    const before = this.#progress;
    this.#progress = { text, running, paused };
    // Each menu that takes the place of another one is a chance for Linux's toolkit to fail, and for all of Electron with it.
    if (this.#tray !== undefined && JSON.stringify(before) !== JSON.stringify(this.#progress))
      this.#describe(this.#tray);
  }

  #make(): Tray {
    const size = process.platform === 'darwin' ? 18 : 24;
    const tray = new Tray(nativeImage.createFromPath(this.#iconPath).resize({ width: size, height: size }));
    tray.on('click', this.#actions.showWindow);
    this.#describe(tray);
    return tray;
  }

  #describe(tray: Tray): void {
    const { tooltip, starting, open, pauseAll: pause, resume, quit: end } = words.desktop.tray;
    const { text, running, paused } = this.#progress ?? { text: starting, running: [], paused: [] };
    const { showWindow, pauseAll, resumeAll, quit } = this.#actions;
    tray.setToolTip(tooltip(text));
    // Linux shows a changed menu only if it is set again.
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: text, enabled: false },
        { label: open, click: showWindow },
        { type: 'separator' },
        { label: pause, enabled: running.length > 0, click: () => pauseAll(running) },
        { label: resume, enabled: paused.length > 0, click: () => resumeAll(paused) },
        { type: 'separator' },
        { label: end, click: quit },
      ]),
    );
  }
}
