/**
 * Every command of the window, once: the palette, the shortcuts and the list of shortcuts are made from this. A command
 * either does something to the model, or presses the button of the screen that is marked with it (`commandButton`).
 */
import { isInUse } from '../state/batches-store.ts';
import {
  type BatchDialog,
  batchOnScreen,
  GATEWAY_PARTS,
  type GatewayPart,
  HELP_PARTS,
  SETTINGS_PARTS,
} from '../state/app-state.ts';
import type { AppModel } from '../state/app-model.ts';
import { offersDialog, standingOf } from '../state/batch/batch-progress.ts';
import { whyNotShelved } from '../state/batch-shelf.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { FoundRowView } from '../../shared/ipc/rows.ts';
import { shownLine } from '../format/shown-text.ts';
import { words } from '../../shared/words/words.ts';
import { keysShown, keysSpoken, listedKeys, withKeys } from './shortcuts.ts';

const TITLES = words.shell.commands;
const PLACES = words.shell.places;
const NOTES = words.shell.commandNotes;
const FINDS = words.shell.alsoFinds;

/** Other words that find a line: nobody knows under which name a setting is here. */
function findsToo(id: string): Pick<PaletteEntry, 'tags'> {
  const found = Object.entries(FINDS).find(([of]) => of === id)?.[1];
  return found === undefined ? {} : { tags: found.split(' ') };
}

/** One line of the palette. */
export interface PaletteEntry {
  readonly id: string;
  /** What it belongs to, in words. */
  readonly place: string;
  readonly title: string;
  /** Beside the title, quieter: the state of a batch. */
  readonly about?: string;
  /** Below the title, in the same way: where a row is. */
  readonly below?: string;
  /** The title is text of the user's own. */
  readonly isOwnText?: true;
  /** Other words that find it. */
  readonly tags?: readonly string[];
  /** Its shortcut, as it is written here: `Mod+Enter`, with `Mod` for Ctrl or \u2318. */
  readonly keys?: string;
  readonly run: () => void;
}

interface Command {
  readonly place: keyof typeof PLACES;
  readonly keys?: string;
  /** What listens for its keys, if not the window itself: the keys are only listed here. */
  readonly heardBy?: 'menu' | 'screen';
  /** More about it in the list of shortcuts. */
  readonly more?: string;
  /** The list of shortcuts alone names it. */
  readonly isKeyOnly?: true;
  /** Only on the screen of a batch or its gallery. */
  readonly isOfBatch?: true;
  /** If absent, the command presses the button that is marked with it, and is there while that button is. */
  readonly run?: (model: AppModel, batch: BatchView | undefined) => void;
  /** False while it would do nothing. */
  readonly isThere?: (model: AppModel, batch: BatchView | undefined) => boolean;
}

const ofBatch = (run: (model: AppModel, batch: BatchView) => void): Pick<Command, 'run' | 'isOfBatch' | 'place'> => ({
  place: 'batch',
  isOfBatch: true,
  run: (model, batch) => batch !== undefined && run(model, batch),
});
const pressed = { place: 'screen' } as const;

/** What is changed in a dialog over the screen of a batch. */
function inDialog(open: BatchDialog): Pick<Command, 'run' | 'isOfBatch' | 'place' | 'isThere'> {
  return {
    ...ofBatch((model, { id: batchId }) => model.batchDialog.setState({ batchId, open })),
    isThere: ({ navigation }, batch) =>
      navigation.getState().screen?.kind === 'batch' && batch !== undefined && offersDialog(batch, open),
  };
}

/** The sheet of the batch on screen, once it is there: it says whether the batch has a file. */
function sheetOnScreen({ navigation, editing }: AppModel, batch: BatchView | undefined) {
  const { sheet } = editing.store.getState();
  return navigation.getState().screen?.kind === 'batch' && sheet?.batchId === batch?.id ? sheet : undefined;
}

/** What is done with the file of the sheet, over the screen of a batch. */
const withFile = {
  isThere: (model: AppModel, batch: BatchView | undefined) => sheetOnScreen(model, batch)?.file !== undefined,
};

/** In the order of the palette. */
const COMMANDS = {
  run: { ...pressed, keys: 'Mod+Enter' },
  pause: pressed,
  retry: pressed,
  gallery: {
    ...ofBatch((model, { id: batchId }) => model.go({ kind: 'gallery', batchId })),
    isThere: ({ navigation }) => navigation.getState().screen?.kind === 'batch',
    keys: 'F7',
    heardBy: 'screen',
    more: NOTES.gallery(listedKeys(['Ctrl']).join('')),
  },
  review: { ...pressed, keys: 'F8', heardBy: 'screen', more: NOTES.review },
  find: { ...pressed, keys: 'Mod+F', heardBy: 'screen' },
  problems: pressed,
  edited: {
    ...ofBatch(({ rows }) => rows.setFilter({ ...rows.view.filter, isEdited: true })),
    isThere: ({ navigation, rows }) =>
      navigation.getState().screen?.kind === 'batch' && rows.view.filter.isEdited === undefined,
  },
  folder: pressed,
  deliver: pressed,
  when: inDialog('when'),
  limits: inDialog('limits'),
  gates: inDialog('gates'),
  filesPlace: inDialog('filesPlace'),
  cancel: inDialog('cancel'),
  playThrough: pressed,
  browser: pressed,
  batchLedger: {
    ...ofBatch((model, { id: batchId }) => model.go({ kind: 'ledger', batchId })),
    isThere: (_model, batch) => batch !== undefined && batch.state !== 'ready',
  },
  rename: ofBatch((model, { id: batchId }) => model.shelf.ask({ about: 'name', batchId })),
  tags: ofBatch((model, { id: batchId }) => model.shelf.ask({ about: 'tags', batchId })),
  reimport: { ...ofBatch((model, { id }) => void model.living.compare(id, false)), ...withFile },
  compare: {
    ...ofBatch((model, { id }) => void model.living.compare(id, true)),
    isThere: (model, batch) => sheetOnScreen(model, batch) !== undefined,
  },
  watch: {
    ...ofBatch((model, { id }) => void model.living.watch(id, true)),
    isThere: (model, batch) => withFile.isThere(model, batch) && sheetOnScreen(model, batch)?.isWatched === false,
  },
  unwatch: {
    ...ofBatch((model, { id }) => void model.living.watch(id, false)),
    isThere: (model, batch) => sheetOnScreen(model, batch)?.isWatched === true,
  },
  resultsCopy: { ...ofBatch((model, { id }) => void model.living.writeResults(id, 'copy')), ...withFile },
  resultsFile: { ...inDialog('resultsFile'), ...withFile },
  results: ofBatch((model, { id }) => void model.living.writeResults(id, 'chosen')),
  duplicate: ofBatch((model, { id }) => void model.newBatches.duplicate(id)),
  archive: {
    ...ofBatch((model, { id }) => void model.shelf.putAway(id, 'archived')),
    isThere: (_model, batch) => batch !== undefined && isInUse(batch) && whyNotShelved(batch, 'archived') === undefined,
  },
  bringBack: {
    ...ofBatch((model, { id }) => void model.shelf.bringBack(id)),
    isThere: (_model, batch) => batch !== undefined && !isInUse(batch),
  },
  delete: {
    ...ofBatch((model, { id: batchId }) => model.shelf.ask({ about: 'deletion', batchId })),
    isThere: (_model, batch) => batch?.shelf?.is !== 'deleted',
  },
  import: { place: 'begin', keys: 'Mod+O', heardBy: 'menu', run: (model) => void model.bringIn.choose() },
  template: { place: 'begin', keys: 'Mod+N', run: (model) => model.go({ kind: 'welcome', page: 'new' }) },
  paste: {
    place: 'begin',
    keys: 'Mod+V',
    heardBy: 'screen',
    more: NOTES.outsideFields,
    run: (model) => void model.bringIn.paste(),
  },
  home: { place: 'goTo', run: (model) => model.go({ kind: 'welcome', page: 'choice' }) },
  openSheet: {
    place: 'goTo',
    run: (model) => model.go({ kind: 'sheet' }),
    isThere: (model) => model.bringIn.store.getState().open !== undefined,
  },
  ledger: {
    place: 'goTo',
    run: (model) => model.go({ kind: 'ledger' }),
    isThere: (model) => model.batches.store.getState().batches.length > 0,
  },
  settings: { place: 'goTo', keys: 'Mod+,', run: (model) => model.go({ kind: 'settings' }) },
  help: { place: 'goTo', run: (model) => model.go({ kind: 'help' }) },
  pauseAll: {
    place: 'window',
    run: (model) => void model.ask('batch.pauseAll'),
    isThere: (model) => model.batches.store.getState().batches.some(({ state }) => state === 'running'),
  },
  backUp: { place: 'window', run: (model) => void model.backUpStore() },
  notices: { place: 'window', keys: 'F9', more: NOTES.notices },
  palette: {
    place: 'window',
    keys: 'Mod+K',
    isKeyOnly: true,
    run: (model) => model.overlay.setState({ open: 'commands' }),
  },
  shortcuts: {
    place: 'window',
    keys: '?',
    more: NOTES.outsideFields,
    run: (model) => model.overlay.setState({ open: 'shortcuts' }),
  },
  batchByKey: { place: 'window', keys: 'Mod+1', heardBy: 'screen', more: NOTES.batchByKey, isKeyOnly: true },
  nextPart: { place: 'window', keys: 'F6', heardBy: 'screen', more: withKeys(NOTES.nextPart), isKeyOnly: true },
  renameByKey: { place: 'window', keys: 'F2', heardBy: 'screen', isKeyOnly: true },
  leave: { place: 'window', keys: 'Escape', heardBy: 'screen', isKeyOnly: true },
  documentation: { place: 'help', keys: 'F1', heardBy: 'menu', isKeyOnly: true },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandId = keyof typeof COMMANDS;
const ALL = Object.entries(COMMANDS) as unknown as readonly (readonly [CommandId, Command])[];

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
  return { 'data-command': id, ...(keys === undefined ? {} : { 'aria-keyshortcuts': keysSpoken(keys) }) };
}

function buttonOf(id: CommandId): HTMLElement | undefined {
  return document.querySelector<HTMLElement>(`[data-command="${id}"]:not([aria-disabled])`) ?? undefined;
}

/** The batch that the screen is about. */
function batchAtHand({ navigation, batches }: AppModel): BatchView | undefined {
  return batches.find(batchOnScreen(navigation.getState().screen) ?? '');
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
    // Until it is carried out, the window may have gone to another batch, or the batch to another state.
    const now = batchAtHand(model);
    if (isOfBatch === true && now?.id !== batch?.id) return;
    if (isThere?.(model, now) !== false) run(model, now);
  };
}

/** Everything that can be chosen on the screen as it is now, in the order of the palette. */
export function paletteEntries(model: AppModel): readonly PaletteEntry[] {
  const commands = ALL.flatMap(([id, command]): readonly PaletteEntry[] => {
    const run = command.isKeyOnly === true ? undefined : actionOf(model, id, command);
    const { place, keys } = command;
    return run === undefined
      ? []
      : [{ id, title: titleNow(id), place: PLACES[place], run, ...findsToo(id), ...(keys && { keys }) }];
  });
  const batches = model.batches.store.getState().batches.map((batch): PaletteEntry => {
    const { tags = [], shelf } = batch;
    const about = words.shell.palette.batch(standingOf(batch).words, shelf?.is, tags.map(shownLine));
    const run = (): void => model.go({ kind: 'batch', batchId: batch.id });
    const title = shownLine(batch.name);
    return { id: batchEntry(batch.id), place: PLACES.batches, title, about, tags, isOwnText: true, run };
  });
  const settings = Object.entries(SETTINGS_PARTS).map(([part, title]): PaletteEntry => {
    const run = (): void => model.go({ kind: 'settings', part: part as keyof typeof SETTINGS_PARTS });
    return { id: `settings ${part}`, place: PLACES.settings, title, run, ...findsToo(`settings ${part}`) };
  });
  const current = model.app.getState().settings;
  const gateways = (current?.profiles ?? []).map((gateway): PaletteEntry => {
    const run = (): void => model.go({ kind: 'gateway', gateway });
    return {
      id: `gateway ${gateway}`,
      place: PLACES.settings,
      title: words.settings.gateways.entry(shownLine(gateway)),
      run,
    };
  });
  const { profileName: gateway } = current ?? {};
  const parts = Object.entries(gateway === undefined ? {} : GATEWAY_PARTS).map(([part, title]): PaletteEntry => {
    const run = (): void => model.go({ kind: 'gateway', gateway: gateway ?? '', part: part as GatewayPart });
    const named = words.settings.gateways.entryPart(shownLine(gateway ?? ''), title);
    return { id: `gateway part ${part}`, place: PLACES.settings, title: named, run };
  });
  const help = Object.entries(HELP_PARTS).map(([part, title]): PaletteEntry => {
    const run = (): void => model.go({ kind: 'help', part: part as keyof typeof HELP_PARTS });
    return { id: `help ${part}`, place: PLACES.help, title, run, ...findsToo(`help ${part}`) };
  });
  const isFirst = ({ place }: PaletteEntry): boolean => place === PLACES.screen || place === PLACES.batch;
  return [
    ...commands.filter((entry) => entry.place === PLACES.screen),
    ...commands.filter((entry) => entry.place === PLACES.batch),
    ...batches,
    ...commands.filter((entry) => !isFirst(entry)),
    ...settings,
    ...gateways,
    ...parts,
    ...help,
  ];
}

/** Rows of batches that contain what was typed, each with its batch. */
export function rowEntries(model: AppModel, rows: readonly FoundRowView[]): readonly PaletteEntry[] {
  return rows.flatMap(({ batchId, key, row, status, text, header }): readonly PaletteEntry[] => {
    const batch = model.batches.find(batchId);
    if (batch === undefined) return [];
    const below = words.shell.palette.row(
      shownLine(row),
      shownLine(batch.name),
      words.shell.statuses[status].word,
      batch.shelf?.is,
    );
    const title = shownLine(text === '' ? row : text);
    const run = (): void => void model.ways.openCell(batchId, key, header);
    return [{ id: `row ${batchId} ${key}`, place: PLACES.rows, title, below, isOwnText: true, run }];
  });
}

/** The id of the line that opens a batch. */
export function batchEntry(batchId: string): string {
  return `batch ${batchId}`;
}

/** The button says what is started or retried. */
function titleNow(id: CommandId): string {
  return id === 'run' || id === 'retry' ? (buttonOf(id)?.textContent ?? TITLES[id]) : TITLES[id];
}

/**
 * The entries that have every word of a search, the best first: those that begin with it, then those in which each word
 * begins a word, then the others; equally good ones in their order.
 */
export function findEntries(entries: readonly PaletteEntry[], search: string): readonly PaletteEntry[] {
  const wanted = search.trim().toLocaleLowerCase();
  if (wanted === '') return entries;
  const asked = wanted.split(/\s+/u);
  const ranked = entries.flatMap((entry, at) => {
    const title = entry.title.toLocaleLowerCase();
    const text = [entry.place, title, ...(entry.tags ?? [])].join(' ').toLocaleLowerCase();
    if (!asked.every((word) => text.includes(word))) return [];
    const begins = (word: string): boolean => text.startsWith(word) || text.includes(` ${word}`);
    const rank = title.startsWith(wanted) ? 0 : asked.every(begins) ? 1 : 2;
    return [{ entry, rank, at }];
  });
  return ranked.sort((a, b) => a.rank - b.rank || a.at - b.at).map(({ entry }) => entry);
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** The command whose shortcut the window listens for; undefined for any other key. */
export function commandOfKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): CommandId | undefined {
  if (altKey) return undefined;
  const isCommand = ctrlKey || metaKey;
  // Many keyboards need Shift to write a sign; with a letter it means something else.
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
  return ALL.flatMap(([id, { keys, more }]) => {
    if (keys === undefined) return [];
    return [
      [keysShown(keys), more === undefined ? TITLES[id] : words.shell.commandWithNote(TITLES[id], more)] as const,
    ];
  });
}
