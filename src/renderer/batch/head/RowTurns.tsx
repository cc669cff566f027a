import { ChevronsUp, Hand, Play, type LucideIcon } from 'lucide-react';
import { ROW_TURNS, type RowTurn } from '../../../shared/domain/task/task-event.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { MenuGroup, MenuItem } from '../../design/Menu.tsx';
import { useAppModel } from '../../state/app-context.ts';
import { isUnderWay } from './use-cancel-rows.tsx';

/** What the user may say about when rows are sent. */
const TURNS: Readonly<Record<RowTurn, { readonly icon: LucideIcon; readonly keys: string }>> = {
  hold: { icon: Hand, keys: 'Ctrl+Shift+H' },
  release: { icon: Play, keys: 'Ctrl+Shift+L' },
  next: { icon: ChevronsUp, keys: 'Ctrl+Shift+E' },
};

/** Whether the turn would change anything about a row. */
export function mayBeSaid(turn: RowTurn, row: RowView): boolean {
  switch (turn) {
    case 'hold':
      return row.isHeld !== true && isUnderWay(row);
    case 'release':
      return row.isHeld === true;
    case 'next':
      // Of several takes, some may wait while others are at the gateway.
      return row.status === 'queued' || (row.takes > 1 && isUnderWay(row));
  }
}

interface TurnItemsProps {
  readonly batch: BatchView;
  /** Those of the selected rows that the window knows; all of them if it `isWhole`. */
  readonly rows: readonly RowView[];
  readonly isWhole: boolean;
  readonly countWords: (rows: readonly RowView[]) => string;
  readonly keysOf: (rows: readonly RowView[]) => readonly number[];
}

/** The items for the turn of selected rows in their menu. */
export function TurnItems({ batch, rows, isWhole, countWords, keysOf }: TurnItemsProps) {
  const model = useAppModel();
  return (
    <MenuGroup>
      {ROW_TURNS.map((turn) => {
        const concerned = rows.filter((row) => mayBeSaid(turn, row));
        const { icon, keys } = TURNS[turn];
        return (
          <MenuItem
            key={turn}
            icon={icon}
            keys={keys}
            isDisabled={isWhole && concerned.length === 0}
            onSelect={() => void model.batchCommands.setTurn(batch.id, keysOf(concerned), turn)}
          >
            {words.batch.turn[turn](countWords(concerned))}
          </MenuItem>
        );
      })}
    </MenuGroup>
  );
}

/** The buttons for the turn of one row. */
export function TurnButtons({ batch, row }: { readonly batch: BatchView; readonly row: RowView }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  return ROW_TURNS.filter((turn) => mayBeSaid(turn, row)).map((turn) => (
    <Button
      key={turn}
      look={turn === 'release' ? 'secondary' : 'quiet'}
      icon={TURNS[turn].icon}
      disabled={isBusy}
      onClick={() => run(() => model.batchCommands.setTurn(batch.id, [row.key], turn))}
    >
      {words.batch.turn[turn](words.batch.row)}
    </Button>
  ));
}
