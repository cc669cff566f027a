import type { GridKeyEventArgs } from '@glideapps/glide-data-grid';
import { useEffect, type RefObject } from 'react';
import { assertNever } from '../../../shared/domain/base/result.ts';
import { focusRegion } from '../../shell/keyboard.ts';
import { useAppModel } from '../../state/app-context.ts';
import { beginsComposition, commandOf, typedCharacter, type GridCommand } from './grid-keys.ts';
import type { CellEditing } from '../grid/use-cell-editing.ts';
import type { GridActions } from './use-grid-actions.ts';
import type { Grid } from '../grid/use-grid.ts';

/** What a key does in the grid; the grid handles its own keys itself. */
export function useGridKeys(
  grid: Grid,
  actions: GridActions,
  editing: CellEditing,
  openMenu: () => void,
): (event: GridKeyEventArgs) => void {
  const model = useAppModel();
  return (event) => {
    const command = commandOf(event);
    if (command !== undefined) {
      if (!carryOut(command)) return;
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

  /** False if the grid should handle the key after all. */
  function carryOut(command: GridCommand): boolean {
    switch (command) {
      case 'edit':
        return editing.begin() || inspect();
      case 'edit-large':
        return editing.beginLarge();
      case 'clear':
        actions.clear();
        return true;
      case 'copy':
        // Otherwise the page's own copy event follows, with the drawn text.
        return actions.copy(false);
      case 'cut':
        return actions.copy(true);
      case 'paste':
        actions.paste();
        return true;
      case 'fill-down':
        actions.fillDown();
        return true;
      case 'undo':
        actions.undo();
        return true;
      case 'redo':
        actions.redo();
        return true;
      case 'find':
      case 'replace':
        model.places.showFind(command);
        return true;
      case 'select-all':
        actions.selectAll();
        return true;
      case 'select-column':
        if (grid.current !== undefined) actions.selectColumn(grid.current.column);
        return true;
      case 'select-row':
        actions.selectRow();
        return true;
      case 'insert-rows':
        actions.insertRows('above');
        return true;
      case 'remove-rows':
        actions.removeRows();
        return true;
      case 'move-up':
        actions.moveRows('up');
        return true;
      case 'move-down':
        actions.moveRows('down');
        return true;
      case 'inspect':
        // Pressing it again also moves the focus: it goes back and forth.
        if (inspect()) requestAnimationFrame(() => focusRegion('panel'));
        return true;
      case 'menu':
        openMenu();
        return true;
      case 'look':
        return look();
      case 'next':
      case 'previous':
        return passBy(command);
      case 'last-row':
        actions.goToEnd('rows', false);
        return true;
      case 'last-column':
        actions.goToEnd('columns', false);
        return true;
      case 'last-cell':
        actions.goToEnd('both', false);
        return true;
      case 'to-last-row':
        actions.goToEnd('rows', true);
        return true;
      case 'to-last-column':
        actions.goToEnd('columns', true);
        return true;
      case 'to-last-cell':
        actions.goToEnd('both', true);
        return true;
      case 'close':
        return close();
      default:
        return assertNever(command);
    }
  }

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
  function look(): boolean {
    const row = grid.current?.row;
    if (row !== undefined && row.files.length > 0) model.rows.look(row.key);
    // Without files there is nothing to play: toggles a true/false cell, or opens the inspector for any other.
    else if (!editing.toggle()) inspect();
    return true;
  }

  /** Closes whatever is open beside the grid, one at a time; then the focus leaves the grid. The cursor stays. */
  function close(): boolean {
    if (model.rows.store.getState().isInspectorOpen) model.rows.closeInspector();
    else if (model.places.store.getState().find !== undefined) model.places.showFind(undefined);
    else if (model.places.store.getState().isProblemsOpen) model.places.showProblems(false);
    else focusRegion('screen');
    return true;
  }
}

/** Shortcuts that work everywhere on a batch's screen, except while the user types text. */
export function useScreenKeys(actions: Pick<GridActions, 'undo' | 'redo'>): void {
  const model = useAppModel();
  useEffect(() => {
    const listening = new AbortController();
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return;
      const command = commandOf(event);
      const isInDialog = event.target instanceof Element && event.target.closest('[role$="dialog"]') !== null;
      if (isInDialog) return;
      if (command === 'find' || command === 'replace') model.places.showFind(command);
      else if (isTextField(event.target)) return;
      else if (command === 'undo') actions.undo();
      else if (command === 'redo') actions.redo();
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown, { signal: listening.signal });
    return () => listening.abort();
  }, [model, actions]);
}

/** The application menu's copy, cut and paste, and copying outside the sheet's cells, arrive as page events. */
export function useMenuClipboard(place: RefObject<HTMLElement | null>, actions: GridActions): void {
  useEffect(() => {
    const listening = new AbortController();
    const onClipboard = (event: ClipboardEvent): void => {
      const { activeElement } = document;
      if (event.defaultPrevented || isTextField(activeElement) || place.current?.contains(activeElement) !== true) {
        return;
      }
      event.preventDefault();
      if (event.type === 'paste') actions.paste();
      else if (!actions.copy(event.type === 'cut')) event.clipboardData?.setData('text/plain', actions.plainText());
    };
    for (const type of ['copy', 'cut', 'paste'] as const) {
      window.addEventListener(type, onClipboard, { signal: listening.signal });
    }
    return () => listening.abort();
  }, [place, actions]);
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
