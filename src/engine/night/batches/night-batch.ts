import { isDeepStrictEqual } from 'node:util';
import {
  withFolderOf,
  withState,
  type AccountStops,
  type BatchRecord,
  type BatchSettings,
  type Standing,
  type StateChange,
} from '../../../shared/domain/task/batch.ts';
import type { Failure } from '../../../shared/domain/base/failure.ts';
import { accountsOf, type Account } from '../../../shared/domain/task/accounts/account.ts';
import { canaryRuleOf } from '../../../shared/domain/task/canary.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { UNANSWERED_FUSE } from '../../../shared/domain/task/fuse.ts';
import type { MediaFolder } from '../../ports/media-folder.ts';
import type { QueuedWanted, TaskStore } from '../../ports/task-store.ts';
import type { Lanes } from '../lanes.ts';
import { BatchGate } from './batch-gate.ts';
import { prepareFolderOf, type FolderStore } from './batch-folder.ts';
import {
  allowedIn,
  NOTHING_ALLOWED,
  standingAt,
  stillMeant,
  wordLost,
  type Allowed,
  type OwnChange,
} from './batch-pause.ts';
import { NightAccount } from './night-account.ts';

type BatchStore = FolderStore & Pick<TaskStore, 'batch' | 'setBatchState' | 'updateBatchSettings'>;

/**
 * A batch that this night looks after. Its state and its settings hold here from the moment they change, and are
 * written to the store in order. If other processes share the store, what they have changed in the meantime comes
 * first.
 */
export class NightBatch {
  readonly id: string;
  /** Monotonic time until which the folder counts as good; the next submit after that checks it again. */
  folderCheckedUntil = 0;
  /** Monotonic time until which others wait for the check of its folder if it comes before them. */
  turnKeptUntil = 0;
  /** Its folder was checked since it came into this night, and since the user last started it. */
  isFolderSeen = false;
  /** The disk refused a file: what was paid for must be saved before anything more is paid. */
  isDiskDoubted = false;
  /** Files in succession that did not arrive after their quick attempts. */
  filesInVain = 0;
  /** Why nothing more is paid for now: no file has arrived for a long time, whatever the gateway renders. */
  filesTrouble: Failure | undefined;
  /** The first of a kind may have failed since the last look: at the beginning, nobody has looked. */
  isCanaryDoubted = true;
  /** How many edits under way hold its queue: this is not a pause, and is neither stored nor shown. */
  holds = 0;
  /** The number of the turn in which it last submitted, among all batches of the night. */
  lastTurn = 0;
  /** Kinds of tasks (see `kindOf`) that would not be done by the time to finish by. */
  readonly tooLong = new Set<string>();
  /** Whether its schedule lets it submit. */
  readonly gate: BatchGate;
  /** How many downloads are under way. */
  downloads = 0;
  /** Monotonic time from which the store is offered again what it refused; Infinity if it has refused nothing. */
  storeAgainFrom = Number.POSITIVE_INFINITY;
  readonly #store: BatchStore;
  readonly #lanes: Lanes;
  #accounts: readonly [NightAccount, ...NightAccount[]];
  #record: BatchRecord;
  /** Its state as the store has it. */
  #stored: Standing;
  /** Changes of its state that the store has not taken yet, oldest first. */
  #unstored: readonly OwnChange[] = [];
  readonly #isShared: boolean;
  /** The check of its folder, while it is under way. */
  #preparing: Promise<Failure | undefined> | undefined;
  /** The last of its reads and writes: the next one waits for it. */
  #turn: Promise<unknown> = Promise.resolve();

  /**
   * @param options `wallNow`: the system's time as it is, see {@link BatchGate}; `isShared`: other processes may change
   *   the batch, too.
   */
  constructor(
    record: BatchRecord,
    store: BatchStore,
    lanes: Lanes,
    { wallNow, isShared }: { readonly wallNow: () => number; readonly isShared: boolean },
  ) {
    this.id = record.id;
    this.#record = record;
    this.#stored = record;
    this.#store = store;
    this.#isShared = isShared;
    this.#lanes = lanes;
    this.#accounts = this.#accountsIn(record.settings);
    this.gate = new BatchGate(() => this.#record.settings.schedule, wallNow);
  }

  /** The batch as the night has it: a state that the disk refused to store applies here. */
  get record(): BatchRecord {
    return this.#record;
  }

  /** Its accounts, in the user's order; in most batches only one. */
  get accounts(): readonly [NightAccount, ...NightAccount[]] {
    return this.#accounts;
  }

  #accountsIn(settings: BatchSettings): readonly [NightAccount, ...NightAccount[]] {
    const [first, ...others] = accountsOf(settings);
    const known = (account: Account): NightAccount => new NightAccount(account, this.#lanes, others.length > 0);
    return [known(first), ...others.map(known)];
  }

  /** The account that a task was sent with; for a task that was not sent yet, the first. */
  accountOf({ account }: { readonly account?: string | undefined }): NightAccount {
    const [first, ...others] = this.accounts;
    return account === undefined ? first : (others.find(({ name }) => name === account) ?? first);
  }

  /** What the batch may do in its present state, with one account or another. */
  get allowed(): Omit<Allowed, 'ask'> {
    return this.#allowedIn(this.#record);
  }

  /** What the batch may do with one of its accounts, which may stand still alone. */
  allowedAt({ name, asksInVain, right }: NightAccount): Allowed {
    if (right === undefined) return NOTHING_ALLOWED;
    const { ask, ...others } = this.#allowedIn(standingAt(this.#record, name));
    return { ...others, ask: ask && asksInVain.size < UNANSWERED_FUSE };
  }

  /** Whether files that come from one of its accounts may be fetched, whichever process has that account. */
  mayDownloadFrom({ name }: NightAccount): boolean {
    return this.#allowedIn(standingAt(this.#record, name)).download;
  }

  #allowedIn(standing: Standing): Allowed {
    const { submit, ask, ...others } = allowedIn(standing);
    const isHeld = this.holds > 0;
    return { ...others, submit: submit && !isHeld && this.gate.isOpen, ask: ask && !isHeld };
  }

  /** What may not leave with one of its accounts now, although it is due. */
  rulesAt({ dear }: NightAccount): Pick<QueuedWanted, 'canary' | 'without'> {
    const leftOut = [...this.tooLong, ...dear];
    return present({ canary: canaryRuleOf(this.#record), without: leftOut.length === 0 ? undefined : leftOut });
  }

  /** Among the batches of its account, those with the highest priority submit first. */
  get priority(): number {
    return this.#record.settings.priority ?? 0;
  }

  get isFolderChecking(): boolean {
    return this.#preparing !== undefined;
  }

  /**
   * Makes sure that files can be placed in its folder and that the folder is its own; records what the folder is known
   * by. One check serves all who ask in the meantime. The failure says what is wrong.
   */
  prepareFolder(media: Pick<MediaFolder, 'prepare'>): Promise<Failure | undefined> {
    this.#preparing ??= this.#prepareFolder(media).finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing;
  }

  async #prepareFolder(media: Pick<MediaFolder, 'prepare'>): Promise<Failure | undefined> {
    const { folder, prepared } = await prepareFolderOf(this, this.#store, media);
    this.isFolderSeen = false;
    if (!prepared.ok) return prepared.error;
    if (!(await this.#noteFolder(folder, prepared.value))) return this.#prepareFolder(media);
    this.isFolderSeen = true;
    return undefined;
  }

  /** Nothing is paid or placed before this is stored. False: another process has changed the batch in the meantime. */
  #noteFolder(folder: string, folderIdentity: string): Promise<boolean> {
    return this.#writeSettings((settings) => {
      if (settings.folder !== folder) return settings;
      if (settings.folderIdentity === folderIdentity && settings.folderAccepted === undefined) return settings;
      const { folderAccepted, ...others } = settings;
      const isOther = folderAccepted === true && settings.folderIdentity !== folderIdentity;
      return { ...others, folderIdentity, ...(isOther && { hadOtherFolder: true as const }) };
    });
  }

  /**
   * The user accepts the present folder as the batch's own; stored, because another process may be the first to look at
   * it.
   */
  async acceptFolder(): Promise<void> {
    while (!(await this.#writeSettings((settings) => ({ ...settings, folderAccepted: true }))));
  }

  /** False: another process has changed the batch in the meantime, and its changes were taken over. */
  #writeSettings(change: (settings: BatchSettings) => BatchSettings): Promise<boolean> {
    return this.#inTurn(async () => {
      const { settings: before } = this.#record;
      const settings = change(before);
      if (settings === before) return true;
      const revision = await this.#store.updateBatchSettings(this.id, settings, undefined, this.#asRead);
      if (revision === undefined) await this.#takeOver();
      else this.#record = { ...this.#record, settings, revision };
      return revision !== undefined;
    });
  }

  /** Whether the store has not taken its present state yet. */
  get isUnstored(): boolean {
    return this.#unstored.length > 0;
  }

  /** What the user has said and the store has not taken: whether the batch was paused or started. */
  get unsavedWord(): 'pause' | 'start' | undefined {
    return this.isUnstored ? wordLost(this.#stored, this.#record) : undefined;
  }

  /**
   * Sets its state: here at once, then in the store. Resolves to the reason if the store refused it: it applies here
   * all the same, and {@link storeState} writes it later.
   * @param byUser It is the user's word, and overrides what another process has made of the batch in the meantime.
   * @param only The accounts that this word is about.
   */
  setState(change: StateChange, byUser: boolean, only?: readonly string[]): Promise<unknown> {
    const before = this.#record.stops;
    const added = Object.fromEntries(
      Object.entries(change.stops ?? {}).filter(([name]) => before?.[name] === undefined),
    );
    this.#record = withState(this.#record, change);
    this.#unstored = [...this.#unstored, { ...change, ...present({ only }), byUser, added }];
    return this.storeState();
  }

  /** Writes those of its states that the store has not taken yet. Resolves to the reason if the store refused. */
  storeState(): Promise<unknown> {
    return this.stateStored().then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  /** The same for those who need its present state in the store: rejects if the store refused. */
  stateStored(): Promise<void> {
    return this.#inTurn(async () => {
      for (;;) {
        const changes = this.#unstored.reduce<readonly OwnChange[]>(withChange, []);
        const last = changes.at(-1);
        if (last === undefined) return;
        // What is added from here on has its own turn.
        this.#unstored = changes;
        const { state, pause, at, stops, forAll } = last;
        const before = changes.slice(0, -1);
        const how = [before, stops, this.#asRead, forAll] as const;
        const revision = await this.#store.setBatchState(this.id, state, pause, at, ...how);
        // Nobody else changes what this process has to itself.
        if (revision !== undefined || !this.#isShared) {
          this.#stored = last;
          this.#unstored = this.#unstored.slice(changes.length);
          this.#record = { ...this.#record, ...present({ revision }) };
          return;
        }
        await this.#takeOver();
      }
    });
  }

  /** The revision that another process may have changed since. */
  get #asRead(): number | undefined {
    return this.#isShared ? this.#record.revision : undefined;
  }

  /** Changes its settings, and its name if one is given, as soon as they are stored. False: see {@link NightBatches.configure}. */
  configure(wanted: BatchSettings, name?: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const settings = withFolderOf(this.#record.settings, wanted);
      const revision = await this.#store.updateBatchSettings(this.id, settings, name, this.#asRead);
      if (revision === undefined && this.#isShared) return false;
      this.#record = { ...this.#record, name: name ?? this.#record.name, ...present({ revision }) };
      this.#correct(settings);
      return true;
    });
  }

  #correct(settings: BatchSettings): void {
    this.tooLong.clear();
    const { folder, folderIdentity } = this.#record.settings;
    this.isFolderSeen &&= settings.folder === folder && settings.folderIdentity === folderIdentity;
    const before = this.#record.settings;
    this.#record = { ...this.#record, settings };
    // Before its start, the user may choose other accounts: nothing was sent with any of them.
    if (namesOf(settings) !== namesOf(before)) this.#accounts = this.#accountsIn(settings);
    else for (const [i, account] of accountsOf(settings).entries()) this.#accounts[i]?.correct(account);
  }

  /** Takes over what another process has changed. */
  readAgain(): Promise<void> {
    return this.#inTurn(() => this.#takeOver());
  }

  /**
   * Forgets what kept the batch from going on before the user resumed it.
   * @param stops Accounts of it that stand still all the same.
   * @param only The accounts that it was resumed with; by default, all.
   */
  goOn(stops: AccountStops | undefined, only?: readonly string[]): void {
    this.folderCheckedUntil = 0;
    this.tooLong.clear();
    for (const account of this.accounts) {
      if (only?.includes(account.name ?? '') === false) continue;
      account.asksInVain.clear();
      if (account.name === undefined || stops?.[account.name] === undefined) account.lane.ends = [];
    }
  }

  /** Of its own changes that are not stored yet, those that still mean something stay. */
  async #takeOver(): Promise<void> {
    const stored = await this.#store.batch(this.id);
    if (stored === undefined) throw new Error(`No such batch: ${this.id}`);
    const { settings, resumedAt = 0 } = this.#record;
    const resumed = Object.keys(this.#stored.stops ?? {}).filter((name) => stored.stops?.[name] === undefined);
    if ((stored.resumedAt ?? 0) > resumedAt) this.goOn(stored.stops);
    else if (resumed.length > 0 && stored.state === 'running') this.goOn(stored.stops, resumed);
    this.#stored = stored;
    const kept: OwnChange[] = [];
    for (const change of this.#unstored) {
      const still = stillMeant(kept.at(-1) ?? stored, change, stored.resumedAt);
      if (still !== undefined)
        kept.push({ ...still, ...present({ only: change.only }), byUser: change.byUser, added: change.added });
    }
    this.#unstored = kept;
    this.#record = this.#unstored.reduce<BatchRecord>(withState, stored);
    if (isDeepStrictEqual(settings, stored.settings)) {
      // The same object: whatever compares the settings with those it began with goes on.
      this.#record = { ...this.#record, settings };
      return;
    }
    this.folderCheckedUntil = 0;
    this.#correct(stored.settings);
  }

  /** Takes over what others have changed in the store: its sheet. */
  reload(): Promise<void> {
    // The revision covers everything that is known about the batch: other changes must not count as read.
    if (this.#isShared) return this.readAgain();
    return this.#inTurn(async () => {
      const stored = await this.#store.batch(this.id);
      if (stored === undefined) throw new Error(`No such batch: ${this.id}`);
      const { name, settings, state, pause, stops, startedAt, runStartedAt, resumedAt, finishedAt } = this.#record;
      const { pause: _pause, startedAt: _started, runStartedAt: _run, finishedAt: _finished, ...rest } = stored;
      const { resumedAt: _resumed, stops: _stops, ...sheet } = rest;
      const times = present({ startedAt, runStartedAt, resumedAt, finishedAt });
      this.#record = { ...sheet, name, settings, state, ...present({ pause, stops }), ...times };
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

/** The names of a batch's accounts; an only account has no name. */
function namesOf({ profile, accounts }: BatchSettings): string {
  return accounts === undefined ? '' : JSON.stringify(accountsOf({ profile, accounts }).map(({ name }) => name));
}

/** A pause that was never stored leaves nothing behind once another state follows, and the run goes on after it. */
function withChange(unstored: readonly OwnChange[], change: OwnChange): readonly OwnChange[] {
  const kept = unstored.at(-1)?.state === 'paused' ? unstored.slice(0, -1) : unstored;
  const last = kept.at(-1);
  if (last?.state !== 'running' || change.state !== 'running') return [...kept, change];
  // The last change says which of its accounts stand still.
  const { stops: _, ...run } = last;
  const added = { ...last.added, ...change.added };
  const forAll = last.forAll ?? change.forAll;
  return [...kept.slice(0, -1), { ...run, ...present({ stops: change.stops, forAll }), added }];
}
