/** Which keys do what in the grid, as in common spreadsheets. */

/** What a key asks for. The grid itself handles arrows and page keys. */
export type GridCommand =
  | 'edit'
  | 'edit-large'
  | 'clear'
  | 'copy'
  | 'cut'
  | 'paste'
  | 'fill-down'
  | 'undo'
  | 'redo'
  | 'find'
  | 'replace'
  | 'select-all'
  | 'select-column'
  | 'select-row'
  | 'insert-rows'
  | 'remove-rows'
  | 'move-up'
  | 'move-down'
  | 'hold-rows'
  | 'release-rows'
  | 'next-rows'
  | 'one-more-take'
  | 'render-again'
  | 'inspect'
  | 'look'
  | 'review'
  | 'gallery'
  | 'menu'
  | 'next'
  | 'previous'
  | 'last-row'
  | 'last-column'
  | 'last-cell'
  | 'to-last-row'
  | 'to-last-column'
  | 'to-last-cell'
  | 'close';

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** By the key's name, with `C` for Ctrl (⌘ on a Mac), `A` for Alt and `S` for Shift before it. */
const COMMANDS: Readonly<Record<string, GridCommand>> = {
  Enter: 'edit',
  F2: 'edit',
  F4: 'edit-large',
  'S F2': 'edit-large',
  Delete: 'clear',
  Backspace: 'clear',
  'C c': 'copy',
  'C Insert': 'copy',
  'C x': 'cut',
  'S Delete': 'cut',
  'C v': 'paste',
  'S Insert': 'paste',
  'C d': 'fill-down',
  'C z': 'undo',
  'C y': 'redo',
  'C S z': 'redo',
  'C f': 'find',
  'C h': 'replace',
  'C a': 'select-all',
  'C  ': 'select-column',
  'S  ': 'select-row',
  'C +': 'insert-rows',
  'C S +': 'insert-rows',
  'C =': 'insert-rows',
  'C -': 'remove-rows',
  'A ArrowUp': 'move-up',
  'A ArrowDown': 'move-down',
  'C S h': 'hold-rows',
  'C S l': 'release-rows',
  'C S e': 'next-rows',
  'C S a': 'one-more-take',
  'C S r': 'render-again',
  'C i': 'inspect',
  ' ': 'look',
  F8: 'review',
  F7: 'gallery',
  ContextMenu: 'menu',
  'S F10': 'menu',
  Tab: 'next',
  'S Tab': 'previous',
  'C ArrowDown': 'last-row',
  'C ArrowRight': 'last-column',
  End: 'last-column',
  'C End': 'last-cell',
  'C S ArrowDown': 'to-last-row',
  'C S ArrowRight': 'to-last-column',
  'C S End': 'to-last-cell',
  Escape: 'close',
};

/** What a key asks for; undefined if the grid handles it, or if it types a character. */
export function commandOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): GridCommand | undefined {
  const name = key.length === 1 ? key.toLowerCase() : key;
  const pressed = `${ctrlKey || metaKey ? 'C ' : ''}${altKey ? 'A ' : ''}${shiftKey ? 'S ' : ''}${name}`;
  return Object.hasOwn(COMMANDS, pressed) ? COMMANDS[pressed] : undefined;
}

/** The character that a key types; undefined for other keys. */
export function typedCharacter({ key, ctrlKey, metaKey, altKey }: KeyPress): string | undefined {
  // On Windows, AltGr arrives as Ctrl and Alt together.
  const isShortcut = metaKey || ctrlKey !== altKey;
  // A named key is a word; everything else is one character, possibly a surrogate pair.
  return !isShortcut && key.length === lengthOfFirst(key) ? key : undefined;
}

function lengthOfFirst(key: string): number {
  return (key.codePointAt(0) ?? 0) > 0xff_ff ? 2 : 1;
}

/** True for a key with which an input method starts to compose text. */
export function beginsComposition({ key }: Pick<KeyPress, 'key'>): boolean {
  return key === 'Process' || key === 'Dead';
}
