import { Combine, Eraser } from 'lucide-react';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { ColumnView } from '../../../shared/ipc/opening.ts';
import { MOST_TAKES } from '../../../shared/domain/sheet/row.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import { headerOfProblem } from '../../state/batch/problem-groups.ts';
import type { SheetProblemView } from '../../state/batch/sheet-places.ts';

interface FixForAllProps {
  readonly batch: BatchView;
  readonly problem: SheetProblemView;
  readonly columns: readonly ColumnView[];
  /** It is the first of its kind: a fix of the whole kind is offered once. */
  readonly isFirst: boolean;
  readonly isDisabled: boolean;
}

/** Puts a warning right for all rows that it is about, as one edit; nothing where that takes its author. */
export function FixForAll({ batch, problem, columns, isFirst, isDisabled }: FixForAllProps) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const { code, key, row = '', takes } = problem;
  const said = words.find.problems;
  const fix = (edit: Parameters<typeof model.editing.edit>[0]): void =>
    run(async () => void (await model.editing.edit(edit)));
  if (code === 'duplicate-request' && key !== undefined && (takes ?? 0) <= MOST_TAKES) {
    // Of a batch that was started, some may have been sent: how many are left is found out then.
    const label = batch.state === 'ready' && takes !== undefined ? said.join(takes) : said.joinUnsent;
    return (
      <Button
        size="small"
        icon={Combine}
        disabled={isBusy || isDisabled}
        title={said.joinHint}
        aria-label={said.fixOf(label, shownLine(row))}
        onClick={() => fix({ kind: 'join-rows', row: key })}
      >
        {label}
      </Button>
    );
  }
  const header = code === 'unused-column' && isFirst ? headerOfProblem(problem, columns) : undefined;
  if (header === undefined) return null;
  return (
    <Button
      size="small"
      icon={Eraser}
      disabled={isBusy || isDisabled}
      title={said.clearHint(shownLine(header))}
      aria-label={said.fixOf(said.clear, shownLine(header))}
      onClick={() => fix({ kind: 'clear-unused', header })}
    >
      {said.clear}
    </Button>
  );
}
