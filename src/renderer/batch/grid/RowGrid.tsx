import '@glideapps/glide-data-grid/index.css';
import { DataEditor, type GridColumn, type GridSelection, type Item } from '@glideapps/glide-data-grid';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { RowSort } from '../../../shared/domain/task/batch-view.ts';
import { shownLine } from '../../format/shown-text.ts';
import { words } from '../../../shared/words/words.ts';
import { Button } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { useAppModel, useRows } from '../../state/app-context.ts';
import { isSortedBy } from '../../state/batch/rows-view.ts';
import { tourPlace } from '../../state/tour.ts';
import { ADD_COLUMN_ID, fileInCell, FILES_COLUMN_ID, type RowColumn } from '../columns/grid-columns.ts';
import type { GridLayout } from './grid-layout.ts';
import { useGridPalette } from './grid-palette.ts';
import { withCursorAt } from '../keys/grid-selection.ts';
import { CellTip, useCellTip } from './CellTip.tsx';
import { GridEditors } from './GridEditors.tsx';
import { RowMenu } from './RowMenu.tsx';
import { chosenRowsOf } from '../keys/grid-choice.ts';
import { useCellContent } from './use-cell-content.ts';
import { useCellEditing } from './use-cell-editing.ts';
import { useMenuClipboard, useGridKeys } from '../keys/use-grid-keys.ts';
import type { GridActions } from '../keys/use-grid-actions.ts';
import { type Grid, useCursorBesideInspector } from './use-grid.ts';
import type { HeaderPlace } from '../columns/HeaderMenu.tsx';
import styles from './RowGrid.module.css';

const ROW_HEIGHT = 34;
const HEADER_HEIGHT = 34;
/** The sheet's routes and our own editor do this instead. */
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
  /** Opens a column's menu. */
  readonly onHeaderMenu: (place: HeaderPlace) => void;
  /** Asks which column to add. */
  readonly onAddColumn: () => void;
}

/** Every row of a batch with its cells. It draws what is on screen, and fetches nothing else. */
export function RowGrid({ grid, actions, onHeaderMenu, onAddColumn }: RowGridProps) {
  const model = useAppModel();
  const { columns, layout, selection, editor, total, places } = grid;
  const sort = useRows((state) => state.sort);
  const shown = useRows((state) => state.total);
  const palette = useGridPalette();
  const box = useRef<HTMLDivElement>(null);
  const pointer = useRef<'keyboard' | 'pointer'>('keyboard');
  const isGettingFocus = useRef(false);
  const [hovered, setHovered] = useState<number>();
  const tip = useCellTip(grid);
  const editing = useCellEditing(grid, actions);
  const openMenu = (): void => openMenuAt(box.current, grid);
  const onKey = useGridKeys(grid, actions, editing, openMenu);
  useMenuClipboard(box, actions);
  useKeyboardComesBack(editor, editing.edited !== undefined);
  useChosenUnknown(grid);
  useCursorBesideInspector(box, grid);

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
        {...tourPlace('night', 'fallen')}
        data-ready={shown !== undefined && columns.some(({ sheet }) => sheet !== undefined)}
        onContextMenuCapture={(event) => {
          // Opened by a key: the page does not know where the cursor is.
          if (!event.nativeEvent.isTrusted || pointer.current === 'pointer') return;
          event.preventDefault();
          event.stopPropagation();
          openMenu();
        }}
        onPointerDownCapture={({ target, currentTarget }) => {
          pointer.current = 'pointer';
          // A click on the cursor's cell selects nothing, and the grid would leave the focus where it is.
          const isInGrid = target instanceof Node && currentTarget.contains(target);
          if (isInGrid && !currentTarget.contains(document.activeElement)) editor.current?.focus();
        }}
        onKeyDownCapture={() => {
          pointer.current = 'keyboard';
        }}
        onFocusCapture={() => {
          isGettingFocus.current = true;
        }}
        onFocus={() => {
          isGettingFocus.current = false;
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
          customRenderers={grid.renderers}
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
          // No cell spans others: otherwise the grid would read every cell of a range, even those never in sight.
          spanRangeBehavior="allowPartial"
          columnSelect="none"
          rowSelect="none"
          editOnType={false}
          // The code that moves the cursor also scrolls to it: scrolling twice in one frame goes twice as far.
          scrollToActiveCell={false}
          fillHandle
          allowedFillDirections="orthogonal"
          onFillPattern={actions.fillByDragging}
          cellActivationBehavior="double-click"
          keybindings={KEYBINDINGS}
          gridSelection={selection}
          onGridSelectionChange={(next) => {
            // The grid reports this when nothing is drawn as selected, also while the selected rows are being found.
            if (next.current === undefined && grid.choice.selection.current === undefined) return;
            // The canvas chooses its first cell when it gets the focus and has no other: a text typed next would land
            // in a row that the user has not chosen. A click chooses a cell by itself, and an arrow brings the cursor
            // back.
            if (isGettingFocus.current && (grid.choice.hasHadCursor || pointer.current === 'pointer')) return;
            grid.select(next, pointer.current);
            if (pointer.current === 'keyboard') scrollToCursor(next);
          }}
          onKeyDown={onKey}
          onCellActivated={(cell, event) => {
            if (event.inputType === 'pointer' && !editing.begin()) act(cell);
          }}
          onCellClicked={([column, index]) => {
            const row = model.rows.pages.rowAt(index);
            if (columns[column]?.id === FILES_COLUMN_ID && row !== undefined && fileInCell(row) !== undefined)
              model.rows.look(row.key);
          }}
          onCellContextMenu={(cell) => grid.select(withCursorAt(cell, selection))}
          onHeaderClicked={(column, event) => {
            const about = columns[column];
            if (about?.id === ADD_COLUMN_ID) onAddColumn();
            else if (about?.sortBy === undefined || event.isEdge) return;
            // The other columns of the sheet are sorted from their menus.
            else if (about.sheet !== undefined && about.id !== 'row') actions.selectColumn(column);
            else model.rows.sortBy(about.sortBy);
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
            // The cell has scrolled away, so the note would be about another one.
            tip.hover(undefined);
            grid.setVisible(range);
          }}
        />
        {shown === 0 && total === 0 && <NoRows />}
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
    // Moved to the right, a column comes after the one at that place; to the left, before it.
    const before = columns[to > from ? to : to - 1]?.sheet;
    const after = before ?? columns.slice(0, to).findLast(({ sheet }) => sheet !== undefined)?.sheet;
    void model.editing.edit({
      kind: 'move-column',
      header: moved.header,
      ...(after === undefined ? {} : { after: after.header }),
    });
  }

  function isMovable(column: RowColumn | undefined): boolean {
    return column?.sheet !== undefined && column.id !== 'row';
  }
}

/** Says why there are no rows; where filters hide them all, such as one that the last row has just left, with a way out. */
function NoRows() {
  const model = useAppModel();
  const isFiltered = useRows(({ filter }) => Object.keys(filter).length > 0);
  return (
    <div className={joinClasses('row', styles.empty)}>
      <p>{isFiltered ? words.grid.noRowsMatch : words.grid.emptySheet}</p>
      {isFiltered && (
        <Button size="small" onClick={() => model.rows.setFilter({})}>
          {words.batch.pause.showAll}
        </Button>
      )}
    </div>
  );
}

function glideColumn(
  { id, title, width, sortBy, sheet, help }: RowColumn,
  sort: RowSort,
  layout: GridLayout,
): GridColumn {
  const arrow = sort.direction === 'ascending' ? '↑' : '↓';
  const resized = layout.widths[id];
  const mark = sheet !== undefined && sheet.view.column === '' ? ' ·' : '';
  return {
    id,
    title:
      sortBy !== undefined && isSortedBy(sort, sortBy) && (id !== 'line' || sort.direction === 'descending')
        ? `${shownLine(title)}${mark} ${arrow}`
        : `${shownLine(title)}${mark}`,
    width: resized ?? width,
    hasMenu: sheet !== undefined || help !== undefined,
  };
}

/** Opens the row menu at the cursor's cell, as a right-click does at the pointer. */
function openMenuAt(box: HTMLElement | null, { editor, choice }: Grid): void {
  const cell = choice.selection.current?.cell;
  const bounds = cell === undefined ? undefined : editor.current?.getBounds(cell[0], cell[1]);
  if (bounds === undefined) return;
  const place = { clientX: bounds.x + Math.min(bounds.width / 2, 24), clientY: bounds.y + bounds.height };
  box?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, ...place }));
}

/** Gives the focus back to the grid when the editor of a cell, which is elsewhere on the page, closes. */
function useKeyboardComesBack(editor: Grid['editor'], isEditing: boolean): void {
  useEffect(() => {
    if (!isEditing) return undefined;
    const { current } = editor;
    return () => current?.focus();
  }, [isEditing, editor]);
}

/** Says which of several selected rows have an unknown outcome. */
function useChosenUnknown({ choice }: Grid): void {
  const model = useAppModel();
  useEffect(() => {
    const { pages } = model.rows;
    const choose = (): void => {
      const { known, spans, isWhole } = chosenRowsOf(pages, choice, pages.total ?? 0);
      const unknown = known.length > 1 ? known.filter((row) => row.status === 'submit-unknown') : [];
      // The application knows which of the rows that were never in sight are unknown.
      model.rows.chooseUnknown(isWhole ? unknown.map(({ key }) => key) : choice.keys(spans));
    };
    choose();
    // A redrawn row may have another status.
    const stops = [model.rows.onDraw(choose), choice.store.subscribe(choose)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [model, choice]);
}
