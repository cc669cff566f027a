import '@glideapps/glide-data-grid/index.css';
import { DataEditor, type GridColumn, type GridSelection, type Item } from '@glideapps/glide-data-grid';
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { shownLine } from '../../format/shown-text.ts';
import { useAppModel, useRows } from '../../state/app-context.ts';
import type { ViewSort } from '../../state/batch/rows-view.ts';
import { GRID_RENDERERS } from './grid-cells.ts';
import { ADD_COLUMN_ID, type RowColumn } from '../columns/grid-columns.ts';
import type { GridLayout } from './grid-layout.ts';
import { useGridPalette } from './grid-palette.ts';
import { isChosen, selectionOf } from '../keys/grid-selection.ts';
import { CellTip, useCellTip } from './CellTip.tsx';
import { GridEditors } from './GridEditors.tsx';
import { RowMenu } from './RowMenu.tsx';
import { chosenRowsOf } from '../keys/grid-choice.ts';
import { useCellContent } from './use-cell-content.ts';
import { useCellEditing } from './use-cell-editing.ts';
import { useMenuClipboard, useGridKeys } from '../keys/use-grid-keys.ts';
import type { GridActions } from '../keys/use-grid-actions.ts';
import type { Grid } from './use-grid.ts';
import type { HeaderPlace } from '../columns/HeaderMenu.tsx';
import styles from './RowGrid.module.css';

const ROW_HEIGHT = 34;
const HEADER_HEIGHT = 34;
/** What the sheet's routes and our own editor do instead. */
const KEYBINDINGS = {
  search: false,
  delete: false,
  copy: false,
  cut: false,
  paste: false,
  clear: false,
  selectAll: false,
  selectColumn: false,
  selectRow: false,
  activateCell: false,
  scrollToSelectedCell: false,
  goToLastColumn: false,
  goToLastRow: false,
  goToLastCell: false,
};

interface RowGridProps {
  readonly grid: Grid;
  readonly actions: GridActions;
  /** Opens the menu of a column. */
  readonly onHeaderMenu: (place: HeaderPlace) => void;
  /** Asks which column to add. */
  readonly onAddColumn: () => void;
}

/** Every row of a batch with its cells. It draws what is on screen and asks for nothing else. */
export function RowGrid({ grid, actions, onHeaderMenu, onAddColumn }: RowGridProps) {
  const model = useAppModel();
  const { columns, layout, selection, editor, total, places } = grid;
  const sort = useRows((state) => state.sort);
  const shown = useRows((state) => state.total);
  const palette = useGridPalette();
  const box = useRef<HTMLDivElement>(null);
  const pointer = useRef<'keyboard' | 'pointer'>('keyboard');
  const [hovered, setHovered] = useState<number>();
  const tip = useCellTip(grid);
  const editing = useCellEditing(grid, actions);
  const openMenu = (): void => openMenuAt(box.current, grid);
  const onKey = useGridKeys(grid, actions, editing, openMenu);
  useMenuClipboard(box, actions);
  useKeyboardComesBack(grid, editing.edited !== undefined);
  useChosenUnknown(grid);

  const glideColumns = useMemo(
    () => columns.map((column) => glideColumn(column, sort, layout)),
    [columns, sort, layout],
  );
  const getCellContent = useCellContent(grid, palette);
  const cursorRow = selection.current?.cell[1];
  const getRowTheme = useCallback(
    (index: number) => {
      if (cursorRow === index) return { bgCell: palette.selected, bgCellMedium: palette.selected };
      return hovered === index ? { bgCell: palette.hover, bgCellMedium: palette.hover } : undefined;
    },
    [cursorRow, hovered, palette],
  );
  const act = ([column, index]: Item): void => {
    const row = model.rows.pages.rowAt(index);
    if (row !== undefined && columns[column]?.sheet === undefined) model.rows.inspect(row.key);
  };

  return (
    <RowMenu grid={grid} actions={actions}>
      <div
        ref={box}
        className={styles.grid}
        data-testid="row-grid"
        data-region="grid"
        data-ready={shown !== undefined && columns.some(({ sheet }) => sheet !== undefined)}
        onContextMenuCapture={(event) => {
          // By a key: the page does not know where the cursor is.
          if (!event.nativeEvent.isTrusted || pointer.current === 'pointer') return;
          event.preventDefault();
          event.stopPropagation();
          openMenu();
        }}
        onPointerDownCapture={({ target, currentTarget }) => {
          pointer.current = 'pointer';
          // A click on the cursor's cell chooses nothing, and the grid would leave the keyboard where it is.
          const isInGrid = target instanceof Node && currentTarget.contains(target);
          if (isInGrid && !currentTarget.contains(document.activeElement)) editor.current?.focus();
        }}
        onKeyDownCapture={() => {
          pointer.current = 'keyboard';
        }}
      >
        <DataEditor
          ref={editor}
          width="100%"
          height="100%"
          columns={glideColumns}
          rows={places}
          getCellContent={getCellContent}
          getCellsForSelection
          customRenderers={GRID_RENDERERS}
          theme={palette.theme}
          getRowThemeOverride={getRowTheme}
          rowHeight={ROW_HEIGHT}
          headerHeight={HEADER_HEIGHT}
          minColumnWidth={36}
          maxColumnWidth={900}
          smoothScrollX
          smoothScrollY
          freezeColumns={grid.frozen}
          rowMarkers="none"
          rangeSelect="multi-rect"
          // No cell spans others: else every cell of a range is looked at, also those that were never in sight.
          spanRangeBehavior="allowPartial"
          columnSelect="none"
          rowSelect="none"
          editOnType={false}
          // Who moves the cursor scrolls to it: twice in one frame goes twice as far.
          scrollToActiveCell={false}
          fillHandle
          allowedFillDirections="orthogonal"
          onFillPattern={actions.fillByDragging}
          cellActivationBehavior="double-click"
          keybindings={KEYBINDINGS}
          gridSelection={selection}
          onGridSelectionChange={(next) => {
            // The grid says so of itself where nothing is drawn as chosen, also while chosen rows are looked for.
            if (next.current === undefined && grid.choice.selection.current === undefined) return;
            grid.select(next, pointer.current);
            if (pointer.current === 'keyboard') scrollToCursor(next);
          }}
          onKeyDown={onKey}
          onCellActivated={(cell, event) => {
            if (event.inputType === 'pointer' && !editing.begin()) act(cell);
          }}
          onCellClicked={([column, index]) => {
            const row = model.rows.pages.rowAt(index);
            if (columns[column]?.id === 'files' && row !== undefined && row.files.length > 0) model.rows.look(row.key);
          }}
          onCellContextMenu={(cell) => grid.select(selectionFor(cell, selection))}
          onHeaderClicked={(column, event) => {
            const about = columns[column];
            if (about?.id === ADD_COLUMN_ID) onAddColumn();
            else if (about?.sortBy !== undefined) model.rows.sortBy(about.sortBy);
            else if (about?.sheet !== undefined && !event.isEdge) actions.selectColumn(column);
          }}
          onHeaderMenuClick={(column, bounds) => onHeaderMenu({ column, bounds })}
          onHeaderContextMenu={(column, event) => {
            event.preventDefault();
            onHeaderMenu({ column, bounds: event.bounds });
          }}
          onColumnResize={(column, width) =>
            grid.changeLayout((before) => ({ ...before, widths: { ...before.widths, [column.id ?? '']: width } }))
          }
          onColumnProposeMove={(from, to) => isMovable(columns[from]) && isMovable(columns[to])}
          onColumnMoved={(from, to) => moveColumn(from, to)}
          onItemHovered={(item) => {
            setHovered(item.kind === 'cell' ? item.location[1] : undefined);
            tip.hover(item.kind === 'cell' ? { cell: item.location, bounds: item.bounds } : undefined);
          }}
          onVisibleRegionChanged={(range) => {
            // A note about a cell that has moved on would be about another one.
            tip.hover(undefined);
            grid.setVisible(range);
          }}
        />
        {shown === 0 && total === 0 && (
          <p className={styles.empty}>
            {model.rows.isSheetOrder ? 'The sheet is empty. Type into the first row, or paste.' : 'No rows match.'}
          </p>
        )}
        <CellTip tip={tip.shown} />
        <GridEditors grid={grid} actions={actions} editing={editing} />
      </div>
    </RowMenu>
  );

  function scrollToCursor({ current }: GridSelection): void {
    const before = selection.current?.cell;
    if (current === undefined || (current.cell[0] === before?.[0] && current.cell[1] === before[1])) return;
    editor.current?.scrollTo(current.cell[0], current.cell[1]);
  }

  function moveColumn(from: number, to: number): void {
    const moved = columns[from]?.sheet;
    if (moved === undefined) return;
    // Moved to the right, it comes to stand after the one that is there; to the left, before it.
    const before = columns[to > from ? to : to - 1]?.sheet;
    const after = before ?? columns.slice(0, to).findLast(({ sheet }) => sheet !== undefined)?.sheet;
    void model.editing.changeColumns({
      kind: 'move-column',
      header: moved.header,
      ...(after === undefined ? {} : { after: after.header }),
    });
  }

  function isMovable(column: RowColumn | undefined): boolean {
    return column?.sheet !== undefined && column.id !== 'row';
  }
}

function glideColumn(
  { id, title, width, grow, sortBy, sheet }: RowColumn,
  sort: ViewSort,
  layout: GridLayout,
): GridColumn {
  const arrow = sort.direction === 'ascending' ? '↑' : '↓';
  const resized = layout.widths[id];
  const mark = sheet !== undefined && sheet.view.column === '' ? ' ·' : '';
  return {
    id,
    title:
      sortBy === sort.column && (id !== 'line' || sort.direction === 'descending')
        ? `${title} ${arrow}`
        : `${shownLine(title)}${mark}`,
    width: resized ?? width,
    hasMenu: sheet !== undefined,
    ...(grow === undefined || resized !== undefined ? {} : { grow }),
  };
}

/** Opens the menu of the rows at the cursor's cell, as the other button of the mouse does where it is pressed. */
function openMenuAt(box: HTMLElement | null, { editor, choice }: Grid): void {
  const cell = choice.selection.current?.cell;
  const bounds = cell === undefined ? undefined : editor.current?.getBounds(cell[0], cell[1]);
  if (bounds === undefined) return;
  const place = { clientX: bounds.x + Math.min(bounds.width / 2, 24), clientY: bounds.y + bounds.height };
  box?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, ...place }));
}

/** A click with the other button keeps a range that it falls into, else it takes the one cell. */
function selectionFor(cell: Item, selection: GridSelection): GridSelection {
  return isChosen(cell, selection) ? selection : selectionOf(cell);
}

/** The grid takes the keyboard back from what was opened over it or beside it. */
function useKeyboardComesBack({ editor }: { readonly editor: Grid['editor'] }, isEditing: boolean): void {
  const openCount = useRows((state) => Number(state.isInspectorOpen) + Number(state.isLookOpen)) + Number(isEditing);
  useFocusAfter(editor, openCount);
}

function useFocusAfter(editor: RefObject<{ focus: () => void } | null>, openCount: number): void {
  const lastCount = useRef(openCount);
  useEffect(() => {
    if (openCount < lastCount.current) editor.current?.focus();
    lastCount.current = openCount;
  }, [openCount, editor]);
}

/** Says which rows of a selection of several wait for a decision. */
function useChosenUnknown({ choice }: Grid): void {
  const model = useAppModel();
  useEffect(() => {
    const { pages } = model.rows;
    const choose = (): void => {
      const { known, spans, isWhole } = chosenRowsOf(pages, choice, pages.total ?? 0);
      const unknown = known.length > 1 ? known.filter((row) => row.status === 'submit-unknown') : [];
      // Which of those that were never in sight are unknown, the application tells.
      model.rows.chooseUnknown(isWhole ? unknown.map(({ key }) => key) : choice.keys(spans));
    };
    choose();
    // What is drawn anew may have another status.
    const stops = [model.rows.onDraw(choose), choice.store.subscribe(choose)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [model, choice]);
}
