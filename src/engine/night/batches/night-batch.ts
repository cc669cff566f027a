import { withState, type BatchPause, type BatchRecord, type BatchSettings } from '../../../shared/domain/task/batch.ts';
import { pauseOf, type Failure } from '../../../shared/domain/base/failure.ts';
import { FAMILIES } from '../../../shared/domain/operations/operations.ts';
import type { Profile } from '../../../shared/domain/gateway/profile.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { MediaGateway, TaskStore } from '../../ports.ts';
import type { Lane, Lanes } from '../lanes.ts';

type BatchStore = Pick<TaskStore, 'batch' | 'counts' | 'setBatchState' | 'updateBatchSettings'>;

/**
 * A batch that this night looks after. The night alone changes its state and its settings: they hold here from the
 * moment they change, and are written to the store in order.
 */
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
  /** Edits under way that its queue stands still for: not a pause, neither stored nor shown. */
  holds = 0;
  /** Downloads under way. */
  downloads = 0;
  readonly #store: BatchStore;
  readonly #lanes: Lanes;
  #record: BatchRecord;
  /** The last of its reads and writes: the next one waits for it. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(record: BatchRecord, store: BatchStore, lanes: Lanes) {
    this.id = record.id;
    this.#record = record;
    this.#store = store;
    this.#lanes = lanes;
  }

  /** As the night has it: a state that the disk refused to store applies here. */
  get record(): BatchRecord {
    return this.#record;
  }

  get profile(): Profile {
    return this.#record.settings.profile;
  }

  /** What it may do in its present state. */
  get allowed(): Allowed {
    const allowed = allowedIn(this.#record);
    return this.holds === 0 ? allowed : { ...allowed, submit: false };
  }

  get gateway(): MediaGateway {
    return this.#lanes.gatewayOf(this.profile);
  }

  /** What it shares with all batches of its gateway and key. */
  get lane(): Lane {
    return this.#lanes.laneOf(this.profile);
  }

  /** Once it has files, its folder exists, perhaps on a disconnected disk: a new folder would split them. */
  async mayMakeFolder(): Promise<boolean> {
    const counts = await this.#store.counts(this.id);
    return FAMILIES.every((family) => counts[family].done === 0);
  }

  /**
   * Sets its state at `at`, milliseconds since the epoch: at once here, then in the store. Resolves to why the store
   * refused it, if it did: it applies here all the same, and a restart finds the previous state, which is safe.
   */
  setState(state: BatchRecord['state'], pause: BatchPause | undefined, at: number): Promise<unknown> {
    this.#record = withState(this.#record, state, pause, at);
    return this.#inTurn(async () => {
      try {
        await this.#store.setBatchState(this.id, state, pause, at);
        return undefined;
      } catch (error) {
        return error;
      }
    });
  }

  /** Changes its settings, and its name if one is given, as soon as they are stored. */
  configure(settings: BatchSettings, name?: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#store.updateBatchSettings(this.id, settings, name);
      this.#record = { ...this.#record, settings, name: name ?? this.#record.name };
    });
  }

  /** Takes over what others have changed in the store: its sheet. */
  reload(): Promise<void> {
    return this.#inTurn(async () => {
      const stored = await this.#store.batch(this.id);
      if (stored === undefined) throw new Error(`No such batch: ${this.id}`);
      const { name, settings, state, pause, startedAt, runStartedAt, finishedAt } = this.#record;
      const { pause: _pause, startedAt: _started, runStartedAt: _run, finishedAt: _finished, ...sheet } = stored;
      const times = present({ startedAt, runStartedAt, finishedAt });
      this.#record = { ...sheet, name, settings, state, ...present({ pause }), ...times };
    });
  }

  /** Resolves when the store has been given its present state. */
  async stored(): Promise<void> {
    await this.#inTurn(() => Promise.resolve());
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
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
  const { pause } = record;
  const why = refusalOfDisk(record) ?? (pause?.by === 'failure' ? pause.failure : undefined);
  const meanwhile = (why === undefined ? undefined : pauseOf(why.code))?.meanwhile ?? 'all';
  return { submit: false, poll: meanwhile === 'all', download: meanwhile !== 'nothing' };
}

/** Why the disk takes no files of a paused batch, whatever else it is paused for; undefined if it may take them. */
export function refusalOfDisk({ state, pause }: BatchRecord): Failure | undefined {
  if (state !== 'paused' || pause === undefined) return undefined;
  const isByDisk = pause.by === 'failure' && pauseOf(pause.failure.code)?.pauses === 'folder';
  return isByDisk ? pause.failure : pause.disk;
}
