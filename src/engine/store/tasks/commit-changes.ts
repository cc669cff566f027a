import { gatewayKey, type BatchRecord, type BatchSettings } from '../../../shared/domain/task/batch.ts';
import { proofAbout, type IdempotencyProof } from '../../../shared/domain/task/key-probe.ts';
import { rowProgress, type RowViewStatus } from '../../../shared/domain/task/row-status.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { Task, TaskStatus } from '../../../shared/domain/task/task.ts';
import { isOfTurn, isOfWatch } from '../../../shared/domain/task/task-event.ts';
import { crashPoint } from '../../crash-point.ts';
import type { AttemptIntent, CommitOutcome, TaskChange } from '../../ports/task-change.ts';
import { fitsLimits } from '../leases/limit-check.ts';
import type { CountChange } from './batch-counters.ts';
import { mayBeCharged } from './evidence-records.ts';
import type { StoreParts } from './store-parts.ts';
import type { Intended } from './spending-records.ts';
import type { OutputChange } from './output-records.ts';
import { openTaskPlans } from './task-plans.ts';
import { headAfter, type TaskHead } from './task-records.ts';
import { timesOf, type TaskColumns } from './task-table.ts';

/** How a change alters the counts of its batch. */
interface Counted {
  readonly batch: number;
  readonly operation: OperationPath;
  readonly task: { readonly before: TaskStatus; readonly after: TaskStatus };
  /** Undefined if the row stays as it is. */
  readonly row: { readonly before: RowViewStatus; readonly after: RowViewStatus } | undefined;
}

/** What a transaction has written about charges so far. */
interface ChargesWritten {
  /** Paid requests since the sums were last written. */
  readonly intended: Intended[];
  /** Requests have since changed in another way: the sums in memory are no longer right. */
  isOutdated: boolean;
  /** Requests of any tasks may have become charges. */
  isOfAll: boolean;
  /** How many more requests each batch has. */
  readonly submits: Map<number, number>;
  /** Writes the sums. */
  readonly keep: () => void;
}

/** Returns a function that writes changes in one transaction; a refused change does not affect the others. */
export function openCommit(parts: StoreParts): (changes: readonly TaskChange[]) => readonly CommitOutcome[] {
  const writeRow = openRowWriter(parts);
  const plans = openTaskPlans(parts);

  /** `left` receives the heads of the changed tasks. */
  function write(change: TaskChange, left: Map<number, TaskHead>, charges: ChargesWritten): CommitOutcome | Counted {
    if (isRightLost(parts, change)) return 'lease-lost';
    const head = headOf(parts, change);
    // An edit of the row came first: the task is gone, or it was superseded without the change knowing.
    const isSuperseded = head?.superseded === 1;
    const isAgain = change.event.kind === 'made-again';
    if (head === undefined || isSuperseded !== (change.next.superseded === true && !isAgain)) return 'stale';
    if (isSuperseded && !isOfWatch(change.event.kind)) return 'stale';
    // Before the first write to its batch, so that no change is counted twice.
    parts.counters.of(head.batch);
    const outputs = outputsAfter(parts, head, change);
    const refusal = refusalOf(parts, head, change, { outputs, charges });
    if (refusal !== undefined) return refusal;
    if (isAgain) {
      const made = plans.makeAgain(head, change.next, change.at);
      if (made === undefined) return 'not-wanted';
      const task = { before: head.status, after: made.status };
      return { batch: head.batch, operation: head.operation, task, row: writeRow(head, { next: made }) };
    }
    writeTask(parts, head, change);
    const hasSeveral = parts.batchRecords.bySeq(head.batch).record.settings.accounts !== undefined;
    left.set(change.next.id, headAfter(head, change.next, hasSeveral));
    outputs?.write();
    if (isOfTurn(change.event)) parts.rowRecords.setTurn(head.row, change.event);
    writeEvidence(parts, head, change, charges);
    // A superseded task no longer counts, and its row shows other tasks.
    if (isSuperseded) return 'committed';
    const { batch, operation } = head;
    const task = { before: head.status, after: change.next.status };
    return { batch, operation, task, row: writeRow(head, change) };
  }

  function writeAll(changes: readonly TaskChange[], left: Map<number, TaskHead>, charges: ChargesWritten) {
    if (changes.some(({ openAttempt }) => openAttempt !== undefined)) parts.assertOwned();
    const results = changes.map((change) => write(change, left, charges));
    // Many at once takes half the time.
    const written = changes.filter((_, i) => typeof results[i] === 'object' || results[i] === 'committed');
    parts.evidenceRecords.appendEvents(written.map(({ next, at, event }) => ({ taskId: next.id, at, event })));
    charges.keep();
    for (const [batch, change] of countChanges(results, charges.submits)) parts.counters.change(batch, change);
    if (charges.isOfAll) parts.counters.countAllAnew();
    crashPoint('commit.written');
    return results;
  }

  return (changes) => {
    if (changes.length === 0) return [];
    const left = new Map<number, TaskHead>();
    try {
      const results = parts.db.transaction(() => writeAll(changes, left, chargesWritten(parts, changes)));
      parts.taskRecords.remember(left);
      return results.map((result): CommitOutcome => (typeof result === 'string' ? result : 'committed'));
    } catch (error) {
      // The counts in memory were never committed.
      parts.counters.forget();
      parts.spendingRecords.forget();
      throw error;
    }
  };
}

/** Follows what a transaction writes about charges, from before its first write. */
function chargesWritten(
  { keptCharges, spendingRecords, batchRecords }: StoreParts,
  changes: readonly TaskChange[],
): ChargesWritten {
  const mayChange = ({ openAttempt, closeAttempt, lateAnswer, cost, next }: TaskChange): boolean =>
    openAttempt !== undefined ||
    closeAttempt !== undefined ||
    lateAnswer !== undefined ||
    cost !== undefined ||
    batchRecords.byId(next.batchId)?.record.settings.probe === true;
  const keep = keptCharges.follow(changes.filter(mayChange).map(({ next }) => next.id));
  return {
    intended: [],
    isOutdated: false,
    isOfAll: false,
    submits: new Map(),
    keep() {
      if (this.isOfAll) {
        keptCharges.sumAllAnew();
        spendingRecords.forget();
      } else {
        const { more, stated } = keep();
        for (const [batch, count] of more) this.submits.set(batch, (this.submits.get(batch) ?? 0) + count);
        for (const one of stated) {
          const account = one.account === '' ? undefined : one.account;
          spendingRecords.noteStated(batchRecords.gatewayOf(batchRecords.bySeq(one.batch).record.id, account), one);
        }
      }
      if (this.isOutdated) spendingRecords.forgetSums();
      else spendingRecords.add(this.intended);
      this.isOutdated = false;
      this.intended.length = 0;
    },
  };
}

/** How everything that was written changes the counts of each batch. */
function countChanges(
  results: readonly (CommitOutcome | Counted)[],
  submits: ReadonlyMap<number, number>,
): ReadonlyMap<number, CountChange> {
  const changes = new Map<number, CountMoves>();
  const changeOf = (batch: number): CountMoves => {
    const change = changes.get(batch) ?? { rows: new Map(), tasks: new Map(), submits: submits.get(batch) ?? 0 };
    changes.set(batch, change);
    return change;
  };
  for (const [batch, more] of submits) if (more !== 0) changeOf(batch);
  for (const result of results) {
    if (typeof result === 'string') continue;
    const { batch, operation, task, row } = result;
    if (task.before !== task.after) {
      const { tasks } = changeOf(batch);
      const ofOperation = tasks.get(operation) ?? new Map<TaskStatus, number>();
      tasks.set(operation, ofOperation);
      move(ofOperation, task);
    }
    if (row !== undefined && row.before !== row.after) move(changeOf(batch).rows, row);
  }
  return changes;
}

interface CountMoves {
  readonly rows: Map<RowViewStatus, number>;
  readonly tasks: Map<OperationPath, Map<TaskStatus, number>>;
  readonly submits: number;
}

function move<K>(counts: Map<K, number>, { before, after }: { readonly before: K; readonly after: K }): void {
  counts.set(before, (counts.get(before) ?? 0) - 1);
  counts.set(after, (counts.get(after) ?? 0) + 1);
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

/** Undefined if the task had no outputs and still has none. */
function outputsAfter(
  { taskRecords, batchRecords }: StoreParts,
  head: TaskHead,
  { next }: TaskChange,
): OutputChange | undefined {
  const hasAny = head.has_outputs === 1;
  if (!hasAny && next.outputs.length === 0) return undefined;
  return taskRecords.outputs.compare(next.id, next.outputs, batchRecords.bySeq(head.batch).folder, hasAny);
}

/** Whether another process has taken the account since; for a paid request, it is enough that it may do so now. */
function isRightLost({ leaseRecords }: StoreParts, { under, openAttempt }: TaskChange): boolean {
  if (under === undefined) return false;
  return openAttempt === undefined ? !leaseRecords.isCurrent(under) : !leaseRecords.isHeld(under);
}

/** Why a change must not be written. Checked before its first write, so that nothing has to be undone. */
function refusalOf(
  parts: StoreParts,
  head: TaskHead,
  change: TaskChange,
  { outputs, charges }: { readonly outputs: OutputChange | undefined; readonly charges: ChargesWritten },
): CommitOutcome | undefined {
  const { next, expectedRevision, openAttempt, closeAttempt, terms } = change;
  const { record } = parts.batchRecords.bySeq(head.batch);
  if (head.revision !== expectedRevision || !hasBasis(parts, change)) return 'stale';
  if (openAttempt !== undefined && terms !== undefined) {
    const runs = record.state === 'running' || openAttempt.isAgain === true;
    if (!runs || record.revision !== terms.revision) return 'batch-changed';
    const isMore = openAttempt.isAgain !== true;
    if (!isMore && isKeyRefuted(parts, record, openAttempt)) return 'key-refuted';
    // An answer in the same transaction may have said that more was charged.
    if (isMore && charges.isOutdated) charges.keep();
    if (isMore && !fitsLimits(parts, head.batch, next.operation, openAttempt, charges.intended)) return 'over-limit';
  }
  if (openAttempt !== undefined && closeAttempt === undefined && parts.evidenceRecords.hasOpenAttempt(next.id)) {
    return 'attempt-open';
  }
  const { taskCode } = next;
  const isNewCode = taskCode !== undefined && taskCode !== head.task_code;
  if (isNewCode && parts.taskRecords.idByCode(record.id, taskCode, next.account) !== undefined) return 'code-taken';
  return outputs?.isPathTaken() === true ? 'path-taken' : undefined;
}

/**
 * Another process may have found this out since this one last read it. For a batch that tries keys, only what came
 * after its creation counts.
 */
function isKeyRefuted(
  { gatewayRecords }: StoreParts,
  { id, settings, createdAt }: BatchRecord,
  { account, idempotency }: AttemptIntent,
): boolean {
  if (idempotency === undefined) return true;
  const proof = proofAbout(gatewayRecords.idempotencyProofs(), gatewayKey(id, settings, account), idempotency);
  return proof?.verdict === 'refuted' && (settings.probe !== true || proof.at >= createdAt);
}

/** Whether the tasks from which the request was made are unchanged. */
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

function writeEvidence(parts: StoreParts, head: TaskHead, change: TaskChange, charges: ChargesWritten): void {
  const { evidenceRecords: evidence, gatewayRecords: gateways, batchRecords: batches } = parts;
  const { next, at, openAttempt, closeAttempt, lateAnswer, pollAnswer, cost, completionMs, seen, learned, proof } =
    change;
  const doubted = closeAttempt?.doubted === undefined ? 0 : evidence.doubt(next.id, closeAttempt.doubted);
  const closed = closeAttempt !== undefined && evidence.closeAttempt(next.id, closeAttempt);
  if (pollAnswer !== undefined) evidence.keepPollAnswer(next.id, pollAnswer);
  if (cost !== undefined) evidence.keepCost(next.id, cost);
  const isFreeLate = lateAnswer !== undefined && evidence.noteLate(lateAnswer);
  const { id, settings, createdAt } = batches.bySeq(head.batch).record;
  const gateway = batches.gatewayOf(id, next.account);
  const isFree = closed && !mayBeCharged(closeAttempt.outcome);
  const isMore = closed && closeAttempt.isChargedAgain === true;
  const stated = cost ?? closeAttempt?.cost ?? lateAnswer?.answer.cost;
  const isLess = settings.probe === true && !isOutcomeOpen(next) && evidence.settleReserve(next.id);
  if (isFree || isFreeLate || isMore || isLess || doubted > 0 || stated !== undefined) charges.isOutdated = true;
  if (openAttempt !== undefined) {
    const { startedAt, account, price, isAgain, charges: reserved = 1 } = openAttempt;
    const night = parts.nightRecords.nightAt(startedAt);
    evidence.openAttempt(next.id, head.batch, openAttempt, night);
    if (isAgain !== true) {
      charges.intended.push({
        batch: head.batch,
        account,
        night,
        startedAt,
        operation: next.operation,
        price,
        charges: reserved,
        isRehearsal: settings.rehearsal,
      });
    }
  }
  if (completionMs !== undefined) {
    gateways.keepCompletion(gateway, next.operation, next.model, completionMs);
  }
  if (seen !== undefined && !settings.rehearsal) gateways.keepSeen(gateway, seen, at);
  if (learned !== undefined) gateways.keepLearned(gateway, learned, at);
  if (proof !== undefined && !isOutweighed(parts, proof, settings, createdAt)) gateways.keepProof(proof);
  if (proof?.verdict === 'refuted') {
    evidence.chargeUnanswered(proof);
    charges.isOfAll = true;
    charges.isOutdated = true;
  }
}

/**
 * An answer that keeps the gateway's word does not outweigh one that broke it, which its process may not know about; a
 * later probe does.
 */
function isOutweighed(
  { gatewayRecords }: StoreParts,
  { gateway, header, verdict }: IdempotencyProof,
  { probe }: BatchSettings,
  createdAt: number,
): boolean {
  const known = verdict === 'passed' ? proofAbout(gatewayRecords.idempotencyProofs(), gateway, { header }) : undefined;
  return known?.verdict === 'refuted' && !(probe === true && known.at < createdAt);
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

  return ({ row, ...head }: TaskHead, { next }: Pick<TaskChange, 'next'>): Counted['row'] => {
    const isSame =
      head.status === next.status &&
      head.submitted_at === (next.submittedAt ?? null) &&
      head.finished_at === (next.finishedAt ?? null);
    // The case after nearly every poll: these three decide what the row shows.
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
