import { pauseOf } from '../../../shared/domain/base/failure.ts';
import { amountOf, microsOf, type Money } from '../../../shared/domain/base/money.ts';
import { batchStanding, type BatchStanding } from '../../../shared/domain/task/batch-standing.ts';
import { FAMILIES, type Family } from '../../../shared/domain/operations/operations.ts';
import { TASK_STATUSES, TERMINAL_STATUSES, type TaskStatus } from '../../../shared/domain/task/task.ts';
import { formatNearby } from '../../format/times.ts';
import { formatPercent } from '../../format/phrases.ts';
import type { BatchView, SpendingView } from '../../../shared/ipc/batches.ts';
import type { LedgerView } from '../../../shared/ipc/ledger.ts';
import { words } from '../../../shared/words/words.ts';
import type { BatchDialog } from '../app-state.ts';

export type StatusTotals = Readonly<Record<TaskStatus, number>>;

/** Tasks by status, over all families or of one. */
export function statusTotals(counts: BatchView['counts'], family?: Family): StatusTotals {
  const families = family === undefined ? FAMILIES : [family];
  const totals = TASK_STATUSES.map((status) => [status, sum(families.map((name) => counts[name][status]))] as const);
  return Object.fromEntries(totals) as Record<TaskStatus, number>;
}

export function tasksInTotal(totals: StatusTotals): number {
  return sum(TASK_STATUSES.map((status) => totals[status]));
}

/** Tasks that are not finished. */
export function openTasks(totals: StatusTotals): number {
  return sum(TASK_STATUSES.filter((status) => !TERMINAL_STATUSES.has(status)).map((status) => totals[status]));
}

/** Whether this can be changed about a batch now: what its menu “More” and the palette offer. */
export function offersDialog({ state, counts, filesPlace }: BatchView, dialog: BatchDialog): boolean {
  const isGoingOn = state === 'running' || state === 'paused';
  switch (dialog) {
    case 'when':
    case 'limits':
      return isGoingOn;
    case 'gates':
      return state !== 'ready';
    case 'filesPlace':
      return filesPlace !== undefined;
    case 'resultsFile':
      // The sheet says whether there is a file.
      return true;
    case 'cancel': {
      const totals = statusTotals(counts);
      return isGoingOn && openTasks(totals) > totals['submit-unknown'];
    }
  }
}

/**
 * The progress of a batch, or of several: what is done and verified. A retry never lowers it, and what did not succeed
 * never counts.
 */
export function percentDone(...totals: readonly StatusTotals[]): string {
  return formatPercent(sum(totals.map(({ done }) => done)), sum(totals.map(tasksInTotal)));
}

/**
 * Whether the banner of the account that stopped last says why the batch is paused, and offers as much: a second one
 * would say the same.
 */
export function isSaidOfAccount({ pause, accounts = [] }: Pick<BatchView, 'pause' | 'accounts'>): boolean {
  if (pause?.by !== 'failure') return false;
  const { code, message, cap } = pause.failure;
  const remedyAt = pauseOf(code)?.remedyAt;
  const isOffered = remedyAt === undefined || remedyAt === 'key' || (remedyAt === 'limit' && cap?.of === 'account');
  return isOffered && accounts.some(({ stop }) => stop?.code === code && stop.message === message);
}

/** A batch's state, in the same words everywhere. */
export function standingOf(batch: BatchView): BatchStanding {
  const { state, pause, counts, settling, rows, waitsUntil: until } = batch;
  const waitsUntil = until === undefined ? undefined : formatNearby(until, Date.now());
  return batchStanding({ state, pause, takes: statusTotals(counts), settling, rows, waitsUntil });
}

/** When a ledger begins and ends; that of a batch as the batch itself says it, which ends after its last request. */
export function ledgerSpan(
  { night, timeline }: Pick<LedgerView, 'night' | 'timeline'>,
  batch: Pick<BatchView, 'state' | 'runStartedAt' | 'finishedAt'> | undefined,
): { readonly from: number | undefined; readonly to: number | undefined } {
  if (night !== undefined) return { from: night.beganAt, to: night.endedAt ?? night.interruptedAt };
  const from = timeline && Math.min(timeline.from, batch?.runStartedAt ?? timeline.from);
  if (batch?.state === 'running') return { from, to: undefined };
  const { finishedAt } = batch?.state === 'finished' ? batch : {};
  return { from, to: finishedAt ?? timeline?.to };
}

/** Paid requests left within the batch's limit; undefined if it has no limit. */
export function requestsLeft({ maxSubmits, submitsUsed }: BatchView): number | undefined {
  return maxSubmits === undefined ? undefined : Math.max(0, maxSubmits - submitsUsed);
}

type Cap = NonNullable<Extract<NonNullable<BatchView['pause']>, { by: 'failure' }>['failure']['cap']>;

/** Whose limit has paused the batch; undefined if something else has. */
export function pausingLimit({ pause }: Pick<BatchView, 'pause'>): Cap | undefined {
  if (pause?.by !== 'failure' || pause.failure.code !== 'CAP_REACHED') return undefined;
  return pause.failure.cap ?? { of: 'batch', lacks: 'requests' };
}

/**
 * Whose limit has paused the batch and is still used up: resuming alone would pause it again at once.
 * @param spending What all batches together have spent; without it, their limits are taken for used up.
 */
export function limitReached(batch: BatchView, spending?: SpendingView): Cap['of'] | undefined {
  const cap = pausingLimit(batch);
  if (cap === undefined) return undefined;
  if (cap.of === 'night' || cap.of === 'month') {
    if (spending === undefined) return cap.of;
    const { limit, spent } = spending[cap.of];
    return leavesNoRoom(cap, limit, spent) ? cap.of : undefined;
  }
  const { maxSubmits, maxCost, submitsUsed, spent } = batch;
  const ofAccount = batch.accounts?.find(({ name }) => name === cap.account);
  if (cap.of === 'account' && ofAccount === undefined) return undefined;
  const limit = ofAccount?.limit ?? { requests: maxSubmits, cost: maxCost };
  const used = ofAccount ?? { requests: submitsUsed, spent };
  return leavesNoRoom(cap, limit, { requests: used.requests ?? 0, cost: used.spent === undefined ? [] : [used.spent] })
    ? cap.of
    : undefined;
}

function leavesNoRoom(
  { lacks, next }: Cap,
  limit: { readonly requests?: number | undefined; readonly cost?: Money | undefined },
  spent: Pick<SpendingView['night']['spent'], 'requests' | 'cost'>,
): boolean {
  if (lacks === 'requests') return limit.requests !== undefined && spent.requests >= limit.requests;
  // Of an older version, nobody noted what the next one costs.
  if (limit.cost === undefined || next?.currency !== limit.cost.currency) return false;
  const used = spent.cost.find(({ currency }) => currency === next.currency)?.amount ?? 0;
  return microsOf(used) + microsOf(next.amount) > microsOf(limit.cost.amount);
}

/**
 * The lowest limit in money by which a batch that its own one holds up would go on: what is spent, and the next request.
 * Undefined where nobody knows, or where it has a limit in another currency by now.
 */
export function leastCostLimit({
  pause,
  maxCost,
  spent,
}: Pick<BatchView, 'pause' | 'maxCost' | 'spent'>): Readonly<Record<'limit' | 'spent' | 'next', Money>> | undefined {
  const cap = pause?.by === 'failure' ? pause.failure.cap : undefined;
  if (cap?.of !== 'batch' || cap.next === undefined || spent === undefined) return undefined;
  const { next } = cap;
  if (next.currency !== maxCost?.currency || spent.currency !== next.currency) return undefined;
  const amount = amountOf(microsOf(spent.amount) + microsOf(next.amount));
  return { limit: { amount, currency: next.currency }, spent, next };
}

/** True if its pause keeps Nocturne from asking about what is being rendered: the gateway may have finished it. */
export function isLeftAlone({ state, pause }: Pick<BatchView, 'state' | 'pause'>): boolean {
  if (state !== 'paused' || pause?.by !== 'failure') return false;
  const policy = pauseOf(pause.failure.code);
  return policy !== undefined && policy.meanwhile !== 'all';
}

/** The label for retrying the whole batch; undefined if there is nothing to retry. */
export function retryWords({ failed, cancelled }: StatusTotals): string | undefined {
  const { notices } = words;
  if (failed > 0) return cancelled > 0 ? notices.retryBoth : notices.retryFailed;
  return cancelled > 0 ? notices.retryCancelled : undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
