import type { AnswerTally } from '../../shared/domain/gateway/learned/learned.ts';
import type { ReferenceSource } from '../../shared/domain/cells/reference.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { Limit } from '../../shared/domain/task/spending.ts';
import type { Output, Task } from '../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import type { FileMeasurer } from '../ports/file-looks.ts';
import type { FilePlaces } from '../ports/file-places.ts';
import type { MediaFolder } from '../ports/media-folder.ts';
import type { Random } from '../ports/base.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { ActiveTasks } from './active-tasks.ts';
import type { LanesOptions } from './lanes.ts';
import type { NightWatch } from './fleet/night-watch.ts';
import type { NightBatch } from './batches/night-batch.ts';
import type { Fronts } from './polls/fronts.ts';
import type { LearnedTimes } from './polls/learned-times.ts';
import type { NightLimits } from './spending/night-limits.ts';
import type { NightBatches } from './batches/night-batches.ts';
import type { KeyTrust } from './charges/key-trust.ts';
import type { TaskJournal } from './task-journal.ts';

/** What a night is given. */
export interface SchedulerOptions extends LanesOptions {
  readonly store: TaskStore;
  readonly folder: MediaFolder;
  readonly random: Random;
  /** Where files of this computer are put; without it, rows that name some are not sent. */
  readonly files?: FilePlaces | undefined;
  /** Measures files for the gates of batches; without it, none look. */
  readonly measurer?: FileMeasurer | undefined;
  /** The most that may be spent through this process in a night, in addition to the user's own limits. */
  readonly ceiling?: Limit | undefined;
  /** Whether a text holds a key: only texts without one are passed on from row to row. */
  readonly holdsKey: (text: string) => boolean;
  /** After every commit; `isAfterEnd` if the batch had ended before it. */
  readonly onTaskChanged: (task: Task, event: TaskEvent, isAfterEnd: boolean) => void;
  readonly onBatchChanged: (batch: BatchRecord) => void;
  /** At once after each commit of this process, so that its work can be counted. */
  readonly onCommitted?: NightWatch['onCommitted'] | undefined;
  /** A batch that waited for its schedule goes on. */
  readonly onOpened?: (batchId: string) => void;
  /** An unexpected exception, to be logged. What cannot continue because of it is paused. */
  readonly onBug: (error: unknown) => void;
  /** Whether the disk caused an exception, so that it will pass; any other exception is a bug. */
  readonly isRefusedByDisk: (error: unknown) => boolean;
}

/** How the downloads of a night are shared out, if several processes may fetch a file. */
export interface SharedDownloads {
  /**
   * How many milliseconds a download that is due here is left to whichever worker takes it; 0 if this worker has to.
   */
  waitMs(batch: NightBatch, task: Task, output: Output): number;
  /** Fetches what is due of a task, if nobody else has the right to. */
  fetch(batch: NightBatch, task: Task, output: Output, signal: AbortSignal): Promise<void>;
  /** The marks on the parts of workers that are alive. */
  livingMarks(): Promise<ReadonlySet<string>>;
}

/** What the scheduler's steps share: one night over one or more batches. */
export interface Night extends Pick<
  SchedulerOptions,
  'store' | 'folder' | 'clock' | 'random' | 'files' | 'keyFingerprint' | 'holdsKey'
> {
  readonly journal: TaskJournal;
  readonly active: ActiveTasks;
  /** Which tasks are worth asking about, by what the gateways' queues show. */
  readonly fronts: Fronts;
  /** What answers looked like, in counts. */
  readonly tally: AnswerTally;
  /** How long renderings have taken. */
  readonly times: LearnedTimes;
  readonly batches: NightBatches;
  /** Whether gateways charge only once for one key. */
  readonly keyTrust: KeyTrust;
  /**
   * Whether the computer is awake, and everything that came due during a sleep has been asked about: until then, no
   * paid request leaves.
   */
  readonly isAwake: () => boolean;
  /** The user's spending limits for all batches. */
  readonly limits: NightLimits;
  /** What a row that was done long ago gives to others now; undefined while Nocturne asks the gateway. */
  readonly freshSourceOf: (batch: NightBatch, task: Task) => Promise<ReferenceSource | undefined>;
  /** The system's time as it is, in milliseconds since the epoch: it may go back. */
  readonly wallNow: () => number;
  /** Requests an early check of everything that is due. */
  readonly wake: () => void;
  /** Reads what other processes have made of a task. */
  readonly takeNewest: (taskId: number) => Promise<void>;
  /** Keeps the night from ending before this work is done; an exception in it is a bug, and pauses the batch. */
  readonly track: (batch: NightBatch, work: Promise<void>) => void;
  /** Absent if this process has the store to itself, and in a process that takes no accounts. */
  readonly downloads: SharedDownloads | undefined;
  /** A file is verified and in its place: the gates of its batch may look at it. */
  readonly onFileVerified: (batch: NightBatch, taskId: number, index: number) => void;
  /**
   * Whether the gates of its batch may still have a take that is done rendered again: what refers to the take waits for
   * that.
   */
  readonly isAwaited: (task: Task) => boolean;
  /** Aborted when the night ends; nothing new begins then. Submits do not listen to it. */
  readonly ending: AbortSignal;
}
