import { FAILURE_POLICIES } from '../../../shared/domain/base/failure.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { moneyText } from '../../../shared/domain/base/money.ts';
import type { RowDetail } from '../../../shared/ipc/rows.ts';
import { joinClasses } from '../../design/join-classes.ts';
import { Disclosure } from '../../design/Page.tsx';
import { StatusBadge } from '../../design/Status.tsx';
import { countOf, countText } from '../../../shared/domain/base/text.ts';
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
    <InspectorSection title="Earlier attempts" testId="earlier-takes">
      <p className="faint">
        Sent before the row was changed
        {!batch.rehearsal && paidRequests > 0 && `: ${countOf(paidRequests, 'paid request')} in all`}.
      </p>
      <div className="card">
        {shown.map((take) => (
          <EarlierTake key={take.id} take={take} isRehearsal={batch.rehearsal} />
        ))}
      </div>
      {left > 0 && <p className="faint">And {countText(left)} more. Export the evidence to see all of them.</p>}
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
          <span className="name cut">{label === '' ? `Take ${take.take}` : shownLine(label)}</span>
          <StatusBadge status={status} />
          <span className={joinClasses('faint', styles.end)}>{sentAt !== undefined && formatDayAndClock(sentAt)}</span>
        </>
      }
    >
      <p className="faint selectable">
        Take {take.take} · {requestWords(requests, isRehearsal)}
        {cost !== undefined && !isRehearsal && ` · ${moneyText(cost)}`}
      </p>
      <TaskCode code={taskCode} />
      {failure !== undefined && (
        <p className="faint selectable">
          {FAILURE_POLICIES[failure.code].title}: {shownText(failure.message)}
        </p>
      )}
      {fileNames.length > 0 && (
        <p className="faint selectable">
          {fileNames.length === 1 ? 'File' : 'Files'} {fileNames.map(shownLine).join(', ')}
        </p>
      )}
      {body !== undefined && <TitledCode title="The request">{`POST /${operation}\n\n${shownText(body)}`}</TitledCode>}
      {lastAnswer !== undefined && lastAnswer !== '' && (
        <TitledCode title="Last response">{shownText(lastAnswer)}</TitledCode>
      )}
    </Disclosure>
  );
}
