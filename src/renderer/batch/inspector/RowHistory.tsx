import type { RowDetail, RowEvidence } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { joinClasses } from '../../design/join-classes.ts';
import { Disclosure } from '../../design/Page.tsx';
import { shownText } from '../../format/shown-text.ts';
import { formatDayAndClock, formatClockSeconds } from '../../format/times.ts';
import { useAnswer } from '../../state/app-context.ts';
import { AttemptCard } from './EvidenceList.tsx';
import { InspectorSection } from './InspectorSection.tsx';
import styles from './RowHistory.module.css';

type Attempt = RowEvidence['takes'][number]['attempts'][number];

type Moment =
  | { readonly kind: 'event'; readonly at: number; readonly take: number; readonly text: string }
  | { readonly kind: 'request'; readonly at: number; readonly take: number; readonly attempt: Attempt };

interface RowHistoryProps {
  readonly batchId: string;
  readonly detail: RowDetail;
}

/** Everything that ever happened to a row, in order: each request and answer with its bytes, each decision. */
export function RowHistory({ batchId, detail }: RowHistoryProps) {
  const events = detail.tasks.reduce((sum, { events: ofTask }) => sum + ofTask.length, 0);
  const requests = detail.tasks.reduce((sum, { attempts }) => sum + attempts, 0) + detail.earlierTakes.count;
  if (events + requests === 0) return null;
  return (
    <InspectorSection title={words.inspector.history.title} testId="row-history">
      <Disclosure head={words.inspector.history.about(events)}>
        <Moments batchId={batchId} detail={detail} version={events + requests} />
      </Disclosure>
    </InspectorSection>
  );
}

/** Read once it is opened, and again when more has happened. */
function Moments({ batchId, detail, version }: RowHistoryProps & { readonly version: number }) {
  const evidence = useAnswer('row.evidence', { batchId, key: detail.row.key }, version);
  const moments = momentsOf(detail, evidence);
  return (
    <ol className={joinClasses('stack', styles.moments)}>
      {moments.map((moment, index) => (
        // Moments are only ever added at the end: the index is a stable key.
        // oxlint-disable-next-line react/no-array-index-key -- see above
        <li key={index} className={styles.moment}>
          <time
            className="faint tabular"
            dateTime={new Date(moment.at).toISOString()}
            title={formatDayAndClock(moment.at)}
          >
            {formatClockSeconds(moment.at)}
          </time>
          {moment.kind === 'event' ? (
            <span className="selectable">
              {detail.tasks.length > 1
                ? words.inspector.history.ofTake(moment.take, shownText(moment.text))
                : shownText(moment.text)}
            </span>
          ) : (
            <Disclosure head={words.inspector.history.requestOf(moment.take, answerWords(moment.attempt))}>
              <AttemptCard take={moment.take} attempt={moment.attempt} />
            </Disclosure>
          )}
        </li>
      ))}
    </ol>
  );
}

function momentsOf(detail: RowDetail, evidence: RowEvidence | undefined): readonly Moment[] {
  const events = detail.tasks.flatMap(({ take, events: ofTask }) =>
    ofTask.map(({ at, text }): Moment => ({ kind: 'event', at, take, text })),
  );
  const requests = (evidence?.takes ?? []).flatMap(({ take, attempts }) =>
    attempts.map((attempt): Moment => ({ kind: 'request', at: Date.parse(attempt.startedAt), take, attempt })),
  );
  // At one moment, what was sent comes before what it led to.
  return [...requests, ...events].toSorted((a, b) => a.at - b.at);
}

function answerWords({ answer, outcome, answeredAt }: Attempt): string {
  if (answer !== undefined) return words.inspector.history.answer(answer.httpStatus, outcome);
  return answeredAt === undefined ? words.inspector.history.noAnswerYet : words.inspector.history.noAnswer(outcome);
}
