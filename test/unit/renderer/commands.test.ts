import { expect, test } from 'vitest';
import { commandOfKey, findEntries, shortcutLines, type PaletteEntry } from '../../../src/renderer/shell/commands.ts';
import { keysShown, listedKeys, withKeys } from '../../../src/renderer/shell/shortcuts.ts';

const NO_KEYS = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const ctrl = (key: string) => commandOfKey({ ...NO_KEYS, ctrlKey: true, key });

test('a key is the command that the list of shortcuts names beside it, on either kind of keyboard', () => {
  expect(ctrl('k')).toBe('palette');
  expect(commandOfKey({ ...NO_KEYS, metaKey: true, key: 'k' })).toBe('palette');
  expect(ctrl(',')).toBe('settings');
  expect(ctrl('Enter')).toBe('run');
  // Shift writes it on most keyboards.
  expect(commandOfKey({ ...NO_KEYS, shiftKey: true, key: '?' })).toBe('shortcuts');
  const keys = shortcutLines().map(([shown]) => shown.join(' '));
  const shown = ['Mod+K', 'Mod+,', 'Mod+Enter', '?', 'F7', 'F8'].map((key) => keysShown(key).join(' '));
  expect(keys).toEqual(expect.arrayContaining(shown));
  expect(new Set(keys).size).toBe(keys.length);
});

test('what another part hears is left to it, and so is what has another meaning', () => {
  // The menu imports, the grid finds and looks.
  for (const key of ['o', 'f', 'v']) expect(ctrl(key)).toBeUndefined();
  for (const key of ['F1', 'F7', 'F8', 'Escape']) expect(commandOfKey({ ...NO_KEYS, key })).toBeUndefined();
  expect(commandOfKey({ ...NO_KEYS, key: 'k' })).toBeUndefined();
  expect(commandOfKey({ ...NO_KEYS, ctrlKey: true, shiftKey: true, key: 'K' })).toBeUndefined();
  expect(commandOfKey({ ...NO_KEYS, ctrlKey: true, altKey: true, key: 'k' })).toBeUndefined();
});

test('a search finds what has all its words, what begins with it first, in the order of the palette', () => {
  const entry = (title: string, place: PaletteEntry['place'] = 'Batches'): PaletteEntry => ({
    id: title,
    title,
    place,
    run: () => undefined,
  });
  const entries = ['Night of owls', 'Owls', 'Towlines', 'Small night'].map((title) => entry(title));
  const all = [...entries, entry('Night', 'Settings')];
  const titles = (search: string) => findEntries(all, search).map(({ title }) => title);
  expect(titles('')).toEqual(all.map(({ title }) => title));
  expect(titles('OWL')).toEqual(['Owls', 'Night of owls', 'Towlines']);
  expect(titles('night')).toEqual(['Night of owls', 'Night', 'Small night']);
  expect(titles('owl night')).toEqual(['Night of owls']);
  expect(titles('settings night')).toEqual(['Night']);
  expect(titles('nothing')).toEqual([]);
});

test('a Mac writes keys as Apple does: signs in its order, and no plus', () => {
  for (const [keys, sign] of [
    ['Ctrl+I', '⌘I'],
    ['Ctrl+Shift+A', '⇧⌘A'],
    ['Shift+Ctrl+Alt+F2', '⌥⇧⌘F2'],
    ['Alt+↑', '⌥↑'],
    ['Ctrl++', '⌘+'],
    ['Ctrl+−', '⌘−'],
    ['Ctrl+,', '⌘,'],
    ['Ctrl+Enter', '⌘↩'],
    ['Ctrl+Space', '⌘ Space'],
    ['Space', 'Space'],
  ] as const) {
    expect(withKeys(keys, true)).toBe(sign);
    expect(withKeys(keys, false)).toBe(keys);
  }
});

test('keys within a text are written in the same way, and nothing else of it is changed', () => {
  const onMac = (text: string) => withKeys(text, true);
  expect(onMac('Undo: typing (Ctrl+Z)')).toBe('Undo: typing (⌘Z)');
  expect(onMac('Ctrl+F, Ctrl+H')).toBe('⌘F, ⌘H');
  expect(onMac('Ctrl+Shift+A in the grid')).toBe('⇧⌘A in the grid');
  expect(onMac('Shift F6 goes back')).toBe('⇧F6 goes back');
  expect(onMac('插入行（Ctrl++）')).toBe('插入行（⌘+）');
  expect(onMac('按Ctrl+Z可撤销。')).toBe('按⌘Z可撤销。');
  for (const plain of ['Press Shift and Enter', 'Alt text', 'Control+V', 'XCtrl+V']) expect(onMac(plain)).toBe(plain);
});

test('in a list, keys that are held go with every other one of their line', () => {
  expect(listedKeys(['Ctrl', 'C', 'X', 'V'], true)).toEqual(['⌘C', '⌘X', '⌘V']);
  expect(listedKeys(['Ctrl', 'Shift', 'H', 'L'], true)).toEqual(['⇧⌘H', '⇧⌘L']);
  expect(listedKeys(['Shift', 'arrow'], true)).toEqual(['⇧ arrow']);
  expect(listedKeys(['F4', 'Shift F2'], true)).toEqual(['F4', '⇧F2']);
  expect(listedKeys(['Ctrl'], true)).toEqual(['⌘']);
  expect(listedKeys(['Ctrl', 'Shift', 'H', 'L'], false)).toEqual(['Ctrl', 'Shift', 'H', 'L']);
});
