/**
 * Every command of the window, once: the palette, the shortcuts and the list of shortcuts are made of this. A command either
 * does something to the model, or presses the button of the screen that is marked with it (`commandButton`).
 */
import { isInUse } from '../state/batches-store.ts';
import { type BatchDialog, HELP_PARTS, SETTINGS_PARTS } from '../state/app-state.ts';
import type { AppModel } from '../state/app-model.ts';
import { offersDialog, standingOf } from '../state/batch/batch-progress.ts';
import { whyNotShelved } from '../state/shelf.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { shownLine } from '../format/shown-text.ts';

/** Where a command stands in the palette. */
type CommandPlace = 'This screen' | 'This batch' | 'Begin' | 'Batches' | 'Go to' | 'Settings' | 'Help' | 'Window';

/** One line of the palette. */
export interface PaletteEntry {
  readonly id: string;
  readonly place: CommandPlace;
  readonly title: string;
  /** Beside the title, quieter: how a batch stands. */
  readonly about?: string;
  /** Its shortcut, as it is written here: `Mod+Enter`, with `Mod` for Ctrl or \u2318. */
  readonly keys?: string;
  readonly run: () => void;
}

interface Command {
  readonly title: string;
  readonly place: CommandPlace;
  readonly keys?: string;
  /** What hears its keys, if that is not the window itself: they are listed, and left to it. */
  readonly heardBy?: 'menu' | 'screen';
  /** More about it in the list of shortcuts. */
  readonly more?: string;
  /** The list of shortcuts alone names it. */
  readonly isKeyOnly?: true;
  /** Only on the screen of a batch or its gallery. */
  readonly isOfBatch?: true;
  /** Absent: it presses the button that is marked with it, and is there while that button is. */
  readonly run?: (model: AppModel, batch: BatchView | undefined) => void;
  /** False while it would do nothing. */
  readonly isThere?: (model: AppModel, batch: BatchView | undefined) => boolean;
}

const ofBatch = (run: (model: AppModel, batch: BatchView) => void): Pick<Command, 'run' | 'isOfBatch' | 'place'> => ({
  place: 'This batch',
  isOfBatch: true,
  run: (model, batch) => batch !== undefined && run(model, batch),
});
const pressed = { place: 'This screen' } as const;

/** What is changed in a dialog over the screen of a batch. */
function inDialog(open: BatchDialog): Pick<Command, 'run' | 'isOfBatch' | 'place' | 'isThere'> {
  return {
    ...ofBatch((model, { id: batchId }) => model.batchDialog.setState({ batchId, open })),
    isThere: ({ navigation }, batch) =>
      navigation.getState().screen?.kind === 'batch' && batch !== undefined && offersDialog(batch, open),
  };
}

/** In the order of the palette. */
const COMMANDS = {
  run: { ...pressed, title: 'Start or resume', keys: 'Mod+Enter' },
  pause: { ...pressed, title: 'Pause' },
  retry: { ...pressed, title: 'Retry' },
  gallery: {
    ...ofBatch((model, { id: batchId }) => model.go({ kind: 'gallery', batchId })),
    title: 'Gallery: all files at a glance',
    isThere: ({ navigation }) => navigation.getState().screen?.kind === 'batch',
    keys: 'F7',
    heardBy: 'screen',
    more: 'K, X and 0–5 say what you think of one, U takes the last back, here and in the review, Enter reviews it, T plays all from it on, Escape leads back. Ctrl or Shift with a click selects several; drag them into other programs',
  },
  review: {
    ...pressed,
    title: 'Review: look, listen, keep or reject',
    keys: 'F8',
    heardBy: 'screen',
    more: 'From the row with the cursor on',
  },
  find: { ...pressed, title: 'Find and replace', keys: 'Mod+F', heardBy: 'screen' },
  problems: { ...pressed, title: 'Problems of the sheet' },
  folder: { ...pressed, title: 'Open the folder' },
  deliver: { ...pressed, title: 'Deliver: copies for others' },
  when: { ...inDialog('when'), title: 'Change when it runs' },
  limits: { ...inDialog('limits'), title: 'Change its limits' },
  gates: { ...inDialog('gates'), title: 'Change what looks at its files' },
  filesPlace: {
    ...inDialog('filesPlace'),
    title: 'Where files on this computer are put',
  },
  cancel: { ...inDialog('cancel'), title: 'Cancel the remaining takes' },
  playThrough: { ...pressed, title: 'Play through' },
  browser: { ...pressed, title: 'Open the gallery in the browser' },
  batchLedger: {
    ...ofBatch((model, { id: batchId }) => model.go({ kind: 'ledger', batchId })),
    title: 'Ledger of this batch',
    isThere: (_model, batch) => batch !== undefined && batch.state !== 'ready',
  },
  rename: {
    ...ofBatch((model, { id: batchId }) => model.shelf.ask({ about: 'name', batchId })),
    title: 'Rename the batch…',
  },
  results: {
    ...ofBatch((model, { id }) => void model.living.writeResults(id, 'chosen')),
    title: 'Write the results to a file…',
  },
  duplicate: { ...ofBatch((model, { id }) => void model.bringIn.duplicate(id)), title: 'Duplicate the batch' },
  archive: {
    ...ofBatch((model, { id }) => void model.shelf.putAway(id, 'archived')),
    title: 'Archive the batch',
    isThere: (_model, batch) => batch !== undefined && isInUse(batch) && whyNotShelved(batch, 'archived') === undefined,
  },
  bringBack: {
    ...ofBatch((model, { id }) => void model.shelf.bringBack(id)),
    title: 'Bring the batch back',
    isThere: (_model, batch) => batch !== undefined && !isInUse(batch),
  },
  delete: {
    ...ofBatch((model, { id: batchId }) => model.shelf.ask({ about: 'deletion', batchId })),
    title: 'Delete the batch…',
    isThere: (_model, batch) => batch?.shelf?.is !== 'deleted',
  },
  import: {
    place: 'Begin',
    title: 'Import a sheet…',
    keys: 'Mod+O',
    heardBy: 'menu',
    run: (model) => void model.bringIn.choose(),
  },
  template: {
    place: 'Begin',
    title: 'New sheet from a template',
    keys: 'Mod+N',
    run: (model) => model.go({ kind: 'welcome', page: 'new' }),
  },
  paste: {
    place: 'Begin',
    title: 'Open the table on the clipboard',
    keys: 'Mod+V',
    heardBy: 'screen',
    more: 'Outside the grid and input fields',
    run: (model) => void model.bringIn.paste(),
  },
  home: { place: 'Go to', title: 'Welcome', run: (model) => model.go({ kind: 'welcome', page: 'choice' }) },
  openSheet: {
    place: 'Go to',
    title: 'The sheet that is being imported',
    run: (model) => model.go({ kind: 'sheet' }),
    isThere: (model) => model.bringIn.store.getState().open !== undefined,
  },
  ledger: {
    place: 'Go to',
    title: 'Ledger',
    run: (model) => model.go({ kind: 'ledger' }),
    isThere: (model) => model.batches.store.getState().batches.length > 0,
  },
  settings: { place: 'Go to', title: 'Settings', keys: 'Mod+,', run: (model) => model.go({ kind: 'settings' }) },
  help: { place: 'Go to', title: 'Help', run: (model) => model.go({ kind: 'help' }) },
  pauseAll: {
    place: 'Window',
    title: 'Pause all batches',
    run: (model) => void model.ask('batch.pauseAll'),
    isThere: (model) => model.batches.store.getState().batches.some(({ state }) => state === 'running'),
  },
  backUp: { place: 'Window', title: 'Back up the store…', run: (model) => void model.backUpStore() },
  palette: {
    place: 'Window',
    title: 'Find a command, a batch or a setting',
    keys: 'Mod+K',
    isKeyOnly: true,
    run: (model) => model.overlay.setState({ open: 'commands' }),
  },
  shortcuts: {
    place: 'Window',
    title: 'Keyboard shortcuts',
    keys: '?',
    more: 'Outside the grid and input fields',
    run: (model) => model.overlay.setState({ open: 'shortcuts' }),
  },
  batchByKey: {
    place: 'Window',
    title: 'Go to the first batch of the side bar',
    keys: 'Mod+1',
    heardBy: 'screen',
    more: '2 to 9 go to the next ones',
    isKeyOnly: true,
  },
  nextPart: {
    place: 'Window',
    title: 'Go to the next part of the window',
    keys: 'F6',
    heardBy: 'screen',
    more: 'Shift F6 goes back',
    isKeyOnly: true,
  },
  renameByKey: {
    place: 'Window',
    title: 'Rename the batch that has the focus in the side bar',
    keys: 'F2',
    heardBy: 'screen',
    isKeyOnly: true,
  },
  leave: {
    place: 'Window',
    title: 'Close what is open; leave the grid',
    keys: 'Escape',
    heardBy: 'screen',
    isKeyOnly: true,
  },
  documentation: { place: 'Help', title: 'Documentation', keys: 'F1', heardBy: 'menu', isKeyOnly: true },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandId = keyof typeof COMMANDS;
const ALL = Object.entries(COMMANDS) as unknown as readonly (readonly [CommandId, Command])[];

const IS_MAC = /mac/iu.test(navigator.platform);

/** How a shortcut is written on this computer, key by key: `Ctrl`, `Enter`. */
export function keysShown(keys: string): readonly string[] {
  return keys.split('+').map((key) => (key === 'Mod' ? (IS_MAC ? '⌘' : 'Ctrl') : key));
}

/** The shortcut of a command, as it is written here. */
export function keysOf(id: CommandId): string | undefined {
  const { keys }: Command = COMMANDS[id];
  return keys;
}

/** Marks the button that a command presses. */
export function commandButton(id: CommandId): {
  readonly 'data-command': CommandId;
  readonly 'aria-keyshortcuts'?: string;
} {
  const { keys }: Command = COMMANDS[id];
  const spoken = keys?.replace('Mod', IS_MAC ? 'Meta' : 'Control');
  return { 'data-command': id, ...(spoken === undefined ? {} : { 'aria-keyshortcuts': spoken }) };
}

function buttonOf(id: CommandId): HTMLElement | undefined {
  return document.querySelector<HTMLElement>(`[data-command="${id}"]:not([aria-disabled])`) ?? undefined;
}

/** The batch that the screen is about. */
function batchAtHand({ navigation, batches }: AppModel): BatchView | undefined {
  const { screen } = navigation.getState();
  return screen?.kind === 'batch' || screen?.kind === 'gallery' ? batches.find(screen.batchId) : undefined;
}

/** What carries out a command on the screen as it is now; undefined if it is not there. */
function actionOf(model: AppModel, id: CommandId, { run, isOfBatch, isThere }: Command): (() => void) | undefined {
  if (run === undefined) {
    const button = buttonOf(id);
    // Another screen, and another batch, has a button of its own.
    return button && (() => button.isConnected && button.click());
  }
  const batch = batchAtHand(model);
  if ((isOfBatch === true && batch === undefined) || isThere?.(model, batch) === false) return undefined;
  return () => {
    // Until it is carried out, the window may have turned to another batch, or the batch to another state.
    const now = batchAtHand(model);
    if (isOfBatch === true && now?.id !== batch?.id) return;
    if (isThere?.(model, now) !== false) run(model, now);
  };
}

/** Everything that can be chosen on the screen as it is now, in the order of the palette. */
export function paletteEntries(model: AppModel): readonly PaletteEntry[] {
  const commands = ALL.flatMap(([id, command]): readonly PaletteEntry[] => {
    const run = command.isKeyOnly === true ? undefined : actionOf(model, id, command);
    const { title, place, keys } = command;
    return run === undefined ? [] : [{ id, title: titleNow(id, title), place, run, ...(keys && { keys }) }];
  });
  const batches = model.batches.store.getState().batches.map((batch): PaletteEntry => {
    const shelved = batch.shelf === undefined ? '' : `, ${batch.shelf.is}`;
    const about = `${standingOf(batch).words}${shelved}`;
    const run = (): void => model.go({ kind: 'batch', batchId: batch.id });
    return { id: batchEntry(batch.id), place: 'Batches', title: shownLine(batch.name), about, run };
  });
  const settings = Object.entries(SETTINGS_PARTS).map(([part, title]): PaletteEntry => {
    const run = (): void => model.go({ kind: 'settings', part: part as keyof typeof SETTINGS_PARTS });
    return { id: `settings ${part}`, place: 'Settings', title, run };
  });
  const help = Object.entries(HELP_PARTS).map(([part, title]): PaletteEntry => {
    const run = (): void => model.go({ kind: 'help', part: part as keyof typeof HELP_PARTS });
    return { id: `help ${part}`, place: 'Help', title, run };
  });
  const isFirst = ({ place }: PaletteEntry): boolean => place === 'This screen' || place === 'This batch';
  return [
    ...commands.filter((entry) => entry.place === 'This screen'),
    ...commands.filter((entry) => entry.place === 'This batch'),
    ...batches,
    ...commands.filter((entry) => !isFirst(entry)),
    ...settings,
    ...help,
  ];
}

/** The id of the line that opens a batch. */
export function batchEntry(batchId: string): string {
  return `batch ${batchId}`;
}

/** What is started or retried says its button. */
function titleNow(id: CommandId, title: string): string {
  return id === 'run' || id === 'retry' ? (buttonOf(id)?.textContent ?? title) : title;
}

/**
 * The entries that have every word of a search, the best first: those that begin with it, then those in which each word
 * begins one, then the others; equal ones in their order.
 */
export function findEntries(entries: readonly PaletteEntry[], search: string): readonly PaletteEntry[] {
  const wanted = search.trim().toLocaleLowerCase();
  if (wanted === '') return entries;
  const words = wanted.split(/\s+/u);
  const ranked = entries.flatMap((entry, at) => {
    const title = entry.title.toLocaleLowerCase();
    const text = `${entry.place.toLocaleLowerCase()} ${title}`;
    if (!words.every((word) => text.includes(word))) return [];
    const begins = (word: string): boolean => text.startsWith(word) || text.includes(` ${word}`);
    const rank = title.startsWith(wanted) ? 0 : words.every(begins) ? 1 : 2;
    return [{ entry, rank, at }];
  });
  return ranked.sort((a, b) => a.rank - b.rank || a.at - b.at).map(({ entry }) => entry);
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** The command whose shortcut the window hears; undefined for any other key. */
export function commandOfKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): CommandId | undefined {
  if (altKey) return undefined;
  const isCommand = ctrlKey || metaKey;
  // Shift is how many keyboards write a sign, and means something else with a letter.
  if (shiftKey && (isCommand || key.length > 1)) return undefined;
  const pressed = `${isCommand ? 'Mod+' : ''}${isCommand && key.length === 1 ? key.toUpperCase() : key}`;
  return ALL.find(([, { keys, heardBy }]) => keys === pressed && heardBy === undefined)?.[0];
}

/** Carries out a command if it is there on the screen as it is now. */
export function carryOutCommand(model: AppModel, id: CommandId): boolean {
  const action = actionOf(model, id, COMMANDS[id]);
  action?.();
  return action !== undefined;
}

/** The commands with shortcuts: how they are written, and what they do. */
export function shortcutLines(): readonly (readonly [keys: readonly string[], action: string])[] {
  return ALL.flatMap(([, { keys, title, more }]) =>
    keys === undefined ? [] : [[keysShown(keys), more === undefined ? title : `${title}. ${more}`] as const],
  );
}
