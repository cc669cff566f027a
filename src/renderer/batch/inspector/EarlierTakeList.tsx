import { FAILURE_POLICIES } from '../../../shared/domain/base/failure.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { moneyText } from '../../../shared/domain/base/money.ts';
import type { RowDetail } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { joinClasses } from '../../design/join-classes.ts';
import { Disclosure } from '../../design/Page.tsx';
import { StatusBadge } from '../../design/Status.tsx';
import { requestWords } from '../../format/costs.ts';
import { formatDayAndClock } from '../../format/times.ts';
import { shownLine, shownText } from '../../format/shown-text.ts';
import { ExportEvidence } from '../head/SettleDialog.tsx';
import { InspectorSection, TaskCode, TitledCode } from './InspectorSection.tsx';
import styles from './TaskList.module.css';

interface EarlierTakesProps {
  readonly batch: BatchView;
  readonly detail: RowDetail;
}

/** What was sent for the row before it changed: enough to discuss a charge with the gateway. */
export function EarlierTakeList({ batch, detail: { row, earlierTakes } }: EarlierTakesProps) {
  const { shown, count, paidRequests } = earlierTakes;
  if (count === 0) return null;
  const left = count - shown.length;
  return (
    <InspectorSection title={words.inspector.earlier.title} testId="earlier-takes">
      <p className="faint">{words.inspector.earlier.about(batch.rehearsal ? 0 : paidRequests)}</p>
      <div className="card">
        {shown.map((take) => (
          <EarlierTake key={take.id} take={take} isRehearsal={batch.rehearsal} />
        ))}
      </div>
      {left > 0 && <p className="faint">{words.inspector.earlier.more(left)}</p>}
      <div>
        <ExportEvidence batchId={batch.id} rows={[row.key]} />
      </div>
    </InspectorSection>
  );
}

interface EarlierTakeProps {
  readonly take: RowDetail['earlierTakes']['shown'][number];
  readonly isRehearsal: boolean;
}

function EarlierTake({ take, isRehearsal }: EarlierTakeProps) {
  const { operation, label, body, status, sentAt, taskCode, requests, cost, failure, fileNames, lastAnswer } = take;
  return (
    <Disclosure
      className={styles.content}
      head={
        <>
          <span className="name cut">{label === '' ? words.inspector.take(take.take) : shownLine(label)}</span>
          <StatusBadge status={status} />
          <span className={joinClasses('faint', styles.end)}>{sentAt !== undefined && formatDayAndClock(sentAt)}</span>
        </>
      }
    >
      <p className="faint selectable">
        {words.inspector.take(take.take)} · {requestWords(requests, isRehearsal)}
        {cost !== undefined && !isRehearsal && ` · ${moneyText(cost)}`}
      </p>
      <TaskCode code={taskCode} />
      {failure !== undefined && (
        <p className="faint selectable">
          {words.inspector.earlier.failed(FAILURE_POLICIES[failure.code].title, shownText(failure.message))}
        </p>
      )}
      {fileNames.length > 0 && (
        <p className="faint selectable">{words.inspector.earlier.files(fileNames.map(shownLine))}</p>
      )}
      {body !== undefined && (
        <TitledCode title={words.inspector.request}>{`POST /${operation}\n\n${shownText(body)}`}</TitledCode>
      )}
      {lastAnswer !== undefined && lastAnswer !== '' && (
        <TitledCode title={words.inspector.lastResponse}>{shownText(lastAnswer)}</TitledCode>
      )}
    </Disclosure>
  );
}
