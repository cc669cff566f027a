/** Whether a batch may pay for anything now, and for which tasks. */
import { countText } from '../../shared/domain/base/text.ts';
import { FAMILIES, type Family } from '../../shared/domain/operations/operations.ts';
import { keptProfileProblem } from '../../shared/domain/gateway/profile.ts';
import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { Lane } from './lanes.ts';
import type { Night } from './night.ts';
import type { NightBatch } from './night-batch.ts';

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
  const allowed = { mayMake: batch.mayMakeFolder, mayReplace: batch.isFolderAccepted };
  let problem;
  try {
    problem = await night.folder.prepare(folder, allowed);
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

/** The tasks to submit now, as many as limits, caps and budget allow; each has taken its request from the budget. */
export function chooseTasks(night: Night, batch: NightBatch): readonly Task[] {
  const { lane, record } = batch;
  const { limits } = record.settings.profile;
  if (isWaitingForFiles(night, batch)) return [];
  if (night.active.downloading(record.id) >= limits.downloads * DOWNLOAD_BACKLOG) return [];
  const now = night.clock.now();
  const monotonic = night.clock.monotonic();
  const cap = capLeft(night, batch);
  const chosen: Task[] = [];
  for (const family of FAMILIES) {
    const free = limits.activePerFamily[family] - activeInLane(night, lane, family);
    const limit = Math.min(free, lane.budget.available(monotonic));
    if (limit <= 0) continue;
    for (const task of night.store.nextQueued(record.id, family, limit, now)) {
      if (chosen.length >= cap) {
        night.batches.pause(batch, capReached(batch));
        return chosen;
      }
      if (!lane.budget.tryTake(monotonic)) return chosen;
      chosen.push(task);
    }
  }
  return chosen;
}

function capLeft(night: Night, batch: NightBatch): number {
  const { maxSubmits } = batch.record.settings;
  return maxSubmits === undefined ? Number.POSITIVE_INFINITY : maxSubmits - night.store.submitsUsed(batch.record.id);
}

function capReached(batch: NightBatch): Failure {
  return failure(
    'CAP_REACHED',
    `This batch has used all ${countText(batch.record.settings.maxSubmits ?? 0)} paid requests of its limit.`,
  );
}

function activeInLane(night: Night, lane: Lane, family: Family): number {
  let active = 0;
  for (const batch of night.batches.all.values()) {
    if (batch.lane === lane) active += night.active.atGateway(batch.id, family);
  }
  return active;
}
