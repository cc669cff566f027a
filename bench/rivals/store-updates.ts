import { openStore } from '../../src/engine/store/open/open-store.ts';
import type { TaskChange, TaskStore } from '../../src/engine/ports.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { transition } from '../../src/shared/domain/task/task-machine.ts';
import type { TaskEvent } from '../../src/shared/domain/task/task-event.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { measure } from '../support/measure.ts';

/** Durable updates of rendering tasks, `group` of them in each commit. Input: `folder`, `tasks`, `updates`, `group`. */
export async function updateStore(input: ContenderInput): Promise<Figures> {
  const opened = openStore(textIn(input, 'folder'), { random: { next: Math.random } });
  if (!opened.ok) throw new Error(opened.error.message);
  const { store } = opened.value;
  const tasks = renderingTasks(store, textIn(input, 'folder'), numberIn(input, 'tasks'));
  const updates = numberIn(input, 'updates');
  const group = numberIn(input, 'group');
  const cost = await measure(() => {
    for (let done = 0; done < updates; done += group) {
      const changes: TaskChange[] = [];
      for (let i = done; i < Math.min(done + group, updates); i += 1)
        changes.push(stillRunning(tasks, i % tasks.length));
      const lost = store.commit(changes).filter((outcome) => outcome !== 'committed');
      if (lost.length > 0) throw new Error(`A change was lost: ${lost[0]}`);
    }
  });
  store.close();
  return { ...cost, perSecond: (updates / cost.wallMs) * 1000 };
}

function stillRunning(tasks: Task[], i: number): TaskChange {
  const task = tasks[i];
  if (task === undefined) throw new Error(`No task ${i}`);
  const at = Date.now();
  const change = changeOf(task, { kind: 'still-running', dueAt: at + 5000, poll: { polls: task.poll.polls + 1 } }, at);
  tasks[i] = change.next;
  return change;
}

function renderingTasks(store: TaskStore, folder: string, count: number): Task[] {
  const batch = store.createBatch({
    name: 'Bench',
    headers: ['row', 'operation', 'prompt'],
    settings: { folder, profile: profileSchema.parse({}), filename: '{row}', rehearsal: true },
    createdAt: Date.now(),
    rows: Array.from({ length: count }, (_, i) => rowOf(i)),
    problems: [],
  });
  const at = Date.now();
  const queued = [...store.tasksByStatus(['queued'], batch.id)];
  const started = queued.map((task) => changeOf(task, { kind: 'submit-started' }, at));
  store.commit(started);
  const accepted = started.map(({ next }) =>
    changeOf(next, { kind: 'accepted', taskCode: `code-${next.id}`, dueAt: at + 5000 }, at),
  );
  store.commit(accepted);
  return accepted.map(({ next }) => next);
}

function changeOf(task: Task, event: TaskEvent, at: number): TaskChange {
  const next = transition(task, event, at);
  if (!next.ok) throw new Error(`${event.kind} does not fit ${task.status}`);
  return { expectedRevision: task.revision, next: next.value, event, at };
}

function rowOf(i: number): Row {
  const prompt = `Number ${i}: a quiet night over the harbour, slow and warm, with a lighthouse far away`;
  return {
    id: `r${i}`,
    line: i + 2,
    operation: 'musicgen/music/generate',
    body: { prompt },
    takes: 1,
    priority: 0,
    filename: undefined,
    note: undefined,
    skip: false,
    cells: { row: `r${i}`, operation: 'music', prompt },
  };
}
