/** What is committed for the tasks that were chosen: the intents of their requests, with the exact bodies. */
import { createHash, randomUUID } from 'node:crypto';
import { present } from '../../../shared/domain/base/result.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import { crashPoint } from '../../crash-point.ts';
import type { AttemptIntent } from '../../ports/task-change.ts';
import type { MediaGateway } from '../../ports/media-gateway.ts';
import type { QueuedTask } from '../../ports/task-store.ts';
import type { Lane, LaneRight } from '../lanes.ts';
import type { Night } from '../night.ts';
import type { NightAccount } from '../batches/night-account.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import type { Caps } from '../spending/caps.ts';
import type { Chosen } from './choose-submits.ts';
import { prepareBody, type PreparedBody } from './prepare-body.ts';
import type { Entry } from '../task-journal.ts';

/** By then, a file that is being deleted is gone, or has been left in place. */
const FILE_GOES_MS = 5_000;

/** A task chosen for a submit, with what is committed for it. */
export interface Prepared {
  readonly batch: NightBatch;
  readonly account: NightAccount;
  readonly lane: Lane;
  readonly gateway: MediaGateway;
  readonly right: LaneRight;
  readonly task: Task;
  readonly body: Uint8Array | undefined;
  readonly entry: Entry;
  /** The fingerprint of the key that its intent names. */
  readonly keyFingerprint: string;
  /** How long other tasks of its kind took, once the store has said so. */
  readonly completions: Promise<readonly number[]>;
}

/** Whether a batch may send a new request now, as far as its state, the end of the night and its disk decide. */
export function maySubmit(night: Night, batch: NightBatch): boolean {
  if (night.ending.aborted || !batch.allowed.submit) return false;
  return !batch.isDiskDoubted || night.active.downloading(batch.id) === 0;
}

/** Prepares the tasks chosen for a batch. What cannot be prepared gives back the request that it took from the budget. */
export async function prepareAll(
  night: Night,
  caps: Caps,
  batch: NightBatch,
  chosen: readonly Chosen[],
): Promise<readonly Prepared[]> {
  const { folderCheckedUntil } = batch;
  const { settings } = batch.record;
  const limits = night.limits.current;
  // Until the commit begins, the user may pause or restart the batch, or change its limit, its gateway or its key.
  const isWanted = (account: NightAccount, keyFingerprint: string): boolean =>
    maySubmit(night, batch) &&
    batch.allowedAt(account).submit &&
    batch.record.settings === settings &&
    night.limits.current === limits &&
    batch.folderCheckedUntil === folderCheckedUntil &&
    night.keyFingerprint(account.account) === keyFingerprint;
  // As it is now: where a request goes must not change while bodies are prepared.
  const placed = chosen.flatMap(({ queued, account }) => {
    const { lane, gateway, right } = account;
    const keyFingerprint = night.keyFingerprint(account.account);
    if (right !== undefined) return { queued, keyFingerprint, place: { batch, account, lane, gateway, right } };
    lane.budget.spare();
    return [];
  });
  const prepared: Prepared[] = [];
  const rights = placed.map(({ place }) => place.lane);
  try {
    for (const { queued, keyFingerprint, place } of placed) {
      const { account, right } = place;
      const outcome = await preparedBody(night, batch, queued, account);
      if (outcome.kind === 'asking' || keyFingerprint === undefined) {
        rights.splice(rights.indexOf(place.lane), 1);
        place.lane.budget.spare();
        // The only right left to ask with may have been this one, which is free now.
        if (outcome.kind === 'asking') await prepareBody(night, batch, queued, account);
        continue;
      }
      const { task } = queued;
      const change = { taskId: task.id, asRead: task, ...present({ under: right.fence }) };
      const completions = night.times.of(batch, account, task);
      if (outcome.kind === 'not-ready') {
        const entry: Entry = { ...change, event: outcome.event };
        prepared.push({ ...place, task, body: undefined, entry, keyFingerprint, completions });
        continue;
      }
      crashPoint('submit.before-intent');
      const { body, basis } = outcome;
      const price = caps.reservedFor(batch, account, task.operation);
      const idempotency = newKey(night, batch, account);
      const intent = intentOf(night, place.gateway, keyFingerprint, body);
      const charges = caps.chargesOf(batch, account);
      const named = present({ account: account.name });
      const openAttempt = { ...intent, ...named, ...present({ price, idempotency }), ...(charges > 1 && { charges }) };
      const event = { kind: 'submit-started', ...named } as const;
      const isStillWanted = (): boolean => right.isHeld() && isWanted(account, keyFingerprint);
      const entry: Entry = { ...change, event, openAttempt, basis, isWanted: isStillWanted, ...termsOf(batch, right) };
      prepared.push({ ...place, task, body, entry, keyFingerprint, completions });
    }
  } catch (error) {
    for (const lane of rights) lane.budget.spare();
    night.batches.stumble([batch], error);
    return [];
  }
  return prepared;
}

/** A body whose files stay where they are from now on, until its batch is over. */
async function preparedBody(
  night: Night,
  batch: NightBatch,
  queued: QueuedTask,
  account: NightAccount,
): Promise<PreparedBody> {
  const outcome = await prepareBody(night, batch, queued, account);
  if (outcome.kind !== 'ready' || night.files === undefined || batch.record.settings.filesPlace === undefined)
    return outcome;
  if (await night.files.noteUse(batch.id, outcome.body)) return outcome;
  return { kind: 'not-ready', event: { kind: 'file-awaited', dueAt: night.clock.now() + FILE_GOES_MS } };
}

/** What the store checks once more if other processes share it. */
function termsOf({ record: { revision } }: NightBatch, { fence }: LaneRight): Pick<Entry, 'terms'> {
  return fence === undefined ? {} : { terms: { revision } };
}

function intentOf(night: Night, gateway: MediaGateway, keyFingerprint: string, body: Uint8Array): AttemptIntent {
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  return { startedAt: night.clock.now(), origin: gateway.origin, keyFingerprint, body, bodySha256 };
}

/** A key for one paid request, at a gateway that charges only once for a key. */
function newKey({ keyTrust }: Night, batch: NightBatch, account: NightAccount): AttemptIntent['idempotency'] {
  const { idempotency, baseUrl } = account.profile;
  if (idempotency === undefined || keyTrust.isRefuted(batch, account)) return undefined;
  return { header: idempotency.header, key: randomUUID(), baseUrl };
}
