/** A night as data: the same plan is the same night, to the last turn. Shrinking removes parts of it. */
import type { Money } from '../../src/shared/domain/base/money.ts';
import type { Schedule } from '../../src/shared/domain/task/schedule.ts';
import type { QueueMove } from '../../src/shared/domain/task/batch-standing.ts';
import type { RowTurn } from '../../src/shared/domain/task/task-event.ts';
import type { Limit, SpendingLimits } from '../../src/shared/domain/task/spending.ts';

export interface RowPlan {
  /** Unique in the night; the first word of its prompt, and its id until it gets another. */
  readonly id: string;
  readonly takes: number;
  /** Its prompt refers to this row of its batch. */
  readonly after?: string;
  /** The gateway says that it failed. */
  readonly fails?: true;
  /** It is in no sheet until a file that is read again brings it. */
  readonly isLate?: true;
  /** The rows that refer to it wait for the user's pick of its files. */
  readonly pick?: true;
}

/**
 * What the gateway does with the keys of paid requests: remembers them, forgets them when the profile says, or ignores
 * them.
 */
export const KEPT_KEYS = ['kept', 'forgotten', 'ignored'] as const;

export interface BatchPlan {
  readonly rows: readonly RowPlan[];
  /** Batches of one account share its limits. */
  readonly account: number;
  /** The other account takes its rows, too: after the first, or if they are cheaper there. */
  readonly isShared?: 'in-order' | 'cheapest';
  readonly places: number;
  readonly perSecond: number;
  readonly downloads: number;
  readonly cap?: number;
  readonly maxCost?: Money;
  readonly schedule?: Schedule;
  /** The profile says what each status means; otherwise the ends of tasks are inferred. */
  readonly isStated: boolean;
  /** The profile says that the gateway charges once for one key. */
  readonly keys?: (typeof KEPT_KEYS)[number];
  /** One row of each kind goes first. */
  readonly canary?: true;
  /** Gates look at its files, and have a take with a flagged file rendered again this many times at most. */
  readonly again?: number;
  /** Each row has a title, even those whose operation uses none. */
  readonly isTitled?: true;
}

/** How long the gateway renders. */
export type Law =
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'lognormal'; readonly ms: number; readonly spread: number }
  | { readonly kind: 'heavy'; readonly ms: number }
  /** All that came since the last batch end together. */
  | { readonly kind: 'batches'; readonly ms: number }
  | { readonly kind: 'queue'; readonly places: number; readonly ms: number };

export const SUBMIT_FAULTS = [
  'unreachable',
  'lost-before',
  'lost-after',
  'silent',
  'late',
  'rate',
  'rate-after',
  'html',
  'half',
  'unavailable',
  'invalid',
  'moderated',
  'other-code',
  'rate-date',
  'rate-words',
  'conflict',
  'moved',
] as const;
export const POLL_FAULTS = [
  'lost',
  'silent',
  'late',
  'html',
  'unavailable',
  'rate',
  'rate-after',
  'not-found',
  'running-again',
  'empty',
  'of-another',
] as const;
export const FILE_FAULTS = ['cut', 'expired', 'wrong', 'slow', 'limited'] as const;

/** Where a record has the addresses of its files. The last: as a text, in the only record of a list. */
export const SHAPES = ['text', 'list', 'objects', 'elsewhere', 'json', 'in-a-list'] as const;

/** What goes wrong with the nth request of a kind for a row, counted from 1. */
export type RequestFault =
  | { readonly at: 'submit'; readonly row: string; readonly nth: number; readonly does: (typeof SUBMIT_FAULTS)[number] }
  | { readonly at: 'poll'; readonly row: string; readonly nth: number; readonly does: (typeof POLL_FAULTS)[number] }
  | { readonly at: 'file'; readonly row: string; readonly nth: number; readonly does: (typeof FILE_FAULTS)[number] };

export const SPELLS = ['outage', 'rate', 'balance', 'refused', 'disk', 'store'] as const;
/** The folder takes no files: its disk denies them, or another folder is in its place. */
export const REFUSALS = ['denied', 'replaced'] as const;
/** What goes wrong with everything for a while. */
export interface Spell {
  readonly kind: (typeof SPELLS)[number] | (typeof REFUSALS)[number];
  readonly fromMs: number;
  readonly forMs: number;
}

/** The file of a batch as it is read again: these rows are different, and in it even if they are late. */
export interface FilePlan {
  readonly rows: readonly { readonly row: string; readonly version: number; readonly takes: number }[];
  /** Ids of rows that are not in it. */
  readonly gone: readonly string[];
  /** Its lines are in reverse order. */
  readonly isTurned: boolean;
  /** What happens to the rows that are not in it. */
  readonly removed: 'keep' | 'remove';
  readonly withDependents: boolean;
  /** What needs paid requests may run at once. */
  readonly releases: boolean;
}

/** What the user has entered for an account: nothing, or one of two keys that are both good. */
export const KEYS = ['none', 'first', 'second'] as const;

/** A path of the gateway; both answer alike. */
export const PATHS = ['/api', '/v2'] as const;

/** What an edit of all rows does with each: other words, another number of takes, or it is removed. */
export const EDITS_OF_ALL = ['words', 'takes', 'remove'] as const;

export const SHELVES = ['archived', 'deleted', 'back'] as const;

export const VERDICTS = ['reject', 'keep', 'decide later', 'rate'] as const;

/** The user may end it this many turns after its beginning. */
interface Endable {
  readonly endsIn?: number;
}

/** What a user does, or what happens to the machine. Rows are named as in the plan, whatever their ids are by then; a deed that does not apply does nothing. */
export type Deed =
  | {
      readonly kind: 'start' | 'pause' | 'run-drafts' | 'retry-all' | 'cancel-all';
      readonly batch: number;
    }
  | ({ readonly kind: 'undo' | 'redo'; readonly batch: number } & Endable)
  | { readonly kind: 'cancel' | 'retry' | 'resubmit' | 'write-off' | 'adopt'; readonly row: string }
  /** Picks a verified file of the row, whichever the number leads to, or takes the pick back. */
  | { readonly kind: 'pick' | 'unpick'; readonly row: string; readonly nth: number }
  /** Says something about a verified file of the row, even of an earlier version. */
  | { readonly kind: 'review'; readonly row: string; readonly nth: number; readonly says: (typeof VERDICTS)[number] }
  /** Holds a row back, lets it go, or has it go before the others. */
  | { readonly kind: 'turn'; readonly row: string; readonly turn: RowTurn }
  /** One row of each kind goes first from now on, or no longer. */
  | { readonly kind: 'canary'; readonly batch: number; readonly isOn: boolean }
  /** Sends the rest of the kind that holds a batch up. */
  | { readonly kind: 'release-kind'; readonly batch: number }
  | { readonly kind: 'edit'; readonly row: string; readonly version: number }
  | { readonly kind: 'move'; readonly row: string; readonly to: string }
  /** One of the rows with this name gets another id, or none of its own; the number leads to one of them. */
  | { readonly kind: 'rename'; readonly row: string; readonly nth: number; readonly id: string }
  /** Each of these rows is copied below itself. */
  | { readonly kind: 'duplicate'; readonly batch: number; readonly rows: readonly string[] }
  /** The finished takes of these rows are to be rendered once more, or the rows keep what they had instead. */
  | { readonly kind: 'render-again' | 'keep-earlier'; readonly batch: number; readonly rows: readonly string[] }
  /** Titles are removed from the rows that do not use them. */
  | { readonly kind: 'clear-unused'; readonly batch: number }
  /** Edits all rows of a batch, among so many that are no longer there that the edit is carried out in parts. */
  | ({
      readonly kind: 'edit-all';
      readonly batch: number;
      readonly does: (typeof EDITS_OF_ALL)[number];
      readonly version: number;
      readonly lines: number;
    } & Endable)
  /** A column that is sent nowhere is inserted or removed: each row is checked again. */
  | { readonly kind: 'column'; readonly batch: number; readonly isThere: boolean }
  | { readonly kind: 'takes'; readonly row: string; readonly takes: number }
  | { readonly kind: 'remove'; readonly row: string }
  | { readonly kind: 'cap'; readonly batch: number; readonly cap: number | null }
  | { readonly kind: 'max-cost'; readonly batch: number; readonly maxCost: Money | null }
  /** What a batch with several accounts may send and spend with one of them. */
  | { readonly kind: 'account-limit'; readonly batch: number; readonly account: number; readonly limit: Limit | null }
  /** Limits for a night and a month. */
  | { readonly kind: 'spending'; readonly limits: SpendingLimits }
  | { readonly kind: 'schedule'; readonly batch: number; readonly schedule: Schedule | null }
  | { readonly kind: 'limits'; readonly batch: number; readonly places: number; readonly perSecond: number }
  /** The profile says what statuses mean, or no longer does, and where the gateway is. */
  | {
      readonly kind: 'profile';
      readonly batch: number;
      readonly isStated: boolean;
      readonly path: (typeof PATHS)[number];
    }
  /** The user says what the status of a failure means. */
  | { readonly kind: 'answer'; readonly batch: number; readonly means: 'failed' | 'inferred' }
  | { readonly kind: 'key'; readonly account: number; readonly key: (typeof KEYS)[number] }
  | ({ readonly kind: 'import'; readonly batch: number } & FilePlan)
  /** Archives or deletes a batch, or brings it back; what was deleted a day ago is gone once the process starts. */
  | { readonly kind: 'shelve'; readonly batch: number; readonly to: (typeof SHELVES)[number] }
  /** Moves a batch among those that run. */
  | { readonly kind: 'queue'; readonly batch: number; readonly to: QueueMove }
  /** The process dies this many turns later, and comes back. */
  | { readonly kind: 'kill'; readonly turns: number; readonly downMs: number }
  /** The night is ended in order, and begins again. */
  | { readonly kind: 'close'; readonly downMs: number }
  | { readonly kind: 'sleep'; readonly forMs: number }
  | { readonly kind: 'leap'; readonly byMs: number };

export interface TimedDeed {
  readonly atMs: number;
  readonly deed: Deed;
}

export const STORE_PACES = ['at-once', 'quick', 'slow', 'stalling'] as const;

export interface NightPlan {
  /** Decides what the plan does not say: orders, delays, and the user’s last word on what is unknown. */
  readonly seed: number;
  /** For all batches together. */
  readonly spending?: SpendingLimits;
  readonly batches: readonly BatchPlan[];
  readonly law: Law;
  readonly shape: (typeof SHAPES)[number];
  /** How long an address of a file is good. */
  readonly addressMs: number;
  readonly store: (typeof STORE_PACES)[number];
  readonly faults: readonly RequestFault[];
  readonly spells: readonly Spell[];
  readonly deeds: readonly TimedDeed[];
}

/** The time from which nothing of the plan is still to come. */
export function calmAtMs({ spells, deeds }: NightPlan): number {
  const downMs = (deed: Deed): number => {
    if (deed.kind === 'sleep') return deed.forMs;
    return deed.kind === 'kill' || deed.kind === 'close' ? deed.downMs : 0;
  };
  return Math.max(
    0,
    ...spells.map(({ fromMs, forMs }) => fromMs + forMs),
    ...deeds.map(({ atMs, deed }) => atMs + downMs(deed)),
  );
}
