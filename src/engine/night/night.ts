import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { pauseOf, type Failure } from '../../shared/domain/base/failure.ts';
import type { ReferenceSource } from '../../shared/domain/cells/reference.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import type { Clock, MediaFolder, Random, TaskStore } from '../ports.ts';
import type { ActiveTasks } from './active-tasks.ts';
import type { Lane } from './lanes.ts';
import type { NightBatch } from './night-batch.ts';
import type { TaskJournal } from './task-journal.ts';

/** What the scheduler's steps share: one night over one or more batches. */
export interface Night {
  readonly store: TaskStore;
  readonly folder: MediaFolder;
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: TaskJournal;
  readonly active: ActiveTasks;
  readonly batches: ReadonlyMap<string, NightBatch>;
  /** What a row that was done long ago gives to others now; undefined while Nocturne asks the gateway. */
  readonly freshSourceOf: (batch: NightBatch, task: Task) => ReferenceSource | undefined;
  /** A short one-way fingerprint of the key for this profile; undefined if no key was given. */
  readonly keyFingerprint: (profile: Profile) => string | undefined;
  /** Whether a text holds a key that must never be sent as content. */
  readonly holdsKey: (text: string) => boolean;
  /** True once the night is asked to end: nothing new begins. */
  readonly isEnding: () => boolean;
  /** Requests an early check of everything that is due. */
  readonly wake: () => void;
  /** Pauses one batch, or all batches of a lane if the failure stops the night. */
  readonly pause: (batch: NightBatch, failure: Failure) => void;
  /** Pauses a batch because of an exception: a disk failure if the disk caused it, else a bug, which is reported. */
  readonly stumble: (batch: NightBatch, error: unknown) => void;
  /** Notes whether the gateway answers: the failure while it does not, undefined as soon as it does. */
  readonly noteTrouble: (lane: Lane, trouble: Failure | undefined) => void;
  /** Notes that a file has arrived (undefined), or why one did not, after its quick attempts. */
  readonly noteFile: (batch: NightBatch, failure: Failure | undefined) => void;
  /** Notes until when the gateway asked to be left alone, in milliseconds since the epoch. */
  readonly noteHold: (lane: Lane, heldUntil: number) => void;
  /** Keeps the night from ending before this is done; an exception in it is a bug, and pauses the batch. */
  readonly track: (batch: NightBatch, work: Promise<void>) => void;
  /** Aborted when the night ends; submits do not listen to it. */
  readonly ending: AbortSignal;
}

/** What a batch may do in its present state. */
export interface Allowed {
  readonly submit: boolean;
  readonly poll: boolean;
  readonly download: boolean;
}

/**
 * What continues in a batch: a pause holds back new submits; downloads of what was paid for continue unless the cause
 * of the pause makes them pointless. After its end Nocturne still asks the gateway about inferred failures.
 */
export function allowedIn(record: BatchRecord): Allowed {
  if (record.state === 'running') return { submit: true, poll: true, download: true };
  if (record.state === 'ready') return { submit: false, poll: false, download: false };
  if (record.state === 'finished') return { submit: false, poll: true, download: true };
  const pause = record.pause?.by === 'failure' ? pauseOf(record.pause.failure.code) : undefined;
  const meanwhile = pause?.meanwhile ?? 'all';
  return { submit: false, poll: meanwhile === 'all', download: meanwhile !== 'nothing' };
}
