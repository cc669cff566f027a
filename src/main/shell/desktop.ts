/** What only the desktop can do for the user: choose a file, show a folder, answer a question. */
// `ClipboardItem` is looked up when it is needed: with a named import, the program would not even start without it.
import * as electron from 'electron';
import type { BrowserWindow, MessageBoxOptions, OpenDialogOptions, SaveDialogOptions } from 'electron';
import { ok } from '../../shared/domain/base/result.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import { SHEET_EXTENSIONS } from '../services/unasked-sheet.ts';
import { words } from '../../shared/words/words.ts';

const { clipboard, dialog, shell } = electron;

/** The desktop as a port: paths enter the application here, and only the user's own hand chooses them. */
export interface Desktop {
  /** Each gives an absolute path, or undefined if the user cancelled. */
  chooseSheet(): Promise<string | undefined>;
  chooseFolder(startIn: string): Promise<string | undefined>;
  chooseProfile(): Promise<string | undefined>;
  /** The file that describes a place for files of this computer. */
  choosePlace(): Promise<string | undefined>;
  chooseBackup(): Promise<string | undefined>;
  /** Where to write something; the system's dialog asks before it replaces a file. */
  chooseNewFile(options: NewFileOptions): Promise<string | undefined>;
  /** Opens a file or a folder with the system's program for it. */
  open(path: string): Promise<Reply<undefined>>;
  /** Shows a file in its folder. */
  reveal(path: string): void;
  /** Drags files out of the window, as long as the user holds them. */
  drag(paths: readonly string[]): void;
  /** Asks in a box of the system, which no page can draw over or answer; true for yes. */
  confirm(question: Question): Promise<boolean>;
  readClipboard(): Promise<ClipboardContent>;
  writeClipboard(content: ClipboardContent): Promise<void>;
}

/** A question with two answers; without a choice the answer is no. */
export interface Question {
  readonly message: string;
  readonly detail: string;
  readonly confirm: string;
  readonly decline: string;
}

export interface NewFileOptions {
  readonly title: string;
  /** The suggested path: a folder and a name. */
  readonly path: string;
  readonly kind: { readonly name: string; readonly extension: string };
}

/**
 * The desktop of this machine; dialogs belong to the open window.
 * @param iconFile A PNG: shown at the pointer while files are dragged.
 */
export function electronDesktop(currentWindow: () => BrowserWindow | undefined, iconFile: string): Desktop {
  const choose = async (options: OpenDialogOptions): Promise<string | undefined> => {
    const window = currentWindow();
    const { canceled, filePaths } = await (window === undefined
      ? dialog.showOpenDialog(options)
      : dialog.showOpenDialog(window, options));
    return canceled ? undefined : filePaths[0];
  };
  return {
    chooseSheet: () =>
      choose({
        title: words.desktop.choose.sheet,
        properties: ['openFile'],
        filters: [
          { name: words.desktop.choose.kind.sheets, extensions: [...SHEET_EXTENSIONS] },
          { name: words.desktop.choose.kind.all, extensions: ['*'] },
        ],
      }),
    chooseFolder: (startIn) =>
      choose({
        title: words.desktop.choose.folder,
        defaultPath: startIn,
        properties: ['openDirectory', 'createDirectory'],
      }),
    chooseProfile: () =>
      choose({
        title: words.desktop.choose.profile,
        properties: ['openFile'],
        filters: [{ name: words.desktop.choose.kind.profiles, extensions: ['json'] }],
      }),
    choosePlace: () =>
      choose({
        title: words.desktop.choose.place,
        properties: ['openFile'],
        filters: [{ name: words.desktop.choose.kind.places, extensions: ['json'] }],
      }),
    chooseBackup: () =>
      choose({
        title: words.desktop.choose.backup,
        properties: ['openFile'],
        filters: [{ name: words.desktop.choose.kind.stores, extensions: ['db'] }],
      }),
    chooseNewFile: async ({ title, path, kind }) => {
      const window = currentWindow();
      const options: SaveDialogOptions = {
        title,
        defaultPath: path,
        filters: [{ name: kind.name, extensions: [kind.extension] }],
        properties: ['createDirectory', 'showOverwriteConfirmation'],
      };
      const { canceled, filePath } = await (window === undefined
        ? dialog.showSaveDialog(options)
        : dialog.showSaveDialog(window, options));
      return canceled || filePath === '' ? undefined : filePath;
    },
    open: async (path) => {
      const problem = await shell.openPath(path);
      return problem === '' ? ok(undefined) : refuse('refused', words.desktop.cannotOpen(path, problem));
    },
    reveal: (path) => shell.showItemInFolder(path),
    drag: (paths) => {
      const [file] = paths;
      const contents = currentWindow()?.webContents;
      if (file === undefined || contents === undefined) return;
      // Without a picture nothing is dragged.
      const icon = electron.nativeImage.createFromPath(iconFile).resize({ width: 64, height: 64 });
      contents.startDrag({ file, files: [...paths], icon });
    },
    confirm: async ({ message, detail, confirm, decline }) => {
      const window = currentWindow();
      const options: MessageBoxOptions = {
        type: 'warning',
        message,
        detail,
        buttons: [confirm, decline],
        defaultId: 1,
        cancelId: 1,
        noLink: true,
      };
      const { response } = await (window === undefined
        ? dialog.showMessageBox(options)
        : dialog.showMessageBox(window, options));
      return response === 0;
    },
    readClipboard: readSystemClipboard,
    writeClipboard: writeSystemClipboard,
  };
}

/** What a program put on the clipboard; each part may be empty. */
export interface ClipboardContent {
  readonly html: string;
  readonly text: string;
}

/** Before Electron 45, the clipboard answers at once and has a method for each format. */
interface EarlierClipboard {
  readHTML(): string;
  readText(): string;
  write(content: ClipboardContent): void;
  writeText(text: string): void;
}

export async function readSystemClipboard(): Promise<ClipboardContent> {
  const earlier = earlierClipboard();
  if (earlier !== undefined) return { html: earlier.readHTML(), text: earlier.readText() };
  const items = await clipboard.read();
  const item = items.find(({ types }) => types.includes('text/html'));
  const html = item === undefined ? '' : await (await item.getType('text/html')).text();
  return { html, text: await clipboard.readText() };
}

export async function writeSystemClipboard(content: ClipboardContent): Promise<void> {
  const earlier = earlierClipboard();
  // A program that prefers HTML would paste nothing.
  if (content.html === '') await (earlier ?? clipboard).writeText(content.text);
  else if (earlier !== undefined) earlier.write(content);
  else await clipboard.write([new electron.ClipboardItem({ 'text/html': content.html, 'text/plain': content.text })]);
}

function earlierClipboard(): EarlierClipboard | undefined {
  return 'readHTML' in clipboard ? (clipboard as unknown as EarlierClipboard) : undefined;
}
