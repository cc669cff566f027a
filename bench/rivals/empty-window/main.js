/** A window with one button and nothing else: what Electron itself costs. */
import { app, BrowserWindow } from 'electron';

// Electron is not ready before this module has ended: it must not wait for it.
app.once('ready', () => {
  const window = new BrowserWindow({ width: 1280, height: 800 });
  void window.loadURL('data:text/html,<button>Import a sheet</button>');
});
