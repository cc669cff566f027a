import type { BatchPause, BatchRecord, BatchState } from '../../shared/domain/task/batch.ts';
import type { Failure } from '../../shared/domain/task/failure.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import type { MediaGateway, TaskStore } from '../ports.ts';
import type { Lane, Lanes } from './lanes.ts';

/** A batch that this night looks after. What the store says of it is asked each time: it may be changed meanwhile. */
export class NightBatch {
  readonly id: string;
  /** Monotonic time until which the folder is known to be good; the next submit after it checks again. */
  folderCheckedUntil = 0;
  isFolderChecking = false;
  /** The user has set the batch going since its folder was last looked at: it is wanted as it is now. */
  isFolderAccepted = false;
  /** The disk refused a file: what was paid for must land before anything more is paid. */
  isDiskDoubted = false;
  /** Submits in a row whose outcome the network hid. */
  unknownInARow = 0;
  /** Files in a row that did not come, tried often enough to wait for minutes and hours now. */
  filesInVain = 0;
  /** Why nothing more is paid for at the moment: no file has come for long, whatever the gateway renders. */
  filesTrouble: Failure | undefined;
  /** Downloads under way. */
  downloads = 0;
  readonly #store: Pick<TaskStore, 'batch' | 'setBatchState'>;
  readonly #lanes: Lanes;
  /** A state that the disk refused to take: it holds here. */
  #held: { readonly state: BatchState; readonly pause: BatchPause | undefined } | undefined;

  constructor(id: string, store: Pick<TaskStore, 'batch' | 'setBatchState'>, lanes: Lanes) {
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

  get gateway(): MediaGateway {
    return this.#lanes.gatewayOf(this.profile);
  }

  /** What it shares with all batches of its gateway and key. */
  get lane(): Lane {
    return this.#lanes.laneOf(this.profile);
  }

  /** Sets its state at `at`, milliseconds since the epoch. Where the store refuses, it holds in memory; gives why. */
  setState(state: BatchState, pause: BatchPause | undefined, at: number): unknown {
    try {
      this.#store.setBatchState(this.id, state, pause, at);
      this.#held = undefined;
      return undefined;
    } catch (error) {
      // A restart finds it as it was before, which is safe.
      this.#held = { state, pause };
      return error;
    }
  }
}
