import {
  ArrowDown,
  ArrowUp,
  Ban,
  BetweenHorizontalEnd,
  BetweenHorizontalStart,
  CopyPlus,
  FolderOpen,
  PanelRight,
  Play,
  RefreshCw,
  Repeat2,
  RotateCcw,
  Trash2,
  Undo2,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { ContextMenu, MenuGroup, MenuItem } from '../../design/Menu.tsx';
import { words } from '../../../shared/words/words.ts';
import { useAppModel } from '../../state/app-context.ts';
import { canAskAgain } from '../../state/batch/one-more-take.ts';
import { fileInCell } from '../columns/grid-columns.ts';
import { OnlyItems } from '../columns/ViewItems.tsx';
import { chosenRowsOf } from '../keys/grid-choice.ts';
import { chosenRows, rowsToInsert, type GridActions } from '../keys/use-grid-actions.ts';
import type { Grid } from './use-grid.ts';
import { CopyItems } from './CopyItems.tsx';
import { TurnItems } from '../head/RowTurns.tsx';
import { hasRequest, isUnderWay, useCancelRows } from '../head/use-cancel-rows.tsx';
import { canRetry, useRetry } from '../head/use-retry.tsx';

interface RowMenuProps {
  readonly grid: Grid;
  readonly actions: GridActions;
  /** The grid that the menu belongs to; exactly one element. */
  readonly children: ReactNode;
}

/** The actions for the rows under the cursor. */
export function RowMenu({ grid, actions, children }: RowMenuProps) {
  const { retry, retryDialog } = useRetry(grid.batch);
  const { cancel, cancelDialog } = useCancelRows(grid.batch);
  return (
    <>
      <ContextMenu of={children} label={words.grid.row.menu} onFocusBack={() => grid.editor.current?.focus()}>
        <RowItems grid={grid} actions={actions} retry={retry} cancel={cancel} />
      </ContextMenu>
      {retryDialog}
      {cancelDialog}
    </>
  );
}

interface RowItemsProps extends Pick<RowMenuProps, 'grid' | 'actions'> {
  readonly retry: (rows: readonly number[]) => void;
  readonly cancel: ReturnType<typeof useCancelRows>['cancel'];
}

function RowItems({ grid, actions, retry, cancel }: RowItemsProps) {
  const model = useAppModel();
  const { choice } = grid;
  const { known, spans, isWhole } = chosenRowsOf(model.rows.pages, choice, grid.total);
  const first = grid.current?.row ?? known[0];
  if (first === undefined) return <MenuGroup title={words.grid.row.noneSelected} />;
  const retryable = known.filter(canRetry);
  const stoppable = known.filter(isUnderWay);
  const toKeep = known.filter(({ keepsEarlier }) => keepsEarlier === 'possible');
  const file = fileInCell(first);
  // File managers show one file in one folder.
  const filed = known.map((row) => fileInCell(row)).find((one) => one !== undefined) ?? file;
  // If some rows were never in sight, their number is unknown. A disabled item counts the selected rows.
  const numberOf = (rows: readonly RowView[]): number | undefined =>
    isWhole ? rows.length || Math.max(1, known.length) : undefined;
  const countWords = (rows: readonly RowView[]): string => words.grid.row.count(numberOf(rows));
  const keysOf = (rows: readonly RowView[]): readonly number[] =>
    isWhole ? rows.map(({ key }) => key) : choice.keys(spans);
  return (
    <>
      <MenuGroup>
        <MenuItem icon={PanelRight} keys="Ctrl+I" onSelect={() => model.rows.inspect(first.key)}>
          {words.grid.row.inspect}
        </MenuItem>
        <MenuItem icon={Play} keys="Space" isDisabled={file === undefined} onSelect={() => model.rows.look(first.key)}>
          {words.grid.row.play}
        </MenuItem>
        <MenuItem
          icon={FolderOpen}
          isDisabled={filed === undefined}
          onSelect={() => filed && model.ask('file.showInFolder', { fileId: filed.id })}
        >
          {words.grid.row.showInFolder(known.length > 1)}
        </MenuItem>
      </MenuGroup>
      <OnlyItems grid={grid} />
      <EditItems grid={grid} actions={actions} />
      <TurnItems batch={grid.batch} rows={known} isWhole={isWhole} countWords={countWords} keysOf={keysOf} />
      <MenuGroup>
        <MenuItem
          icon={RotateCcw}
          isDisabled={isWhole && retryable.length === 0}
          onSelect={() => retry(keysOf(retryable))}
        >
          {words.grid.row.retry(numberOf(retryable))}
        </MenuItem>
        <MenuItem
          icon={Repeat2}
          keys="Ctrl+Shift+A"
          isDisabled={isWhole && !known.some(canAskAgain)}
          onSelect={actions.oneMoreTake}
        >
          {words.grid.row.oneMoreTake}
        </MenuItem>
        <MenuItem
          icon={RefreshCw}
          keys="Ctrl+Shift+R"
          isDisabled={isWhole && !known.some(canAskAgain)}
          onSelect={actions.renderAgain}
        >
          {words.grid.row.renderAgain}
        </MenuItem>
        {(!isWhole || known.some(({ keepsEarlier }) => keepsEarlier !== undefined)) && (
          <MenuItem
            icon={Undo2}
            isDisabled={isWhole && toKeep.length === 0}
            onSelect={() => void model.editing.keepEarlier(keysOf(toKeep))}
          >
            {words.grid.row.keepEarlier}
          </MenuItem>
        )}
        <MenuItem
          icon={Ban}
          isDisabled={isWhole && stoppable.length === 0}
          onSelect={() =>
            cancel({
              rows: keysOf(stoppable),
              what: countWords(stoppable),
              mayHaveRequest: !isWhole || stoppable.some(hasRequest),
            })
          }
        >
          {words.grid.row.cancel(numberOf(stoppable))}
        </MenuItem>
      </MenuGroup>
      <CopyItems batchId={grid.batch.id} row={first} />
    </>
  );
}

/** The actions for the rows as lines of the sheet. */
function EditItems({ grid, actions }: Pick<RowMenuProps, 'grid' | 'actions'>) {
  const count = chosenRows(grid).reduce((sum, { height }) => sum + height, 0);
  const rows = Math.max(1, count);
  const empty = rowsToInsert(grid);
  return (
    <MenuGroup>
      <MenuItem icon={BetweenHorizontalStart} keys="Ctrl++" onSelect={() => actions.insertRows('above')}>
        {words.grid.row.insertAbove(empty)}
      </MenuItem>
      <MenuItem icon={BetweenHorizontalEnd} onSelect={() => actions.insertRows('below')}>
        {words.grid.row.insertBelow(empty)}
      </MenuItem>
      <MenuItem icon={CopyPlus} onSelect={actions.duplicateRows}>
        {words.grid.row.duplicate(rows)}
      </MenuItem>
      <MenuItem icon={ArrowUp} keys="Alt+↑" onSelect={() => actions.moveRows('up')}>
        {words.grid.row.moveUp}
      </MenuItem>
      <MenuItem icon={ArrowDown} keys="Alt+↓" onSelect={() => actions.moveRows('down')}>
        {words.grid.row.moveDown}
      </MenuItem>
      <MenuItem icon={Trash2} keys="Ctrl+−" onSelect={actions.removeRows}>
        {words.grid.row.delete(rows)}
      </MenuItem>
    </MenuGroup>
  );
}
