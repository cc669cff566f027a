/** The answer to a paid request, as it is committed (submit protocol, step 5). */
import { failure } from '../../../shared/domain/base/failure.ts';
import { reason } from '../../../shared/domain/base/reason.ts';
import { operationOf } from '../../../shared/domain/operations/operations.ts';
import { nextPollDelayMs } from '../../../shared/domain/gateway/poll-schedule.ts';
import type { SubmitOutcome } from '../../../shared/domain/gateway/submit-outcome.ts';
import { assertNever, present } from '../../../shared/domain/base/result.ts';
import { backoffMs, refusalsInWords, refusedWaitMs, retryDelayMs } from '../../../shared/domain/gateway/retry.ts';
import type { NextAsk } from '../../../shared/domain/gateway/charges/asked-again.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import type { AnswerEvent } from '../../../shared/domain/task/task-event.ts';
import type { Fence } from '../../ports/fleet.ts';
import type { AttemptAnswer, AttemptIntent } from '../../ports/task-change.ts';
import type { SubmitReport } from '../../ports/media-gateway.ts';
import { traitsOf, type IntentTraits, type LaneRight } from '../lanes.ts';
import { noteLate } from '../charges/late-answer.ts';
import type { Night } from '../night.ts';
import type { Entry, Recorded } from '../task-journal.ts';

/** What an answer showed besides its outcome; committed with it. */
interface Shown extends Pick<Entry, 'learned' | 'proof' | 'under'>, Pick<AttemptAnswer, 'isChargedAgain' | 'doubted'> {
  /** The task had never been sent before, with any account. */
  readonly isFirst?: true;
  /** The request, if another process may have taken its account in the meantime. */
  readonly sent?: IntentTraits;
}

/** What an answer names if several processes share the store. */
export function fencedTraits({ fence }: LaneRight, intent: AttemptIntent | undefined): Pick<Shown, 'under' | 'sent'> {
  if (fence === undefined) return {};
  return { under: fence, ...present({ sent: intent && traitsOf(intent) }) };
}

/**
 * Returns what the outcome counts as: a task code that another task already has leaves it unknown.
 * @param again When the request is sent again, if the outcome is unknown.
 */
export async function recordAnswer(
  night: Night,
  task: Task,
  report: SubmitReport,
  completions: readonly number[],
  shown: Shown,
  again?: NextAsk,
): Promise<SubmitOutcome> {
  const { isChargedAgain, doubted, isFirst, sent, ...learned } = shown;
  let { under } = shown;
  const eventFor = (outcome: SubmitOutcome, then?: NextAsk): AnswerEvent =>
    eventOf(night, task, outcome, completions, then, isFirst);
  const answerFor = (outcome: SubmitOutcome): AttemptAnswer => ({
    ...answerOf(night, report, outcome),
    ...present({ isChargedAgain, doubted }),
  });
  const record = (outcome: SubmitOutcome, then?: NextAsk): ReturnType<Night['journal']['record']> =>
    night.journal.record({
      taskId: task.id,
      event: eventFor(outcome, then),
      closeAttempt: answerFor(outcome),
      ...learned,
      ...present({ under }),
      // Whoever had the account between the two rights may have settled the task and sent another request.
      ...(under !== shown.under && { shown: task }),
    });
  const { outcome } = report;
  const recordUnder = async (counted: SubmitOutcome, then?: NextAsk): Promise<Recorded> => {
    let recorded = await record(counted, then);
    while (under !== undefined) {
      const kind: Recorded['kind'] = recorded.kind;
      // Only this process settles the task, but others may have recorded the user's word in the meantime. If it cannot be
      // read now, the next commit waits for it.
      if (kind === 'stale') await night.takeNewest(task.id).catch(() => undefined);
      else {
        const newer: Fence | undefined = kind === 'lease-lost' ? await newerRight(night, task, under) : undefined;
        if (newer === undefined) break;
        under = newer;
      }
      recorded = await record(counted, then);
    }
    return recorded;
  };
  let counted = outcome;
  let recorded = await recordUnder(counted, again);
  if (recorded.kind === 'code-taken') {
    counted = asDuplicate(outcome);
    recorded = await recordUnder(counted);
  }
  if (recorded.kind !== 'committed' && sent !== undefined) {
    const { under: _, ...rest } = learned;
    await noteLate(night, task, { sent, event: eventFor(outcome), answer: answerFor(outcome), ...rest });
  }
  return counted;
}

/** The right to the same account that this process has now, if it has lost the account and taken it again meanwhile. */
async function newerRight(night: Night, task: Task, { account, epoch }: Fence): Promise<Fence | undefined> {
  // A request that is sent again is the same attempt each time: nothing tells this answer from another process's.
  if (task.again !== undefined) return undefined;
  const lane = night.batches.all.get(task.batchId)?.accountOf(task).lane;
  await lane?.taking;
  const fence = lane?.right?.fence;
  return fence?.account === account && fence.epoch > epoch ? fence : undefined;
}

function answerOf(night: Night, report: SubmitReport, outcome: SubmitOutcome): NonNullable<Entry['closeAttempt']> {
  const { raw, cost } = report;
  // What a gateway charges for was not free, whatever else it says.
  const isCharged = outcome.kind === 'rejected' && cost !== undefined && cost.amount > 0;
  return { answeredAt: night.clock.now(), outcome: isCharged ? 'charged' : outcome.kind, ...present({ raw, cost }) };
}

/** A task code that another task already has cannot be this task's: nobody knows whose it is. */
function asDuplicate(outcome: SubmitOutcome): SubmitOutcome {
  const taskCode = 'taskCode' in outcome ? outcome.taskCode : undefined;
  return {
    kind: 'unknown',
    failure: failure('SUBMIT_OUTCOME_UNKNOWN', reason('duplicateCode', taskCode ?? ''), { duplicateTaskCode: true }),
  };
}

function eventOf(
  night: Night,
  task: Task,
  outcome: SubmitOutcome,
  completions: readonly number[],
  again: NextAsk | undefined,
  isFirst: true | undefined,
): AnswerEvent {
  const now = night.clock.now();
  switch (outcome.kind) {
    case 'accepted':
      return {
        kind: 'accepted',
        taskCode: outcome.taskCode,
        dueAt: now + firstPollDelayMs(night, task, completions),
      };
    case 'not-sent': {
      const dueAt = now + backoffMs(task.setbacks + 1, night.random.next());
      const unbinds = task.account === undefined ? undefined : isFirst;
      return { kind: 'not-sent', failure: outcome.failure, dueAt, ...present({ unbinds }) };
    }
    case 'rate-limited': {
      const retryMs = retryDelayMs(outcome.retryAfterMs, task.setbacks + 1, night.random.next());
      const dueAt = now + Math.max(retryMs, refusedWaitMs(refusalsInWords(outcome.failure)));
      return { kind: 'rate-limited', failure: outcome.failure, dueAt };
    }
    case 'held':
      return { kind: 'held', failure: outcome.failure };
    case 'rejected':
      return { kind: 'rejected', failure: outcome.failure };
    case 'unknown': {
      const { failure: why, taskCode } = outcome;
      return { kind: 'outcome-unknown', failure: why, ...present({ taskCode, again }) };
    }
    default:
      return assertNever(outcome);
  }
}

function firstPollDelayMs(night: Night, task: Task, completions: readonly number[]): number {
  const longestMs = night.fronts.longestMs(task);
  if (longestMs !== undefined) return longestMs;
  return nextPollDelayMs({
    operation: operationOf(task.operation),
    completions,
    submittedAgoMs: 0,
    polls: 0,
    setbacks: 0,
    random: night.random.next(),
  });
}
