/**
 * How keys are written on this computer. The code and its messages write them as on Linux and Windows: `Ctrl+Shift+A`.
 * Apple writes symbols before the key, in its own order and without a plus: `⇧⌘A`.
 */

const IS_MAC = /mac/iu.test(navigator.platform);

/** In Apple's order. */
const SIGNS: Readonly<Record<string, string>> = { Alt: '⌥', Shift: '⇧', Ctrl: '⌘' };
const HELD = Object.keys(SIGNS);

/**
 * Keys in a text: `(Ctrl+F)`, `Shift F2`. A word that only follows a key's name, as in `Shift and Enter`, is not one.
 */
const IN_TEXT = /(?<![A-Za-z])((?:(?:Ctrl|Shift|Alt)(?:\+| (?=F\d|[←↑→↓])))+)([A-Za-z]+\d*|\S)/gu;

/** A text that may name keys, such as a tooltip or an item's shortcut, as this computer writes them. */
export function withKeys(text: string, isMac = IS_MAC): string {
  return isMac ? text.replace(IN_TEXT, (_all, held: string, key: string) => pressed(held.split(/[+ ]/u), key)) : text;
}

/**
 * The keys of a line in a list, each to be shown by itself. Those that are held come first, and go with every other
 * one: on a Mac, `Ctrl` `C` `X` are `⌘C` `⌘X`.
 */
export function listedKeys(keys: readonly string[], isMac = IS_MAC): readonly string[] {
  if (!isMac) return keys;
  const held = keys.filter((key) => HELD.includes(key));
  const others = keys.filter((key) => !HELD.includes(key));
  if (others.length === 0) return held.map((key) => SIGNS[key] ?? key);
  return others.map((key) => (held.length === 0 ? withKeys(key, isMac) : pressed(held, key)));
}

/** How the shortcut of a command, such as `Mod+K`, is written on this computer: key by key, or on a Mac as one sign. */
export function keysShown(keys: string): readonly string[] {
  return listedKeys(keys.replace('Mod', 'Ctrl').split('+'));
}

/** The same shortcut, as `aria-keyshortcuts` names it. */
export function keysSpoken(keys: string): string {
  return keys.replace('Mod', IS_MAC ? 'Meta' : 'Control');
}

function pressed(held: readonly string[], key: string): string {
  const signs = HELD.filter((one) => held.includes(one)).map((one) => SIGNS[one]);
  const sign = key === 'Enter' ? '↩' : key;
  // The name of a key is separated from the symbols before it.
  return `${signs.join('')}${/^(?:.|F\d+)$/u.test(sign) ? '' : ' '}${sign}`;
}
