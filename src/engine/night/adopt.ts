/** Carries out the user's decisions about tasks during the night. */
import type { PollAnswer } from '../../shared/domain/gateway/poll-answer.ts';
import type { Failure } from '../../shared/domain/base/failure.ts';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import { assertNever, err, ok, type Result } from '../../shared/domain/base/result.ts';
import { type Task, isSuspectedFailure } from '../../shared/domain/task/task.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import type { TaskReader } from '../ports/task-store.ts';
import type { StatusQuestion } from '../../shared/domain/gateway/seen-status.ts';
import type { Night } from './night.ts';
import type { NightBatch } from './batches/night-batch.ts';
import { noteAnswer } from './poll-step.ts';
import type { Entry } from './task-journal.ts';

/** Why a task code is not adopted, and what to do, in words for its input field. The row stays as it was. */
export interface AdoptionRefusal {
  readonly message: Reason;
  readonly remedy: Reason;
}

const CODE_SHOWN = 80;
const WORDS_SHOWN = 300;

/** The row was settled in another way while Nocturne asked the gateway. */
export const SETTLED: AdoptionRefusal = {
  message: reason('adoption.decided'),
  remedy: reason('adoption.lookAgain'),
};

/**
 * Gives a task with an unknown submit outcome its task code at the gateway. Nocturne first asks the gateway, once and
 * outside every schedule: the answer is the proof.
 */
export async function adopt(
  night: Night,
  batch: NightBatch,
  task: Task,
  taskCode: string,
): Promise<Result<undefined, AdoptionRefusal>> {
  const { store, journal, ending, wake } = night;
  const { gateway, lane } = batch.accountOf(task);
  const owner = await store.taskByCode(task.batchId, taskCode, task.account);
  if (owner !== undefined && owner.id !== task.id) return err(await belongsTo(owner, task, store));
  const report = await gateway.poll(task.operation, taskCode, ending);
  if (!ending.aborted) noteAnswer(night, lane, report);
  const { answer } = report;
  if (answer.kind !== 'record') return err(refusedBy(answer, taskCode));
  const [recorded] = await journal.recordNow([{ taskId: task.id, event: { kind: 'adopted', taskCode } }]);
  wake();
  if (recorded?.kind === 'committed') return ok(undefined);
  // Another adoption was faster while Nocturne asked the gateway.
  const quicker = await store.taskByCode(task.batchId, taskCode, task.account);
  const isTaken = recorded?.kind === 'code-taken' && quicker !== undefined;
  return err(isTaken ? await belongsTo(quicker, task, store) : SETTLED);
}

/** Another task has the code. */
async function belongsTo(owner: Task, wanting: Task, store: Pick<TaskReader, 'batch'>): Promise<AdoptionRefusal> {
  const row = visibleLine(owner.rowId, CODE_SHOWN);
  const other = owner.batchId === wanting.batchId ? undefined : await store.batch(owner.batchId);
  const isSameRow = owner.batchId === wanting.batchId && owner.rowId === wanting.rowId;
  const batch = other === undefined ? '' : visibleLine(other.name, CODE_SHOWN);
  return {
    message: reason('codeBelongsTo', row, isSameRow ? owner.take : 0, batch),
    remedy: reason('adoption.lookUp'),
  };
}

/** Our own words are short. */
function shortened(failed: Failure): Reason {
  return failed.reason ?? reason('words', visibleLine(failed.message, WORDS_SHOWN));
}

/** The gateway gave no record for the code. */
function refusedBy(answer: Exclude<PollAnswer, { kind: 'record' }>, taskCode: string): AdoptionRefusal {
  const words = shortened(answer.failure);
  if (answer.kind === 'error') return { message: reason('gatewaySilent', words), remedy: reason('adoption.tryAgain') };
  switch (answer.means) {
    case 'not-found':
      return {
        message: reason('unknownCode', visibleLine(taskCode, CODE_SHOWN)),
        remedy: reason('adoption.checkCode'),
      };
    case 'rate':
      return { message: reason('gatewayBusy', words), remedy: reason('adoption.tryLater') };
    case 'auth':
      // Without a key, the gateway was not asked.
      if (answer.failure.code === 'KEY_MISSING') return { message: words, remedy: reason('adoption.enterKey') };
      return { message: reason('keyRejected', words), remedy: reason('adoption.checkKey') };
    case 'balance':
    case 'other':
      return { message: reason('gatewayRefused', words), remedy: reason('adoption.checkCodeAgain') };
    default:
      return assertNever(answer.means);
  }
}

/** Failures inferred from a status that the user has now confirmed as a failure: they are now certain. */
export function statedFailures(
  tasks: readonly Task[],
  { family, status }: Pick<StatusQuestion, 'family' | 'status'>,
  now: number,
): readonly Entry[] {
  return tasks.flatMap((task): Entry[] => {
    const { failure, poll } = task;
    if (!isSuspectedFailure(task) || failure === undefined) return [];
    if (task.family !== family || failure.data?.['status'] !== status) return [];
    const { suspected: _, ...stated } = failure;
    return [{ taskId: task.id, event: { kind: 'remote-failed', failure: stated, dueAt: now, poll } }];
  });
}
