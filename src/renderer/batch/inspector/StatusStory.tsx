import { asSentence } from '../../../shared/domain/base/text.ts';
import { joinClasses } from '../../design/join-classes.ts';
import { FAILURE_POLICIES, remedyOf } from '../../../shared/domain/base/failure.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { headerNamed } from '../../../shared/domain/sheet/problems.ts';
import type { ColumnView } from '../../../shared/ipc/opening.ts';
import type { ProblemView, RowDetail } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { Callout } from '../../design/Callout.tsx';
import { StatusBadge } from '../../design/Status.tsx';
import { rowLook } from '../../design/status-look.ts';
import { useEditing, useNow } from '../../state/app-context.ts';
import { formatDuration, formatNearby } from '../../format/times.ts';
import { queuedCost } from '../../format/costs.ts';
import { shownText } from '../../format/shown-text.ts';
import { whyRowWaits } from '../../state/batch/why-waiting.ts';
import { isLeftAlone } from '../../state/batch/batch-progress.ts';
import { isUnderWay } from '../head/use-cancel-rows.tsx';
import styles from './StatusStory.module.css';

const CLOCK_INTERVAL_MS = 1_000;

const said = words.inspector.status;

interface StatusStoryProps {
  readonly detail: RowDetail;
  readonly batch: BatchView;
}

/** A row's status, the reason, and what to do about it. */
export function StatusStory({ detail, batch }: StatusStoryProps) {
  const now = useNow(CLOCK_INTERVAL_MS);
  const { row, problems } = detail;
  const columns = useEditing((state) => state.sheet?.columns) ?? [];
  const waiting = row.failure === undefined ? whyRowWaits(row, batch, now) : undefined;
  const isAgain = row.status === 'draft' && row.keepsEarlier === 'possible';
  const cost = row.status === 'queued' ? queuedCost(detail, batch.rehearsal) : undefined;
  return (
    <div className="stack">
      <div className={joinClasses('row', styles.line)}>
        <StatusBadge status={row.status} look={rowLook(row)} />
        <span className="faint tabular">{timeWords(row, now)}</span>
      </div>
      <p className="soft">
        {words.common.sentences([
          waiting ?? (isAgain ? said.isAgain : rowLook(row).meaning),
          row.keepsEarlier === 'sent' ? said.isSent : '',
          row.isHeld === true && row.status !== 'queued' ? said.youHold : '',
          row.status === 'rendering' && isLeftAlone(batch) ? said.nobodyAsks : '',
          row.waitsForPickOf === undefined ? '' : said.isMadeOfThat,
          cost ?? '',
        ])}
      </p>
      {row.failure !== undefined && (
        <Callout level={row.status === 'failed' ? 'error' : 'warning'} title={FAILURE_POLICIES[row.failure.code].title}>
          <p className={styles.message} translate={row.failure.isForeign === true ? 'no' : undefined}>
            {asSentence(shownText(row.failure.message))}
          </p>
          {row.failure.suspected === true && <p>{said.inferred}</p>}
          <p className={styles.remedy}>
            {row.failure.suspected === true && row.status === 'failed'
              ? words.nights.retryInferred
              : remedyOf(row.failure.code, row.status)}
          </p>
        </Callout>
      )}
      {detail.isEarlierWatched && <p className="soft">{said.earlierWatched}</p>}
      {row.problem !== undefined && problems.every(({ message }) => message !== row.problem) && (
        <Callout level="warning" title={said.itsFiles}>
          <p>{shownText(row.problem)}</p>
        </Callout>
      )}
      {problems.map((problem) => (
        <Callout
          key={JSON.stringify([problem.code, problem.column, problem.message])}
          level={problem.severity}
          title={titleOf(problem, columns)}
        >
          <p>{shownText(problem.message)}</p>
          <p className={styles.remedy}>{shownText(problem.remedy)}</p>
        </Callout>
      ))}
    </div>
  );
}

function titleOf(problem: ProblemView, columns: readonly ColumnView[]): string {
  const column = headerNamed(problem, columns);
  return column === undefined ? said.inSheet : said.inColumn(shownText(column));
}

function timeWords(row: RowDetail['row'], now: number): string {
  if (row.finishedAt !== undefined) {
    const at = formatNearby(row.finishedAt, now);
    const { submittedAt, tookMs } = row;
    return submittedAt === undefined || tookMs === undefined ? at : said.ended(at, formatDuration(tookMs));
  }
  if (row.retryAt !== undefined && row.retryAt - now > 1_000) return said.triesAgain(formatNearby(row.retryAt, now));
  if (row.isHeld !== true && isUnderWay(row) && row.dueAt !== undefined && row.dueAt - now > 1_000) {
    return said.nextIn(formatDuration(row.dueAt - now));
  }
  return row.submittedAt === undefined ? '' : said.submitted(formatNearby(row.submittedAt, now));
}
