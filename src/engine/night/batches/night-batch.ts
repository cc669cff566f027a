import {
  withState,
  type BatchPause,
  type BatchRecord,
  type BatchSettings,
  type Standing,
  type StateChange,
} from '../../../shared/domain/task/batch.ts';
import type { Failure } from '../../../shared/domain/base/failure.ts';
import { FAMILIES, type OutputKind } from '../../../shared/domain/operations/operations.ts';
import type { Profile } from '../../../shared/domain/gateway/profile.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { MediaGateway, TaskStore } from '../../ports.ts';
import type { Lane, Lanes } from '../lanes.ts';
import { BatchGate } from './batch-gate.ts';
import { allowedIn, wordLost, type Allowed } from './batch-pause.ts';

type BatchStore = Pick<TaskStore, 'batch' | 'counts' | 'kindsLeft' | 'setBatchState' | 'updateBatchSettings'>;

/** So many requests in succession without any answer, each sent again, and none is: the gateway is down, or loses all. */
export const UNANSWERED_FUSE = 3;

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
  /** The tasks whose requests were sent again in succession and got no answer either. */
  readonly asksInVain = new Set<number>();
  /** Files in succession that did not arrive after their quick attempts. */
  filesInVain = 0;
  /** Why nothing more is paid for now: no file has arrived for a long time, whatever the gateway renders. */
  filesTrouble: Failure | undefined;
  /** The first of a kind may have failed since that was last looked at: at the beginning, nobody has looked. */
  isCanaryDoubted = true;
  /** Edits under way for which its queue stands still: not a pause, neither stored nor shown. */
  holds = 0;
  /** The number of the turn in which it last submitted, among all batches of the night. */
  lastTurn = 0;
  /** Kinds of tasks (see `kindOf`) that would not be done by the time to finish by. */
  readonly tooLong = new Set<string>();
  /** Whether its schedule lets it submit. */
  readonly gate: BatchGate;
  /** Downloads under way. */
  downloads = 0;
  /** Monotonic time from which the store is offered again what it has refused; Infinity if it has refused nothing. */
  storeAgainFrom = Number.POSITIVE_INFINITY;
  readonly #store: BatchStore;
  readonly #lanes: Lanes;
  #record: BatchRecord;
  /** Its state as the store has it. */
  #stored: Standing;
  /** Changes of its state that the store has not taken yet, oldest first. */
  #unstored: readonly StateChange[] = [];
  /** The last of its reads and writes: the next one waits for it. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @param wallNow The system's time as it is, see {@link BatchGate}. */
  constructor(record: BatchRecord, store: BatchStore, lanes: Lanes, wallNow: () => number) {
    this.id = record.id;
    this.#record = record;
    this.#stored = record;
    this.#store = store;
    this.#lanes = lanes;
    this.gate = new BatchGate(() => this.#record.settings.schedule, wallNow);
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
    const { submit, ask, ...others } = allowedIn(this.#record);
    const isHeld = this.holds > 0;
    return {
      ...others,
      submit: submit && !isHeld && this.gate.isOpen,
      ask: ask && !isHeld && this.asksInVain.size < UNANSWERED_FUSE,
    };
  }

  /** Of the batches of its account, those with the highest priority submit first. */
  get priority(): number {
    return this.#record.settings.priority ?? 0;
  }

  get gateway(): MediaGateway {
    return this.#lanes.gatewayOf(this.profile);
  }

  /** What it shares with all batches of its gateway and key. */
  get lane(): Lane {
    return this.#lanes.laneOf(this.profile);
  }

  /**
   * What its folder has to be. Once it has files, the folder exists, perhaps on a disconnected disk: a new one would split
   * them. `kinds`: what the tasks that have not ended may give; other subfolders do not matter.
   */
  async folderNeeds(): Promise<{ readonly mayMake: boolean; readonly kinds: readonly OutputKind[] }> {
    const [counts, kinds] = await Promise.all([this.#store.counts(this.id), this.#store.kindsLeft(this.id)]);
    return { mayMake: FAMILIES.every((family) => counts[family].done === 0), kinds };
  }

  /** The store has not taken its present state yet. */
  get isUnstored(): boolean {
    return this.#unstored.length > 0;
  }

  /** What the user has said about it and the store has not taken: whether it was paused or started. */
  get unsavedWord(): 'pause' | 'start' | undefined {
    return this.isUnstored ? wordLost(this.#stored, this.#record) : undefined;
  }

  /**
   * Sets its state at `at`, milliseconds since the epoch: here at once, then in the store. Resolves to why the store
   * refused it, if it did: it applies here all the same, and {@link storeState} writes it later.
   */
  setState(state: BatchRecord['state'], pause: BatchPause | undefined, at: number): Promise<unknown> {
    this.#record = withState(this.#record, state, pause, at);
    this.#unstored = [...this.#unstored, { state, ...present({ pause }), at }];
    return this.storeState();
  }

  /** Writes those of its states that the store has not taken yet. Resolves to why the store refused, if it did. */
  storeState(): Promise<unknown> {
    return this.stateStored().then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  /** The same for those who need the store to have its present state: rejects if the store refused. */
  stateStored(): Promise<void> {
    return this.#inTurn(async () => {
      const changes = this.#unstored.reduce<readonly StateChange[]>(withChange, []);
      const last = changes.at(-1);
      if (last === undefined) return;
      // What is added from here on has a turn of its own.
      this.#unstored = changes;
      await this.#store.setBatchState(this.id, last.state, last.pause, last.at, changes.slice(0, -1));
      this.#stored = last;
      this.#unstored = this.#unstored.slice(changes.length);
    });
  }

  /** Changes its settings, and its name if one is given, as soon as they are stored. */
  configure(settings: BatchSettings, name?: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#store.updateBatchSettings(this.id, settings, name);
      this.tooLong.clear();
      this.#record = { ...this.#record, settings, name: name ?? this.#record.name };
    });
  }

  /** Takes over what others have changed in the store: its sheet. */
  reload(): Promise<void> {
    return this.#inTurn(async () => {
      const stored = await this.#store.batch(this.id);
      if (stored === undefined) throw new Error(`No such batch: ${this.id}`);
      const { name, settings, state, pause, startedAt, runStartedAt, resumedAt, finishedAt } = this.#record;
      const { pause: _pause, startedAt: _started, runStartedAt: _run, finishedAt: _finished, ...rest } = stored;
      const { resumedAt: _resumed, ...sheet } = rest;
      const times = present({ startedAt, runStartedAt, resumedAt, finishedAt });
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

/** A pause that was never stored leaves nothing behind once another state follows, and a run goes on after it. */
function withChange(unstored: readonly StateChange[], change: StateChange): readonly StateChange[] {
  const kept = unstored.at(-1)?.state === 'paused' ? unstored.slice(0, -1) : unstored;
  return kept.at(-1)?.state === 'running' && change.state === 'running' ? kept : [...kept, change];
}
