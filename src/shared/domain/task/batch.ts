import { pauseOf, type Failure, type FailureCode } from '../base/failure.ts';
import type { OperationPath } from '../operations/operations.ts';
import type { Profile } from '../gateway/profile.ts';
import type { FilesPlace } from '../places/files-place.ts';
import type { Money } from '../base/money.ts';
import { MOST_AGAIN, type GateSettings } from '../gates/gate-settings.ts';
import { err, ok, present, type Result } from '../base/result.ts';
import { accountNamed, accountsOf, withProfiles, type Account, type BatchAccounts } from './accounts/account.ts';
import type { ForecastRecord } from './forecast/forecast-record.ts';
import type { WarningKind } from '../sheet/problems.ts';
import type { Corrections, SheetSource } from '../sheet/sheet-raw.ts';
import type { Schedule } from './schedule.ts';
import type { Limit } from './spending.ts';
import type { Task } from './task.ts';

/** `ready`: imported, not started. `finished`: the engine has nothing left to do; rows may still wait for the user. */
export type BatchState = 'ready' | 'running' | 'paused' | 'finished';

/** Why nothing more is sent with some of a batch's accounts until the user resumes it, by the accounts' names. */
export type AccountStops = Readonly<Record<string, Failure>>;

/** The same without some accounts; undefined if none is left. */
export function stopsWithout(stops: AccountStops | undefined, names: readonly string[]): AccountStops | undefined {
  const left = Object.entries(stops ?? {}).filter(([name]) => !names.includes(name));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** Why a batch is paused: the user paused it, or a failure stopped the night. */
export type BatchPause = ({ readonly by: 'user' } | { readonly by: 'failure'; readonly failure: Failure }) & {
  /** The disk refuses files as well: none are fetched until it takes them again, and the pause goes on after that. */
  readonly disk?: Failure;
};

/** What the user chose for a batch. */
export interface BatchSettings {
  /** Absolute path of the media folder. */
  readonly folder: string;
  /**
   * What that folder carries and is known by, wherever it is mounted. Absent until the folder is first prepared; the
   * night records it.
   */
  readonly folderIdentity?: string;
  /**
   * The user was told that another folder is in its place, and has resumed the batch: that folder is now the batch's
   * own.
   */
  readonly folderAccepted?: true;
  /** So it is, since then: files from before may be only in the former folder. */
  readonly hadOtherFolder?: true;
  /** The profile of its gateway; with several accounts, that of the first. */
  readonly profile: Profile;
  /** The accounts that render it, if there are several; they stay the same from its start on. */
  readonly accounts?: BatchAccounts;
  /** Name template of the files; by default `{row}-{slug}`. */
  readonly filename: string;
  /** The batch never makes more submits than this, */
  readonly maxSubmits?: number;
  /** and never spends more than this, by its profile's prices. */
  readonly maxCost?: Money;
  /**
   * Its requests leave only while the whole night has spent less than this: the cap of the process that started it, if
   * other processes send them. A start by the user lifts it.
   */
  readonly ceiling?: Limit;
  /** This many failures of one kind in a row pause all batches of the gateway; 0: none do. See `FUSE_LENGTH`. */
  readonly fuse?: number;
  /** One row of each kind of request goes first; the rest of its kind once its files are verified. */
  readonly canary?: 'first';
  /** Kinds whose rest the user has released although their first was not verified. */
  readonly canaryReleased?: readonly number[];
  /** What checks each of its files once it is verified; no file is ever held back by it. */
  readonly gates?: GateSettings;
  /** All rows that others refer to wait for the user's pick, not only those whose `pick` says so. */
  readonly picks?: true;
  /** Rendered on the built-in gateway: nothing is paid. */
  readonly rehearsal: boolean;
  /**
   * Tries the keys of its gateway: an accepted request is sent once more under its key, as if the answer had been lost.
   */
  readonly probe?: true;
  /** When the batch may submit; at any time by default. */
  readonly schedule?: Schedule;
  /** Among the batches of an account, those with the highest priority submit first; 0 by default. */
  readonly priority?: number;
  /** Where files of this computer are put so that its gateways can read them; absent: nowhere. */
  readonly filesPlace?: FilesPlace;
  /** The user has put it away; a start brings it back. */
  readonly shelf?: Shelf;
  /** Words by which the user finds it. */
  readonly tags?: readonly string[];
  /** The window knew its sheet by this id before there was the batch. */
  readonly sheetId?: string;
}

/**
 * Where a batch that was put away is, since `at` (milliseconds since the epoch). A `deleted` batch can be brought back
 * until the store removes its rows; then it is `removed`: nothing is left of it but what it has paid.
 */
export interface Shelf {
  readonly is: 'archived' | 'deleted' | 'removed';
  readonly at: number;
}

/**
 * New settings of a batch: what its folder is known by stays with that folder, and is dropped if the folder is another.
 */
export function withFolderOf(known: BatchSettings, wanted: BatchSettings): BatchSettings {
  const { folderIdentity: _, folderAccepted: _accepted, hadOtherFolder: _had, ...settings } = wanted;
  if (wanted.folder !== known.folder) return settings;
  const { folderIdentity, folderAccepted, hadOtherFolder } = known;
  return { ...settings, ...present({ folderIdentity, folderAccepted, hadOtherFolder }) };
}

/**
 * The gateway of a batch, or of one of its accounts: task codes are unique, and completion times comparable, only
 * within one gateway. The built-in gateway starts afresh with every rehearsal.
 */
export function gatewayKey(batchId: string, settings: BatchSettings, account?: string): string {
  const { profile } = accountNamed(settings, account);
  if (!settings.rehearsal) return profile.baseUrl;
  return profile === settings.profile ? `rehearsal ${batchId}` : `rehearsal ${batchId} ${profile.baseUrl}`;
}

/** The profile that was last used at a gateway, by its key: that of the latest batch with an account there. */
export function profileUsedAt(
  gateway: string,
  batches: readonly Pick<BatchRecord, 'id' | 'settings'>[],
): Profile | undefined {
  const accounts = batches.flatMap(({ id, settings }) =>
    accountsOf(settings).filter(({ name }) => gatewayKey(id, settings, name) === gateway),
  );
  return accounts.at(-1)?.profile;
}

/**
 * The profile that a batch continues with: the one kept under its profile's name for its gateway, or else the first,
 * which may be its own under another name.
 * @param account One of several accounts to continue with: its profile is found by name alone.
 */
export function profileForBatch(
  settings: BatchSettings | undefined,
  profiles: readonly Profile[],
  account?: string,
): Profile | undefined {
  if (settings !== undefined && account !== undefined)
    return profiles.find(({ name }) => name === accountNamed(settings, account).profile.name);
  const own = profiles.find(
    (profile) => profile.name === settings?.profile.name && settingsWithProfile(settings, profile).ok,
  );
  return own ?? profiles[0];
}

/** Why a batch does not take a corrected profile. `ambiguous`: nothing says which accounts of its gateway it is for. */
export type ProfileRefusal = 'rehearsal' | 'elsewhere' | 'ambiguous';

/**
 * The settings of a batch that continues with a profile corrected since, unless it must keep its own: a rehearsal uses
 * the profile of the built-in gateway, and only one origin knows the batch's submitted tasks.
 */
export function settingsWithProfile(settings: BatchSettings, profile: Profile): Result<BatchSettings, ProfileRefusal> {
  if (settings.rehearsal) return err('rehearsal');
  const meant = accountsMeantBy(profile, accountsOf(settings));
  if (!meant.ok) return meant;
  const names = new Set(meant.value.map(({ name }) => name));
  return ok(withProfiles(settings, (account) => (names.has(account.name) ? profile : account.profile)));
}

/**
 * The accounts that go on with a corrected profile: of those at its origin, the ones with its base URL, then the ones
 * with its name. Several only if they shared one profile: prices and limits of one must not become those of another.
 */
function accountsMeantBy(
  { name, baseUrl }: Profile,
  accounts: readonly Account[],
): Result<readonly Account[], ProfileRefusal> {
  const there = accounts.filter(({ profile }) => originOf(profile.baseUrl) === originOf(baseUrl));
  if (there.length === 0) return err('elsewhere');
  const sameUrl = there.filter(({ profile }) => profile.baseUrl === baseUrl);
  const sameName = there.filter(({ profile }) => profile.name === name);
  // One account has its address and another one its name: it is not clear which one the profile is for.
  if (sameUrl.length > 0 && sameName.length > 0 && !sameUrl.some((one) => sameName.includes(one)))
    return err('ambiguous');
  const likely = sameUrl.length > 0 ? sameUrl : there;
  const named = likely.filter((one) => sameName.includes(one));
  const meant = named.length > 0 ? named : likely;
  const profiles = new Set(meant.map((account) => JSON.stringify(account.profile)));
  return profiles.size === 1 ? ok(meant) : err('ambiguous');
}

/** Pauses that hold back new requests only: what was sent may be sent again under its key at no extra cost. */
const ASKED_IN: ReadonlySet<FailureCode> = new Set([
  'CAP_REACHED',
  'PRICE_UNKNOWN',
  'FINISH_BY',
  'CANARY_FAILED',
  'FUSE_BLOWN',
]);

interface AskedStanding {
  readonly state: BatchState;
  readonly pause?:
    | { readonly by: 'user' }
    | { readonly by: 'failure'; readonly failure: Pick<Failure, 'code' | 'data'>; readonly disk?: unknown }
    | undefined;
}

/** Whether requests with unknown outcomes are sent again under their keys in this state of their batch. */
export function mayAskAgain({ state, pause }: AskedStanding): boolean {
  if (state === 'running' || state === 'finished') return true;
  if (pause?.by !== 'failure' || pause.disk !== undefined) return false;
  const { code, data } = pause.failure;
  return ASKED_IN.has(code) && data?.['asksInVain'] !== true;
}

function originOf(baseUrl: string): string | undefined {
  return /^https?:\/\/[^/?#]+/i.exec(baseUrl)?.[0].toLowerCase();
}

/** How Nocturne reads the cells of a batch's sheet, and where they came from. */
export interface SheetSettings {
  /** What each header means if that is not its own name: an exact column, or `''` for one that is not sent. */
  readonly mapping: Readonly<Record<string, string>>;
  /** The operation of rows that name none. */
  readonly defaultOperation?: OperationPath;
  /** What Nocturne reads instead of what the file says; a re-import compares rows this way. */
  readonly corrections?: Corrections;
  /** Warnings that the user does not want to see here. */
  readonly ignored?: readonly WarningKind[];
  /** Values for each `{name}` that is not a column. */
  readonly variables: Readonly<Record<string, string>>;
  /** What `{red|green|blue}` does: each row draws one value, or each value became a row. */
  readonly choices: 'draw' | 'expand';
  /** The file that the sheet was last read from; absent for a sheet that was typed. */
  readonly source?: SheetSource;
  /** Rows were inserted, moved or removed: lines are renumbered and no longer match the file's. */
  readonly isRenumbered: boolean;
  /** Nocturne watches the file and reports changes. */
  readonly isWatched: boolean;
  /** These settings or the header line changed, and not every row has been checked since. */
  readonly isUnchecked?: boolean;
  /** A large edit is under way: some rows are already changed, the others not yet. */
  readonly isHalfEdited?: boolean;
}

/** The default settings of a sheet. */
export const PLAIN_SHEET: SheetSettings = {
  mapping: {},
  variables: {},
  choices: 'draw',
  isRenumbered: false,
  isWatched: false,
};

/** An imported sheet, with its settings. */
export interface BatchRecord {
  readonly id: string;
  readonly name: string;
  readonly sheetPath?: string;
  readonly headers: readonly string[];
  readonly sheet: SheetSettings;
  readonly settings: BatchSettings;
  readonly state: BatchState;
  readonly pause?: BatchPause;
  /** Accounts that stand still while the others go on; absent if there are none. */
  readonly stops?: AccountStops;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly startedAt?: number;
  /** When its latest run started: retrying or adding rows after an end begins another run. */
  readonly runStartedAt?: number;
  /** When the user last started or resumed it. */
  readonly resumedAt?: number;
  /** Its latest end; unset again once the user starts all of it, whatever waits there. */
  readonly finishedAt?: number;
  /** The forecast when its latest run began, or went on in another night. */
  readonly forecast?: ForecastRecord;
  readonly rowCount: number;
  readonly taskCount: number;
  /** Goes up with every stored change of its state, its settings or its sheet. */
  readonly revision: number;
}

/** The record after a change of state; it keeps the first start, the start of the latest run, and the latest end. */
export function withState(record: BatchRecord, { state, pause, stops, at, forAll }: StateChange): BatchRecord {
  const { pause: _pause, stops: _stops, finishedAt, ...rest } = record;
  return {
    ...rest,
    state,
    ...present({ pause, stops, finishedAt: forAll === true ? undefined : finishedAt }),
    ...(state === 'running' && record.startedAt === undefined ? { startedAt: at } : {}),
    // A pause by the disk ends by itself.
    ...(state === 'running' && record.state !== 'running' && refusalOfDisk(record) === undefined
      ? { resumedAt: at }
      : {}),
    // Resuming after a pause continues the same run.
    ...(state === 'running' && (record.state === 'ready' || record.state === 'finished') ? { runStartedAt: at } : {}),
    ...(state === 'finished' ? { finishedAt: at } : {}),
  };
}

/** The state of a batch, and why it is paused, or some of its accounts are stopped. */
export type Standing = Pick<BatchRecord, 'state' | 'pause' | 'stops'>;

/** A change of a batch's state; `at` in milliseconds since the epoch. */
export interface StateChange extends Standing {
  readonly at: number;
  /**
   * The user starts all of the batch, and was told what that may cost; otherwise it goes on for some rows that they
   * named.
   */
  readonly forAll?: true;
}

/**
 * How often a flagged take may be rendered again. If a batch had ended and a run began for some of its rows, that run
 * leaves alone what had ended before it: nobody has agreed to pay for that.
 */
export function timesAgain(
  { settings, finishedAt: lastEnd, runStartedAt = 0 }: Pick<BatchRecord, 'settings' | 'finishedAt' | 'runStartedAt'>,
  { finishedAt = 0 }: Pick<Task, 'finishedAt'>,
): number {
  if (lastEnd !== undefined && finishedAt < runStartedAt) return 0;
  return Math.min(settings.gates?.again ?? 0, MOST_AGAIN);
}

/** The record after several changes of state, oldest first. */
export function withChanges(record: BatchRecord, changes: readonly StateChange[]): BatchRecord {
  return changes.reduce(withState, record);
}

/** Whether another folder has taken the place of the batch's own: the user may accept it as the batch's. */
export function isReplaced({ code, data }: Pick<Failure, 'code' | 'data'>): boolean {
  return code === 'DISK_DENIED' && data?.['replaced'] === true;
}

/**
 * Why the disk takes no files of a paused batch, whatever else the batch is paused for; undefined if it may take them.
 */
export function refusalOfDisk({ state, pause }: Standing): Failure | undefined {
  if (state !== 'paused' || pause === undefined) return undefined;
  const isByDisk = pause.by === 'failure' && pauseOf(pause.failure.code)?.pauses === 'folder';
  return isByDisk ? pause.failure : pause.disk;
}
