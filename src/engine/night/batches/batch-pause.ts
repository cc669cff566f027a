/** What the state of a batch means for a night: what continues during a pause, and how a pause begins. Pure. */
import {
  isReplaced,
  mayAskAgain,
  refusalOfDisk,
  stopsWithout,
  type AccountStops,
  type BatchPause,
  type Standing,
  type StateChange,
} from '../../../shared/domain/task/batch.ts';
import { pauseOf, type Failure } from '../../../shared/domain/base/failure.ts';
import { present } from '../../../shared/domain/base/result.ts';

/** What a batch may do in its present state. */
export interface Allowed {
  readonly submit: boolean;
  /** Send a request with an unknown outcome once more, under its key. */
  readonly ask: boolean;
  readonly poll: boolean;
  readonly download: boolean;
}

/** For an account that is not this process's. */
export const NOTHING_ALLOWED: Allowed = { submit: false, ask: false, poll: false, download: false };

/**
 * What continues in a batch: a pause holds back new submits; downloads of what was paid for continue unless the cause
 * of the pause makes them pointless. After its end, Nocturne still asks the gateway about inferred failures.
 */
export function allowedIn(record: Standing): Allowed {
  const ask = mayAskAgain(record);
  if (record.state === 'running') return { submit: true, ask, poll: true, download: true };
  if (record.state === 'ready') return { submit: false, ask, poll: false, download: false };
  if (record.state === 'finished') return { submit: false, ask, poll: true, download: true };
  const { pause } = record;
  const why = refusalOfDisk(record) ?? (pause?.by === 'failure' ? pause.failure : undefined);
  const meanwhile = (why === undefined ? undefined : pauseOf(why.code))?.meanwhile ?? 'all';
  return { submit: false, ask, poll: meanwhile === 'all', download: meanwhile !== 'nothing' };
}

/** How an account of a batch stands: as the batch does, unless the account alone stands still. */
export function standingAt(record: Standing, account: string | undefined): Standing {
  const stop = account === undefined ? undefined : record.stops?.[account];
  const isByUser = record.state === 'paused' && record.pause?.by === 'user';
  if (stop === undefined || isByUser || record.state === 'ready' || record.state === 'finished') return record;
  return { state: 'paused', pause: { by: 'failure', failure: stop, ...present({ disk: refusalOfDisk(record) }) } };
}

/**
 * Why an account stands still, if the user has to know about it even though nothing is left to do; undefined if no
 * account does.
 */
export function stopThatStays({ stops = {} }: Standing): Failure | undefined {
  return Object.values(stops).find(({ code }) => pauseOf(code)?.staysAtEnd === true);
}

/** Whether it is paused because the user has to know something, not only because the batch cannot continue. */
export function staysPaused({ state, pause }: Standing): boolean {
  return state === 'paused' && pause?.by === 'failure' && pauseOf(pause.failure.code)?.staysAtEnd === true;
}

/** How a failure pauses a batch, or what it adds to its pause; undefined if it changes nothing. */
export function pauseBecauseOf(why: Failure, record: Standing): BatchPause | undefined {
  const { state, pause } = record;
  if (state === 'running') return { by: 'failure', failure: why };
  if (state !== 'paused' || pause === undefined || pauseOf(why.code)?.pauses !== 'folder') return undefined;
  const known = refusalOfDisk(record);
  if (known !== undefined && (isReplaced(known) || !isReplaced(why))) return undefined;
  return known === undefined || pause.disk !== undefined ? { ...pause, disk: why } : { by: 'failure', failure: why };
}

/** Whether the disk holds it back: that ends by itself once the batch's own folder takes files. */
export function isDiskPause(record: Standing): boolean {
  return refusalOfDisk(record) !== undefined;
}

/** A change of a batch's state that this night made. */
export interface OwnChange extends StateChange {
  readonly byUser: boolean;
  /** The accounts that the user's word is about: they go on. By default, all. */
  readonly only?: readonly string[];
  /** The stopped accounts that are new with this change. */
  readonly added: AccountStops;
}

/**
 * What is left of a change of a batch's state if another process has changed the batch before it was stored; undefined
 * if nothing is. The user's last word counts: whatever is older than the last resume is over. What a night has noticed
 * itself counts if the batch is still running; whether it has ended is checked again.
 * @param resumedAt When the user last resumed it, according to the store.
 */
export function stillMeant(now: Standing, change: OwnChange, resumedAt = 0): StateChange | undefined {
  if (resumedAt > change.at) return undefined;
  const { only } = change;
  if (change.byUser && only === undefined)
    return change.state === 'paused' && now.state === 'finished' ? undefined : change;
  if (!change.byUser && (now.state !== 'running' || change.state === 'finished')) return undefined;
  const { stops: _, ...changed } = change;
  const stops = { ...stopsWithout(now.stops, only ?? []), ...change.added };
  return { ...changed, ...(Object.keys(stops).length > 0 && { stops }) };
}

/**
 * The user's word about a batch that would be lost with the process because the store has not taken it; undefined if
 * there is none.
 */
export function wordLost(stored: Standing, now: Standing): 'pause' | 'start' | undefined {
  if (goesOn(stored) && now.pause?.by === 'user') return 'pause';
  return goesOn(now) && !goesOn(stored) ? 'start' : undefined;
}

/** Whether the batch submits, now or as soon as the disk allows, without asking the user. */
function goesOn(standing: Standing): boolean {
  return standing.state === 'running' || (isDiskPause(standing) && standing.pause?.disk === undefined);
}
