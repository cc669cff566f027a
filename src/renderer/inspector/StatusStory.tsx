import { FAILURE_POLICIES, remedyOf } from '../../shared/domain/failure.ts';
import type { RowDetail } from '../../shared/ipc/views.ts';
import { Callout } from '../design/Callout.tsx';
import { StatusBadge } from '../design/StatusBadge.tsx';
import { STATUS_LOOKS } from '../design/status-look.ts';
import { useNow } from '../design/use-now.ts';
import { formatDuration, formatNearby } from '../format/times.ts';
import { visibleText } from '../format/visible-text.ts';
import { asSentence } from '../format/words.ts';
import styles from './StatusStory.module.css';

const CLOCK_INTERVAL_MS = 1_000;
const MOVING = new Set(['queued', 'submitting', 'rendering', 'downloading']);

/** Where a row stands, why, and what to do about it. */
export function StatusStory({ detail }: { readonly detail: RowDetail }) {
  const now = useNow(CLOCK_INTERVAL_MS);
  const { row, problems } = detail;
  return (
    <div className={styles.story}>
      <div className={styles.line}>
        <StatusBadge status={row.status} />
        <span className={styles.time}>{timeWords(row, now)}</span>
      </div>
      <p className={styles.meaning}>{STATUS_LOOKS[row.status].meaning}</p>
      {row.failure !== undefined && (
        <Callout level={row.status === 'failed' ? 'error' : 'warning'} title={FAILURE_POLICIES[row.failure.code].title}>
          <p>
            {asSentence(visibleText(row.failure.message))}
            {row.failure.suspected === true && ' Nocturne inferred this; it keeps checking.'}
          </p>
          <p className={styles.remedy}>{remedyOf(row.failure.code, row.status)}</p>
        </Callout>
      )}
      {problems.map((problem) => (
        <Callout
          key={JSON.stringify([problem.code, problem.column, problem.message])}
          level={problem.severity}
          title={problem.column === undefined ? `In the sheet` : `In the sheet, column ${visibleText(problem.column)}`}
        >
          <p>{visibleText(problem.message)}</p>
          <p className={styles.remedy}>{visibleText(problem.remedy)}</p>
        </Callout>
      ))}
    </div>
  );
}

function timeWords(row: RowDetail['row'], now: number): string {
  if (row.finishedAt !== undefined) {
    const length = row.submittedAt === undefined ? '' : ` after ${formatDuration(row.finishedAt - row.submittedAt)}`;
    return `${formatNearby(row.finishedAt, now)}${length}`;
  }
  if (MOVING.has(row.status) && row.dueAt !== undefined && row.dueAt - now > 1_000) {
    return `next in ${formatDuration(row.dueAt - now)}`;
  }
  return row.submittedAt === undefined ? '' : `submitted ${formatNearby(row.submittedAt, now)}`;
}
