import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { openStoreThread } from '../../src/engine/store/thread/store-thread.ts';
import type { TaskChange } from '../../src/engine/ports/task-change.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { transition } from '../../src/shared/domain/task/task-machine.ts';
import type { TaskEvent } from '../../src/shared/domain/task/task-event.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';

/** A new store in a folder, with one batch of this many rows with one task each. */
export async function storeOfTasks(
  folder: string,
  count: number,
  mediaFolder = folder,
): Promise<{ readonly opened: PromisedStore; readonly batchId: string }> {
  const opened = await openStoreThread(folder);
  if (!opened.ok) throw new Error(opened.error.message);
  const batch = await opened.value.store.createBatch({
    name: 'Bench',
    headers: ['row', 'operation', 'prompt'],
    settings: { folder: mediaFolder, profile: profileSchema.parse({}), filename: '{row}', rehearsal: true },
    createdAt: Date.now(),
    rows: rowsOf(count),
    problems: [],
  });
  return { opened: opened.value, batchId: batch.id };
}

/** Moves the first tasks of a batch to the gateway, in two commits. */
export async function renderingTasks(store: TaskStore, batchId: string, count: number): Promise<Task[]> {
  const started = (await store.nextQueued(batchId, 'musicgen', count, Date.now())).map((task) =>
    changeOf(task, { kind: 'submit-started' }),
  );
  await commitAll(store, started);
  const accepted = started.map(({ next }) => changeOf(next, acceptedOf(next)));
  await commitAll(store, accepted);
  return accepted.map(({ next }) => next);
}

/** The gateway took a task. */
export function acceptedOf({ id }: Task): TaskEvent {
  return { kind: 'accepted', taskCode: `code-${id}`, dueAt: Date.now() + 5000 };
}

/** The gateway still renders a task. */
export function stillRunning({ poll }: Task): TaskEvent {
  return { kind: 'still-running', dueAt: Date.now() + 5000, poll: { polls: poll.polls + 1 } };
}

/** How an event changes a task. */
export function changeOf(task: Task, event: TaskEvent): TaskChange {
  const at = Date.now();
  const next = transition(task, event, at);
  if (!next.ok) throw new Error(`${event.kind} does not fit ${task.status}`);
  return { expectedRevision: task.revision, next: next.value, event, at };
}

/** Commits changes in one transaction; none may be refused. */
export async function commitAll(store: TaskStore, changes: readonly TaskChange[]): Promise<void> {
  const lost = (await store.commit(changes)).find((outcome) => outcome !== 'committed');
  if (lost !== undefined) throw new Error(`A change was lost: ${lost}`);
}

function* rowsOf(count: number): Generator<Row> {
  for (let i = 0; i < count; i += 1) {
    const prompt = `Number ${i}: a quiet night over the harbour, slow and warm, with a lighthouse far away`;
    yield {
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
}
