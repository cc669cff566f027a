/**
 * Why a row that is queued is not sent yet: the first of the things that hold it up, in the order in which the user
 * would have to change them.
 */
import { FAILURE_POLICIES } from '../../../shared/domain/base/failure.ts';
import { FAMILY_NAMES, operationOf } from '../../../shared/domain/operations/operations.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import { formatClockSeconds, formatNearby } from '../../format/times.ts';
import { rowReason } from '../../format/phrases.ts';

/** What holds up the rows of a batch. */
export type HoldingUp = Pick<
  BatchView,
  'state' | 'pause' | 'waitsUntil' | 'waitsFor' | 'heldUntil' | 'fullPlaces' | 'requestsPerSecond'
>;

type WaitingRow = Pick<
  RowView,
  'status' | 'operation' | 'isHeld' | 'waitsForPickOf' | 'waitsForRow' | 'waitsForDraft' | 'waitsForFirst' | 'dueAt'
>;

/** A time that is nearer than this is not worth saying. */
const SOON_MS = 1_000;

/** A sentence; undefined for a row that does not wait. */
export function whyRowWaits(row: WaitingRow, batch: HoldingUp, now: number): string | undefined {
  if (row.status !== 'queued') return undefined;
  return whyRow(row) ?? whyBatch(batch, now) ?? whyTurn(row, batch, now);
}

/** Why a row has its status, as {@link rowReason}; if the row only waits, why it waits. */
export function reasonOf(row: RowView, batch: HoldingUp, now: number): string {
  const waiting = row.failure === undefined ? whyRowWaits(row, batch, now) : undefined;
  return waiting ?? rowReason(row);
}

function whyRow({ isHeld, waitsForPickOf, waitsForRow, waitsForDraft }: WaitingRow): string | undefined {
  const { waits } = words.notices;
  if (isHeld === true) return waits.held;
  if (waitsForPickOf !== undefined) return waits.forPickOf(shownLine(waitsForPickOf));
  if (waitsForRow === undefined) return undefined;
  return waitsForDraft === true ? waits.forDraft(shownLine(waitsForRow)) : waits.forRow(shownLine(waitsForRow));
}

function whyBatch({ state, pause, waitsUntil, waitsFor, heldUntil }: HoldingUp, now: number): string | undefined {
  const { waits } = words.notices;
  if (state === 'ready') return waits.forStart;
  if (pause?.by === 'failure') return waits.pausedBy(FAILURE_POLICIES[pause.failure.code].title);
  if (state === 'paused') return waits.paused;
  if (waitsUntil !== undefined && waitsUntil > now) return waits.forHours(formatNearby(waitsUntil, now));
  if (heldUntil !== undefined && heldUntil > now) return waits.gatewayAsks(formatClockSeconds(heldUntil));
  return waitsFor === undefined ? undefined : waits.forTrouble(waitsFor.title);
}

function whyTurn({ operation, waitsForFirst, dueAt }: WaitingRow, batch: HoldingUp, now: number): string {
  const { waits } = words.notices;
  if (waitsForFirst !== undefined) return waits.forFirst(shownLine(waitsForFirst));
  if (dueAt !== undefined && dueAt - now > SOON_MS) return waits.until(formatClockSeconds(dueAt));
  const family = operation && operationOf(operation).family;
  const full = batch.fullPlaces?.find((one) => one.family === family);
  if (full !== undefined) return waits.forPlace(full.places, FAMILY_NAMES[full.family]);
  const { requestsPerSecond: pace } = batch;
  return pace === undefined ? waits.forTurn : waits.forTurnAt(pace);
}
