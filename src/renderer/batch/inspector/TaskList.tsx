import { moneyText } from '../../../shared/domain/base/money.ts';
import type { RowDetail } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { joinClasses } from '../../design/join-classes.ts';
import { Disclosure } from '../../design/Page.tsx';
import { StatusBadge } from '../../design/Status.tsx';
import { requestWords } from '../../format/costs.ts';
import { formatClockSeconds, formatDayAndClock } from '../../format/times.ts';
import { shownText } from '../../format/shown-text.ts';
import { InspectorSection, TaskCode, TitledCode } from './InspectorSection.tsx';
import styles from './TaskList.module.css';

type Task = RowDetail['tasks'][number];

interface TaskListProps {
  readonly tasks: RowDetail['tasks'];
  readonly isRehearsal: boolean;
}

/** Every take of the row: its events in order, and the gateway's last answer. */
export function TaskList({ tasks, isRehearsal }: TaskListProps) {
  if (tasks.length === 0) return null;
  return (
    <InspectorSection title={tasks.length === 1 ? words.inspector.tasks.ofOne : words.inspector.tasks.ofSeveral}>
      <div className="card">
        {tasks.map((task) => (
          <TaskCard key={task.id} task={task} isRehearsal={isRehearsal} isOpenFirst={tasks.length === 1} />
        ))}
      </div>
    </InspectorSection>
  );
}

interface TaskCardProps {
  readonly task: Task;
  readonly isRehearsal: boolean;
  readonly isOpenFirst: boolean;
}

function TaskCard({ task, isRehearsal, isOpenFirst }: TaskCardProps) {
  return (
    <Disclosure
      isOpenFirst={isOpenFirst}
      className={styles.content}
      head={
        <span className="row grow" data-testid="take">
          <span className={joinClasses('name', styles.take)}>{words.inspector.take(task.take)}</span>
          <StatusBadge status={task.status} />
          <span className={joinClasses('faint', styles.end)}>{requestWords(task.requests, isRehearsal)}</span>
        </span>
      }
    >
      <TaskCode code={task.taskCode} />
      {task.cost !== undefined && !isRehearsal && (
        <p className="faint selectable">{words.inspector.gatewayCost(moneyText(task.cost))}</p>
      )}
      <ol>
        {task.events.map((event, index) => (
          // Events are only ever added at the end: the index is a stable key.
          // oxlint-disable-next-line react/no-array-index-key -- see above
          <li key={index} className={styles.event}>
            <time className={styles.at} title={formatDayAndClock(event.at)}>
              {formatClockSeconds(event.at)}
            </time>
            <span className="selectable">{shownText(event.text)}</span>
          </li>
        ))}
      </ol>
      {task.lastAnswer !== undefined && task.lastAnswer !== '' && (
        <TitledCode title={words.inspector.lastResponse}>{shownText(task.lastAnswer)}</TitledCode>
      )}
    </Disclosure>
  );
}
