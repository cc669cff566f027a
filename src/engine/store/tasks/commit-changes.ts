import { gatewayKey, type BatchRecord } from '../../../shared/domain/task/batch.ts';
import { proofAbout } from '../../../shared/domain/gateway/charges/idempotency.ts';
import { rowProgress, type RowViewStatus } from '../../../shared/domain/task/row-status.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { Task, TaskStatus } from '../../../shared/domain/task/task.ts';
import { isOfTurn, isOfWatch } from '../../../shared/domain/task/task-event.ts';
import { crashPoint } from '../../crash-point.ts';
import type { AttemptIntent, CommitOutcome, TaskChange } from '../../ports.ts';
import { fitsLimits } from '../leases/limit-check.ts';
import type { BatchCounts } from './batch-counters.ts';
import { mayBeCharged } from './evidence-records.ts';
import type { StoreParts } from './store-parts.ts';
import type { Intended } from './spending-records.ts';
import type { OutputChange } from './output-records.ts';
import { headAfter, type TaskHead } from './task-records.ts';
import { timesOf, type TaskColumns } from './task-table.ts';

/** How a committed change alters the counts of its batch. */
interface CountChange {
  readonly counts: BatchCounts;
  readonly operation: OperationPath;
  readonly task: { readonly before: TaskStatus; readonly after: TaskStatus };
  /** Undefined if the row stays as it is. */
  readonly row: { readonly before: RowViewStatus; readonly after: RowViewStatus } | undefined;
  readonly submits: number;
}

/** Returns a function that writes changes in one transaction; a refused change does not affect the others. */
export function openCommit(parts: StoreParts): (changes: readonly TaskChange[]) => readonly CommitOutcome[] {
  const writeRow = openRowWriter(parts);

  /** `left` receives the heads of the changed tasks, `intended` the paid requests. */
  function write(change: TaskChange, left: Map<number, TaskHead>, intended: Intended[]): CommitOutcome | CountChange {
    if (isRightLost(parts, change)) return 'lease-lost';
    const head = headOf(parts, change);
    // An edit of its row came first: the task is gone, or it was superseded and the change does not know that.
    const isSuperseded = head?.superseded === 1;
    if (head === undefined || isSuperseded !== (change.next.superseded === true)) return 'stale';
    if (isSuperseded && !isOfWatch(change.event.kind)) return 'stale';
    // Counted before the first write to its batch, so that no change is counted twice.
    const counts = parts.counters.of(head.batch);
    const outputs = outputsAfter(parts, head, change);
    const refusal = refusalOf(parts, head, change, { outputs, intended });
    if (refusal !== undefined) return refusal;
    writeTask(parts, head, change);
    const hasSeveral = parts.batchRecords.bySeq(head.batch).record.settings.accounts !== undefined;
    left.set(change.next.id, headAfter(head, change.next, hasSeveral));
    outputs?.write();
    if (isOfTurn(change.event)) parts.rowRecords.setTurn(head.row, change.event);
    const submits = writeEvidence(parts, head, change, intended);
    // A superseded task no longer counts, and its row shows other tasks.
    if (isSuperseded) return 'committed';
    const row = writeRow(head, change);
    const task = { before: head.status, after: change.next.status };
    return { counts, operation: head.operation, task, row, submits };
  }

  return (changes) => {
    if (changes.length === 0) return [];
    const left = new Map<number, TaskHead>();
    const intended: Intended[] = [];
    const written = parts.db.transaction(() => {
      if (changes.some(({ openAttempt }) => openAttempt !== undefined)) parts.assertOwned();
      const results = changes.map((change) => write(change, left, intended));
      // Many at once, which takes half the time.
      const written = changes.filter((_, i) => typeof results[i] === 'object' || results[i] === 'committed');
      parts.evidenceRecords.appendEvents(written.map(({ next, at, event }) => ({ taskId: next.id, at, event })));
      crashPoint('commit.written');
      return results;
    });
    parts.taskRecords.remember(left);
    parts.spendingRecords.add(intended);
    const outcomes = written.map((result): CommitOutcome => {
      if (typeof result === 'string') return result;
      applyCounts(result);
      return 'committed';
    });
    // Requests of other tasks may have become charges.
    if (changes.some(({ proof }) => proof?.verdict === 'refuted')) parts.counters.forget();
    return outcomes;
  };
}

function applyCounts({ counts, operation, task, row, submits }: CountChange): void {
  counts.tasks[operation][task.before] -= 1;
  counts.tasks[operation][task.after] += 1;
  counts.submitsUsed += submits;
  if (row === undefined) return;
  counts.rows[row.before] -= 1;
  counts.rows[row.after] += 1;
}

/** Undefined if the task no longer exists. */
function headOf({ taskRecords, freshKeys }: StoreParts, { next, expectedRevision }: TaskChange): TaskHead | undefined {
  if (next.revision !== expectedRevision + 1) {
    throw new Error(`Task ${next.id}: revision ${next.revision} does not follow ${expectedRevision}`);
  }
  const head = taskRecords.head(next.id);
  if (head === undefined && !freshKeys.tasks.wasGiven(next.id)) throw new Error(`Unknown task: ${next.id}`);
  return head;
}

/** Undefined: the task had no outputs and has none. */
function outputsAfter(
  { taskRecords, batchRecords }: StoreParts,
  head: TaskHead,
  { next }: TaskChange,
): OutputChange | undefined {
  const hasAny = head.has_outputs === 1;
  if (!hasAny && next.outputs.length === 0) return undefined;
  return taskRecords.outputs.compare(next.id, next.outputs, batchRecords.bySeq(head.batch).folder, hasAny);
}

/** Another process has taken the account since; for a paid request it is enough that it may. */
function isRightLost({ leaseRecords }: StoreParts, { under, openAttempt }: TaskChange): boolean {
  if (under === undefined) return false;
  return openAttempt === undefined ? !leaseRecords.isCurrent(under) : !leaseRecords.isHeld(under);
}

/** Why a change must not be written. Checked before its first write, so that nothing has to be undone. */
function refusalOf(
  parts: StoreParts,
  head: TaskHead,
  change: TaskChange,
  { outputs, intended }: { readonly outputs: OutputChange | undefined; readonly intended: readonly Intended[] },
): CommitOutcome | undefined {
  const { next, expectedRevision, openAttempt, closeAttempt, terms } = change;
  const { record } = parts.batchRecords.bySeq(head.batch);
  if (head.revision !== expectedRevision || !hasBasis(parts, change)) return 'stale';
  if (openAttempt !== undefined && terms !== undefined) {
    const runs = record.state === 'running' || openAttempt.isAgain === true;
    if (!runs || record.revision !== terms.revision) return 'batch-changed';
    const isMore = openAttempt.isAgain !== true;
    if (!isMore && isKeyRefuted(parts, record, openAttempt)) return 'key-refuted';
    if (isMore && !fitsLimits(parts, head.batch, next.operation, openAttempt, intended)) return 'over-limit';
  }
  if (openAttempt !== undefined && closeAttempt === undefined && parts.evidenceRecords.hasOpenAttempt(next.id)) {
    return 'attempt-open';
  }
  const { taskCode } = next;
  const isNewCode = taskCode !== undefined && taskCode !== head.task_code;
  if (isNewCode && parts.taskRecords.idByCode(record.id, taskCode, next.account) !== undefined) return 'code-taken';
  return outputs?.isPathTaken() === true ? 'path-taken' : undefined;
}

/** Another process may have found it out since this one has read it. A batch that tries keys counts what came since it was made. */
function isKeyRefuted(
  { gatewayRecords }: StoreParts,
  { id, settings, createdAt }: BatchRecord,
  { account, idempotency }: AttemptIntent,
): boolean {
  if (idempotency === undefined) return true;
  const proof = proofAbout(gatewayRecords.idempotencyProofs(), gatewayKey(id, settings, account), idempotency);
  return proof?.verdict === 'refuted' && (settings.probe !== true || proof.at >= createdAt);
}

/** Whether the tasks from which the request was made are as they were. */
function hasBasis({ taskRecords }: StoreParts, { basis = [] }: TaskChange): boolean {
  return basis.every(({ id, revision }) => taskRecords.head(id)?.revision === revision);
}

function writeTask(
  { taskRecords, assertOwned }: StoreParts,
  head: TaskHead,
  { next, expectedRevision }: TaskChange,
): void {
  // The statement itself checks the revision: what was read before only chooses the answer.
  if (taskRecords.update(next, expectedRevision, head)) return;
  assertOwned();
  throw new Error(`Task ${next.id} changed inside a transaction`);
}

/** Returns how many more paid requests may have been charged. */
function writeEvidence(parts: StoreParts, head: TaskHead, change: TaskChange, intended: Intended[]): number {
  const { evidenceRecords: evidence, gatewayRecords: gateways, batchRecords: batches } = parts;
  const { next, at, openAttempt, closeAttempt, pollAnswer, cost, completionMs, seen, learned, proof } = change;
  const doubted = closeAttempt?.doubted === undefined ? 0 : evidence.doubt(next.id, closeAttempt.doubted);
  const closed = closeAttempt !== undefined && evidence.closeAttempt(next.id, closeAttempt);
  if (pollAnswer !== undefined) evidence.keepPollAnswer(next.id, pollAnswer);
  if (cost !== undefined) evidence.keepCost(next.id, cost);
  const { id, settings } = batches.bySeq(head.batch).record;
  const gateway = batches.gatewayOf(id, next.account);
  const isFree = closed && !mayBeCharged(closeAttempt.outcome);
  const isMore = closed && closeAttempt.isChargedAgain === true;
  const stated = cost ?? closeAttempt?.cost;
  if (stated !== undefined) parts.spendingRecords.noteCost(gateway, next.operation, stated);
  const isLess = settings.probe === true && !isOutcomeOpen(next) && evidence.settleReserve(next.id);
  if (isFree || isMore || isLess || doubted > 0 || stated !== undefined) parts.spendingRecords.forgetSums();
  if (openAttempt !== undefined) {
    const { startedAt, account, price, isAgain, charges = 1 } = openAttempt;
    const night = parts.nightRecords.nightAt(startedAt);
    evidence.openAttempt(next.id, head.batch, openAttempt, night);
    if (isAgain !== true) {
      intended.push({
        batch: head.batch,
        account,
        night,
        startedAt,
        operation: next.operation,
        price,
        charges,
        isRehearsal: settings.rehearsal,
      });
    }
  }
  if (completionMs !== undefined) {
    gateways.keepCompletion(gateway, next.operation, next.model, completionMs);
  }
  if (seen !== undefined && !settings.rehearsal) gateways.keepSeen(gateway, seen, at);
  if (learned !== undefined) gateways.keepLearned(gateway, learned, at);
  if (proof !== undefined) gateways.keepProof(proof);
  if (proof?.verdict === 'refuted') {
    evidence.chargeUnanswered(proof);
    parts.spendingRecords.forgetSums();
  }
  // Sent again under its key, it is the same charge.
  const intendedMore = openAttempt === undefined || openAttempt.isAgain === true ? 0 : 1;
  return intendedMore + doubted + (isMore ? 1 : 0) - (isFree ? 1 : 0);
}

/** A request of the task may have been charged, and nobody knows yet how often. */
function isOutcomeOpen({ status }: Pick<Task, 'status'>): boolean {
  return status === 'submitting' || status === 'submit-unknown';
}

function openRowWriter({ db, rowRecords }: StoreParts) {
  const selectRow = db.prepare<RowOfTask>(`
    SELECT rows.status AS shown, rows.draft, rows.submitted_at AS shown_submitted, rows.finished_at AS shown_finished,
      tasks.status, tasks.submitted_at, tasks.finished_at
    FROM rows JOIN tasks ON tasks.row = rows.seq AND tasks.superseded = 0 WHERE rows.seq = ? ORDER BY take`);

  return ({ row, ...head }: TaskHead, { next }: TaskChange): CountChange['row'] | undefined => {
    const isSame =
      head.status === next.status &&
      head.submitted_at === (next.submittedAt ?? null) &&
      head.finished_at === (next.finishedAt ?? null);
    // As after nearly every poll: these three decide what the row shows.
    if (isSame) return undefined;
    const tasks = selectRow.all(row);
    const before = tasks[0];
    if (before === undefined) throw new Error(`Task ${next.id} has no row`);
    const { shown: status, shown_submitted: submitted_at, shown_finished: finished_at } = before;
    const after = rowProgress(
      tasks.map((columns) => ({ status: columns.status, ...timesOf(columns) })),
      before.draft === 1 ? 'draft' : 'invalid',
    );
    rowRecords.writeProgress(row, after, { status, submitted_at, finished_at });
    return { before: status, after: after.status };
  };
}

/** A task of a row, with what the row shows. */
interface RowOfTask extends Pick<TaskColumns, 'status' | 'submitted_at' | 'finished_at'> {
  readonly shown: RowViewStatus;
  readonly shown_submitted: number | null;
  readonly shown_finished: number | null;
  readonly draft: number;
}
