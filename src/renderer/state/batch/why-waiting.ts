/** Why a row that is queued is not sent yet: the first of all that holds it up, as the user would have to change it. */
import { FAILURE_POLICIES } from '../../../shared/domain/base/failure.ts';
import { countOf } from '../../../shared/domain/base/text.ts';
import { FAMILY_NAMES, operationOf } from '../../../shared/domain/operations/operations.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { shownLine } from '../../format/shown-text.ts';
import { formatClockSeconds, formatNearby } from '../../format/times.ts';
import { rowReason } from '../../format/words.ts';

/** What of a batch holds its rows up. */
export type HoldingUp = Pick<
  BatchView,
  'state' | 'pause' | 'waitsUntil' | 'waitsFor' | 'heldUntil' | 'fullPlaces' | 'requestsPerSecond'
>;

type WaitingRow = Pick<
  RowView,
  'status' | 'operation' | 'isHeld' | 'waitsForPickOf' | 'waitsForRow' | 'waitsForFirst' | 'dueAt'
>;

/** A time that is nearer than this is not worth saying. */
const SOON_MS = 1_000;

/** A sentence; undefined for a row that does not wait. */
export function whyRowWaits(row: WaitingRow, batch: HoldingUp, now: number): string | undefined {
  if (row.status !== 'queued') return undefined;
  return whyRow(row) ?? whyBatch(batch, now) ?? whyTurn(row, batch, now);
}

/** Why a row has its status, as {@link rowReason}; of one that only waits, why. */
export function reasonOf(row: RowView, batch: HoldingUp, now: number): string {
  const waiting = row.failure === undefined ? whyRowWaits(row, batch, now) : undefined;
  return waiting ?? rowReason(row);
}

function whyRow({ isHeld, waitsForPickOf, waitsForRow }: WaitingRow): string | undefined {
  if (isHeld === true) return 'You hold it: it waits for its release.';
  if (waitsForPickOf !== undefined) return `Waits for you to pick a file of row ${shownLine(waitsForPickOf)}.`;
  return waitsForRow === undefined ? undefined : `Waits for row ${shownLine(waitsForRow)}.`;
}

function whyBatch({ state, pause, waitsUntil, waitsFor, heldUntil }: HoldingUp, now: number): string | undefined {
  if (state === 'ready') return 'Waits for the start of the batch.';
  if (pause?.by === 'failure') return `The batch is paused: ${FAILURE_POLICIES[pause.failure.code].title}.`;
  if (state === 'paused') return 'The batch is paused.';
  if (waitsUntil !== undefined && waitsUntil > now)
    return `Waits until ${formatNearby(waitsUntil, now)}: the batch sends only in its hours.`;
  if (heldUntil !== undefined && heldUntil > now)
    return `The gateway asks us to wait until ${formatClockSeconds(heldUntil)}.`;
  return waitsFor === undefined ? undefined : `${waitsFor.title}: it is sent once that is over.`;
}

function whyTurn({ operation, waitsForFirst, dueAt }: WaitingRow, batch: HoldingUp, now: number): string {
  if (waitsForFirst !== undefined)
    return `Waits until row ${shownLine(waitsForFirst)}, the first of its kind, is verified.`;
  if (dueAt !== undefined && dueAt - now > SOON_MS) return `Waits until ${formatClockSeconds(dueAt)} to be sent.`;
  const family = operation && operationOf(operation).family;
  const full = batch.fullPlaces?.find((one) => one.family === family);
  if (full !== undefined) {
    const rows = countOf(full.places, 'take');
    return `Waits for a place: the gateway has ${rows} of ${FAMILY_NAMES[full.family]}, its limit.`;
  }
  const { requestsPerSecond: pace } = batch;
  return pace === undefined
    ? 'Waits for its turn.'
    : `Waits for its turn: at most ${pace === 1 ? 'one request' : `${pace} requests`} a second.`;
}
