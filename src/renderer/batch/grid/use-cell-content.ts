import type { GridCell, Item } from '@glideapps/glide-data-grid';
import { useCallback, useMemo } from 'react';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { shownLine, shownText } from '../../format/shown-text.ts';
import { searchPattern } from '../../../shared/domain/cells/cell-search.ts';
import { words } from '../../../shared/words/words.ts';
import { useAppModel, usePlaces } from '../../state/app-context.ts';
import { reasonOf, type HoldingUp } from '../../state/batch/why-waiting.ts';
import type { SheetEditing } from '../../state/batch/sheet-editing.ts';
import { columnHelp } from '../cell-editor/column-help.ts';
import { FILES_COLUMN_ID, LOADING_CELL, type RowColumn, type SheetColumn } from '../columns/grid-columns.ts';
import { sheetCell } from './grid-cells.ts';
import type { GridPalette } from './grid-palette.ts';
import type { Grid } from './use-grid.ts';

/** What every cell of the grid shows. */
export function useCellContent(grid: Grid, palette: GridPalette): (item: Item) => GridCell {
  const model = useAppModel();
  const { columns, total, version } = grid;
  const batch = useHoldingUp(grid.batch);
  const found = useFound();
  return useCallback(
    ([column, index]: Item) => {
      const about = columns[column];
      if (about === undefined) return LOADING_CELL;
      const row = model.rows.pages.rowAt(index);
      if (row !== undefined) return contentOf(model.editing, row, about, palette, batch, found);
      return index < total ? LOADING_CELL : newRowContent(model.editing, index, about, palette);
    },
    // A new version redraws every cell.
    // oxlint-disable-next-line react/exhaustive-deps -- see above
    [model, columns, total, palette, batch, found, version],
  );
}

/**
 * What holds up rows of a batch: the same object as long as nothing in it changes, so that not every update of the
 * batch redraws the grid.
 */
function useHoldingUp({
  state,
  pause,
  waitsUntil,
  waitsFor,
  heldUntil,
  fullPlaces,
  requestsPerSecond,
}: HoldingUp): HoldingUp {
  const text = JSON.stringify({ state, pause, waitsUntil, waitsFor, heldUntil, fullPlaces, requestsPerSecond });
  return useMemo(() => JSON.parse(text) as HoldingUp, [text]);
}

/**
 * What makes a cell stand out while something is searched for. A regular expression might take too long for each cell
 * that is drawn.
 */
function useFound(): RegExp | undefined {
  const query = usePlaces((state) => state.query);
  return useMemo(() => {
    const pattern = query === undefined || query.isPattern ? undefined : searchPattern(query);
    return pattern?.ok === true ? pattern.value : undefined;
  }, [query]);
}

function contentOf(
  editing: SheetEditing,
  row: RowView,
  about: RowColumn,
  palette: GridPalette,
  batch: HoldingUp,
  found: RegExp | undefined,
): GridCell {
  const { sheet } = about;
  if (sheet === undefined) return about.cell?.(row, palette, Date.now(), batch) ?? LOADING_CELL;
  if (row.cells === undefined) return LOADING_CELL;
  const isLocked = editing.lockOf(row, sheet.view.column) !== undefined;
  const worst = problemsOf(row, sheet).find(({ severity }) => severity === 'error') ?? problemsOf(row, sheet)[0];
  const text = cellText(editing, row, sheet);
  // If the sheet gives a row no id, Nocturne has made one.
  const isMadeId = text === '' && sheet.view.column === 'row';
  const background = found !== undefined && text.search(found) >= 0 ? palette.found : isLocked && palette.locked;
  return sheetCell(isMadeId ? shownLine(row.row) : text, {
    color: isLocked || isMadeId || !isUsed(row, sheet) ? palette.inkFaint : palette.ink,
    isLocked,
    ...(background === false ? {} : { background }),
    ...(worst === undefined ? {} : { mark: worst.severity === 'error' ? palette.error : palette.warning }),
    ...(isEditedCell(row, sheet) && { edited: palette.edited }),
  });
}

/** False for a cell that the row's operation does not send; columns about the row itself are always used. */
function isUsed({ operation }: RowView, { view }: SheetColumn): boolean {
  if (operation === undefined) return true;
  const help = columnHelp(view.column);
  if (help === undefined) return false;
  return help.operations.length === 0 || help.operations.some(({ path }) => path === operation);
}

function newRowContent(editing: SheetEditing, index: number, about: RowColumn, palette: GridPalette): GridCell {
  const newRow = editing.typed.newRowAt(index);
  const text = about.sheet === undefined ? '' : (newRow?.cells.get(about.sheet.header) ?? '');
  if (newRow === undefined && about.id === 'line') return sheetCell('+', { color: palette.inkFaint, isLocked: false });
  return sheetCell(shownLine(text), { color: palette.inkSoft, isLocked: false });
}

/** Cleaned texts, by the cells of a row: the grid draws the same ones again and again while the user scrolls fast. */
const SHOWN_TEXTS = new WeakMap<readonly string[], string[]>();

function cellText(editing: SheetEditing, row: RowView, { header, cell }: SheetColumn): string {
  const typed = editing.typed.textOf(row.key, header);
  const cells = row.cells ?? [];
  if (typed !== undefined) return shownLine(typed);
  let shown = SHOWN_TEXTS.get(cells);
  if (shown === undefined) {
    shown = [];
    SHOWN_TEXTS.set(cells, shown);
  }
  return (shown[cell] ??= shownLine(cells[cell] ?? ''));
}

/** A cell's problem: it names the header, or the column that the header maps to. */
export function problemsOf(row: RowView, { header, view }: SheetColumn): NonNullable<RowView['cellProblems']> {
  if (row.cellProblems === undefined) return [];
  return row.cellProblems.filter(
    ({ column }) => column !== '' && (column === header || column === view.column || view.also.includes(column)),
  );
}

/** Whether a cell was edited since the import, and now says something else. */
export function isEditedCell({ editedCells }: RowView, { cell }: SheetColumn): boolean {
  return editedCells?.includes(cell) === true;
}

/** Notes about a cell: its problem and the remedy, why it cannot be edited now, and that it was. */
export function cellNotes(editing: SheetEditing, row: RowView, about: RowColumn, batch: HoldingUp): readonly string[] {
  const { sheet } = about;
  if (sheet === undefined) {
    const reason = about.id === 'reason' || about.id === 'status' ? reasonOf(row, batch, Date.now()) : '';
    const file = about.id === FILES_COLUMN_ID && row.earlier !== undefined ? words.grid.results.earlierNote : '';
    return [reason, file, about.id === 'line' ? (row.locked ?? '') : ''].filter((text) => text !== '').map(shownText);
  }
  const problems = problemsOf(row, sheet).map(({ message, remedy }) => words.common.sentences([message, remedy]));
  const lock = editing.lockOf(row, sheet.view.column);
  const edited = isEditedCell(row, sheet) ? [words.grid.edited] : [];
  return [...problems, ...(lock === undefined ? [] : [lock]), ...edited].map(shownText);
}
