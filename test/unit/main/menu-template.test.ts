import type { MenuItemConstructorOptions } from 'electron';
import { afterEach, expect, test, vi } from 'vitest';
import { menuTemplate, NO_MENUS, type MenuActions } from '../../../src/main/shell/menu-template.ts';
import type { WindowMenus } from '../../../src/shared/ipc/app.ts';
import { speakLanguage } from '../../../src/shared/words/catalogues.ts';

afterEach(() => speakLanguage('en'));

const OFFERED: WindowMenus = {
  file: [{ id: 'template', label: 'New sheet', keys: 'Mod+N', isThere: true }],
  batch: [
    [
      { id: 'run', label: 'Resume', keys: 'Mod+Enter', isThere: true },
      { id: 'pause', label: 'Pause', isThere: false },
    ],
    [{ id: 'gallery', label: 'Gallery', keys: 'F7', isThere: true }],
  ],
  go: [
    [{ id: 'settings', label: 'Settings', keys: 'Mod+,', isThere: true }],
    [{ id: 'batch 7', label: 'Owls & moons', keys: 'Mod+1', isThere: true }],
  ],
};

function setUp(platform: string, offered: WindowMenus, hasWindow = true) {
  const choose = vi.fn<(id: string) => void>();
  const nothing = (): void => undefined;
  const actions: MenuActions = {
    openSheet: nothing,
    backUp: nothing,
    restore: nothing,
    openHelp: nothing,
    showDiagnostics: nothing,
    openDataFolder: nothing,
    openLogs: nothing,
    showAbout: nothing,
    choose,
  };
  const menus = menuTemplate({ platform, offered, hasWindow }, actions);
  const labels = (items: readonly MenuItemConstructorOptions[]) =>
    items.flatMap(({ label, type }) => (type === 'separator' ? ['-'] : (label ?? '?')));
  const linesOf = (menu: string) => {
    const found = menus.find(({ label }) => label === menu)?.submenu;
    return Array.isArray(found) ? found : [];
  };
  const item = (menu: string, label: string) => linesOf(menu).find((line) => line.label === label);
  const click = (menu: string, label: string) => {
    const chosen = item(menu, label)?.click as (() => void) | undefined;
    chosen?.();
  };
  return { menus: labels(menus), lines: (menu: string) => labels(linesOf(menu)), item, click, choose };
}

test('the settings are where each platform has them, with its keys', () => {
  const mac = setUp('darwin', OFFERED);
  expect(mac.menus).toEqual(['Nocturne', 'File', 'Edit', 'View', 'Batch', 'Go', 'Window', 'Help']);
  expect(mac.lines('Nocturne').slice(0, 3)).toEqual(['About Nocturne', '-', 'Settings…']);
  expect(mac.item('Nocturne', 'Settings…')).toMatchObject({ accelerator: 'CommandOrControl+,' });
  expect(mac.lines('File')).not.toContain('Settings');
  for (const [platform, quit] of [
    ['linux', 'Quit'],
    ['win32', 'Exit'],
  ] as const) {
    const other = setUp(platform, OFFERED);
    expect(other.menus).toEqual(['&File', '&Edit', '&View', '&Batch', '&Go', '&Window', '&Help']);
    expect(other.lines('&File').slice(-4)).toEqual(['-', 'Settings', '-', quit]);
    expect(other.item('&File', 'Settings')).toMatchObject({ accelerator: 'CommandOrControl+,' });
  }
});

test('what the window offers is shown in its order, greyed when it cannot be, and chosen by its id', () => {
  const { lines, item, click, choose } = setUp('linux', OFFERED);
  expect(lines('&Batch')).toEqual(['Resume', 'Pause', '-', 'Gallery']);
  expect(item('&Batch', 'Resume')).toMatchObject({ enabled: true });
  expect(item('&Batch', 'Pause')).toMatchObject({ enabled: false });
  expect(lines('&File').slice(0, 2)).toEqual(['Import a sheet…', 'New sheet']);
  click('&Batch', 'Resume');
  expect(choose).toHaveBeenCalledExactlyOnceWith('run');
});

test('a key of the window is shown and left to the window, so that nothing happens twice', () => {
  const { item } = setUp('linux', OFFERED);
  expect(item('&Batch', 'Resume')).toMatchObject({
    accelerator: 'CommandOrControl+Enter',
    registerAccelerator: false,
  });
  expect(item('&Go', 'Owls && moons')).toMatchObject({ accelerator: 'CommandOrControl+1', registerAccelerator: false });
  // The window does not hear these.
  expect(item('&File', 'Import a sheet…')).not.toHaveProperty('registerAccelerator');
});

test('without a window nothing can be done with a batch, and whatever is gone to opens one', () => {
  const { item, choose } = setUp('darwin', OFFERED, false);
  expect(item('Batch', 'Resume')).toMatchObject({ enabled: false });
  expect(item('Go', 'Owls && moons')).toMatchObject({ enabled: true });
  // Nothing was said yet.
  const first = setUp('linux', NO_MENUS, false);
  expect(first.menus).toEqual(['&File', '&Edit', '&View', '&Window', '&Help']);
  first.click('&File', 'Settings');
  expect(first.choose).toHaveBeenCalledExactlyOnceWith('settings');
  expect(choose).not.toHaveBeenCalled();
});

test('every line is said in the language of the process, also those that Electron has words for', () => {
  speakLanguage('zh-Hans');
  const { menus, lines } = setUp('linux', NO_MENUS);
  expect(menus).toEqual(['文件(&F)', '编辑(&E)', '视图(&V)', '窗口(&W)', '帮助(&H)']);
  for (const platform of ['linux', 'win32', 'darwin']) {
    const said = setUp(platform, NO_MENUS);
    const all = said.menus.flatMap((menu) => said.lines(menu)).filter((label) => label !== '-');
    for (const label of all) expect(label).toMatch(/\p{Script=Han}/u);
  }
  expect(lines('编辑(&E)').slice(0, 2)).toEqual(['撤销', '重做']);
  expect(setUp('darwin', NO_MENUS).menus).toEqual(['Nocturne', '文件', '编辑', '视图', '窗口', '帮助']);
});
