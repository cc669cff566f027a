import { expect, test } from 'vitest';
import {
  commandOfKey,
  findEntries,
  keysShown,
  shortcutLines,
  type PaletteEntry,
} from '../../../src/renderer/shell/commands.ts';

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
  const control = keysShown('Mod').join('');
  expect(keys).toEqual(expect.arrayContaining([`${control} K`, `${control} ,`, `${control} Enter`, '?', 'F7', 'F8']));
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
