import type { EndedPhase } from '../gateway/poll-outcome.ts';
import type { NextAsk } from '../gateway/charges/asked-again.ts';
import type { PollMemory } from '../gateway/poll-answer.ts';
import type { FoundOutput } from './outputs.ts';
import { assertNever } from '../base/result.ts';
import type { Failure } from '../base/failure.ts';
import type { VerdictChange } from '../review/verdict.ts';
import type { GateFlag } from '../gates/ask-gates.ts';
import type { KeptFile } from './task.ts';

/** Where a verified output is. */
export interface PlacedFile extends KeptFile {
  readonly mediaType: string;
  /** How long a song or a film plays, if that is known. */
  readonly seconds?: number;
}

/** What happens to a task. `dueAt` is when the engine next looks at it, in milliseconds since the epoch. */
export type TaskEvent =
  /** `account`: in a batch with several, the one that the task is sent with. */
  | { readonly kind: 'submit-started'; readonly account?: string }
  | { readonly kind: 'accepted'; readonly taskCode: string; readonly dueAt: number }
  /** `unbinds`: the task had never been sent before, so it may go to any account again. */
  | { readonly kind: 'not-sent'; readonly failure: Failure; readonly dueAt: number; readonly unbinds?: true }
  | { readonly kind: 'rate-limited'; readonly failure: Failure; readonly dueAt: number }
  /** Refused for a reason that stops the night: the task keeps its place and uses no attempt. */
  | { readonly kind: 'held'; readonly failure: Failure }
  | { readonly kind: 'rejected'; readonly failure: Failure }
  | {
      readonly kind: 'outcome-unknown';
      readonly failure: Failure;
      readonly taskCode?: string;
      /** The request is sent again under its key. */
      readonly again?: NextAsk;
    }
  /** A request with an unknown outcome is sent once more: the same bytes under the same key. */
  | { readonly kind: 'asked-again' }
  /** The request is sent again later or, without `again`, no more: the user decides. */
  | { readonly kind: 'still-unknown'; readonly failure: Failure; readonly again?: NextAsk }
  /**
   * The answer came when nobody was waiting for it any more: its task code is the user's to adopt. `isOpen`: nothing
   * else was sent since, so a task that counts as being submitted has this code from then on.
   */
  | { readonly kind: 'code-offered'; readonly taskCode: string; readonly isOpen?: true }
  /**
   * The answer came just as late, and names no code. `settles`: nothing was sent since, and it says what the outcome
   * was.
   */
  | { readonly kind: 'answered-late'; readonly settles?: LateOutcome }
  | { readonly kind: 'adopted'; readonly taskCode: string }
  | { readonly kind: 'user-resubmit' }
  | { readonly kind: 'written-off' }
  | {
      readonly kind: 'still-running';
      readonly dueAt: number;
      readonly poll: PollMemory;
      /** The task has ended without a result, and it is not certain yet what that means. */
      readonly ended?: EndedPhase;
    }
  | { readonly kind: 'poll-failed'; readonly failure: Failure; readonly dueAt: number; readonly poll: PollMemory }
  | {
      readonly kind: 'rendered';
      readonly outputs: readonly FoundOutput[];
      readonly provisional: boolean;
      readonly poll: PollMemory;
      /** Another row of the batch with an output at the same address. */
      readonly sameAddressAs?: string;
    }
  /** `dueAt` is when Nocturne asks again about a suspected failure; it means nothing for a failure that was stated. */
  | { readonly kind: 'remote-failed'; readonly failure: Failure; readonly dueAt: number; readonly poll: PollMemory }
  | { readonly kind: 'overdue'; readonly failure: Failure }
  | {
      readonly kind: 'output-started';
      readonly index: number;
      readonly generation: number;
      readonly validator: string | undefined;
    }
  | {
      readonly kind: 'output-placing';
      readonly index: number;
      readonly placement: PlacedFile;
      /**
       * For a file that was not on the disk before: its generation starts with this event, as with `output-started`.
       */
      readonly generation?: number;
      readonly validator?: string;
    }
  /** Verifying the last output makes the task done: the design's `files-verified`. `by`: which of several workers placed it. */
  | { readonly kind: 'output-verified'; readonly index: number; readonly placement: PlacedFile; readonly by?: string }
  | { readonly kind: 'url-expired'; readonly index: number; readonly failure: Failure; readonly dueAt: number }
  /** `likeness`: see `VainTry` in outputs.ts. */
  | {
      readonly kind: 'download-failed';
      readonly index: number;
      readonly failure: Failure;
      readonly dueAt: number;
      readonly likeness?: string;
    }
  /** The download is not sound: Nocturne asks for a fresh address and fetches the file again at `dueAt`. */
  | {
      readonly kind: 'unsound';
      readonly index: number;
      readonly failure: Failure;
      readonly dueAt: number;
      readonly likeness?: string;
      readonly kept?: KeptFile;
    }
  /** No more attempts for this output; its task fails when no other output is left to fetch. */
  | { readonly kind: 'download-given-up'; readonly index: number; readonly failure: Failure }
  /** The same, with the last download at `path`. */
  | {
      readonly kind: 'unverifiable';
      readonly index: number;
      readonly failure: Failure;
      readonly path?: string;
      readonly kept?: KeptFile;
    }
  /** The gates of its batch have looked at a verified file. The row's status stays the same, whatever they say. */
  | {
      readonly kind: 'file-checked';
      readonly index: number;
      readonly flags: readonly GateFlag[];
      readonly print?: string;
    }
  /**
   * The take is rendered once more because a gate flags a file of it: in the same transaction, a new task takes its
   * place.
   */
  | { readonly kind: 'made-again' }
  /** The disk failed, not the download: no attempt is used. */
  | { readonly kind: 'download-held'; readonly failure: Failure; readonly dueAt: number }
  /** `isFree`: only if nothing is paid for it. */
  | { readonly kind: 'user-retry'; readonly isFree?: true }
  | { readonly kind: 'cancel-requested' }
  /** The user holds the row. What is at the gateway goes on; a retry, too, waits for the release. */
  | { readonly kind: 'put-on-hold' }
  | { readonly kind: 'released' }
  /** The row is to be submitted before others of its batch, held or not. */
  | { readonly kind: 'put-first'; readonly priority: number }
  /**
   * The task refers to another row (`by` is its id) that is not done yet, that runs again, or of which no file is
   * picked yet.
   */
  | { readonly kind: 'blocked'; readonly by: string; readonly awaitsPick?: true }
  /**
   * Every row that the task refers to is done. `account`: the one that made the first of these, which alone knows its
   * result.
   */
  | { readonly kind: 'unblocked'; readonly account?: string }
  /** The row that the task refers to (`by` is its id) ended without a result. */
  | { readonly kind: 'blocked-row-failed'; readonly by: string; readonly failure: Failure }
  /** The other row's results do not include what the task refers to, or that may not be sent: nothing was sent. */
  | { readonly kind: 'reference-unresolved'; readonly failure: Failure }
  /** The user says something about a verified file. */
  | { readonly kind: 'reviewed'; readonly index: number; readonly change: VerdictChange }
  /** A verified file has another path, as it was rejected or is no longer rejected. What is at the old path goes. */
  | { readonly kind: 'file-moved'; readonly index: number; readonly from: string; readonly to: string }
  /** The user deletes a rejected file for good. Whatever is at its path goes. */
  | { readonly kind: 'file-deleted'; readonly index: number; readonly path: string }
  /** Nothing of a file that was moved or deleted is left at this path. */
  | { readonly kind: 'path-freed'; readonly index: number; readonly path: string }
  /**
   * A file of this computer that the task names is not yet where the gateway can read it, or, if `dueAt` is now, is
   * there.
   */
  | { readonly kind: 'file-awaited'; readonly dueAt: number; readonly failure?: Failure };

/**
 * What a late answer makes of a task: sent once more from `dueAt` on, because nothing was charged, or refused for good.
 */
export interface LateOutcome {
  readonly becomes: 'queued' | 'failed';
  readonly failure: Failure;
  readonly dueAt: number;
}

export type TaskEventKind = TaskEvent['kind'];

/** The events of these kinds. */
export type EventOf<K extends TaskEventKind> = Extract<TaskEvent, { kind: K }>;

/** What the answer to a submit says. */
export type AnswerEvent = EventOf<'accepted' | 'not-sent' | 'rate-limited' | 'held' | 'rejected' | 'outcome-unknown'>;
/** What the user decides about a submit whose outcome is unknown. */
export type DecisionEvent = EventOf<'adopted' | 'user-resubmit' | 'written-off'>;
/** What a poll says. */
export type PollEvent = EventOf<'still-running' | 'poll-failed' | 'rendered' | 'remote-failed' | 'overdue'>;
/** What happens to an output on its way to the media folder. */
export type DownloadEvent =
  | EventOf<'output-started' | 'output-placing' | 'output-verified' | 'url-expired' | 'download-failed' | 'unsound'>
  | EventOf<'download-given-up' | 'unverifiable' | 'download-held'>;
/** What the user may say about the turn of rows. */
export const ROW_TURNS = ['hold', 'release', 'next'] as const;
export type RowTurn = (typeof ROW_TURNS)[number];
/** The same, for a task. */
export type TurnEvent = EventOf<'put-on-hold' | 'released' | 'put-first'>;

/** What becomes of a verified file through the user's word. */
export type FilingEvent = EventOf<'file-moved' | 'file-deleted' | 'path-freed'>;

/** True for what the user says about the turn of a row. */
export function isOfTurn(event: TaskEvent): event is TurnEvent {
  return event.kind === 'put-on-hold' || event.kind === 'released' || event.kind === 'put-first';
}

/** What happens to another row that this one refers to, or to a file. */
export type DependenceEvent = EventOf<
  'blocked' | 'unblocked' | 'blocked-row-failed' | 'reference-unresolved' | 'file-awaited'
>;

/** What an event is about: the submit and its outcome, an answer to a poll, a download, or anything else. */
export function subjectOf(kind: TaskEventKind): 'submit' | 'answer' | 'download' | 'other' {
  switch (kind) {
    case 'submit-started':
    case 'accepted':
    case 'not-sent':
    case 'rate-limited':
    case 'held':
    case 'rejected':
    case 'outcome-unknown':
    case 'asked-again':
    case 'still-unknown':
    case 'code-offered':
    case 'answered-late':
    case 'adopted':
    case 'user-resubmit':
    case 'written-off':
      return 'submit';
    case 'still-running':
    case 'poll-failed':
    case 'rendered':
    case 'remote-failed':
    case 'overdue':
      return 'answer';
    case 'output-started':
    case 'output-placing':
    case 'output-verified':
    case 'url-expired':
    case 'download-failed':
    case 'unsound':
    case 'download-given-up':
    case 'unverifiable':
    case 'download-held':
    case 'file-checked':
      return 'download';
    case 'made-again':
    case 'user-retry':
    case 'cancel-requested':
    case 'put-on-hold':
    case 'released':
    case 'put-first':
    case 'blocked':
    case 'unblocked':
    case 'blocked-row-failed':
    case 'reference-unresolved':
    case 'reviewed':
    case 'file-moved':
    case 'file-deleted':
    case 'path-freed':
    case 'file-awaited':
      return 'other';
    default:
      return assertNever(kind);
  }
}

/** What happens to a verified file after its download: the task stays as it is, whatever its status. */
const OF_FILES: ReadonlySet<TaskEventKind> = new Set<TaskEventKind>([
  'file-checked',
  'reviewed',
  'file-moved',
  'file-deleted',
  'path-freed',
]);

/** True for what happens to a verified file and leaves its task as it was. */
export function isOfFile(kind: TaskEventKind): boolean {
  return OF_FILES.has(kind);
}

/**
 * What happens to a superseded task: Nocturne only asks for and fetches what the gateway may still give, and keeps its code.
 * Its files are reviewed like any other.
 */
export function isOfWatch(kind: TaskEventKind): boolean {
  const subject = subjectOf(kind);
  const isLate = kind === 'code-offered' || kind === 'answered-late';
  return isLate || isOfFile(kind) || subject === 'answer' || subject === 'download';
}
