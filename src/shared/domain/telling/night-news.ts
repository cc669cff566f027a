/**
 * What is worth telling about a night to somebody who is not there: that it has ended, or that it needs someone. Never
 * a row: one message for what happens at about the same time, and nothing that was told before.
 */
import { domainWords } from '../../words/domain-words.ts';
import { pauseOf, type FailureCode } from '../base/failure.ts';
import { mayAskAgain, type BatchState } from '../task/batch.ts';
import { undecidedIn } from '../task/batch-standing.ts';
import type { FamilyStatusCounts } from '../task/batch-view.ts';
import { TASK_STATUSES, type TaskStatus } from '../task/task.ts';

interface Stopped {
  readonly code: FailureCode;
  /** For a folder: another one has taken its place, and waiting does not help. */
  readonly isReplaced?: true | undefined;
}

/** What the rules look at in a batch. */
export interface BatchFacts {
  readonly id: string;
  readonly name: string;
  readonly state: BatchState;
  readonly pause?:
    | ({ readonly by: 'user' } & { readonly disk?: Stopped | undefined })
    | { readonly by: 'failure'; readonly failure: Stopped; readonly disk?: Stopped | undefined }
    | undefined;
  /** Takes by status. */
  readonly takes: Readonly<Record<TaskStatus, number>>;
  /** See `StandingFacts`. */
  readonly settling?: number | undefined;
  /** It runs, but only waits for hours that are far off: see `onlyWaitsFor`. */
  readonly waits?: true | undefined;
  /** Its folder has been unusable for so long that the night is no longer kept going for it. */
  readonly isFolderGivenUp?: true | undefined;
}

/** A batch that waits for its hours is at work again this long before them. */
const SOON_MS = 30 * 60_000;

/**
 * How long from now a batch does nothing but wait for its hours, in milliseconds; undefined if there is something to
 * do, or soon will be.
 */
export function onlyWaitsFor(
  { state, takes }: Pick<BatchFacts, 'state' | 'takes'>,
  waitsUntil: number | undefined,
  now: number,
): number | undefined {
  if (state !== 'running' || takes.submitting + takes.rendering + takes.downloading > 0) return undefined;
  const ms = (waitsUntil ?? now) - SOON_MS - now;
  return ms > 0 ? ms : undefined;
}

/** What was told, and about which night: kept in a file, so that nothing is told twice after a restart. */
export interface Told {
  /** Batches that take part in the night that is under way, or took part in the last one. */
  readonly night: readonly string[];
  /** Something in it was at work at the last look. */
  readonly isOn: boolean;
  /** Batches of the night whose end was told. */
  readonly ended: readonly string[];
  /** What was reported as needing someone, and still does: a batch and a failure. */
  readonly needs: readonly string[];
}

export const NOTHING_TOLD: Told = { night: [], isOn: false, ended: [], needs: [] };

/** Batches that need someone for the same reason. */
export interface Need {
  readonly code: FailureCode;
  readonly batches: readonly BatchFacts[];
}

/** One message's worth of news. `batches`: those that it is about; for an end, the whole night. */
export interface NightNews {
  readonly kind: 'ended' | 'needs-you';
  readonly batches: readonly BatchFacts[];
  /** Whatever needs someone; for `needs-you`, only what is new. */
  readonly needs: readonly Need[];
}

/**
 * Looks at all batches and says what is to be told now, if anything, and what counts as told from then on.
 * @param cameToEnd Batches that ended since the last look without having been seen at work.
 */
export function lookAtNight(
  told: Told,
  batches: readonly BatchFacts[],
  cameToEnd: ReadonlySet<string> = new Set(),
): { readonly told: Told; readonly news?: NightNews } {
  const isOn = batches.some(isAtWork);
  const joining = batches.filter((batch) => isAtWork(batch) || cameToEnd.has(batch.id)).map(({ id }) => id);
  // What starts while nothing is at work begins another night.
  const begins = !told.isOn && joining.length > 0;
  const night = new Set([...(begins ? [] : told.night), ...joining]);
  const members = batches.filter(({ id }) => night.has(id));
  // A batch that is at work again has not ended, whatever was told about it.
  const toldEnded = new Set(told.ended.filter((id) => members.some((one) => one.id === id && hasEnded(one))));

  const open = batches.flatMap((batch) => needsOf(batch).map((code) => ({ code, batch, id: `${batch.id} ${code}` })));
  const known = new Set(told.needs);
  const toldCodes = new Set(
    open.filter(({ id, batch }) => known.has(id) && night.has(batch.id)).map(({ code }) => code),
  );
  // A user who was told that a key is refused need not be told again for the next batch of the same night.
  const fresh = open.filter(({ id, code, batch }) => !known.has(id) && !(night.has(batch.id) && toldCodes.has(code)));
  const ended = isOn ? [] : members.filter((batch) => hasEnded(batch) && !toldEnded.has(batch.id));

  const needs = open.map(({ id }) => id);
  const isAnythingRunning = batches.some(({ state, waits }) => state === 'running' && waits !== true);
  const standsStill = fresh.length > 0 && !isAnythingRunning;
  const endsTold = standsStill || ended.length > 0 ? members.filter(hasEnded) : [];
  const next: Told = {
    night: [...night],
    isOn,
    ended: [...new Set([...toldEnded, ...endsTold.map(({ id }) => id)])],
    needs,
  };
  if (ended.length > 0) {
    const ofNight = open.filter(({ batch }) => night.has(batch.id));
    return { told: next, news: { kind: 'ended', batches: members, needs: byCode(ofNight) } };
  }
  if (fresh.length === 0) return { told: next };
  const concerned = [...new Set(fresh.map(({ batch }) => batch))];
  return { told: next, news: { kind: 'needs-you', batches: concerned, needs: byCode(fresh) } };
}

/** Its part of the night is over: all its work is done, or the rest waits for the hours of another night. */
function hasEnded({ state, waits }: BatchFacts): boolean {
  return state === 'finished' || waits === true;
}

/**
 * Whether something of a batch happens by itself: it runs, what is paid for is still awaited during its pause, or it
 * goes on as soon as its folder can be written to.
 */
export function isAtWork(batch: BatchFacts): boolean {
  if (batch.state === 'running') return batch.waits !== true;
  return finishesInPause(batch) || (awaitsFolder(batch) && batch.isFolderGivenUp !== true);
}

/**
 * Held back only by its folder, which is checked again and again: the batch goes on by itself once the folder can be
 * written to. If it is also paused for another reason, only what was paid for goes on.
 */
export function awaitsFolder(batch: BatchFacts): boolean {
  const { state, pause } = batch;
  if (state !== 'paused' || pause?.by !== 'failure') return false;
  const { failure, disk } = pause;
  if (disk !== undefined) {
    return disk.isReplaced !== true && finishesInPause({ ...batch, pause: { by: 'failure', failure } });
  }
  return pauseOf(failure.code)?.pauses === 'folder' && failure.isReplaced !== true;
}

/** Whether what is paid for is still awaited during the pause of a batch. */
export function finishesInPause(batch: BatchFacts): boolean {
  const { state, pause, takes, settling = 0 } = batch;
  if (state !== 'paused') return false;
  const continues = pause?.by === 'failure' ? (pauseOf(pause.failure.code)?.meanwhile ?? 'all') : 'all';
  const rendering = continues === 'all' ? takes.submitting + takes.rendering : 0;
  const downloading = continues === 'nothing' || pause?.disk !== undefined ? 0 : takes.downloading;
  return rendering + downloading + (isAskedIn(batch) ? settling : 0) > 0;
}

/** Whether requests with unknown outcomes are sent again during the pause of a batch. */
function isAskedIn({ state, pause }: BatchFacts): boolean {
  // Once the fuse has blown, it is not known here whether requests that were sent again have blown it.
  return !(pause?.by === 'failure' && pause.failure.code === 'FUSE_BLOWN') && mayAskAgain({ state, pause });
}

/** Why a batch needs someone. A pause by the user is the user's own. */
function needsOf(batch: BatchFacts): readonly FailureCode[] {
  const { state, pause } = batch;
  if (state === 'ready') return [];
  const codes = [
    ...(pause?.by === 'failure' ? [pause.failure.code] : []),
    ...(pause?.disk === undefined ? [] : [pause.disk.code]),
    ...(undecidedIn(batch) > 0 ? (['SUBMIT_OUTCOME_UNKNOWN'] as const) : []),
  ];
  return [...new Set(codes)];
}

function byCode(needs: readonly { readonly code: FailureCode; readonly batch: BatchFacts }[]): readonly Need[] {
  const codes = [...new Set(needs.map(({ code }) => code))];
  return codes.map((code) => ({ code, batches: needs.filter((one) => one.code === code).map(({ batch }) => batch) }));
}

/** The takes of a batch by status, over all families. */
export function takesOf(counts: FamilyStatusCounts): BatchFacts['takes'] {
  const families = Object.values(counts);
  const sums = TASK_STATUSES.map((status) => [status, families.reduce((sum, one) => sum + one[status], 0)] as const);
  return Object.fromEntries(sums) as Record<TaskStatus, number>;
}

/** What is done once the whole night is at rest: chosen for one night, after a minute in which it can be called off. */
export const AFTER_NIGHT = ['nothing', 'quit', 'sleep', 'shutdown'] as const;
export type AfterNight = (typeof AFTER_NIGHT)[number];
/** What the system is asked for. */
export type PowerAction = Extract<AfterNight, 'sleep' | 'shutdown'>;

/** The warning before it. */
export const WARNING_SECONDS = 60;

/**
 * Whether the night has come to its end by itself, although rows may have failed or a pause may wait for someone:
 * nothing more happens before the user comes. A pause by the user is not such an end, because the user was there.
 */
export function isNightOver(batches: readonly BatchFacts[], night: readonly string[]): boolean {
  const members = batches.filter(({ id }) => night.includes(id));
  if (members.length === 0 || batches.some(isAtWork)) return false;
  return members.every(({ state, pause }) => state !== 'paused' || pause?.by !== 'user');
}

/** `Nocturne shuts this computer down in 42 seconds.` */
export function warningText(action: Exclude<AfterNight, 'nothing'>, seconds: number): string {
  return domainWords.nights.told.warning[action](seconds);
}
