import type { Failure } from './failure.ts';
import type { OperationPath } from '../operations/operations.ts';
import type { Profile } from '../gateway/profile.ts';
import type { Corrections, SheetSource } from '../sheet/sheet-raw.ts';

/** `ready`: brought in, not started. `finished`: nothing is left for the engine to do; rows may still wait for the user. */
export type BatchState = 'ready' | 'running' | 'paused' | 'finished';

/** Why a batch is paused: the user wanted it, or a failure that stops the night. */
export type BatchPause = { readonly by: 'user' } | { readonly by: 'failure'; readonly failure: Failure };

/** What the user chose for a batch. */
export interface BatchSettings {
  /** Absolute path of the media folder. */
  readonly folder: string;
  readonly profile: Profile;
  /** Name template of the files; `{row}-{slug}` where nothing else was chosen. */
  readonly filename: string;
  /** No more submits than this are ever made for the batch. */
  readonly maxSubmits?: number;
  /** Rendered on the built-in gateway: nothing was paid. */
  readonly rehearsal: boolean;
}

/**
 * Which gateway a batch belongs to: task codes are unique, and completion times comparable, within one only. The
 * built-in gateway begins anew with every rehearsal.
 */
export function gatewayKey(batchId: string, { rehearsal, profile }: BatchSettings): string {
  return rehearsal ? `rehearsal ${batchId}` : profile.baseUrl;
}

/**
 * The settings of a batch that goes on with a profile that was corrected meanwhile; undefined where it must keep its own:
 * a rehearsal has the built-in gateway's, and what was submitted is known to one origin only.
 */
export function settingsWithProfile(settings: BatchSettings, profile: Profile): BatchSettings | undefined {
  if (settings.rehearsal) return undefined;
  const isSameOrigin = originOf(settings.profile.baseUrl) === originOf(profile.baseUrl);
  return isSameOrigin ? { ...settings, profile } : undefined;
}

function originOf(baseUrl: string): string | undefined {
  return /^https?:\/\/[^/?#]+/i.exec(baseUrl)?.[0].toLowerCase();
}

/** How the cells of a batch's sheet are understood, and where they came from. */
export interface SheetSettings {
  /** What each header means, where it is not its own name: an exact column, or `''` for one that is not sent. */
  readonly mapping: Readonly<Record<string, string>>;
  /** What a row is that names no operation. */
  readonly defaultOperation?: OperationPath;
  /** What is read instead of what the file says; its rows are compared in this way when it is imported again. */
  readonly corrections?: Corrections;
  /** Values for `{name}` where no column has that name. */
  readonly variables: Readonly<Record<string, string>>;
  /** What becomes of `{red|green|blue}`: one is drawn for each row, or each became a row of its own. */
  readonly choices: 'draw' | 'expand';
  /** The file that the sheet was read from last; absent for one that was typed. */
  readonly source?: SheetSource;
  /** Rows were inserted, moved or removed: lines are counted anew and are no longer those of the file. */
  readonly isRenumbered: boolean;
  /** The file is watched, and a change of it is told. */
  readonly isWatched: boolean;
  /** Not every row was checked since what is said here, or the header line, was changed. */
  readonly isUnchecked?: boolean;
  /** Many rows are being edited: some are as they will be, the others as they were. */
  readonly isHalfEdited?: boolean;
}

/** The settings of a sheet about which nothing was said. */
export const PLAIN_SHEET: SheetSettings = {
  mapping: {},
  variables: {},
  choices: 'draw',
  isRenumbered: false,
  isWatched: false,
};

/** A sheet that was brought in, with its settings. */
export interface BatchRecord {
  readonly id: string;
  readonly name: string;
  readonly sheetPath?: string;
  readonly headers: readonly string[];
  readonly sheet: SheetSettings;
  readonly settings: BatchSettings;
  readonly state: BatchState;
  readonly pause?: BatchPause;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly startedAt?: number;
  /** The start of its latest run: what is retried or added after an end begins another one. */
  readonly runStartedAt?: number;
  readonly finishedAt?: number;
  readonly rowCount: number;
  readonly taskCount: number;
}
