/** What is on the screen while a backup is put in place and there is no window yet: large stores take a while. */
import { BrowserWindow } from 'electron';
import { words } from '../../shared/words/words.ts';

function page(): string {
  const { underWay, opensAfterwards } = words.desktop.restore;
  return `<!doctype html>
<html lang="${words.common.locale}">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Nocturne</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { margin: 0; height: 100vh; display: grid; place-content: center; text-align: center; }
  p { margin: 0; }
</style>
<main role="status"><p><strong>${underWay}</strong></p><p>${opensAfterwards}</p></main>`;
}

/** A small window that nobody can close, and what the user wants once there is an application. */
export class RestoringWindow {
  readonly #window: BrowserWindow;
  #isQuitWanted = false;

  constructor() {
    this.#window = new BrowserWindow({
      width: 420,
      height: 160,
      title: 'Nocturne',
      resizable: false,
      maximizable: false,
      fullscreenable: false,
      closable: false,
      webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false, javascript: false },
    });
    this.#window.removeMenu();
    // Not every system supports a window that cannot be closed.
    this.#window.on('close', (event) => event.preventDefault());
    // Nobody can say how long it takes, so no fraction is shown.
    this.#window.setProgressBar(2);
    void this.#window.loadURL(`data:text/html;charset=utf-8,${encodeURIComponent(page())}`);
  }

  /** Whether the application is to end once the backup is in place. */
  get isQuitWanted(): boolean {
    return this.#isQuitWanted;
  }

  /** The application was told to quit: not halfway through. */
  quitLater(): void {
    this.#isQuitWanted = true;
  }

  /** Somebody starts the application in the meantime, and wants to see it. */
  show(): void {
    this.#isQuitWanted = false;
    this.#window.focus();
  }

  close(): void {
    this.#window.destroy();
  }
}
