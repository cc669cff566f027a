import { failure, type Failure } from '../../shared/domain/task/failure.ts';
import type { ReferenceSource } from '../../shared/domain/cells/reference.ts';
import { TERMINAL_STATUSES, type Task } from '../../shared/domain/task/task.ts';
import type { MediaGateway, TaskReader } from '../ports.ts';

/** What a row can give to the rows that refer to it. */
export type RowSource =
  /** Its first take, by number, that is done; every earlier one has ended. */
  | { readonly kind: 'done'; readonly task: Task }
  /** Nothing yet: it is on its way, or waits for the user's decision. */
  | { readonly kind: 'coming' }
  /** Nothing, unless it is tried again; with what the rows that refer to it fail with. */
  | { readonly kind: 'none'; readonly failure: Failure };

/**
 * What row `rowId` can give at the moment. A failure that is only suspected counts as an end, too: a night would else
 * wait for its deadline, a day long. Nothing is lost by that, since nothing was paid for the rows that refer to it, and
 * they go on by themselves when a late success overturns the suspicion.
 */
export function rowSource(store: TaskReader, batchId: string, rowId: string): RowSource {
  const tasks = store.tasksOfRow(batchId, rowId);
  for (const task of tasks) {
    if (task.status === 'done') return { kind: 'done', task };
    if (!TERMINAL_STATUSES.has(task.status)) return { kind: 'coming' };
  }
  return { kind: 'none', failure: whyNone(store, batchId, rowId, tasks) };
}

/** The values that the done task of a row gives. Its record is read from the latest answer to a poll, kept as evidence. */
export function referenceSourceOf(
  store: TaskReader,
  gateway: Pick<MediaGateway, 'resultOf'>,
  task: Task,
): ReferenceSource {
  const answer = store.pollAnswer(task.id);
  return {
    taskCode: task.taskCode ?? '',
    result: answer === undefined ? undefined : gateway.resultOf(answer),
    outputUrls: task.outputs.flatMap(({ url }) => (url === undefined ? [] : [url])),
  };
}

/** Names the row and the reason; at the end of a chain of rows that failed each other, the row that began it. */
function whyNone(store: TaskReader, batchId: string, rowId: string, tasks: readonly Task[]): Failure {
  const [first] = tasks;
  const why = first?.failure;
  const root = why?.code === 'DEPENDENCY_FAILED' ? why.data?.['root'] : undefined;
  const rootReason = why?.data?.['reason'];
  if (typeof root === 'string' && typeof rootReason === 'string') {
    const message = `It refers to row “${rowId}”, which needs row “${root}”, which ${rootReason}`;
    return failure('DEPENDENCY_FAILED', message, { row: rowId, root, reason: rootReason });
  }
  const reason = reasonOf(store, batchId, rowId, first);
  const message = `It refers to row “${rowId}”, which ${reason}`;
  return failure('DEPENDENCY_FAILED', message, { row: rowId, root: rowId, reason });
}

function reasonOf(store: TaskReader, batchId: string, rowId: string, first: Task | undefined): string {
  if (first?.status === 'cancelled') return 'was cancelled.';
  if (first !== undefined) return `failed: ${first.failure?.message ?? 'no reason is known.'}`;
  const row = store.row(batchId, rowId);
  if (row === undefined) return 'is not in the sheet.';
  return row.skip ? 'is marked to be left out.' : 'has not run: it has an error of its own, or was not set going.';
}
