import type { BatchPause, BatchRecord, BatchState } from '../../shared/domain/task/batch.ts';
import { pauseOf, type Failure } from '../../shared/domain/base/failure.ts';
import { FAMILIES } from '../../shared/domain/operations/operations.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import type { MediaGateway, TaskStore } from '../ports.ts';
import type { Lane, Lanes } from './lanes.ts';

/** A batch that this night looks after. It reads its record from the store each time, because that may change. */
export class NightBatch {
  readonly id: string;
  /** Monotonic time until which the folder counts as good; the next submit after it checks again. */
  folderCheckedUntil = 0;
  isFolderChecking = false;
  /** The user has started or resumed the batch since its folder was last checked: the folder counts as it is now. */
  isFolderAccepted = false;
  /** The disk refused a file: what was paid for must be saved before anything more is paid. */
  isDiskDoubted = false;
  /** Unknown submit outcomes in succession. */
  unknownInARow = 0;
  /** Files in succession that did not arrive after their quick attempts. */
  filesInVain = 0;
  /** Why nothing more is paid for now: no file has arrived for long, whatever the gateway renders. */
  filesTrouble: Failure | undefined;
  /** Downloads under way. */
  downloads = 0;
  readonly #store: Pick<TaskStore, 'batch' | 'counts' | 'setBatchState'>;
  readonly #lanes: Lanes;
  /** A state that the disk refused to store: it applies here. */
  #held: { readonly state: BatchState; readonly pause: BatchPause | undefined } | undefined;

  constructor(id: string, store: Pick<TaskStore, 'batch' | 'counts' | 'setBatchState'>, lanes: Lanes) {
    this.id = id;
    this.#store = store;
    this.#lanes = lanes;
  }

  get record(): BatchRecord {
    const stored = this.#store.batch(this.id);
    if (stored === undefined) throw new Error(`No such batch: ${this.id}`);
    if (this.#held === undefined) return stored;
    const { pause: _, ...rest } = stored;
    const { state, pause } = this.#held;
    return pause === undefined ? { ...rest, state } : { ...rest, state, pause };
  }

  get profile(): Profile {
    return this.record.settings.profile;
  }

  /** What it may do in its present state. */
  get allowed(): Allowed {
    return allowedIn(this.record);
  }

  /** Once it has files, its folder exists, perhaps on a disconnected disk: a new folder would split them. */
  get mayMakeFolder(): boolean {
    const counts = this.#store.counts(this.id);
    return FAMILIES.every((family) => counts[family].done === 0);
  }

  get gateway(): MediaGateway {
    return this.#lanes.gatewayOf(this.profile);
  }

  /** What it shares with all batches of its gateway and key. */
  get lane(): Lane {
    return this.#lanes.laneOf(this.profile);
  }

  /** Sets its state at `at`, milliseconds since the epoch. If the store refuses, it holds in memory; returns why. */
  setState(state: BatchState, pause: BatchPause | undefined, at: number): unknown {
    try {
      this.#store.setBatchState(this.id, state, pause, at);
      this.#held = undefined;
      return undefined;
    } catch (error) {
      // A restart finds the previous state, which is safe.
      this.#held = { state, pause };
      return error;
    }
  }
}

/** What a batch may do in its present state. */
interface Allowed {
  readonly submit: boolean;
  readonly poll: boolean;
  readonly download: boolean;
}

/**
 * What continues in a batch: a pause holds back new submits; downloads of what was paid for continue unless the cause
 * of the pause makes them pointless. After its end Nocturne still asks the gateway about inferred failures.
 */
function allowedIn(record: BatchRecord): Allowed {
  if (record.state === 'running') return { submit: true, poll: true, download: true };
  if (record.state === 'ready') return { submit: false, poll: false, download: false };
  if (record.state === 'finished') return { submit: false, poll: true, download: true };
  const pause = record.pause?.by === 'failure' ? pauseOf(record.pause.failure.code) : undefined;
  const meanwhile = pause?.meanwhile ?? 'all';
  return { submit: false, poll: meanwhile === 'all', download: meanwhile !== 'nothing' };
}
