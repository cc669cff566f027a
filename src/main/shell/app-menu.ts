import { Menu, type MenuItemConstructorOptions } from 'electron';

export interface MenuActions {
  readonly openSheet: () => void;
  readonly backUp: () => void;
  readonly openHelp: () => void;
}

/** Sets the application's menu: what every desktop application has, and the way to bring a sheet in. */
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
