/**
 * The window's commands in the menu bar: the window says which of them it offers now, and carries out what is chosen.
 */
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { visibleLine } from '../../shared/domain/base/text.ts';
import type { MenuLine, WindowMenus } from '../../shared/ipc/app.ts';
import { words } from '../../shared/words/words.ts';
import { useAppModel } from '../state/app-context.ts';
import type { AppModel } from '../state/app-model.ts';
import { isInUse } from '../state/batches-store.ts';
import { batchOnScreen } from '../state/app-state.ts';
import { listedBatches } from '../state/batch-shelf.ts';
import { batchEntry, keysOf, paletteEntries, type CommandId } from './commands.ts';
import { isInDialog, useWindowEvent } from './keyboard.ts';

const LABELS = { ...words.shell.commands, ...words.desktop.menu.commands };

const FILE = ['template', 'paste'] as const satisfies readonly CommandId[];
const BATCH = [
  ['run', 'pause', 'retry'],
  ['review', 'gallery', 'batchLedger'],
  ['deliver', 'folder'],
  ['reimport', 'compare', 'watch', 'unwatch'],
  ['resultsCopy', 'resultsFile', 'results'],
  ['rename', 'duplicate'],
] as const satisfies readonly (readonly CommandId[])[];
const GO = ['home', 'ledger', 'settings', 'help'] as const satisfies readonly CommandId[];

/** As many as there are keys for. */
const BATCHES_LISTED = 9;
const LONGEST_NAME = 60;
/** Buttons come and go in bursts. */
const SOON_MS = 200;

/** What the menu bar is to offer for the screen as it is now. */
function menusNow(model: AppModel): WindowMenus {
  const entries = new Map(isInDialog() ? [] : paletteEntries(model).map((entry) => [entry.id, entry]));
  const lineOf = (id: CommandId): MenuLine => {
    const entry = entries.get(id);
    // The button says what is started or retried.
    const own = id === 'run' || id === 'retry' ? entry?.title : undefined;
    // Paste has the same keys in the menu Edit.
    const keys = id === 'paste' ? undefined : keysOf(id);
    const isThere = entry !== undefined;
    return { id, label: own ?? LABELS[id], isThere, ...(keys !== undefined && { keys }) };
  };
  const batches = batchesInReach(model).map(({ id, name }, place): MenuLine => {
    const entry = batchEntry(id);
    return { id: entry, label: visibleLine(name, LONGEST_NAME), keys: `Mod+${place + 1}`, isThere: entries.has(entry) };
  });
  return {
    file: FILE.map(lineOf),
    batch: BATCH.map((group) => group.map(lineOf)),
    go: [GO.map(lineOf), ...(batches.length === 0 ? [] : [batches])],
  };
}

/** Keeps the menu bar up to date, and carries out what is chosen there, and the keys of its batches. */
export function useMenuBar(): void {
  const model = useAppModel();
  const wanted = useStore(model.menuBar, (state) => state.wanted);
  useEffect(() => keepTold(model), [model]);
  useEffect(() => {
    if (wanted === undefined) return;
    model.menuBar.setState({ wanted: undefined });
    carryOut(model, wanted);
  }, [model, wanted]);
  useWindowEvent(['keydown'], (event) => {
    const { code, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented } = event;
    // By the key's place: some keyboards write other signs there.
    const digit = /^Digit([1-9])$/u.exec(code)?.[1];
    if (defaultPrevented || ctrlKey === metaKey || altKey || shiftKey || digit === undefined) return;
    const batch = batchesInReach(model)[Number(digit) - 1];
    if (batch !== undefined && carryOut(model, batchEntry(batch.id))) event.preventDefault();
  });
}

/** Tells the menu bar what the window offers, now and whenever that changes. Returns a way to stop. */
function keepTold(model: AppModel): () => void {
  let told = '';
  let timer: number | undefined;
  const tell = (): void => {
    timer = undefined;
    const menus = menusNow(model);
    const text = JSON.stringify(menus);
    if (text === told) return;
    told = text;
    void model.client.request('menu.offer', menus);
  };
  const tellSoon = (): void => {
    timer ??= window.setTimeout(tell, SOON_MS);
  };
  // Everything that a command depends on is on screen: its button, the screen itself, the batches in the side bar, a
  // dialog.
  const changes = new MutationObserver(tellSoon);
  const attributeFilter = ['aria-disabled', 'data-command', 'aria-current'];
  changes.observe(document.body, { subtree: true, childList: true, characterData: true, attributeFilter });
  tellSoon();
  return () => {
    changes.disconnect();
    window.clearTimeout(timer);
  };
}

/** False if it is not there any more: the screen may have changed since it was chosen. */
function carryOut(model: AppModel, id: string): boolean {
  const entry = isInDialog() ? undefined : paletteEntries(model).find((one) => one.id === id);
  entry?.run();
  return entry !== undefined;
}

/** The first batches of the side bar. */
function batchesInReach(model: AppModel) {
  const { screen } = model.navigation.getState();
  const { tag } = model.shelf.store.getState();
  const listed = listedBatches(model.batches.store.getState().batches, tag, batchOnScreen(screen));
  return listed.filter(isInUse).slice(0, BATCHES_LISTED);
}
