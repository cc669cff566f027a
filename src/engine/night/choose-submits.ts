/** Whether a batch may pay for anything now, and for which tasks. */
import { FAMILIES, type Family } from '../../shared/domain/operations/operations.ts';
import { keptProfileProblem } from '../../shared/domain/gateway/profile.ts';
import { failure } from '../../shared/domain/base/failure.ts';
import { present } from '../../shared/domain/base/result.ts';
import { canaryRuleOf } from '../../shared/domain/task/canary.ts';
import type { QueuedTask, QueuedWanted } from '../ports.ts';
import { BOUNDLESS, type Caps } from './spending/caps.ts';
import type { Lane } from './lanes.ts';
import type { Night } from './night.ts';
import type { NightBatch } from './batches/night-batch.ts';

/** How long a check of the folder (writable, enough space) stays valid. */
const FOLDER_CHECK_MS = 15_000;
/** Submits wait while the tasks still to be fetched exceed this many times the download slots. */
const DOWNLOAD_BACKLOG = 8;

/** Checks key, profile, folder and disk before anything is paid. */
export function mayPay(night: Night, batch: NightBatch): boolean {
  if (night.keyFingerprint(batch.profile) === undefined) {
    const { origin } = batch.gateway;
    night.batches.pause(batch, failure('KEY_MISSING', `No key is stored for ${origin}.`, { origin }));
    return false;
  }
  if (batch.isFolderChecking) return false;
  if (night.clock.monotonic() < batch.folderCheckedUntil) return true;
  const problem = keptProfileProblem(batch.profile);
  if (problem !== undefined) {
    night.batches.pause(batch, failure('PROFILE_INVALID', problem));
    return false;
  }
  batch.isFolderChecking = true;
  night.track(batch, checkFolder(night, batch));
  return false;
}

async function checkFolder(night: Night, batch: NightBatch): Promise<void> {
  const { folder } = batch.record.settings;
  const mayReplace = batch.isFolderAccepted;
  let problem;
  try {
    problem = await night.folder.prepare(folder, { ...(await batch.folderNeeds()), mayReplace });
  } finally {
    batch.isFolderChecking = false;
  }
  night.wake();
  // The batch has a different folder now: that one is checked next.
  if (batch.record.settings.folder !== folder) return;
  batch.isFolderAccepted = false;
  if (problem === undefined) batch.folderCheckedUntil = night.clock.monotonic() + FOLDER_CHECK_MS;
  else night.batches.pause(batch, problem);
}

/** Nothing more is paid for while no file arrives; if Nocturne no longer asks for any, the user has to look. */
function isWaitingForFiles(night: Night, batch: NightBatch): boolean {
  const { filesTrouble } = batch;
  if (filesTrouble === undefined) return false;
  if (!night.active.ofBatch(batch.id).some(({ status }) => status === 'downloading')) {
    night.batches.noteFile(batch, undefined);
    night.batches.pause(batch, failure('FUSE_BLOWN', filesTrouble.message));
  }
  return true;
}

/** Places at the gateways that are free for tasks of a family. */
export class FreePlaces {
  readonly #night: Night;
  /** Given to tasks whose intents are not committed yet. */
  readonly #given = new Map<Lane, Map<Family, number>>();

  constructor(night: Night) {
    this.#night = night;
  }

  /** How many more tasks of a family a batch may submit, by its profile and what all batches of its lane have there. */
  left({ lane, profile }: NightBatch, family: Family): number {
    const given = this.#given.get(lane)?.get(family) ?? 0;
    return profile.limits.activePerFamily[family] - this.#night.batches.atGateway(lane, family) - given;
  }

  give(lane: Lane, family: Family): void {
    const given = this.#given.get(lane) ?? new Map<Family, number>();
    given.set(family, (given.get(family) ?? 0) + 1);
    this.#given.set(lane, given);
  }
}

/**
 * What to ask the store for: as much as limits and budget leave room for.
 * @param caps Absent for a first guess, before the store has said what was spent.
 */
export function wantedOf(night: Night, batch: NightBatch, places: FreePlaces, caps?: Caps): readonly QueuedWanted[] {
  const { id: batchId, lane, profile } = batch;
  if (isWaitingForFiles(night, batch)) return [];
  if (night.active.downloading(batchId) >= profile.limits.downloads * DOWNLOAD_BACKLOG) return [];
  const left = night.batches.work.of(batchId);
  if (left?.firstDueAt === undefined || left.firstDueAt > night.clock.now()) return [];
  const { requests, dear } = caps?.roomFor(batch) ?? BOUNDLESS;
  const most = Math.min(lane.budget.available(night.clock.monotonic()), requests);
  const leftOut = [...batch.tooLong, ...dear];
  const without = leftOut.length === 0 ? undefined : leftOut;
  return FAMILIES.map((family) => {
    const limit = left.counts[family].queued === 0 ? 0 : Math.min(places.left(batch, family), most);
    return { batchId, family, limit, ...present({ canary: canaryRuleOf(batch.record), without }) };
  }).filter(({ limit }) => limit > 0);
}

/**
 * The tasks to submit now, of those that the store gave for a batch, one by one: each has taken its place and its request
 * from the budget when it is given.
 */
export function* chooseTasks(
  night: Night,
  batch: NightBatch,
  found: readonly QueuedTask[],
  places: FreePlaces,
  caps: Caps,
): Generator<QueuedTask, undefined> {
  const { lane } = batch;
  for (const queued of found) {
    if (places.left(batch, queued.task.family) <= 0) continue;
    if (!lane.budget.tryTake(night.clock.monotonic())) return undefined;
    if (!caps.take(batch, queued.task.operation)) {
      lane.budget.giveBack();
      continue;
    }
    places.give(lane, queued.task.family);
    yield queued;
  }
  return undefined;
}
