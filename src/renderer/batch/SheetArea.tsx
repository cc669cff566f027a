import { useState } from 'react';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { words } from '../../shared/words/words.ts';
import { Inspector } from './inspector/Inspector.tsx';
import { useAppModel, useEditing, useRows } from '../state/app-context.ts';
import { shownLine } from '../format/shown-text.ts';
import { ColumnPicker } from './columns/ColumnPicker.tsx';
import { EditBar } from './head/EditBar.tsx';
import { FindPanel } from './find/FindPanel.tsx';
import type { SheetColumn } from './columns/grid-columns.ts';
import { HeaderMenu, type HeaderPlace } from './columns/HeaderMenu.tsx';
import { ValuePicker } from './columns/ValuePicker.tsx';
import { ProblemsPanel } from './find/ProblemsPanel.tsx';
import { RowGrid } from './grid/RowGrid.tsx';
import { StatusLine } from './head/StatusLine.tsx';
import { useGridActions } from './keys/use-grid-actions.ts';
import { useScreenKeys } from './keys/use-grid-keys.ts';
import { useGrid, type Grid } from './grid/use-grid.ts';
import styles from './SheetArea.module.css';

/** Why the user is choosing a column. */
type Picking =
  | { readonly kind: 'insert'; readonly after: string | undefined }
  | { readonly kind: 'meaning'; readonly sheet: SheetColumn }
  | { readonly kind: 'value'; readonly sheet: SheetColumn };

/** A batch's sheet as an editor: tools, grid, and the messages about them. */
export function SheetArea({ batch }: { readonly batch: BatchView }) {
  const selectedRow = useRows((state) => state.selectedRow);
  const selectedKey = useRows((state) => state.selectedKey);
  const isInspectorOpen = useRows((state) => state.isInspectorOpen);
  const grid = useGrid(batch);
  const actions = useGridActions(grid);
  useScreenKeys(actions);
  const [menu, setMenu] = useState<HeaderPlace>();
  const [picking, setPicking] = useState<Picking>();
  const addColumn = (): void => setPicking({ kind: 'insert', after: lastHeader(grid) });
  const openColumnMenu = (): void => {
    const column = grid.current?.column;
    const bounds = column === undefined ? undefined : grid.editor.current?.getBounds(column, -1);
    if (column !== undefined && bounds !== undefined) setMenu({ column, bounds });
  };
  return (
    <>
      <EditBar grid={grid} actions={actions} onColumnMenu={openColumnMenu} onAddColumn={addColumn} />
      <FindPanel grid={grid} />
      <div className={styles.rows}>
        <RowGrid grid={grid} actions={actions} onHeaderMenu={setMenu} onAddColumn={addColumn} />
        {isInspectorOpen && selectedRow !== undefined && selectedKey !== undefined ? (
          <Inspector batch={batch} row={selectedRow} rowKey={selectedKey} />
        ) : (
          <ProblemsPanel batch={batch} />
        )}
      </div>
      <StatusLine grid={grid} />
      <HeaderMenu
        grid={grid}
        place={menu}
        onClose={() => setMenu(undefined)}
        onMeaning={(sheet) => setPicking({ kind: 'meaning', sheet })}
        onValue={(sheet) => setPicking({ kind: 'value', sheet })}
        onInsert={(after) => setPicking({ kind: 'insert', after })}
      />
      {picking !== undefined && <Picker grid={grid} picking={picking} onClose={() => setPicking(undefined)} />}
    </>
  );
}

/** Rows keep the ids of their import. */
const ID_COLUMN = 'row';

function lastHeader(grid: Grid): string | undefined {
  return grid.columns.findLast(({ sheet }) => sheet !== undefined)?.sheet?.header;
}

interface PickerProps {
  readonly grid: Grid;
  readonly picking: Picking;
  readonly onClose: () => void;
}

/** Asks which column to insert, what a column maps to, or which rows of it to show. */
function Picker({ grid, picking, onClose }: PickerProps) {
  const model = useAppModel();
  const sheet = useEditing((state) => state.sheet);
  const operations = sheet?.operations ?? [];
  const close = (): void => {
    onClose();
    requestAnimationFrame(() => grid.editor.current?.focus());
  };
  if (picking.kind === 'value') {
    const { header } = picking.sheet;
    const toGrid = (): void => grid.editor.current?.focus();
    return <ValuePicker batchId={grid.batch.id} header={header} onClose={onClose} onClosed={toGrid} />;
  }
  if (picking.kind === 'meaning') {
    const { header, view } = picking.sheet;
    return (
      <ColumnPicker
        title={words.batch.columns.mapping(shownLine(header))}
        hint={words.batch.columns.mappingHint}
        operations={operations}
        value={view.column}
        first={{
          title: words.batch.columns.thisColumn,
          options: [
            { value: '', label: words.batch.columns.notSent, help: words.batch.columns.ownColumn },
            ...view.suggestions
              .filter((column) => column !== ID_COLUMN)
              .map((column) => ({
                value: column,
                label: column,
                help: words.batch.columns.similarName,
              })),
          ],
        }}
        without={ID_COLUMN}
        freeName={undefined}
        onChoose={(column) => void model.editing.mapColumn(header, column)}
        onClose={close}
      />
    );
  }
  const { after } = picking;
  const addColumn = (header: string): void => {
    const place = { index: grid.current?.index ?? 0, key: grid.choice.cursorKey };
    void model.ways.addColumn({ header, ...(after === undefined ? {} : { after }) }, place);
  };
  return (
    <ColumnPicker
      title={words.batch.columns.add}
      hint={words.batch.columns.addHint}
      operations={operations}
      value=""
      first={undefined}
      freeName={(name) => ({
        title: words.batch.columns.own,
        options: [{ value: name, label: name, help: words.batch.columns.ownHint }],
      })}
      onChoose={addColumn}
      onClose={close}
    />
  );
}
