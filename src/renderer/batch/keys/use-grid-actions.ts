import type { FillPatternEventArgs, GridSelection, Rectangle } from '@glideapps/glide-data-grid';
import type { RowTurn } from '../../../shared/domain/task/task-event.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import type { AppModel } from '../../state/app-model.ts';
import { oneMoreTake, renderAgain } from '../../state/batch/one-more-take.ts';
import { repeatBlock } from '../../state/batch/repeat-block.ts';
import type { CellArea, RowSpan } from '../../state/batch/sheet-editing.ts';
import type { RowColumn, SheetColumn } from '../columns/grid-columns.ts';
import { cellBlocks, headersIn, lastSheetColumn, pasteHeaders, rowSpans, selectionOf } from './grid-selection.ts';
import type { Step } from '../cell-editor/CellEditor.tsx';
import { mayBeSaid } from '../head/RowTurns.tsx';
import { chosenRowsOf } from './grid-choice.ts';
import { moveCursor } from './tab-run.ts';
import type { Grid } from '../grid/use-grid.ts';

const ROWS_AS_TEXT = 10_000;

/** The places of the selected rows. */
export function chosenRows({ choice, total }: Pick<Grid, 'choice' | 'total'>): readonly RowSpan[] {
  return rowSpans(choice.selection, total);
}

/** Inserts as many empty rows as the cursor's range has. */
export function rowsToInsert({ choice, total }: Pick<Grid, 'choice' | 'total'>): number {
  const range = choice.selection.current?.range;
  return Math.max(1, Math.min(range?.height ?? 1, total - (range?.y ?? 0)));
}

/** The actions for the selected cells and rows of the grid. */
export function useGridActions(grid: Grid) {
  const model = useAppModel();
  return { ...cellActions(model, grid), ...rowActions(model, grid), ...cursorActions(model, grid) };
}

export type GridActions = ReturnType<typeof useGridActions>;

function cellActions(model: AppModel, grid: Grid) {
  const { editing } = model;
  const { choice } = grid;
  const blocks = () => chosenCells(grid);
  return {
    clear: () => {
      const { current } = grid;
      const lock =
        isOneCell(choice.selection) && current?.row !== undefined && lockOf(model, current.row, current.about);
      if (typeof lock === 'string') {
        tellLock(model, current?.row?.row ?? '');
        return;
      }
      for (const block of blocks()) void editing.clear(block);
    },
    /** False if no cell of the sheet is selected. */
    copy: (isCut: boolean): boolean => {
      const [first, ...others] = blocks();
      if (first === undefined) return false;
      if (others.length === 0) void editing.copy(first, isCut);
      else tellNotOneBlock(model);
      return true;
    },
    /** The selection outside the sheet's own cells as text (statuses, files, reasons), as far as it is known. */
    plainText: () => plainText(model, grid),
    paste: () => {
      const range = choice.selection.current?.range;
      if (range === undefined) return;
      const headers = pasteHeaders(range, grid.columns);
      const height = Math.max(1, Math.min(range.height, grid.total - range.y));
      const columns = Math.max(1, headersIn(range, grid.columns).length);
      if (headers.length > 0) {
        void editing.paste({ y: range.y, height }, headers, columns);
        return;
      }
      model.notices.show({ level: 'info', ...words.grid.nothingToPasteInto });
    },
    fillDown: () => {
      for (const { spans, headers } of cellBlocks(choice.selection, grid.columns, grid.total)) {
        for (const span of spans) void editing.fillDown({ rows: withRowAbove(grid, model, span), headers });
      }
    },
    fillByDragging: (event: FillPatternEventArgs) => {
      event.preventDefault();
      void fillByDragging(model, grid, event.patternSource, event.fillDestination);
    },
    undo: () => void editing.undo(),
    redo: () => void editing.redo(),
    /**
     * Writes a cell of the row that was seen at a place; without a key, of the new row there. False if it is refused.
     */
    write: ({ index, key }: { index: number; key: number | undefined }, { header }: SheetColumn, text: string) =>
      editing.typed.commit(index, key, header, text),
    /** Writes a text into all these cells. False if none accepted it. */
    writeAll: async (cells: readonly CellArea[], text: string) => {
      const written = cells.map((block) => editing.setCells(block, [block.headers.map(() => text)]));
      return (await Promise.all(written)).includes(true);
    },
    /** Says that the cursor's row cannot be edited now; the line below the grid already says why. */
    tellLock: (row: string) => tellLock(model, row),
  };
}

function rowActions(model: AppModel, grid: Grid) {
  const { editing, places } = model;
  const { choice } = grid;
  /** Moves the cursor to a row, in its current column. */
  const goToRow = (key: number | undefined): void => {
    if (key !== undefined) void places.follow(key, grid.current?.about.sheet?.header);
  };
  return {
    insertRows: (where: 'above' | 'below') => {
      const range = choice.selection.current?.range;
      const at = range === undefined ? undefined : where === 'above' ? range.y : range.y + range.height - 1;
      const count = rowsToInsert(grid);
      const beside = at === undefined || at >= grid.total ? undefined : choice.keyAt(at);
      void editing.insertRows(beside, where, count).then(goToRow);
    },
    duplicateRows: () => void editing.duplicateRows(choice.keys(chosenRows(grid))),
    removeRows: () => {
      const spans = chosenRows(grid);
      const last = spans.at(-1);
      if (last === undefined) return;
      const { pages } = model.rows;
      const next = pages.keyAt(last.y + last.height) ?? pages.keyAt((spans[0]?.y ?? 0) - 1);
      // A user who deletes row after row continues with the next one.
      const rows = choice.keys(spans);
      const remove = async (): Promise<void> => {
        if (await editing.removeRows(rows)) goToRow(next);
      };
      void remove();
    },
    turnRows: (turn: RowTurn): void => {
      const { known, spans, isWhole } = chosenRowsOf(model.rows.pages, choice, grid.total);
      // Rows that were never in sight may be concerned as well: the engine knows.
      const rows = isWhole ? known.filter((row) => mayBeSaid(turn, row)).map(({ key }) => key) : choice.keys(spans);
      if (rows.length > 0) void model.batchCommands.setTurn(grid.batch.id, rows, turn);
    },
    oneMoreTake: (): void => {
      const rows = choice.keys(chosenRows(grid));
      if (rows.length > 0) void oneMoreTake(model, grid.batch.id, rows);
    },
    renderAgain: (): void => void renderAgain(model, grid.batch.id, choice.keys(chosenRows(grid))),
    moveRows: (direction: 'up' | 'down') => {
      const [span, ...others] = chosenRows(grid);
      if (span === undefined) return;
      // The cursor follows its row.
      if (others.length === 0) void editing.moveRows(choice.keys([span]), span, direction);
      else tellNotOneBlock(model);
    },
  };
}

/** Moves the cursor and the selection. */
export function cursorActions(
  { editing }: Pick<AppModel, 'editing'>,
  grid: Pick<Grid, 'columns' | 'choice' | 'total' | 'places' | 'current' | 'select' | 'editor' | 'tabRun'>,
) {
  const { columns, choice } = grid;
  const lastRow = Math.max(0, grid.total - 1);
  const goTo = (column: number, row: number): void => {
    grid.select(selectionOf([column, row]));
    grid.editor.current?.scrollTo(column, row);
  };
  return {
    selectAll: () => {
      const cell =
        grid.current === undefined ? ([1, 0] as const) : ([grid.current.column, grid.current.index] as const);
      grid.select(selectionOf(cell, { x: 1, y: 0, width: lastSheetColumn(columns), height: Math.max(1, grid.total) }));
    },
    selectColumn: (column: number) =>
      grid.select(
        selectionOf([column, grid.current?.index ?? 0], { x: column, y: 0, width: 1, height: Math.max(1, grid.total) }),
      ),
    selectRow: () => {
      const range = choice.selection.current?.range;
      if (range === undefined) return;
      grid.select(selectionOf([0, range.y], { ...range, x: 0, width: columns.length }), 'pointer');
    },
    /** Goes to the end; `isExtending` extends the selection. */
    goToEnd: (of: 'rows' | 'columns' | 'both', isExtending: boolean) => {
      const { current } = choice.selection;
      if (current === undefined) return;
      const [column, row] = current.cell;
      const lastColumn = column < lastSheetColumn(columns) ? lastSheetColumn(columns) : columns.length - 1;
      const toColumn = of === 'rows' ? column : of === 'both' ? lastSheetColumn(columns) : lastColumn;
      const toRow = of === 'columns' ? row : lastRow;
      if (!isExtending) {
        goTo(toColumn, toRow);
        return;
      }
      const { range } = current;
      const right = of === 'rows' ? range.x + range.width : Math.max(range.x, toColumn) + 1;
      const bottom = of === 'columns' ? range.y + range.height : Math.max(range.y, toRow) + 1;
      grid.select(selectionOf(current.cell, { ...range, width: right - range.x, height: bottom - range.y }));
      grid.editor.current?.scrollTo(right - 1, bottom - 1);
    },
    /** Goes on from the cursor's cell, or from another place in its column. */
    step: (step: Step, from = choice.selection.current?.cell[1]) => {
      const { current } = choice.selection;
      if (current === undefined || from === undefined || step === 'stay') return;
      const written = columns.flatMap(({ sheet }, index) => (sheet === undefined ? [] : [index]));
      // A row that was typed just now has made another place below it, which is not drawn yet.
      const rows = Math.max(grid.places, editing.typed.places);
      const ends = { columns: columns.length, rows, written };
      const moved = moveCursor([current.cell[0], from], step, ends, grid.tabRun.current);
      grid.tabRun.current = moved.run;
      goTo(moved.cursor[0], moved.cursor[1]);
    },
  };
}

/** The selected cells in blocks, each with the keys of its rows. */
export function chosenCells({ choice, columns, total }: Grid): readonly CellArea[] {
  return cellBlocks(choice.selection, columns, total).map(({ spans, headers }) => ({
    rows: choice.keys(spans),
    headers,
  }));
}

/** Filling a single row copies the row above it, as spreadsheets do. */
function withRowAbove({ choice }: Grid, model: AppModel, span: RowSpan): readonly number[] {
  const rows = choice.keys([span]);
  const above = span.height > 1 ? undefined : model.rows.pages.keyAt(span.y - 1);
  return above === undefined ? rows : [above, ...rows];
}

async function fillByDragging(model: AppModel, grid: Grid, source: Rectangle, whole: Rectangle): Promise<void> {
  const headers = headersIn(source, grid.columns);
  const span = { y: source.y, height: Math.min(source.height, grid.total - source.y) };
  if (headers.length === 0 || span.height <= 0) return;
  const { editing } = model;
  const block = { rows: grid.choice.keys([span]), headers };
  if (whole.height > source.height) {
    const isDown = whole.y === source.y;
    const y = isDown ? source.y + source.height : whole.y;
    const height = Math.min(whole.height - source.height, grid.total - y);
    if (height <= 0) return;
    if (isDown && span.height === 1) {
      await editing.fillDown({ rows: editing.keysIn({ y: source.y, height: height + 1 }), headers });
      return;
    }
    const target = { rows: editing.keysIn({ y, height }), headers, height };
    await repeatBlock(model, block, target, isDown ? 'down' : 'up');
    return;
  }
  const isRight = whole.x === source.x;
  const beside = isRight
    ? { x: source.x + source.width, width: whole.width - source.width }
    : { x: whole.x, width: source.x - whole.x };
  const others = headersIn(beside, grid.columns);
  if (others.length === 0) return;
  await repeatBlock(model, block, { ...block, headers: others, height: span.height }, isRight ? 'right' : 'left');
}

function plainText(model: AppModel, grid: Grid): string {
  const range = grid.choice.selection.current?.range;
  if (range === undefined) return '';
  const columns = grid.columns.slice(range.x, range.x + range.width);
  const height = Math.min(range.height, ROWS_AS_TEXT);
  return Array.from({ length: height }, (_, offset) => model.rows.pages.rowAt(range.y + offset))
    .filter((row) => row !== undefined)
    .map((row) => columns.map(({ text }) => text?.(row, grid.batch) ?? '').join('\t'))
    .join('\n');
}

function lockOf(model: AppModel, row: RowView, about: RowColumn): string | undefined {
  return about.sheet === undefined ? undefined : model.editing.lockOf(row, about.sheet.view.column);
}

function tellLock(model: AppModel, row: string): void {
  model.editing.say(words.grid.lockedNow(shownLine(row)));
}

function isOneCell({ current }: GridSelection): boolean {
  return current !== undefined && current.rangeStack.length === 0 && current.range.width * current.range.height === 1;
}

function tellNotOneBlock(model: AppModel): void {
  model.notices.show({ level: 'info', ...words.grid.notOneBlock });
}
