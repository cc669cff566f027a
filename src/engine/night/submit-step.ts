import { createHash } from 'node:crypto';
import { failure } from '../../shared/domain/base/failure.ts';
import { operationOf } from '../../shared/domain/operations/operations.ts';
import { nextPollDelayMs } from '../../shared/domain/gateway/poll-schedule.ts';
import {
  countedRefusal,
  refusalsInWords,
  refusedWaitMs,
  type SubmitOutcome,
} from '../../shared/domain/gateway/submit-outcome.ts';
import { assertNever, present } from '../../shared/domain/base/result.ts';
import { backoffMs, retryDelayMs } from '../../shared/domain/gateway/retry.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import { crashPoint } from '../crash-point.ts';
import type { AttemptIntent, SubmitReport } from '../ports.ts';
import type { Lane } from './lanes.ts';
import type { Night } from './night.ts';
import type { NightBatch } from './night-batch.ts';
import { chooseTasks, mayPay } from './choose-submits.ts';
import { prepareBody } from './prepare-body.ts';
import type { Entry } from './task-journal.ts';

/** Unknown outcomes in succession that pause the batch (submit protocol, step 8). */
const UNKNOWN_FUSE = 3;

/**
 * Starts as many submits as limits, caps and budget allow: their intents are committed as one group before the first
 * byte of any of them leaves (submit protocol, steps 2 to 4).
 */
export function startSubmits(night: Night): void {
  if (night.ending.aborted || night.journal.isStoreFailed) return;
  for (const batch of night.batches.all.values()) {
    try {
      startSubmitsOf(night, batch);
    } catch (error) {
      night.batches.stumble([batch], error);
    }
  }
}

function startSubmitsOf(night: Night, batch: NightBatch): void {
  if (!batch.allowed.submit) return;
  if (!mayPay(night, batch)) return;
  if (batch.isDiskDoubted && night.active.downloading(batch.id) > 0) return;
  const tasks = chooseTasks(night, batch);
  if (tasks.length > 0) commitAndSend(night, batch, tasks);
}

function commitAndSend(night: Night, batch: NightBatch, tasks: readonly Task[]): void {
  const { lane } = batch;
  const fingerprint = night.keyFingerprint(batch.profile);
  if (fingerprint === undefined) return;
  const prepared = tasks.flatMap((task) => {
    const outcome = prepareBody(night, batch, task);
    if (outcome.kind !== 'asking') return [{ task, outcome }];
    lane.budget.giveBack();
    return [];
  });
  const entries = prepared.map(({ task, outcome }): Entry => {
    if (outcome.kind === 'not-ready') return { taskId: task.id, event: outcome.event };
    crashPoint('submit.before-intent');
    const openAttempt = intentOf(night, batch, fingerprint, outcome.body);
    return { taskId: task.id, event: { kind: 'submit-started' }, openAttempt };
  });
  let recorded;
  try {
    recorded = night.journal.recordNow(entries);
  } catch (error) {
    // Nothing was committed, so nothing is sent.
    for (const _ of prepared) lane.budget.giveBack();
    night.batches.stumble([batch], error);
    return;
  }
  recorded.forEach((outcome, i) => {
    const made = prepared[i]?.outcome;
    if (outcome.kind === 'committed' && made?.kind === 'ready') {
      const refusedBefore = refusalsInWords(prepared[i]?.task.failure);
      night.track(batch, send(night, batch, outcome.task, made.body, refusedBefore));
    } else {
      lane.budget.giveBack();
    }
  });
  // A task that was not ready has freed its slot for others.
  if (prepared.some(({ outcome }) => outcome.kind === 'not-ready')) night.wake();
}

function intentOf(night: Night, batch: NightBatch, keyFingerprint: string, body: Uint8Array): AttemptIntent {
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  return { startedAt: night.clock.now(), origin: batch.gateway.origin, keyFingerprint, body, bodySha256 };
}

async function send(
  night: Night,
  batch: NightBatch,
  task: Task,
  body: Uint8Array,
  refusedBefore: number,
): Promise<void> {
  const { lane } = batch;
  crashPoint('submit.intent-committed');
  const report = await batch.gateway.submit({ operation: task.operation, body });
  crashPoint('submit.answered');
  const outcome = await recordAnswer(night, task, {
    ...report,
    outcome: countedRefusal(report.outcome, refusedBefore),
  });
  crashPoint('submit.answer-committed');
  takeNote(night, batch, lane, outcome);
  night.wake();
}

/** Returns what the outcome counts as: a task code that another task already has leaves it unknown. */
async function recordAnswer(night: Night, task: Task, report: SubmitReport): Promise<SubmitOutcome> {
  const record = (outcome: SubmitOutcome): ReturnType<Night['journal']['record']> =>
    night.journal.record({
      taskId: task.id,
      event: eventOf(night, task, outcome),
      closeAttempt: answerOf(night, report, outcome),
    });
  const { outcome } = report;
  const recorded = await record(outcome);
  if (recorded.kind !== 'code-taken') return outcome;
  const duplicate = asDuplicate(outcome);
  await record(duplicate);
  return duplicate;
}

function answerOf(night: Night, report: SubmitReport, outcome: SubmitOutcome): NonNullable<Entry['closeAttempt']> {
  const answer = { answeredAt: night.clock.now(), outcome: outcome.kind };
  return report.raw === undefined ? answer : { ...answer, raw: report.raw };
}

/** A task code that another task already has cannot be this task's: whose it is, nobody knows. */
function asDuplicate(outcome: SubmitOutcome): SubmitOutcome {
  const taskCode = 'taskCode' in outcome ? outcome.taskCode : undefined;
  return {
    kind: 'unknown',
    failure: failure(
      'SUBMIT_OUTCOME_UNKNOWN',
      `The gateway answered with a task code that already belongs to another task: ${taskCode}`,
      { duplicateTaskCode: true },
    ),
  };
}

function eventOf(night: Night, task: Task, outcome: SubmitOutcome): TaskEvent {
  const now = night.clock.now();
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'accepted', taskCode: outcome.taskCode, dueAt: now + firstPollDelayMs(night, task) };
    case 'not-sent': {
      const dueAt = now + backoffMs(task.setbacks + 1, night.random.next());
      return { kind: 'not-sent', failure: outcome.failure, dueAt };
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
      return { kind: 'outcome-unknown', failure: why, ...present({ taskCode }) };
    }
    default:
      return assertNever(outcome);
  }
}

function firstPollDelayMs(night: Night, task: Task): number {
  return nextPollDelayMs({
    operation: operationOf(task.operation),
    completions: night.store.completions(task.batchId, task.operation, task.model),
    submittedAgoMs: 0,
    polls: 0,
    setbacks: 0,
    random: night.random.next(),
  });
}

/** What an outcome means beyond its task: the pace, the fuse, the pause. */
function takeNote(night: Night, batch: NightBatch, lane: Lane, outcome: SubmitOutcome): void {
  const { budget } = lane;
  const monotonic = night.clock.monotonic();
  if (outcome.kind !== 'unknown') batch.unknownInARow = 0;
  night.batches.noteTrouble(lane, outcome.kind === 'not-sent' ? outcome.failure : undefined);
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
      budget.calm(monotonic);
      return;
    case 'not-sent':
      budget.slowDown(monotonic, undefined, night.random.next());
      return;
    case 'rate-limited':
      budget.slowDown(monotonic, outcome.retryAfterMs, night.random.next());
      night.batches.noteHold(lane, night.clock.now() + budget.waitMs(monotonic));
      return;
    case 'held':
      night.batches.pause(batch, outcome.failure);
      return;
    case 'unknown':
      batch.unknownInARow += 1;
      if (outcome.failure.data?.['duplicateTaskCode'] === true) {
        night.batches.pause(batch, failure('GATEWAY_PROTOCOL', outcome.failure.message));
      } else if (batch.unknownInARow >= UNKNOWN_FUSE) {
        batch.unknownInARow = 0;
        night.batches.pause(
          batch,
          failure(
            'FUSE_BLOWN',
            `The outcomes of ${UNKNOWN_FUSE} paid requests one after another are unknown: ${outcome.failure.message}`,
          ),
        );
      }
      return;
    default:
      return assertNever(outcome);
  }
}
