import { useEffect, useRef, useState } from 'react';
import type { CompletionSources } from '../cell-editor/completions.ts';
import { closedValues, columnValues, isBooleanColumn } from '../cell-editor/column-help.ts';
import { shownLine } from '../../format/shown-text.ts';
import { words } from '../../../shared/words/words.ts';
import { useAppModel } from '../../state/app-context.ts';
import type { CellArea } from '../../state/batch/sheet-editing.ts';
import type { SheetColumn } from '../columns/grid-columns.ts';
import type { Grid } from './use-grid.ts';
import { chosenCells, type GridActions } from '../keys/use-grid-actions.ts';

/** The cell in the editor. */
export interface EditedCell {
  readonly index: number;
  /** Undefined for a new row. */
  readonly key: number | undefined;
  readonly row: string;
  readonly sheet: SheetColumn;
  /** The cells that were selected when the editor opened: the text may be for all of them. */
  readonly chosen: readonly CellArea[];
  /** The text in the sheet; undefined while a long one is being fetched. */
  readonly saved: string | undefined;
  /** The initial text. */
  readonly text: string | undefined;
  readonly isTyping: boolean;
  readonly isLarge: boolean;
  readonly locked: string | undefined;
}

export type CellEditing = ReturnType<typeof useCellEditing>;

const NO_SOURCES: CompletionSources = { rowIds: [], variables: [], lists: [], values: [], isValue: undefined };

/** The cell in the editor, and how to edit it. */
export function useCellEditing(grid: Grid, actions: GridActions) {
  const model = useAppModel();
  const [edited, setEdited] = useState<EditedCell>();
  /** True also once the whole grid has gone: nothing can be opened there any more. */
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = edited !== undefined;
    return () => {
      isOpen.current = true;
    };
  }, [edited]);
  const lists = useListNames(edited !== undefined);

  const cellUnderCursor = (): EditedCell | undefined => {
    const { current } = grid;
    const sheet = current?.about.sheet;
    if (current === undefined || sheet === undefined || current.index >= grid.places) return undefined;
    const { index, row } = current;
    const cell = { index, sheet, chosen: chosenCells(grid), isTyping: false, isLarge: false };
    if (row === undefined) {
      const newRow = model.editing.typed.newRowAt(index);
      if (index < grid.total) return undefined;
      const text = newRow?.cells.get(sheet.header) ?? '';
      return { ...cell, key: newRow?.key, row: words.grid.newRow, saved: text, text, locked: undefined };
    }
    const locked = model.editing.lockOf(row, sheet.view.column);
    const isCut = row.cutCells?.includes(sheet.cell) === true;
    const shown = model.editing.textOf(row, sheet.header, sheet.cell);
    const text = isCut && model.editing.typed.textOf(row.key, sheet.header) === undefined ? undefined : shown;
    return { ...cell, key: row.key, row: row.row, saved: text, text, locked };
  };
  const open = (cell: EditedCell): void => {
    setEdited(cell);
    const { key } = cell;
    if (cell.saved !== undefined || key === undefined) return;
    void model.editing.wholeText(key, cell.sheet.header).then((whole) => {
      setEdited((now) => {
        if (now?.key !== key || now.sheet.header !== cell.sheet.header || now.saved !== undefined) return now;
        return whole === undefined ? undefined : { ...now, saved: whole, text: now.text ?? whole };
      });
    });
  };
  /** The cursor's cell; if its row is locked, says so instead. */
  const unlockedCell = (): EditedCell | undefined => {
    const cell = cellUnderCursor();
    if (cell?.locked === undefined) return cell;
    actions.tellLock(cell.row);
    return undefined;
  };

  return {
    edited,
    /** Opens the editor for the cursor's cell; `typed` replaces its text. */
    begin: (typed?: string): boolean => {
      const cell = unlockedCell();
      if (cell === undefined) return grid.current?.about.sheet !== undefined;
      const isTyping = typed !== undefined;
      // The window knows only the beginning of a long text, which needs room anyway.
      open({ ...cell, isTyping, text: typed ?? cell.text, isLarge: !isTyping && cell.text === undefined });
      return true;
    },
    beginLarge: (): boolean => {
      const cell = cellUnderCursor();
      if (cell !== undefined) open({ ...cell, isLarge: true });
      return cell !== undefined;
    },
    /** Turns true to false and back, if the cursor is in such a cell. */
    toggle: (): boolean => {
      const { current } = grid;
      if (current?.about.sheet === undefined || !isBooleanColumn(current.about.sheet.view.column)) return false;
      const cell = unlockedCell();
      if (cell !== undefined) void actions.write(cell, cell.sheet, isTrue(cell.text ?? '') ? 'false' : 'true');
      return true;
    },
    enlarge: (text: string) => setEdited((cell) => (cell === undefined ? undefined : { ...cell, text, isLarge: true })),
    end: () => setEdited(undefined),
    /**
     * Opens the editor again with a text that was not saved; if another is open or the grid has gone, a notice shows the
     * text.
     */
    keep: (cell: EditedCell, text: string) => {
      if (!isOpen.current) setEdited({ ...cell, text, isTyping: false });
      else {
        const title = words.grid.editor.notSaved(shownLine(cell.row));
        model.notices.show({ level: 'warning', title, message: text });
      }
    },
    sources: edited === undefined || edited.isLarge ? NO_SOURCES : sourcesOf(edited),
  };

  function sourcesOf({ sheet: column }: EditedCell): CompletionSources {
    const rows = model.rows.pages.knownRows();
    const { sheet } = model.editing.store.getState();
    const headers = sheet?.columns.map(({ header }) => header) ?? [];
    return {
      rowIds: rows.map(({ row }) => row),
      variables: [...headers.filter((header) => header !== column.header), ...Object.keys(sheet?.variables ?? {})],
      lists,
      values: columnValues(column.view.column, column.cell, rows),
      isValue: closedValues(column.view.column),
    };
  }
}

function isTrue(text: string): boolean {
  return ['true', 'yes', '1'].includes(text.trim().toLowerCase());
}

/** The names of the user's lists, read when they are needed. */
function useListNames(isNeeded: boolean): readonly string[] {
  const model = useAppModel();
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    if (!isNeeded) return;
    void model.client.request('lists.get').then((reply) => {
      if (reply.ok) setNames(reply.value.map(({ name }) => name));
    });
  }, [model, isNeeded]);
  return names;
}
