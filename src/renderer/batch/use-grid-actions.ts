import type { FillPatternEventArgs, Rectangle } from '@glideapps/glide-data-grid';
import { visibleLine } from '../format/visible-text.ts';
import { useAppModel } from '../state/app-context.ts';
import type { AppModel } from '../state/app-model.ts';
import type { RowSpan } from '../state/seen-rows.ts';
import type { SheetColumn } from './grid-columns.ts';
import {
  cellBlocks,
  headersFrom,
  headersIn,
  isWholeRows,
  lastSheetColumn,
  rowSpans,
  selectionOf,
} from './grid-selection.ts';
import type { Step } from '../editor/CellEditor.tsx';
import { selectedRows } from './selected-rows.ts';
import { moveCursor } from './tab-run.ts';
import type { Grid } from './use-grid.ts';

/** What can be done with the cells and rows that are chosen in the grid. */
export interface GridActions {
  readonly clear: () => void;
  /** False where no cell of the sheet is chosen. */
  readonly copy: (isCut: boolean) => boolean;
  /** What is chosen beside the sheet's own cells, as text: statuses, files, reasons; as far as it is known. */
  readonly plainText: () => string;
  readonly paste: () => void;
  readonly fillDown: () => void;
  readonly fillByDragging: (event: FillPatternEventArgs) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly insertRows: (where: 'above' | 'below') => void;
  readonly duplicateRows: () => void;
  readonly removeRows: () => void;
  readonly moveRows: (direction: 'up' | 'down') => void;
  readonly selectAll: () => void;
  readonly selectColumn: (column: number) => void;
  readonly selectRow: () => void;
  /** To the end of what there is; `isExtending` takes the selection along. */
  readonly goToEnd: (of: 'rows' | 'columns' | 'both', isExtending: boolean) => void;
  readonly step: (step: Step) => void;
  /** Writes a cell of a row that was seen at a place; without a key, of the new row there. */
  readonly write: (
    row: { readonly index: number; readonly key: number | undefined },
    sheet: SheetColumn,
    text: string,
  ) => void;
  readonly writeAll: (text: string) => void;
  /** Says why a row cannot be edited now. */
  readonly tellLock: (row: string, reason: string) => void;
}

/** The rows that are chosen; undefined where there are none. */
export function chosenRows(grid: Grid): readonly RowSpan[] {
  return rowSpans(grid.selection, grid.total);
}

export function useGridActions(grid: Grid): GridActions {
  const model = useAppModel();
  return { ...cellActions(model, grid), ...rowActions(model, grid), ...cursorActions(grid) };
}

function cellActions(model: AppModel, grid: Grid) {
  const { editing } = model;
  const blocks = () => cellBlocks(grid.selection, grid.columns, grid.total);
  return {
    clear: () => {
      for (const { spans, headers } of blocks()) void editing.clear(spans, headers);
    },
    copy: (isCut: boolean) => {
      const [first, ...others] = blocks();
      if (first === undefined) return false;
      if (others.length === 0) void editing.copy(first.spans, first.headers, isCut);
      else tellNotOneBlock(model);
      return true;
    },
    plainText: () => plainText(model, grid),
    paste: () => {
      const range = grid.selection.current?.range;
      if (range === undefined) return;
      // Whole rows, and what begins before the sheet's columns, is written from their first one on.
      const headers = headersFrom(isWholeRows(range, grid.columns) ? 0 : range.x, grid.columns);
      const height = Math.max(1, Math.min(range.height, grid.total - range.y));
      const columns = Math.max(1, headersIn(range, grid.columns).length);
      if (headers.length > 0) {
        void editing.paste({ y: range.y, height }, headers, columns);
        return;
      }
      const message = 'Choose a cell of the sheet’s own columns: these here tell what became of the row.';
      model.notices.show({ level: 'info', title: 'Nothing can be pasted here', message });
    },
    fillDown: () => {
      for (const { spans, headers } of blocks()) {
        for (const span of spans) void editing.fillDown(fromRowAbove(span), headers);
      }
    },
    fillByDragging: (event: FillPatternEventArgs) => {
      event.preventDefault();
      void fillByDragging(model, grid, event.patternSource, event.fillDestination);
    },
    undo: () => void editing.undo(),
    redo: () => void editing.redo(),
    write: (
      { index, key }: { index: number; key: number | undefined },
      { header, view }: SheetColumn,
      text: string,
    ) => {
      // An edited id is another name for the cursor's row: it is looked up again.
      if (view.column === 'row') model.rows.select(undefined);
      void editing.commitCell(index, key, header, text);
    },
    writeAll: (text: string) => {
      for (const { spans, headers } of blocks()) {
        for (const span of spans) void editing.setCells(span, headers, [headers.map(() => text)]);
      }
    },
    tellLock: (row: string, reason: string) =>
      model.notices.show({ level: 'info', title: `${visibleLine(row)} cannot be edited now`, message: reason }),
  };
}

function rowActions(model: AppModel, grid: Grid) {
  const { editing } = model;
  /** The cursor stays where it is while other rows come to stand there. */
  const keepPlace = (): void => model.rows.select(undefined);
  return {
    insertRows: (where: 'above' | 'below') => {
      const range = grid.selection.current?.range;
      const at = range === undefined ? grid.total : where === 'above' ? range.y : range.y + range.height - 1;
      const count = Math.max(1, Math.min(range?.height ?? 1, grid.total - (range?.y ?? 0)));
      keepPlace();
      const column = grid.current?.column ?? 1;
      void editing.insertRows(at, where, count).then((key) => {
        const place = where === 'above' ? at : at + 1;
        if (key === undefined) return;
        grid.select(selectionOf([column, place]));
        grid.editor.current?.scrollTo(column, place);
      });
    },
    duplicateRows: () => void editing.duplicateRows(chosenRows(grid)),
    removeRows: () => {
      const spans = chosenRows(grid);
      if (spans.length === 0) return;
      keepPlace();
      void editing.removeRows(spans);
    },
    moveRows: (direction: 'up' | 'down') => {
      const [span, ...others] = chosenRows(grid);
      if (span === undefined) return;
      // The cursor goes along: it follows its row.
      if (others.length === 0) void editing.moveRows(span, direction);
      else tellNotOneBlock(model);
    },
  };
}

function cursorActions(grid: Grid) {
  const { columns, selection } = grid;
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
      const range = selection.current?.range;
      if (range === undefined) return;
      grid.select(selectionOf([0, range.y], { ...range, x: 0, width: columns.length }), 'pointer');
    },
    goToEnd: (of: 'rows' | 'columns' | 'both', isExtending: boolean) => {
      const { current } = selection;
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
    step: (step: Step) => {
      const { current } = grid;
      if (current === undefined || step === 'stay') return;
      const written = columns.flatMap(({ sheet }, index) => (sheet === undefined ? [] : [index]));
      const ends = { columns: columns.length, rows: grid.places, written };
      const moved = moveCursor([current.column, current.index], step, ends, grid.tabRun.current);
      grid.tabRun.current = moved.run;
      goTo(moved.cursor[0], moved.cursor[1]);
    },
  };
}

/** One row that is filled takes what stands above it, as spreadsheets do. */
function fromRowAbove(span: RowSpan): RowSpan {
  return span.height > 1 || span.y === 0 ? span : { y: span.y - 1, height: 2 };
}

async function fillByDragging(model: AppModel, grid: Grid, source: Rectangle, whole: Rectangle): Promise<void> {
  const headers = headersIn(source, grid.columns);
  const span = { y: source.y, height: Math.min(source.height, grid.total - source.y) };
  if (headers.length === 0 || span.height <= 0) return;
  const block = { span, headers };
  if (whole.height > source.height) {
    const isDown = whole.y === source.y;
    const y = isDown ? source.y + source.height : whole.y;
    const height = Math.min(whole.height - source.height, grid.total - y);
    if (height <= 0) return;
    if (isDown && span.height === 1) await model.editing.fillDown({ y: source.y, height: height + 1 }, headers);
    else await model.editing.repeatBlock(block, { span: { y, height }, headers }, isDown ? 'down' : 'up');
    return;
  }
  const isRight = whole.x === source.x;
  const beside = isRight
    ? { x: source.x + source.width, width: whole.width - source.width }
    : { x: whole.x, width: source.x - whole.x };
  const others = headersIn(beside, grid.columns);
  if (others.length > 0) await model.editing.repeatBlock(block, { span, headers: others }, isRight ? 'right' : 'left');
}

function plainText(model: AppModel, grid: Grid): string {
  const range = grid.selection.current?.range;
  if (range === undefined) return '';
  const columns = grid.columns.slice(range.x, range.x + range.width);
  return selectedRows(model.rows.pages, grid.selection)
    .map((row) => columns.map(({ text }) => text?.(row) ?? '').join('\t'))
    .join('\n');
}

function tellNotOneBlock(model: AppModel): void {
  const message = 'Choose cells that stand side by side, or rows that stand one below the other.';
  model.notices.show({ level: 'info', title: 'This works with one block at a time', message });
}
