import { ChevronRight, FileDown } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { FAILURE_POLICIES } from '../../../shared/domain/task/failure.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { RowDetail } from '../../../shared/ipc/rows.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { StatusBadge } from '../../design/Status.tsx';
import { countOf, formatCount } from '../../format/numbers.ts';
import { requestWords } from '../../format/costs.ts';
import { formatDayAndClock } from '../../format/times.ts';
import { shownLine, shownText } from '../../format/shown-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import { CodeBox } from './InspectorSection.tsx';
import inspector from './Inspector.module.css';
import styles from './TaskList.module.css';

interface EarlierTakesProps {
  readonly batch: BatchView;
  readonly detail: RowDetail;
}

/** What was sent for the row before it was changed: enough to talk with the gateway about what it charged. */
export function EarlierTakeList({ batch, detail: { row, earlierTakes } }: EarlierTakesProps) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const { shown, count, paidRequests } = earlierTakes;
  if (count === 0) return null;
  const left = count - shown.length;
  return (
    <section className={inspector.section} data-testid="earlier-takes">
      <h3 className={inspector.sectionTitle}>Earlier attempts</h3>
      <p className={styles.code}>
        Sent before the row was changed
        {!batch.rehearsal && paidRequests > 0 && `: ${countOf(paidRequests, 'paid request')} in all`}.
      </p>
      {shown.map((take) => (
        <EarlierTake key={take.id} take={take} isRehearsal={batch.rehearsal} />
      ))}
      {left > 0 && (
        <p className={styles.code}>And {formatCount(left)} more. The export of the evidence has them all.</p>
      )}
      <div>
        <Button
          size="small"
          look="quiet"
          icon={FileDown}
          disabled={isBusy}
          onClick={() => run(() => model.exportEvidence(batch.id, [row.key]))}
        >
          Export evidence…
        </Button>
      </div>
    </section>
  );
}

interface EarlierTakeProps {
  readonly take: RowDetail['earlierTakes']['shown'][number];
  readonly isRehearsal: boolean;
}

function EarlierTake({ take, isRehearsal }: EarlierTakeProps) {
  const { operation, label, body, status, sentAt, taskCode, requests, failure, fileNames, lastAnswer } = take;
  return (
    <Collapsible.Root className={styles.task}>
      <Collapsible.Trigger className={styles.trigger}>
        <ChevronRight className={styles.chevron} size={15} strokeWidth={2} aria-hidden />
        <span className={styles.take}>{label === '' ? `Take ${take.take}` : shownLine(label)}</span>
        <StatusBadge status={status} />
        <span className={joinClasses(styles.attempts, styles.when)}>
          {sentAt !== undefined && formatDayAndClock(sentAt)}
        </span>
      </Collapsible.Trigger>
      <Collapsible.Content className={styles.content}>
        <p className={joinClasses(styles.code, 'selectable')}>
          Take {take.take} · {requestWords(requests, isRehearsal)}
        </p>
        {taskCode !== undefined && (
          <p className={styles.code}>
            Task code <code className="selectable">{shownLine(taskCode)}</code>
          </p>
        )}
        {failure !== undefined && (
          <p className={joinClasses(styles.code, 'selectable')}>
            {FAILURE_POLICIES[failure.code].title}: {shownText(failure.message)}
          </p>
        )}
        {fileNames.length > 0 && (
          <p className={joinClasses(styles.code, 'selectable')}>
            {fileNames.length === 1 ? 'File' : 'Files'} {fileNames.map(shownLine).join(', ')}
          </p>
        )}
        {body !== undefined && (
          <>
            <h4 className={joinClasses(inspector.sectionTitle, styles.answerTitle)}>The request</h4>
            <CodeBox>{`POST /${operation}\n\n${shownText(body)}`}</CodeBox>
          </>
        )}
        {lastAnswer !== undefined && lastAnswer !== '' && (
          <>
            <h4 className={joinClasses(inspector.sectionTitle, styles.answerTitle)}>Last response</h4>
            <CodeBox>{shownText(lastAnswer)}</CodeBox>
          </>
        )}
      </Collapsible.Content>
    </Collapsible.Root>
  );
}
