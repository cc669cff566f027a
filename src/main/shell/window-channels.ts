/** The two channels from the window: its requests, and the files that were dropped on it. */
import { ipcMain, type BrowserWindow, type WebFrameMain } from 'electron';
import { DROP_CHANNEL, type Reply, REQUEST_CHANNEL } from '../../shared/ipc/contract.ts';
import { droppedSheet } from '../services/dropped-file.ts';
import type { RequestSender } from '../ipc/ipc-router.ts';

export interface WindowChannelsOptions {
  readonly ask: (sender: RequestSender, route: unknown, input: unknown) => Promise<Reply<unknown>>;
  readonly isOwnAddress: (url: string) => boolean;
  readonly openSheet: (path: string) => Promise<void>;
  /** Tells the user why nothing comes of a drop. */
  readonly refuseDrop: (message: string) => void;
  readonly currentWindow: () => BrowserWindow | undefined;
}

/** Listens to the window from now on. */
export function answerWindow({ ask, isOwnAddress, openSheet, refuseDrop, currentWindow }: WindowChannelsOptions): void {
  const senderOf = (frame: WebFrameMain | null): RequestSender => {
    const topFrame = currentWindow()?.webContents.mainFrame;
    return { isTopFrame: frame !== null && frame === topFrame, url: frame?.url ?? '' };
  };
  ipcMain.handle(REQUEST_CHANNEL, (event, route: unknown, input: unknown) => {
    return ask(senderOf(event.senderFrame), route, input);
  });
  ipcMain.on(DROP_CHANNEL, (event, path: unknown) => {
    const sender = senderOf(event.senderFrame);
    if (!sender.isTopFrame || !isOwnAddress(sender.url)) return;
    const sheet = droppedSheet(path);
    if (sheet.ok) void openSheet(sheet.value);
    else if (sheet.error !== undefined) refuseDrop(sheet.error);
  });
}
