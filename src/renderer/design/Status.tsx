import type { RowViewStatus } from '../../shared/domain/task/row-status.ts';
import { words } from '../../shared/words/words.ts';
import { type StatusTotals, tasksInTotal } from '../state/batch/batch-progress.ts';
import { joinClasses } from './join-classes.ts';
import { StatusGlyph } from './drawings.tsx';
import { BAR_ORDER, STATUS_LOOKS, type StatusLook } from './status-look.ts';
import styles from './Status.module.css';

/** A status with its icon, word and colour. */
export function StatusBadge({
  status,
  look = STATUS_LOOKS[status],
}: {
  readonly status: RowViewStatus;
  readonly look?: StatusLook;
}) {
  const { word, color } = look;
  return (
    <span className={styles.badge} style={{ color: `var(${color})` }}>
      <StatusGlyph look={look} size={13} />
      {word}
    </span>
  );
}

export interface SegmentedBarProps {
  readonly totals: StatusTotals;
  readonly size: 'thin' | 'small' | 'large';
  /** What it measures, for the screen reader; without it the bar only repeats words beside it. */
  readonly label?: string;
}

/** All tasks as one bar, a piece for each status. Unknown is hatched and waiting pale, to be read without colour. */
export function SegmentedBar({ totals, size, label }: SegmentedBarProps) {
  const shown = BAR_ORDER.filter((status) => totals[status] > 0);
  const shares = shown.map((status) => ({ count: totals[status], word: STATUS_LOOKS[status].word }));
  const access =
    label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': words.shell.bar(label, shares) };
  return (
    <span className={joinClasses('bar', styles.bar, styles[size])} {...access}>
      {tasksInTotal(totals) > 0 &&
        shown.map((status) => (
          <span
            key={status}
            className={styles.piece}
            data-status={status}
            style={{ flexGrow: totals[status], color: `var(${STATUS_LOOKS[status].color})` }}
          />
        ))}
    </span>
  );
}

interface ShareBarProps {
  readonly done: number;
  /** Of how much; if that is nothing, nothing is shown as done. */
  readonly of: number;
  /** What it measures, for the screen reader. */
  readonly label: string;
}

/** How much of something is done, as a bar. */
export function ShareBar({ done, of, label }: ShareBarProps) {
  return <progress className={styles.share} aria-label={label} max={Math.max(of, 1)} value={done} />;
}
