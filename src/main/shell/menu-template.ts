/** The menu bar of each platform: what main offers itself and, around it, what the window says that it offers now. */
import type { MenuItemConstructorOptions } from 'electron';
import type { MenuLine, WindowMenus } from '../../shared/ipc/app.ts';
import { words } from '../../shared/words/words.ts';

export interface MenuActions {
  readonly openSheet: () => void;
  readonly backUp: () => void;
  readonly restore: () => void;
  readonly openHelp: () => void;
  readonly showDiagnostics: () => void;
  readonly openDataFolder: () => void;
  readonly openLogs: () => void;
  readonly showAbout: () => void;
  /** Carries out a command of the window, by its id. */
  readonly choose: (id: string) => void;
}

export interface MenuState {
  readonly platform: string;
  readonly offered: WindowMenus;
  /** Nothing can be done with the batch on a screen that is not open. */
  readonly hasWindow: boolean;
}

/** Until the window has said something. */
export const NO_MENUS: WindowMenus = { file: [], batch: [], go: [] };

type Item = MenuItemConstructorOptions;
type Groups = readonly (readonly Item[])[];

/** The menus of the menu bar, from left to right. */
export function menuTemplate({ platform, offered, hasWindow }: MenuState, actions: MenuActions): Item[] {
  const isMac = platform === 'darwin';
  const { menu } = words.desktop;
  const lineOf = ({ id, label, keys, isThere }: MenuLine): Item => ({
    id,
    // An ampersand would underline the letter after it.
    label: label.replaceAll('&', '&&'),
    enabled: isThere,
    // The window handles its own keys.
    ...(keys !== undefined && { accelerator: keys.replace('Mod', 'CommandOrControl'), registerAccelerator: false }),
    click: () => actions.choose(id),
  });
  const settings = (label: string): Item =>
    lineOf({ id: SETTINGS, label, keys: 'Mod+,', isThere: isThereNow(offered.go, SETTINGS) });
  const menuOf = (label: string, groups: Groups, more: Item = {}): Item => ({
    label: isMac ? withoutMnemonic(label) : label,
    submenu: separated(groups),
    ...more,
  });
  const ofWindow = (label: string, groups: WindowMenus['go']): Item[] =>
    groups.length === 0
      ? []
      : [
          menuOf(
            label,
            groups.map((group) => group.map(lineOf)),
          ),
        ];
  const batch = hasWindow ? offered.batch : offered.batch.map((group) => group.map(notNow));
  return [
    ...(isMac ? [menuOf('Nocturne', appGroups(settings(menu.settingsOfMac)))] : []),
    menuOf(menu.file, [
      [{ label: menu.importSheet, accelerator: 'CmdOrCtrl+O', click: actions.openSheet }, ...offered.file.map(lineOf)],
      [
        { label: menu.backUp, click: actions.backUp },
        { label: menu.restore, click: actions.restore },
      ],
      ...(isMac
        ? [[{ role: 'close', label: menu.closeWindow } as const]]
        : [
            [settings(words.shell.commands.settings)],
            [{ role: 'quit', label: platform === 'win32' ? menu.exit : menu.quit } as const],
          ]),
    ]),
    menuOf(menu.edit, editGroups(isMac)),
    menuOf(menu.view, [
      [
        { role: 'resetZoom', label: menu.resetZoom },
        { role: 'zoomIn', label: menu.zoomIn },
        { role: 'zoomOut', label: menu.zoomOut },
      ],
      [{ role: 'togglefullscreen', label: menu.fullScreen }],
    ]),
    ...ofWindow(menu.batch, batch),
    ...ofWindow(menu.go, offered.go),
    menuOf(menu.window, windowGroups(isMac), { role: 'window' }),
    menuOf(
      menu.help,
      [
        [{ label: menu.documentation, accelerator: 'F1', click: actions.openHelp }],
        [
          { label: menu.diagnostics, click: actions.showDiagnostics },
          { label: menu.openLogs, click: actions.openLogs },
          { label: menu.openDataFolder, click: actions.openDataFolder },
        ],
        [{ label: menu.about, click: actions.showAbout }],
      ],
      { role: 'help' },
    ),
  ];
}

/** The window's command that opens the settings. */
const SETTINGS = 'settings';

/** While the window has said nothing, the menu item can be chosen: the window opens for it. */
function isThereNow(groups: WindowMenus['go'], wanted: string): boolean {
  return groups.flat().find(({ id }) => id === wanted)?.isThere !== false;
}

function notNow(line: MenuLine): MenuLine {
  return { ...line, isThere: false };
}

/** macOS underlines no letters in menus. */
function withoutMnemonic(label: string): string {
  return label.replace(/\(&.\)|&/u, '');
}

function separated(groups: Groups): Item[] {
  return groups.flatMap((group, place) => (place === 0 ? group : [{ type: 'separator' } as const, ...group]));
}

/** The groups of the application menu, which only macOS has. */
function appGroups(settings: Item): Groups {
  const { menu } = words.desktop;
  return [
    [{ role: 'about', label: menu.aboutOfMac }],
    [settings],
    [{ role: 'services', label: menu.services }],
    [
      { role: 'hide', label: menu.hide },
      { role: 'hideOthers', label: menu.hideOthers },
      { role: 'unhide', label: menu.showAll },
    ],
    [{ role: 'quit', label: menu.quitOfMac }],
  ];
}

function editGroups(isMac: boolean): Groups {
  const { common, desktop } = words;
  const { menu } = desktop;
  const remove = { role: 'delete', label: common.delete } as const;
  const selectAll = { role: 'selectAll', label: menu.selectAll } as const;
  const clipboard: readonly Item[] = [
    { role: 'cut', label: menu.cut },
    { role: 'copy', label: common.copy },
    { role: 'paste', label: menu.paste },
  ];
  const speech: readonly Item[] = [
    { role: 'startSpeaking', label: menu.startSpeaking },
    { role: 'stopSpeaking', label: menu.stopSpeaking },
  ];
  return [
    [
      { role: 'undo', label: common.undo },
      { role: 'redo', label: common.redo },
    ],
    ...(isMac
      ? [
          [...clipboard, { role: 'pasteAndMatchStyle', label: menu.pasteAndMatchStyle } as const, remove, selectAll],
          [{ label: menu.speech, submenu: [...speech] }],
        ]
      : [[...clipboard, remove], [selectAll]]),
  ];
}

function windowGroups(isMac: boolean): Groups {
  const { common, desktop } = words;
  const { minimize, zoom, front } = desktop.menu;
  const both: readonly Item[] = [
    { role: 'minimize', label: minimize },
    { role: 'zoom', label: zoom },
  ];
  return isMac ? [both, [{ role: 'front', label: front }]] : [[...both, { role: 'close', label: common.close }]];
}
