import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import type { RowDetail } from '../../../shared/ipc/rows.ts';
import { joinClasses } from '../../design/join-classes.ts';
import { StatusBadge } from '../../design/Status.tsx';
import { requestWords } from '../../format/costs.ts';
import { formatClockSeconds, formatDayAndClock } from '../../format/times.ts';
import { shownLine, shownText } from '../../format/shown-text.ts';
import { CodeBox } from './InspectorSection.tsx';
import inspector from './Inspector.module.css';
import styles from './TaskList.module.css';

type Task = RowDetail['tasks'][number];

interface TaskListProps {
  readonly tasks: RowDetail['tasks'];
  readonly isRehearsal: boolean;
}

/** Every take of the row: what happened to it, in order, and what the gateway said last. */
export function TaskList({ tasks, isRehearsal }: TaskListProps) {
  if (tasks.length === 0) return null;
  return (
    <section className={inspector.section}>
      <h3 className={inspector.sectionTitle}>{tasks.length === 1 ? 'What happened' : 'What happened to each take'}</h3>
      {tasks.map((task) => (
        <TaskCard key={task.id} task={task} isRehearsal={isRehearsal} isOpenFirst={tasks.length === 1} />
      ))}
    </section>
  );
}

interface TaskCardProps {
  readonly task: Task;
  readonly isRehearsal: boolean;
  readonly isOpenFirst: boolean;
}

function TaskCard({ task, isRehearsal, isOpenFirst }: TaskCardProps) {
  return (
    <Collapsible.Root className={styles.task} defaultOpen={isOpenFirst}>
      <Collapsible.Trigger className={styles.trigger}>
        <ChevronRight className={styles.chevron} size={15} strokeWidth={2} aria-hidden />
        <span className={styles.take}>Take {task.take}</span>
        <StatusBadge status={task.status} />
        <span className={styles.attempts}>{requestWords(task.requests, isRehearsal)}</span>
      </Collapsible.Trigger>
      <Collapsible.Content className={styles.content}>
        {task.taskCode !== undefined && (
          <p className={styles.code}>
            Task code <code className="selectable">{shownLine(task.taskCode)}</code>
          </p>
        )}
        <ol className={styles.events}>
          {task.events.map((event, index) => (
            // Events are only ever added at the end: their place names them.
            // oxlint-disable-next-line react/no-array-index-key -- as said above
            <li key={index} className={styles.event}>
              <time className={styles.at} title={formatDayAndClock(event.at)}>
                {formatClockSeconds(event.at)}
              </time>
              <span className="selectable">{shownText(event.text)}</span>
            </li>
          ))}
        </ol>
        {task.lastAnswer !== undefined && task.lastAnswer !== '' && (
          <>
            <h4 className={joinClasses(inspector.sectionTitle, styles.answerTitle)}>Last response</h4>
            <CodeBox>{shownText(task.lastAnswer)}</CodeBox>
          </>
        )}
      </Collapsible.Content>
    </Collapsible.Root>
  );
}
