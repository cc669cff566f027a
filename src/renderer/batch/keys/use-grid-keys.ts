import type { GridKeyEventArgs } from '@glideapps/glide-data-grid';
import type { RefObject } from 'react';
import { focusRegion, useWindowEvent } from '../../shell/keyboard.ts';
import { useAppModel } from '../../state/app-context.ts';
import { fileInCell } from '../columns/grid-columns.ts';
import { beginsComposition, commandOf, typedCharacter, type GridCommand } from './grid-keys.ts';
import type { CellEditing } from '../grid/use-cell-editing.ts';
import type { GridActions } from './use-grid-actions.ts';
import type { Grid } from '../grid/use-grid.ts';

const WALKS: ReadonlySet<string> = new Set([
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
  'Home',
  'End',
  'PageUp',
  'PageDown',
]);

/** What a key does in the grid; the grid handles its own keys itself. */
export function useGridKeys(
  grid: Grid,
  actions: GridActions,
  editing: CellEditing,
  openMenu: () => void,
): (event: GridKeyEventArgs) => void {
  const model = useAppModel();
  /** False if the grid should handle the key after all. */
  const deeds: Readonly<Record<GridCommand, () => unknown>> = {
    edit: () => editing.begin() || inspect(),
    'edit-large': editing.beginLarge,
    clear: actions.clear,
    // Otherwise the page's own copy event follows, with the drawn text.
    copy: () => actions.copy(false),
    cut: () => actions.copy(true),
    paste: actions.paste,
    'fill-down': actions.fillDown,
    undo: actions.undo,
    redo: actions.redo,
    find: () => model.places.showFind('find'),
    replace: () => model.places.showFind('replace'),
    'select-all': actions.selectAll,
    'select-column': () => grid.current && actions.selectColumn(grid.current.column),
    'select-row': actions.selectRow,
    'insert-rows': () => actions.insertRows('above'),
    'remove-rows': actions.removeRows,
    'move-up': () => actions.moveRows('up'),
    'move-down': () => actions.moveRows('down'),
    'hold-rows': () => actions.turnRows('hold'),
    'release-rows': () => actions.turnRows('release'),
    'next-rows': () => actions.turnRows('next'),
    'one-more-take': actions.oneMoreTake,
    'render-again': actions.renderAgain,
    // Pressing it again also moves the focus: it goes back and forth.
    inspect: () => void (inspect() && requestAnimationFrame(() => focusRegion('panel'))),
    menu: openMenu,
    look,
    review,
    gallery: () => model.go({ kind: 'gallery', batchId: grid.batch.id }),
    next: () => passBy('next'),
    previous: () => passBy('previous'),
    'last-row': () => actions.goToEnd('rows', false),
    'last-column': () => actions.goToEnd('columns', false),
    'last-cell': () => actions.goToEnd('both', false),
    'to-last-row': () => actions.goToEnd('rows', true),
    'to-last-column': () => actions.goToEnd('columns', true),
    'to-last-cell': () => actions.goToEnd('both', true),
    close,
  };
  return (event) => {
    if (grid.choice.selection.current === undefined && WALKS.has(event.key)) {
      // First the cursor must be seen again: otherwise a text or a deletion could hit a row that nobody has chosen.
      grid.choice.comeBack();
      event.cancel();
      event.preventDefault();
      return;
    }
    const command = commandOf(event);
    if (command !== undefined) {
      if (deeds[command]() === false) return;
      event.cancel();
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const typed = typedCharacter(event);
    if (typed === undefined && !beginsComposition(event)) return;
    if (!editing.begin(typed ?? '')) return;
    event.cancel();
    // An input method continues in the editor, which has the focus by now.
    if (typed !== undefined) event.preventDefault();
  };

  /** At the first and the last column, the focus leaves the grid. */
  function passBy(step: 'next' | 'previous'): boolean {
    const column = grid.current?.column;
    if (column === undefined || column === (step === 'next' ? grid.columns.length - 1 : 1)) return false;
    actions.step(step);
    return true;
  }

  function inspect(): boolean {
    const row = grid.current?.row;
    if (row !== undefined) model.rows.inspect(row.key);
    return row !== undefined;
  }

  /** Plays or shows the row's files from any cell: Space types nothing into a cell that is not being edited. */
  function look(): void {
    const row = grid.current?.row;
    if (row !== undefined && fileInCell(row) !== undefined) model.rows.look(row.key);
    // Without files there is nothing to play: toggles a true/false cell, or opens the inspector for any other.
    else if (!editing.toggle()) inspect();
  }

  /** Opens the review at the row with the cursor, if it has files. */
  function review(): void {
    const row = grid.current?.row;
    model.review.open(grid.batch.id, row !== undefined && row.fileCount > 0 ? row.key : undefined);
  }

  /** Closes whatever is open beside the grid, one at a time; then the focus leaves the grid. The cursor stays. */
  function close(): void {
    if (model.rows.store.getState().isInspectorOpen) model.rows.closeInspector();
    else if (model.places.store.getState().find !== undefined) model.places.showFind(undefined);
    else if (model.places.store.getState().isProblemsOpen) model.places.showProblems(false);
    else focusRegion('screen');
  }
}

/** Shortcuts that work everywhere on a batch's screen, except while the user types text. */
export function useScreenKeys(actions: Pick<GridActions, 'undo' | 'redo'>): void {
  const model = useAppModel();
  const reviewBatch = (): void => {
    const { batchId } = model.rows.store.getState();
    if (batchId !== undefined) model.review.open(batchId);
  };
  const showGallery = (): void => {
    const { batchId } = model.rows.store.getState();
    if (batchId !== undefined) model.go({ kind: 'gallery', batchId });
  };
  useWindowEvent(['keydown'], (event) => {
    const command = commandOf(event);
    const isInDialog = event.target instanceof Element && event.target.closest('[role$="dialog"]') !== null;
    if (event.defaultPrevented || isInDialog) return;
    if (command === 'find' || command === 'replace') model.places.showFind(command);
    else if (command === 'review') reviewBatch();
    else if (command === 'gallery') showGallery();
    else if (isTextField(event.target)) return;
    else if (command === 'undo') actions.undo();
    else if (command === 'redo') actions.redo();
    else return;
    event.preventDefault();
  });
}

/** The application menu's copy, cut and paste, and copying outside the sheet's cells, arrive as page events. */
export function useMenuClipboard(place: RefObject<HTMLElement | null>, actions: GridActions): void {
  useWindowEvent(['copy', 'cut', 'paste'], (event) => {
    const { activeElement } = document;
    if (event.defaultPrevented || isTextField(activeElement) || place.current?.contains(activeElement) !== true) return;
    event.preventDefault();
    if (event.type === 'paste') actions.paste();
    else if (!actions.copy(event.type === 'cut')) event.clipboardData?.setData('text/plain', actions.plainText());
  });
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
