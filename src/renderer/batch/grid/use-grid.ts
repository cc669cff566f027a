import type { DataEditorRef, GridSelection, Rectangle } from '@glideapps/glide-data-grid';
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { useStore } from 'zustand';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { useAppModel, useEditing, usePlaces, useRows } from '../../state/app-context.ts';
import { frozenCount, gridColumns, type RowColumn } from '../columns/grid-columns.ts';
import { useGridLayout, type GridLayout } from './grid-layout.ts';
import { GridChoice } from '../keys/grid-choice.ts';
import { columnOfHeader, meantSelection, selectionOf } from '../keys/grid-selection.ts';
import type { TabRun } from '../keys/tab-run.ts';
import { useGridPictures } from './use-grid-pictures.ts';
import { useRowsDrawn } from './use-rows-drawn.ts';

/** The cursor's cell. */
export interface CurrentCell {
  readonly index: number;
  readonly column: number;
  readonly about: RowColumn;
  /** Undefined while it is being fetched, or below the last row. */
  readonly row: RowView | undefined;
}

/** What the grid and everything around it share: columns, cursor, and access to the canvas. */
export interface Grid {
  readonly batch: BatchView;
  readonly columns: readonly RowColumn[];
  readonly frozen: number;
  readonly layout: GridLayout;
  readonly changeLayout: (change: (before: GridLayout) => GridLayout) => void;
  /** As drawn. Actions use `choice`, which may already be one drawing ahead. */
  readonly selection: GridSelection;
  readonly choice: GridChoice;
  readonly select: (selection: GridSelection, by?: 'keyboard' | 'pointer') => void;
  readonly current: CurrentCell | undefined;
  /** Rows in the view. */
  readonly total: number;
  /** The same plus new rows under way and the empty one below them, for typing. */
  readonly places: number;
  readonly editor: RefObject<DataEditorRef | null>;
  /** How its cells are drawn. */
  readonly renderers: ReturnType<typeof useGridPictures>['renderers'];
  /** The current run of cells passed with Tab. */
  readonly tabRun: RefObject<TabRun | undefined>;
  /** Call it when other rows come into sight. */
  readonly setVisible: (range: Rectangle) => void;
  /** A new version redraws every cell. */
  readonly version: number;
}

/** Puts together what a batch's grid shows. */
export function useGrid(batch: BatchView): Grid {
  const model = useAppModel();
  const sheet = useEditing((state) => state.sheet);
  const total = useRows((state) => state.total);
  const filter = useRows((state) => state.filter);
  useRows((state) => state.sort);
  const shownTotal = useLastKnown(total) ?? 0;
  const [layout, changeLayout] = useGridLayout(batch.id);
  const editor = useRef<DataEditorRef>(null);
  const { state, rehearsal } = batch;
  const choice = useChoice(editor);
  const selection = useStore(choice.store, (state) => state.selection);
  const tabRun = useRef<TabRun>(undefined);
  const visible = useRef<Rectangle>({ x: 0, y: 0, width: 1, height: 1 });
  const columns = useMemo(
    () => gridColumns(sheet?.columns ?? [], layout, { state, rehearsal }),
    [sheet?.columns, layout, state, rehearsal],
  );
  const version = useRowsDrawn(editor, visible, columns);
  const { renderers, lookAt } = useGridPictures(editor, columns);
  const places = model.editing.typed.placesNeeded(shownTotal);
  const canAppend = sheet !== undefined && total !== undefined && model.rows.isSheetOrder;

  const select = useCallback(
    (next: GridSelection, by: 'keyboard' | 'pointer' = 'keyboard') => choice.select(meantSelection(next, columns, by)),
    [choice, columns],
  );
  const setVisible = useCallback(
    (range: Rectangle) => {
      visible.current = range;
      lookAt(range);
      model.rows.pages.setVisible(range.y, range.y + range.height);
    },
    [model, lookAt],
  );
  useEffect(() => {
    // A new filter starts at its first row; the cursor’s row comes into sight if it passes.
    if (filter !== undefined) editor.current?.scrollTo(0, 0, 'vertical');
  }, [filter]);
  useCursorOfModel(choice, editor);
  useColumnOfCursor(choice, columns);
  useJumps(columns, changeLayout, select, editor, total);

  const cell = selection.current?.cell;
  const about = cell === undefined ? undefined : columns[cell[0]];
  const current =
    cell === undefined || about === undefined
      ? undefined
      : { index: cell[1], column: cell[0], about, row: model.rows.pages.rowAt(cell[1]) };
  return {
    batch,
    columns,
    frozen: frozenCount(columns, layout),
    layout,
    changeLayout,
    selection,
    choice,
    select,
    current,
    total: shownTotal,
    places: canAppend ? places + 1 : places,
    editor,
    renderers,
    tabRun,
    setVisible,
    version,
  };
}

/** The last value that was not undefined, so that the grid keeps its height while a filter is being answered. */
function useLastKnown(value: number | undefined): number | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}

/** The selection; it follows its rows as they move. */
function useChoice(editor: RefObject<DataEditorRef | null>): GridChoice {
  const model = useAppModel();
  const [choice] = useState(
    () =>
      new GridChoice({
        shown: () => model.editing.typed.shown,
        onCursor: (key) => model.rows.select(key),
        onMoved: ([column, place]) => editor.current?.scrollTo(column, place, 'vertical'),
      }),
  );
  useEffect(() => model.rows.onDraw((drawn) => (drawn.kind === 'all' ? choice.follow() : undefined)), [model, choice]);
  return choice;
}

/** The inspector takes its room from the grid: the cursor's cell stays in sight in what is left. */
export function useCursorBesideInspector(
  box: RefObject<HTMLElement | null>,
  { choice, editor }: Pick<Grid, 'choice' | 'editor'>,
): void {
  const isInspectorOpen = useRows((state) => state.isInspectorOpen);
  useEffect(() => {
    if (!isInspectorOpen) return undefined;
    let frame = requestAnimationFrame(function follow() {
      const { current: around } = box;
      const canvas = around?.querySelector('canvas');
      const cell = choice.selection.current?.cell;
      if (!around || !canvas || cell === undefined) return;
      // The grid hears of its new size a moment later.
      if (canvas.clientWidth > around.clientWidth) frame = requestAnimationFrame(follow);
      else editor.current?.scrollTo(cell[0], cell[1]);
    });
    return () => cancelAnimationFrame(frame);
  }, [box, choice, editor, isInspectorOpen]);
}

/** Moves the cursor to the row that was selected elsewhere, for example in the inspector. */
function useCursorOfModel(choice: GridChoice, editor: RefObject<DataEditorRef | null>): void {
  const model = useAppModel();
  const key = useRows((state) => state.selectedKey);
  useEffect(() => {
    const place = key === undefined ? undefined : model.rows.pages.placeOf(key);
    if (place === undefined || key === choice.cursorKey) return;
    const column = choice.selection.current?.cell[0] ?? 1;
    choice.select(selectionOf([column, place]));
    editor.current?.scrollTo(column, place, 'vertical');
  }, [model, choice, editor, key]);
}

/** Keeps the cursor in its column when the column moves: results come before the sheet once a batch has started. */
function useColumnOfCursor(choice: GridChoice, columns: readonly RowColumn[]): void {
  const former = useRef(columns);
  useEffect(() => {
    const before = former.current;
    former.current = columns;
    const [column, place] = choice.selection.current?.cell ?? [];
    if (column === undefined || place === undefined) return;
    const now = columns.findIndex(({ id }) => id === before[column]?.id);
    if (now !== -1 && now !== column) choice.select(selectionOf([now, place]));
  }, [choice, columns]);
}

/** Moves the cursor to the target of a search or a problem, as soon as its rows are known. */
function useJumps(
  columns: readonly RowColumn[],
  changeLayout: Grid['changeLayout'],
  select: Grid['select'],
  editor: RefObject<DataEditorRef | null>,
  total: number | undefined,
): void {
  const model = useAppModel();
  const target = usePlaces((state) => state.target);
  const reached = useRef(target);
  useEffect(() => {
    if (target === undefined || target === reached.current || total === undefined || columns.length === 0) return;
    const { index, key, header } = target;
    const column = header === undefined ? undefined : columnOfHeader(header, columns);
    if (header !== undefined && column === undefined && model.editing.cellIndex(header) >= 0) {
      // Shows a hidden column again; this runs once more when it is there.
      changeLayout((before) => ({ ...before, hidden: before.hidden.filter((name) => name !== header) }));
      return;
    }
    if (header !== undefined && model.editing.store.getState().sheet === undefined) return;
    reached.current = target;
    const { pages } = model.rows;
    const place = (key === undefined ? undefined : pages.placeOf(key)) ?? Math.min(index, Math.max(0, total - 1));
    pages.setVisible(place, place);
    select(selectionOf([column ?? 1, place]));
    const isElsewhere = document.activeElement?.closest('[data-keeps-keyboard]') !== null;
    requestAnimationFrame(() => {
      editor.current?.scrollTo(column ?? 1, place, 'both', 0, 0, { vAlign: 'center' });
      if (!isElsewhere) editor.current?.focus();
    });
  }, [model, target, total, columns, changeLayout, select, editor]);
}
