import '@glideapps/glide-data-grid/index.css';
import {
  CompactSelection,
  DataEditor,
  type DataEditorRef,
  type GridColumn,
  type GridKeyEventArgs,
  type GridSelection,
  type Item,
  type Rectangle,
} from '@glideapps/glide-data-grid';
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { BatchView } from '../../shared/ipc/views.ts';
import { useAppliedTheme } from '../design/use-theme.ts';
import { useAppModel, useRows } from '../state/app-context.ts';
import type { RowSort } from '../state/rows-view.ts';
import { GRID_RENDERERS } from './grid-cells.ts';
import { LOADING_CELL, ROW_COLUMNS } from './grid-columns.ts';
import { readGridPalette } from './grid-palette.ts';
import { RowMenu } from './RowMenu.tsx';
import { selectedRows } from './selected-rows.ts';
import { useRowsDrawn } from './use-rows-drawn.ts';
import styles from './RowGrid.module.css';

const ROW_HEIGHT = 34;
const HEADER_HEIGHT = 34;
/** Only what suits a list that is not edited. */
const KEYBINDINGS = { search: false, delete: false, cut: false, paste: false, selectColumn: false, selectRow: false };
const NOTHING_SELECTED: GridSelection = { columns: CompactSelection.empty(), rows: CompactSelection.empty() };

/** Every row of a batch. It draws what is on screen and asks for nothing else. */
export function RowGrid({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const total = useRows((state) => state.total);
  const sort = useRows((state) => state.sort);
  const theme = useAppliedTheme();
  // The tokens are read from the page again when the theme has changed.
  const palette = useMemo(readGridPalette, [theme]);
  const editor = useRef<DataEditorRef>(null);
  const visible = useRef<Rectangle>({ x: 0, y: 0, width: 1, height: 1 });
  const version = useRowsDrawn(editor, visible);
  const [selection, setSelection] = useState(NOTHING_SELECTED);
  const [hovered, setHovered] = useState<number>();
  const [widths, setWidths] = useState<Readonly<Record<string, number>>>({});
  const shownTotal = useLastKnown(total) ?? 0;
  useCursorFollowsRow(selection, setSelection, editor);
  useKeyboardComesBack(editor);
  useChosenUnknown(selection);

  const columns = useMemo(() => gridColumns(sort, widths), [sort, widths]);
  const getCellContent = useCallback(
    ([column, index]: Item) => {
      const row = model.rows.pages.rowAt(index);
      return row === undefined ? LOADING_CELL : (ROW_COLUMNS[column]?.cell(row, palette, Date.now()) ?? LOADING_CELL);
    },
    // A new version has every cell drawn anew.
    // oxlint-disable-next-line react/exhaustive-deps -- as said above
    [model, palette, version],
  );
  const getRowTheme = useCallback(
    (index: number) => {
      if (selection.current?.cell[1] === index) return { bgCell: palette.selected, bgCellMedium: palette.selected };
      return hovered === index ? { bgCell: palette.hover, bgCellMedium: palette.hover } : undefined;
    },
    [selection, hovered, palette],
  );

  const select = (next: GridSelection): void => {
    setSelection(next);
    const index = next.current?.cell[1];
    model.rows.select(index === undefined ? undefined : model.rows.pages.rowAt(index)?.row);
  };
  const act = (index: number | undefined, action: 'inspect' | 'look'): void => {
    const row = index === undefined ? undefined : model.rows.pages.rowAt(index);
    if (row === undefined) return;
    if (action === 'look' && row.files.length > 0) model.rows.look(row.row);
    else model.rows.inspect(row.row);
  };
  const onKeyDown = (event: GridKeyEventArgs): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === 'Escape' && model.rows.store.getState().isInspectorOpen) {
      event.cancel();
      model.rows.closeInspector();
    }
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.cancel();
    event.preventDefault();
    // The cursor as it is, not as it was drawn last: a key may come in the same moment as a click.
    const { selectedRow } = model.rows.store.getState();
    const index = selectedRow === undefined ? undefined : model.rows.pages.placeOf(selectedRow);
    act(index ?? event.location?.[1], event.key === ' ' ? 'look' : 'inspect');
  };

  return (
    <RowMenu batch={batch} selection={selection}>
      <div className={styles.grid} data-testid="row-grid">
        <DataEditor
          ref={editor}
          width="100%"
          height="100%"
          columns={columns}
          rows={shownTotal}
          getCellContent={getCellContent}
          getCellsForSelection
          customRenderers={GRID_RENDERERS}
          theme={palette.theme}
          getRowThemeOverride={getRowTheme}
          rowHeight={ROW_HEIGHT}
          headerHeight={HEADER_HEIGHT}
          verticalBorder={false}
          smoothScrollY
          freezeColumns={1}
          rowMarkers="none"
          rangeSelect="rect"
          columnSelect="none"
          rowSelect="none"
          cellActivationBehavior="double-click"
          keybindings={KEYBINDINGS}
          gridSelection={selection}
          onGridSelectionChange={select}
          onKeyDown={onKeyDown}
          onCellActivated={([, index], event) => event.inputType === 'pointer' && act(index, 'inspect')}
          onCellClicked={([column, index]) => {
            if (ROW_COLUMNS[column]?.id === 'files' && hasFiles(model.rows.pages.rowAt(index))) act(index, 'look');
          }}
          onCellContextMenu={(cell) => select(selectionFor(cell, selection))}
          onHeaderClicked={(column) => {
            const sortBy = ROW_COLUMNS[column]?.sortBy;
            if (sortBy !== undefined) model.rows.sortBy(sortBy);
          }}
          onColumnResize={(column, width) => setWidths({ ...widths, [column.id ?? '']: width })}
          onItemHovered={({ location, kind }) => setHovered(kind === 'cell' ? location[1] : undefined)}
          onVisibleRegionChanged={(range) => {
            visible.current = range;
            model.rows.pages.setVisible(range.y, range.y + range.height);
          }}
        />
        {total === 0 && <p className={styles.empty}>No row passes this filter.</p>}
      </div>
    </RowMenu>
  );
}

function hasFiles(row: { readonly files: readonly unknown[] } | undefined): boolean {
  return row !== undefined && row.files.length > 0;
}

function gridColumns(sort: RowSort, widths: Readonly<Record<string, number>>): readonly GridColumn[] {
  return ROW_COLUMNS.map(({ id, title, width, grow, sortBy }) => {
    const arrow = sort.direction === 'ascending' ? '↑' : '↓';
    const resized = widths[id];
    return {
      id,
      title: sortBy === sort.column ? `${title} ${arrow}` : title,
      width: resized ?? width,
      ...(grow === undefined || resized !== undefined ? {} : { grow }),
    };
  });
}

/** A click with the other button keeps a range that it falls into, else it takes the one cell. */
function selectionFor(cell: Item, selection: GridSelection): GridSelection {
  const range = selection.current?.range;
  if (range !== undefined && cell[1] >= range.y && cell[1] < range.y + range.height) return selection;
  return {
    ...NOTHING_SELECTED,
    current: { cell, range: { x: cell[0], y: cell[1], width: 1, height: 1 }, rangeStack: [] },
  };
}

/** The last value that was not undefined, so that the grid keeps its height while a filter is answered. */
function useLastKnown(value: number | undefined): number | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}

/** The grid takes the keyboard back from what was opened over it or beside it. */
function useKeyboardComesBack(editor: RefObject<DataEditorRef | null>): void {
  const openCount = useRows((state) => Number(state.isInspectorOpen) + Number(state.isLookOpen));
  const lastCount = useRef(openCount);
  useEffect(() => {
    if (openCount < lastCount.current) editor.current?.focus();
    lastCount.current = openCount;
  }, [openCount, editor]);
}

/** Says which rows of a selection of several wait for a decision. */
function useChosenUnknown(selection: GridSelection): void {
  const model = useAppModel();
  useEffect(() => {
    const choose = (): void => {
      const rows = selectedRows(model.rows.pages, selection);
      const unknown = rows.length > 1 ? rows.filter((row) => row.status === 'submit-unknown') : [];
      model.rows.chooseUnknown(unknown.map((row) => row.row));
    };
    choose();
    // What is drawn anew may have another status.
    return model.rows.onDraw(choose);
  }, [model, selection]);
}

/** Moves the cursor when its row has another place, or when another row was chosen elsewhere. */
function useCursorFollowsRow(
  selection: GridSelection,
  setSelection: (selection: GridSelection) => void,
  editor: RefObject<DataEditorRef | null>,
): void {
  const model = useAppModel();
  const row = useRows((state) => state.selectedRow);
  const place = row === undefined ? undefined : model.rows.pages.placeOf(row);
  const current = selection.current?.cell;
  useEffect(() => {
    if (place === undefined || place === current?.[1]) return;
    const column = current?.[0] ?? 0;
    setSelection({
      ...NOTHING_SELECTED,
      current: { cell: [column, place], range: { x: column, y: place, width: 1, height: 1 }, rangeStack: [] },
    });
    editor.current?.scrollTo(column, place, 'vertical');
  }, [place, current, setSelection, editor]);
}
