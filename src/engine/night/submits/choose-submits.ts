/** Whether a batch may pay for anything now, and for which tasks. */
import { FAMILIES, type Family } from '../../../shared/domain/operations/operations.ts';
import { keptProfileProblem } from '../../../shared/domain/gateway/profile.ts';
import { failure, saidBy } from '../../../shared/domain/base/failure.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { inOrderOfChoice, keyMissing } from '../../../shared/domain/task/accounts/account.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import { UNKNOWN_FUSE } from '../../../shared/domain/task/fuse.ts';
import type { QueuedTask, QueuedWanted, StatusCounts } from '../../ports/task-store.ts';
import { BOUNDLESS, type Caps, type Room } from '../spending/caps.ts';
import type { Lane } from '../lanes.ts';
import type { Night } from '../night.ts';
import type { NightAccount } from '../batches/night-account.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import { isBefore } from '../batches/turns.ts';

/** How long a check of the folder (writable, enough space) stays valid. */
const FOLDER_CHECK_MS = 15_000;
/** For this long after its beginning, a check keeps a batch's turn: a disk that does not answer holds up nobody else. */
const TURN_KEPT_MS = 1_000;
/** Submits wait while the tasks still to be fetched exceed this many times the download slots. */
const DOWNLOAD_BACKLOG = 8;

/** Checks keys, profiles, folder and disk before anything is paid. */
export function mayPay(night: Night, batch: NightBatch): boolean {
  if (!hasKey(night, batch)) return false;
  if (batch.isFolderChecking) return false;
  if (night.clock.monotonic() < batch.folderCheckedUntil) return true;
  if (!hasValidProfile(night, batch)) return false;
  night.track(batch, checkFolder(night, batch));
  return false;
}

/** The accounts that no other process has. */
function ownAccounts({ accounts }: NightBatch): readonly NightAccount[] {
  return accounts.filter(({ right }) => right !== undefined);
}

/** Stops an account without a key; false if no other account goes on. */
function hasKey(night: Night, batch: NightBatch): boolean {
  let hasAny = false;
  for (const account of ownAccounts(batch)) {
    if (night.keyFingerprint(account.account) === undefined) {
      const { name, account: terms, gateway } = account;
      night.batches.pause(batch, keyMissing(gateway.origin, { name, keyName: terms.keyName }), account);
    } else hasAny = true;
  }
  return hasAny;
}

/** The same for an account whose profile is no longer valid. */
function hasValidProfile(night: Night, batch: NightBatch): boolean {
  let isAnyValid = false;
  for (const account of ownAccounts(batch)) {
    const problem = keptProfileProblem(account.profile);
    if (problem === undefined) isAnyValid = true;
    else night.batches.pause(batch, failure('PROFILE_INVALID', problem), account);
  }
  return isAnyValid;
}

async function checkFolder(night: Night, batch: NightBatch): Promise<void> {
  batch.turnKeptUntil = night.clock.monotonic() + TURN_KEPT_MS;
  const stop = night.clock.setTimer(TURN_KEPT_MS, () => night.wake());
  const problem = await batch.prepareFolder(night.folder).finally(stop);
  night.wake();
  if (problem === undefined) batch.folderCheckedUntil = night.clock.monotonic() + FOLDER_CHECK_MS;
  else night.batches.pause(batch, problem);
}

/**
 * Whether a batch has to wait for one that comes before it at an account while the folder of that one is checked:
 * otherwise the order would depend on which folder answers first.
 */
export function waitsForTurn(night: Night, batch: NightBatch): boolean {
  const now = night.clock.monotonic();
  return [...night.batches.all.values()].some(
    (other) =>
      other.isFolderChecking && now < other.turnKeptUntil && other.allowed.submit && comesFirst(night, other, batch),
  );
}

/** Whether a batch has something to send that another one's accounts would send first. */
function comesFirst(night: Night, other: NightBatch, batch: NightBatch): boolean {
  const dueAt = night.batches.work.of(other.id)?.firstDueAt;
  if (dueAt === undefined || dueAt > night.clock.now() || !isBefore(other, batch)) return false;
  return other.accounts.some(({ lane }) => batch.accounts.some((account) => account.lane === lane));
}

/** Nothing more is paid for while no file arrives; if Nocturne no longer asks for any, the user has to look. */
function isWaitingForFiles(night: Night, batch: NightBatch): boolean {
  const { filesTrouble } = batch;
  if (filesTrouble === undefined) return false;
  if (!night.active.ofBatch(batch.id).some(({ status }) => status === 'downloading')) {
    night.batches.noteFile(batch, undefined);
    night.batches.pause(batch, failure('FUSE_BLOWN', saidBy(filesTrouble)));
  }
  return true;
}

/** What a lane has that can be given to tasks. */
interface Free {
  /** The most tasks of each family that were seen at the gateway. */
  readonly seen: Map<Family, number>;
  /** Places given to tasks whose intents are not committed yet. */
  readonly given: Map<Family, number>;
  /** Requests that may still be given; undefined before the first look. */
  requests: number | undefined;
}

/**
 * Places at the gateways that are free for tasks of each family, and requests. It counts what was free at the first
 * look, when the store is asked for so many tasks: what becomes free until it answers is for the next step, because the
 * batch whose turn it is may have more to send than was asked for.
 */
export class FreePlaces {
  readonly #night: Night;
  readonly #free = new Map<Lane, Free>();

  constructor(night: Night) {
    this.#night = night;
  }

  /**
   * How many more tasks of a family may be submitted, by an account's profile and by what all batches of its lane have
   * there.
   */
  left({ lane, profile }: Pick<NightAccount, 'lane' | 'profile'>, family: Family): number {
    const { seen, given } = this.#freeAt(lane);
    const most = Math.max(seen.get(family) ?? 0, this.#night.batches.atGateway(lane, family));
    seen.set(family, most);
    return profile.limits.activePerFamily[family] - most - (given.get(family) ?? 0);
  }

  /** How many more requests may be sent at a lane. */
  requests(lane: Lane): number {
    const free = this.#freeAt(lane);
    return (free.requests ??= lane.budget.available(this.#night.clock.monotonic()));
  }

  give(lane: Lane, family: Family): void {
    const { given } = this.#freeAt(lane);
    given.set(family, (given.get(family) ?? 0) + 1);
    this.#freeAt(lane).requests = this.requests(lane) - 1;
  }

  #freeAt(lane: Lane): Free {
    const known = this.#free.get(lane);
    if (known !== undefined) return known;
    const free = { seen: new Map(), given: new Map(), requests: undefined };
    this.#free.set(lane, free);
    return free;
  }
}

/** Families of which a batch's gateways have as many takes as allowed, and how many that is. */
export type FullPlaces = readonly { readonly family: Family; readonly places: number }[];

/** Families in which none of a batch's accounts has a place left. */
export function fullPlacesOf(night: Night, { accounts }: NightBatch): FullPlaces {
  const places = new FreePlaces(night);
  return FAMILIES.flatMap((family) => {
    if (accounts.some((account) => places.left(account, family) > 0)) return [];
    return [{ family, places: accounts.reduce((sum, { lane }) => sum + night.batches.atGateway(lane, family), 0) }];
  });
}

/** Keeps what the limits left for an account at the last look. */
function note(account: NightAccount, { why, dear, whyDear }: Omit<Room, 'requests'>): void {
  account.noRoom = why;
  account.dear = dear;
  account.whyDear = whyDear;
}

/**
 * What to ask the store for: as much as the limits and the budget leave room for.
 * @param caps Absent for a first guess, before the store has said what was spent.
 */
export function wantedOf(night: Night, batch: NightBatch, places: FreePlaces, caps?: Caps): readonly QueuedWanted[] {
  // What an earlier look found may have changed.
  for (const account of batch.accounts) note(account, { dear: [] });
  if (isWaitingForFiles(night, batch)) return [];
  const left = night.batches.work.of(batch.id);
  if (left?.firstDueAt === undefined || left.firstDueAt > night.clock.now()) return [];
  const allowed = batch.accounts.filter((account) => batch.allowedAt(account).submit);
  const open = allowed.filter((account) => !isUnclear(night, batch, account));
  const rooms = open.map((account) => ({ account, room: caps?.roomFor(batch, account) ?? BOUNDLESS }));
  if (caps !== undefined) for (const { account, room } of rooms) note(account, room);
  const [why] = rooms.flatMap(({ room }) => room.why ?? []);
  // An account that is only unclear may have room once it is clear again; one of another process may have room by now.
  const isFull = (account: NightAccount): boolean => caps?.roomFor(batch, account).why !== undefined;
  const elsewhere = batch.accounts.filter(({ right, name = '' }) => !right && !batch.record.stops?.[name]);
  const isFullHere = open.length === allowed.length && rooms.every(({ room }) => room.why !== undefined);
  if (why !== undefined && isFullHere && elsewhere.every(isFull)) {
    night.batches.pause(batch, why);
    return [];
  }
  const wanted = rooms.flatMap(({ account, room }) => wantedAt(night, batch, account, room, left.counts, places));
  return wanted.map((one) => ({ ...one, limit: limitAmong(one, wanted) }));
}

/** Several answers in a row were lost: nothing new is paid for until one of these requests, sent again, is answered. */
function isUnclear(night: Night, batch: NightBatch, account: NightAccount): boolean {
  if (account.unknownInARow < UNKNOWN_FUSE) return false;
  return night.active.ofBatch(batch.id).some((task) => task.again !== undefined && batch.accountOf(task) === account);
}

/** What may be sent with one account. */
function wantedAt(
  night: Night,
  batch: NightBatch,
  one: NightAccount,
  { requests }: Room,
  counts: StatusCounts,
  places: FreePlaces,
): readonly QueuedWanted[] {
  const { id: batchId } = batch;
  const { name: account, lane, profile } = one;
  if (night.active.downloading(batchId) >= profile.limits.downloads * DOWNLOAD_BACKLOG) return [];
  const most = Math.min(places.requests(lane), requests);
  return FAMILIES.map((family) => {
    const limit = counts[family].queued === 0 ? 0 : Math.min(places.left({ lane, profile }, family), most);
    return { batchId, family, limit, ...present({ account }), ...batch.rulesAt(one) };
  }).filter(({ limit }) => limit > 0);
}

/** What other accounts have room for may come first in the same queue: that much more of the queue has to be known. */
function limitAmong({ family }: QueuedWanted, wanted: readonly QueuedWanted[]): number {
  return wanted.reduce((sum, one) => (one.family === family ? sum + one.limit : sum), 0);
}

/** A task to submit, and the account to submit it with. */
export interface Chosen {
  readonly queued: QueuedTask;
  readonly account: NightAccount;
}

/**
 * The tasks to submit now, one by one, of those that the store gave for a batch: by the time a task is given, it has
 * taken its place and its request from the budget.
 */
export function* chooseTasks(
  night: Night,
  batch: NightBatch,
  found: readonly QueuedTask[],
  places: FreePlaces,
  caps: Caps,
): Generator<Chosen, undefined> {
  for (const { queued, accounts } of inTheirOrder(batch, found)) {
    const { operation } = queued.task;
    const offers = accounts.map((account) => ({ account, price: caps.reservedFor(batch, account, operation) }));
    const order = inOrderOfChoice(offers, batch.record.settings.accounts?.choice);
    const account = order.find((one) => takeRoom(night, batch, one, queued.task, places, caps));
    if (account !== undefined) yield { queued, account };
  }
  return undefined;
}

/** Takes a place, a request and what it may cost, if all three are there. */
function takeRoom(
  night: Night,
  batch: NightBatch,
  account: NightAccount,
  { family, operation }: Task,
  places: FreePlaces,
  caps: Caps,
): boolean {
  const { lane } = account;
  if (places.left(account, family) <= 0) return false;
  if (!lane.budget.tryTake(night.clock.monotonic(), places.requests(lane))) return false;
  if (!caps.take(batch, account, operation)) {
    lane.budget.giveBack();
    return false;
  }
  places.give(lane, family);
  return true;
}

/**
 * The tasks found for a batch, each once, with the accounts that it may go to; of several accounts, those still open.
 */
function inTheirOrder(
  batch: NightBatch,
  found: readonly QueuedTask[],
): readonly { readonly queued: QueuedTask; readonly accounts: readonly NightAccount[] }[] {
  const [first, ...others] = batch.accounts;
  if (others.length === 0) return found.map((queued) => ({ queued, accounts: [first] }));
  const byTask = new Map<number, { readonly queued: QueuedTask; readonly accounts: NightAccount[] }>();
  for (const queued of found) {
    const account = batch.accounts.find(({ name }) => name === queued.account);
    if (account === undefined || !batch.allowedAt(account).submit) continue;
    const known = byTask.get(queued.task.id) ?? { queued, accounts: [] };
    byTask.set(queued.task.id, known);
    known.accounts.push(account);
  }
  return [...byTask.values()].sort(
    ({ queued: { task: a } }, { queued: { task: b } }) =>
      b.priority - a.priority || a.position - b.position || a.take - b.take,
  );
}
