/** What the application asks of the system: notifications, questions, the bar of progress, a cipher, its own command. */
import { resolve } from 'node:path';
import { app, dialog, Notification, safeStorage, type BrowserWindow } from 'electron';
import { ownImage } from './own-image.ts';
import type { CloseAnswer } from './closing.ts';
import type { SecretCipher } from '../services/key-vault.ts';
import type { NightProgress } from '../presence/night-progress.ts';
import type { ScreenNotice } from '../presence/telling-service.ts';
import { words } from '../../shared/words/words.ts';

/** Asks what should happen to the night: over the window, if there is one. */
export async function askToClose(window: BrowserWindow | undefined): Promise<CloseAnswer> {
  const { title, stop, stopOrNot, keepRunning, stopAndQuit } = words.desktop.closing;
  const options = {
    type: 'question' as const,
    message: title,
    detail: window === undefined ? stop : stopOrNot,
    buttons: [keepRunning, stopAndQuit, words.common.cancel],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  };
  const { response } = await (window === undefined
    ? dialog.showMessageBox(options)
    : dialog.showMessageBox(window, options));
  return (['keep-running', 'stop', 'cancel'] as const)[response] ?? 'cancel';
}

/** True if the system shows notifications; a click brings the window to the front. */
export function notifySystem({ title, body }: ScreenNotice, onClick: () => void): boolean {
  if (!Notification.isSupported()) return false;
  const notification = new Notification({ title, body });
  notification.on('click', onClick);
  notification.show();
  return true;
}

/** Shown on the taskbar or the dock, if the system has one; the colours of a mode are those of Windows. */
export function showOnTaskbar({ mode, fraction, left }: NightProgress, window: BrowserWindow | undefined): void {
  if (mode === 'none') window?.setProgressBar(-1);
  else window?.setProgressBar(fraction, { mode });
  // Without a window there is no bar: the number of takes that are left takes its place.
  if (process.platform !== 'win32') app.setBadgeCount(mode === 'none' ? 0 : left);
}

/**
 * The command that starts this application again: the image that it runs from or, in a checkout, Electron with its
 * folder.
 */
export function ownCommand(): [string, ...string[]] {
  const dataFolder = app.commandLine.getSwitchValue('user-data-dir');
  return [
    ownImage(process) ?? process.execPath,
    ...(app.isPackaged ? [] : [app.getAppPath()]),
    ...(dataFolder === '' ? [] : [`--user-data-dir=${resolve(dataFolder)}`]),
  ];
}

/** Chromium's last resort on Linux encrypts with a password that everybody knows: that is no keyring. */
export function systemCipher(): SecretCipher {
  return {
    isSecure: () =>
      safeStorage.isEncryptionAvailable() &&
      (process.platform !== 'linux' || !['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend())),
    encrypt: (text) => safeStorage.encryptString(text),
    decrypt: (bytes) => safeStorage.decryptString(bytes),
  };
}
