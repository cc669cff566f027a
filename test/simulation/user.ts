/** The user of a simulated night: does what the plan says, and remembers what was asked for. */
import { assertNever, err, ok, present } from '../../src/shared/domain/base/result.ts';
import { GATES } from '../../src/shared/domain/gates/gates.ts';
import { withCanary, withKindReleased } from '../../src/shared/domain/task/canary.ts';
import type { BatchAccounts } from '../../src/shared/domain/task/accounts/account.ts';
import { PLAIN_SHEET } from '../../src/shared/domain/task/batch.ts';
import type { Money } from '../../src/shared/domain/base/money.ts';
import type { Schedule } from '../../src/shared/domain/task/schedule.ts';
import type { Limit as SpendingLimit, SpendingLimits } from '../../src/shared/domain/task/spending.ts';
import type { QueueMove } from '../../src/shared/domain/task/batch-standing.ts';
import type { FileReview } from '../../src/shared/domain/review/verdict.ts';
import { outputIdOf, type Output, type ShownTake, type TaskStatus } from '../../src/shared/domain/task/task.ts';
import { isRefusedByDisk } from '../../src/engine/store/open/store-problem.ts';
import { Author, type KnownBatch } from './author.ts';
import { Ended } from './endings.ts';
import type { Life, Surroundings } from './life.ts';
import { Choice, Limit } from './limit.ts';
import type { BatchPlan, Deed, NightPlan, VERDICTS } from './plan.ts';
import { Stream } from './random.ts';
import { sightOf } from './sight.ts';
import { ShelfWatch, type Shelved } from './shelf-watch.ts';
import { nameOf, ROWS_NAMED, rowsNamed } from './row-names.ts';
import { RowWords } from './row-words.ts';
import { ShownWatch } from './shown-watch.ts';
import {
  accountsOfPlan,
  FAILED,
  fileOf,
  nameOfAccount,
  keyOfAccount,
  originOfAccount,
  profileOf,
  sheetOf,
  type ProfileWords,
} from './sim-sheet.ts';
import type { BatchWord } from './watch.ts';

const MINUTE_MS = 60_000;

/** A deed of the user alone, not of the machine. */
export type UserDeed = Exclude<Deed, { kind: 'kill' | 'close' | 'sleep' | 'leap' }>;

const ACCOUNTS = [0, 1];

const WORDS_OF_REVIEW = {
  reject: { kept: false },
  keep: { kept: true },
  'decide later': { kept: null },
  rate: { rating: 3 },
} as const satisfies Record<(typeof VERDICTS)[number], FileReview>;

/** Deeds that may bring a batch back by starting it. */
/** Whether a row of the table `r` is one that others wait for, such as for a pick. */
const WAITED_FOR = `EXISTS
  (SELECT 1 FROM tasks WHERE batch = r.batch AND superseded = 0 AND status = 'queued' AND blocked_by = r.row_id)`;

const OF_SHELF: ReadonlySet<Deed['kind']> = new Set([
  'start',
  'run-drafts',
  'retry',
  'retry-all',
  'resubmit',
  'adopt',
  'pick',
  'turn',
  'import',
]);

/** The accounts of a batch with several, as its settings have them. */
function accountsIn(plan: BatchPlan, says: ProfileWords): BatchAccounts | undefined {
  const [first = 0, ...others] = accountsOfPlan(plan);
  if (plan.isShared === undefined) return undefined;
  return {
    first: { name: nameOfAccount(first) },
    others: others.map((account) => ({ name: nameOfAccount(account), profile: profileOf({ ...says, account }) })),
    ...(plan.isShared === 'cheapest' ? { choice: 'cheapest' } : {}),
  };
}

export class User {
  readonly rows = new RowWords();
  readonly #plan: NightPlan;
  readonly #around: Surroundings;
  readonly #batches: KnownBatch[] = [];
  readonly #author: Author;
  readonly #shownWatch: ShownWatch;
  readonly #shelves: ShelfWatch;
  /** Which key is entered for each account. */
  readonly #entered = new Map(ACCOUNTS.map((account): [number, string] => [account, 'first']));
  /** Deeds of the current process that are not done yet. */
  /** How many pauses of each batch have been asked for, and are over. */
  readonly #pauses = new Map<BatchWord, { begun: number; ended: number }>();
  #underWay = 0;
  /** Of each batch, the takes that are being written off, which is an end that may be retried. */
  readonly #writtenOff = new Map<BatchWord, number>();

  constructor(plan: NightPlan, around: Surroundings) {
    this.#plan = plan;
    this.#around = around;
    this.#shownWatch = new ShownWatch(around.disk.db, around.watch);
    this.#shelves = new ShelfWatch(around.disk.db, around.watch, () => around.machine.clock.now());
    this.#author = new Author(around, this.rows, this.#shownWatch);
  }

  get isWaiting(): boolean {
    return this.#underWay > 0;
  }

  /** The process has died: nobody answers what it was asked. `isKilled`: it could not end in order. */
  processDied(isKilled: boolean): void {
    this.#underWay = 0;
    this.#author.processDied(isKilled);
    this.#around.watch.doing.deeds = 0;
    this.#shelves.processDied();
    this.#pauses.clear();
    this.#writtenOff.clear();
  }

  /** An edit that was ended is completed by the next process: the user is told. */
  hearsOfEdit(batchId: string): void {
    this.#author.hearsOfEdit(batchId);
  }

  /** After each turn. */
  look(life: Life): void {
    this.#author.look(life);
  }

  /** Brings the sheets in; nothing starts. */
  async bringIn(life: Life): Promise<void> {
    for (const [i, plan] of this.#plan.batches.entries()) {
      const { places, perSecond, cap, maxCost, rows } = plan;
      const says: ProfileWords = { ...plan, path: '/api' };
      const file = `/sheets/night ${i}.csv`;
      const id = await this.#create(life, { plan, says, file });
      const word: BatchWord = {
        id,
        accounts: accountsOfPlan(plan),
        cap: new Limit(cap ?? Number.POSITIVE_INFINITY),
        maxCost: new Choice(maxCost),
        accountLimits: new Map(accountsOfPlan(plan).map((account) => [account, new Choice<SpendingLimit>({})])),
        schedule: new Choice(plan.schedule),
        places: new Limit(places),
        perSecond: new Limit(perSecond),
        canary: new Choice(plan.canary === true),
        hasReleasedKinds: false,
        again: plan.again ?? 0,
        isHeld: true,
        starts: 0,
        agreed: 0,
        shelf: 'there',
      };
      this.#batches.push({ plan, word, file, says });
      this.#around.watch.batches.push(word);
      for (const { id: row, takes } of rows) this.rows.asksFor(row, takes);
    }
    const { spending } = this.#plan;
    if (spending !== undefined) await this.#untilTaken(() => this.#limitSpending(life, spending));
  }

  /** Makes a batch of a file; the disk may be full from the beginning. */
  async #create({ engine }: Life, { plan, says, file }: Omit<KnownBatch, 'word'>): Promise<string> {
    const settings = {
      folder: '/media',
      profile: profileOf(says),
      filename: '{row}-{take}',
      rehearsal: false,
      ...present({ maxSubmits: plan.cap, maxCost: plan.maxCost, schedule: plan.schedule }),
      ...(plan.canary === true ? { canary: 'first' as const } : {}),
      ...present({ accounts: accountsIn(plan, says) }),
      ...(plan.again === undefined ? {} : { gates: { on: { decodes: GATES.decodes.usual }, again: plan.again } }),
    };
    const raw = fileOf(plan);
    this.#around.machine.files.set(file, raw);
    const sheetSettings = { ...PLAIN_SHEET, source: raw.source };
    const made = { sheet: sheetOf(raw), sheetPath: file, name: file, sheetSettings, settings };
    return this.#untilTaken(async () => (await engine.createBatch(made)).id);
  }

  /** Tries again for as long as the disk refuses it. */
  async #untilTaken<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isRefusedByDisk(error)) throw error;
        await this.#around.machine.wait(MINUTE_MS, 'the user tries again');
      }
    }
  }

  /** Carries out a deed, as far as it applies; the user is told what the disk refuses, and knows it from then on. */
  perform(life: Life, deed: UserDeed): Promise<void> {
    return this.#perform(life, deed, () => this.#carryOut(life, deed));
  }

  #perform(life: Life, deed: UserDeed, work: () => Promise<unknown>): Promise<void> {
    const { machine, watch } = this.#around;
    const batch = this.#batchOf(deed);
    const isGone = (): boolean => batch !== undefined && life.now.store.batch(batch.word.id) === undefined;
    this.#shelves.check();
    // Nothing can be said about a batch that is removed, or is so meanwhile.
    if (isGone()) return Promise.resolve();
    this.#underWay += 1;
    const { deeds } = this.#author;
    deeds.begun += 1;
    watch.doing.deeds += 1;
    machine.disturbedAtMs = machine.agenda.nowMs;
    const isOver = (): void => {
      this.#underWay -= 1;
      deeds.ended += 1;
      watch.doing.deeds -= 1;
      watch.doing.atMs = machine.agenda.nowMs;
    };
    const shelved = batch !== undefined && OF_SHELF.has(deed.kind) ? this.#shelves.begins(batch.word) : () => undefined;
    const isLast = batch === undefined ? () => false : this.#isUnpausedFromNow(batch.word);
    return work().then(
      () => {
        // A start that a pause has overtaken brings nothing back.
        shelved(deed.kind === 'start' && isLast() ? 'there' : undefined);
        isOver();
      },
      (error: unknown) => {
        shelved();
        isOver();
        if (!isRefusedByDisk(error) && !(error instanceof Ended) && !isGone()) {
          watch.report('deed', `${JSON.stringify(deed)}: ${error instanceof Error ? error.stack : String(error)}`);
        }
      },
    );
  }

  /** In the morning everything is settled, one way or the other. */
  async settle(life: Life, round: number): Promise<void> {
    const random = new Stream(this.#plan.seed, `morning ${round}`);
    for (const account of ACCOUNTS) await this.perform(life, { kind: 'key', account, key: 'first' });
    if (this.#plan.spending !== undefined || this.#does('spending'))
      await this.perform(life, { kind: 'spending', limits: {} });
    for (const [batch, { plan, word }] of this.#batches.entries()) {
      if (life.now.store.batch(word.id) === undefined) continue;
      await this.perform(life, { kind: 'cap', batch, cap: null });
      if (plan.maxCost !== undefined || this.#does('max-cost'))
        await this.perform(life, { kind: 'max-cost', batch, maxCost: null });
      for (const account of this.#does('account-limit') ? word.accounts : [])
        await this.perform(life, { kind: 'account-limit', batch, account, limit: null });
      await this.perform(life, { kind: 'schedule', batch, schedule: null });
      for (const row of this.#withTurn(word))
        if (plan.rows.some(({ id }) => id === row)) await this.perform(life, { kind: 'turn', row, turn: 'release' });
      if (plan.canary === true) await this.perform(life, { kind: 'canary', batch, isOn: false });
      for (const { id: row } of plan.rows) {
        // There may be no code to adopt, and no end to lost answers: one morning the user has had enough.
        const kind = round < 3 ? random.pick(['adopt', 'resubmit', 'write-off'] as const) : 'write-off';
        if (this.#unknown(word, row).length > 0) await this.perform(life, { kind, row });
        if (!this.#waitsForPick(row)) continue;
        const pick = { kind: 'pick', row, nth: random.below(4) } as const;
        await this.#perform(life, pick, () => this.#pick(life, pick, WAITED_FOR));
      }
      await this.#perform(life, { kind: 'run-drafts', batch }, () => this.#runDrafts(life, this.#at(batch), true));
    }
  }

  #does(kind: Deed['kind']): boolean {
    return this.#plan.deeds.some(({ deed }) => deed.kind === kind);
  }

  /** What was shown in the morning must have happened by now. */
  judgeMorning(): void {
    this.#shownWatch.judge();
  }

  async #carryOut(life: Life, deed: UserDeed): Promise<unknown> {
    const { engine } = life;
    switch (deed.kind) {
      case 'start':
        return this.#start(life, this.#at(deed.batch));
      case 'pause':
        return this.#pause(life, this.#at(deed.batch).word);
      case 'undo':
      case 'redo':
        return this.#author.go(life, this.#at(deed.batch), deed);
      case 'render-again':
        return this.#author.renderAgain(life, this.#at(deed.batch), deed);
      case 'keep-earlier':
        return this.#author.keepEarlier(life, this.#at(deed.batch), deed);
      case 'clear-unused':
        return this.#author.clearUnused(life, this.#at(deed.batch));
      case 'edit-all':
        return this.#author.editAll(life, this.#at(deed.batch), deed);
      case 'run-drafts':
        return this.#runDrafts(life, this.#at(deed.batch), false);
      case 'cap':
        return this.#cap(life, this.#at(deed.batch).word, deed.cap);
      case 'max-cost':
        return this.#limitCost(life, this.#at(deed.batch).word, deed.maxCost ?? undefined);
      case 'account-limit':
        return this.#limitAccount(life, this.#at(deed.batch).word, deed);
      case 'spending':
        return this.#limitSpending(life, deed.limits);
      case 'schedule':
        return this.#schedule(life, this.#at(deed.batch).word, deed.schedule ?? undefined);
      case 'shelve':
        return this.#shelve(life, this.#at(deed.batch).word, deed.to);
      case 'queue':
        return this.#moveInQueue(life, this.#at(deed.batch).word, deed.to);
      case 'limits':
        return this.#limits(life, this.#at(deed.batch), deed);
      case 'profile': {
        const batch = this.#at(deed.batch);
        batch.says = { ...batch.says, isStated: deed.isStated, path: deed.path };
        return this.#correct(life, batch);
      }
      case 'answer': {
        const question = { family: 'musicgen', status: FAILED } as const;
        return engine.config.answerStatus(this.#at(deed.batch).word.id, question, deed.means);
      }
      case 'key':
        this.#enterKey(life, deed);
        return undefined;
      case 'cancel': {
        const { word } = this.#of(deed.row);
        this.#givesUp(deed.row);
        return engine.decisions.cancel(word.id, this.#keys(word, deed.row));
      }
      case 'cancel-all': {
        const { word, plan } = this.#at(deed.batch);
        for (const { id } of plan.rows) this.#givesUp(id);
        return engine.decisions.cancel(word.id);
      }
      case 'retry':
        return this.#retry(life, deed.row);
      case 'pick':
      case 'unpick':
        return this.#pick(life, deed);
      case 'review':
        return this.#review(life, deed);
      case 'turn':
        return this.#setTurn(life, deed);
      case 'canary': {
        const { word } = this.#at(deed.batch);
        const holds = word.canary.change(deed.isOn);
        await engine.config.configure(word.id, ({ settings }) => withCanary(settings, deed.isOn));
        holds();
        return undefined;
      }
      case 'release-kind': {
        const { word } = this.#at(deed.batch);
        word.hasReleasedKinds = true;
        return engine.config.configure(word.id, withKindReleased);
      }
      case 'retry-all':
        return this.#retryAll(life, this.#at(deed.batch));
      case 'resubmit':
        return this.#resubmit(life, deed.row);
      case 'write-off':
        return this.#writeOff(life, deed.row);
      case 'adopt':
        return this.#adopt(life, deed.row);
      case 'column':
        return this.#author.column(life, this.#at(deed.batch), deed.isThere);
      case 'duplicate':
        return this.#author.duplicate(life, this.#at(deed.batch), deed);
      case 'edit':
      case 'move':
      case 'rename':
      case 'takes':
      case 'remove':
        return this.#author.edit(life, this.#of(deed.row), deed);
      case 'import': {
        const batch = this.#at(deed.batch);
        return this.#author.import(life, batch, deed, () => this.#start(life, batch));
      }
      default:
        return assertNever(deed);
    }
  }

  /** It may have been charged; a row that is typed again after that runs, and is paid for, all the same. */
  #givesUp(row: string): void {
    this.rows.givesUp(row);
    this.rows.paysAgain(row);
  }

  #letsGo(word: BatchWord): void {
    word.isHeld = false;
    word.starts += 1;
  }

  #start(life: Life, { word }: KnownBatch): Promise<unknown> {
    const pauses = this.#goesOn(life, word);
    return this.#inTurn(life, word, () => {
      const { now, engine } = life;
      // The first time, it lets all queued rows run.
      if (now.store.batch(word.id)?.state === 'ready') {
        const queued = this.#queued(life, word);
        word.agreed = Math.max(word.agreed, now.store.submitsUsed(word.id) + queued + this.#failedByOthers(word));
      }
      return engine.start(word.id, pauses);
    });
  }

  /** Lets a batch go on; returns how often the user had paused it until then. */
  #goesOn({ engine }: Life, word: BatchWord): number {
    this.#letsGo(word);
    return engine.pausesOf(word.id);
  }

  /** The same, unless it is paused or was never started. */
  #goesOnUnlessHeld(life: Life, word: BatchWord): number {
    const state = life.now.store.batch(word.id)?.state;
    return state === 'paused' || state === 'ready' ? life.engine.pausesOf(word.id) : this.#goesOn(life, word);
  }

  /** What lets a batch run is carried out when its edits are complete. */
  #inTurn({ engine }: Life, word: BatchWord, work: () => Promise<unknown>): Promise<unknown> {
    return engine.editor.between(word.id, async () => ok(await work()));
  }

  #queued({ now }: Life, { id }: BatchWord): number {
    return Object.values(now.store.counts(id)).reduce((sum, family) => sum + family.queued, 0);
  }

  /** `isLast`: nothing else is done about the batch after it. */
  async #runDrafts(life: Life, batch: KnownBatch, isLast: boolean): Promise<unknown> {
    const { word } = batch;
    let shown = 0;
    const released = await life.engine.editor.release(word.id, undefined, () => {
      shown = life.now.views.batchSummary(word.id)?.draftSubmits ?? 0;
      const others = this.#failedByOthers(word);
      word.agreed += shown + others;
      if (isLast) this.#shownWatch.foretell(word, shown + others + this.#queued(life, word));
      return Promise.resolve(undefined);
    });
    if (!released.ok) return err(released.error);
    this.#shownWatch.made(word, shown, released.value);
    return this.#start(life, batch);
  }

  /** Takes that failed because of a row that they refer to: once that is done, they go on by themselves. */
  #failedByOthers({ id }: BatchWord): number {
    const statement = this.#around.disk.db.prepare<{ readonly n: number }>(
      `SELECT count(*) AS n FROM tasks t JOIN batches b ON b.seq = t.batch
       WHERE b.id = ? AND t.superseded = 0 AND t.status = 'failed' AND t.blocked_by IS NOT NULL`,
    );
    return statement.get(id)?.n ?? 0;
  }

  #retry(life: Life, row: string): Promise<unknown> {
    const { word } = this.#of(row);
    this.rows.paysAgain(row);
    const pauses = this.#goesOnUnlessHeld(life, word);
    return this.#inTurn(life, word, () => {
      const takes = this.#shown(life, word, row, ['failed', 'cancelled']);
      return life.engine.decisions.retryShown(word.id, takes, pauses);
    });
  }

  #retryAll({ engine, now }: Life, { plan, word }: KnownBatch): Promise<number> {
    for (const { id } of plan.rows) this.rows.paysAgain(id);
    if (now.store.batch(word.id)?.state !== 'ready') this.#letsGo(word);
    // What fails until then is retried, too.
    const counts = Object.values(now.store.counts(word.id));
    word.agreed += counts.reduce((sum, one) => sum + one.failed + one.submitting + one.rendering + one.downloading, 0);
    word.agreed += this.#writtenOff.get(word) ?? 0;
    return engine.decisions.retry(word.id);
  }

  #resubmit(life: Life, row: string): Promise<unknown> {
    const { word } = this.#of(row);
    this.rows.paysAgain(row);
    const pauses = this.#goesOnUnlessHeld(life, word);
    return this.#inTurn(life, word, () => {
      const takes = this.#shown(life, word, row, ['submit-unknown']);
      return life.engine.decisions.settleShown(word.id, takes, 'resubmit', pauses);
    });
  }

  /** Takes of a row as they are shown now, which the user allows to be paid for once more. */
  #shown({ now }: Life, word: BatchWord, row: string, statuses: readonly TaskStatus[]): readonly ShownTake[] {
    const takes = rowsNamed(this.#around.disk.db, word.id, row)
      .flatMap(({ id }) => now.store.tasksOfRow(word.id, id))
      .filter(({ status }) => statuses.includes(status));
    word.agreed += takes.length;
    return takes.map(({ id, attempts }) => ({ id, attempts }));
  }

  #enterKey({ engine }: Life, { account, key }: Extract<Deed, { kind: 'key' }>): void {
    if (this.#entered.get(account) === key) return;
    this.#entered.set(account, key);
    engine.setKey(originOfAccount(account), keyOfAccount(account, key));
    // To the gateway another key is another account, with limits of its own.
    this.#around.watch.keyChanged(account, key !== 'none');
  }

  async #pause({ engine }: Life, word: BatchWord): Promise<void> {
    const { starts } = word;
    const pauses = this.#pauses.get(word) ?? { begun: 0, ended: 0 };
    this.#pauses.set(word, pauses);
    pauses.begun += 1;
    await engine.pause(word.id).finally(() => (pauses.ended += 1));
    if (word.starts === starts) word.isHeld = true;
  }

  /** Whether no pause of a batch is under way now, nor has been asked for since. */
  #isUnpausedFromNow(word: BatchWord): () => boolean {
    const { begun = 0, ended = 0 } = this.#pauses.get(word) ?? {};
    return () => begun === ended && (this.#pauses.get(word)?.begun ?? 0) === begun;
  }

  async #shelve({ engine, now }: Life, word: BatchWord, to: Extract<Deed, { kind: 'shelve' }>['to']): Promise<void> {
    const isOnly = this.#author.isOnlyFromNow();
    const { deeds } = this.#author;
    const { begun } = deeds;
    const atMs = this.#around.machine.clock.now();
    const isOver = this.#shelves.begins(word);
    let is: Shelved | undefined;
    try {
      if (to === 'back') {
        await engine.config.bringBack(word.id);
        is = 'there';
      } else if ((await engine.config.shelve(word.id, to)).ok) is = to;
    } finally {
      isOver(is);
    }
    if (is === undefined) return;
    const sight = sightOf(now, word.id);
    if (is === 'there') this.#shelves.isBack(word, sight);
    else {
      const wasOnly = isOnly();
      const isOnlySince = (): boolean => wasOnly && deeds.begun === begun + 1 && deeds.ended === begun;
      this.#shelves.isPutAway(word, { sight, isOnly: isOnlySince, atMs });
    }
  }

  async #moveInQueue({ engine }: Life, word: BatchWord, to: QueueMove): Promise<void> {
    const { queue } = this.#around.watch;
    const isOnly = this.#author.isOnlyFromNow();
    const before = queue.places();
    await engine.config.moveInQueue(word.id, to);
    if (isOnly()) queue.isMoved(word, to, before);
  }

  async #cap({ engine }: Life, word: BatchWord, cap: number | null): Promise<void> {
    const holds = word.cap.change(cap ?? Number.POSITIVE_INFINITY);
    await engine.config.setCap(word.id, cap ?? undefined);
    holds();
  }

  async #limitCost({ engine }: Life, word: BatchWord, maxCost: Money | undefined): Promise<void> {
    const holds = word.maxCost.change(maxCost);
    await engine.config.setCostCap(word.id, maxCost);
    holds();
  }

  async #limitAccount({ engine }: Life, word: BatchWord, { account, limit }: Extract<Deed, { kind: 'account-limit' }>) {
    const known = word.accountLimits.get(account);
    if (known === undefined || word.accountLimits.size === 1) return;
    const holds = known.change(limit ?? {});
    await engine.config.setAccountLimits(word.id, new Map([[nameOfAccount(account), limit ?? undefined]]));
    holds();
  }

  async #limitSpending({ engine }: Life, limits: SpendingLimits): Promise<void> {
    const holds = this.#around.watch.spending.limits.change(limits);
    await engine.setLimits(limits);
    holds();
  }

  async #schedule({ engine }: Life, word: BatchWord, schedule: Schedule | undefined): Promise<void> {
    const holds = word.schedule.change(schedule);
    await engine.config.setSchedule(word.id, schedule);
    holds();
  }

  async #limits(life: Life, batch: KnownBatch, limits: Pick<BatchPlan, 'places' | 'perSecond'>) {
    const { word } = batch;
    const { watch } = this.#around;
    const { places, perSecond } = limits;
    batch.says = { ...batch.says, places, perSecond };
    const hold = [word.places.change(places), word.perSecond.change(perSecond)];
    await this.#correct(life, batch);
    watch.limitsChange(word.accounts, () => hold.forEach((holds) => holds()));
  }

  /** The user says the same about each account of a batch. */
  async #correct({ engine }: Life, { plan, word, says }: KnownBatch): Promise<void> {
    for (const account of accountsOfPlan(plan))
      await engine.config.correctProfile(word.id, profileOf({ ...says, account }));
  }

  async #adopt(life: Life, row: string): Promise<unknown> {
    const { word } = this.#of(row);
    const owner = this.#around.disk.db.prepare<{ readonly id: number }>('SELECT id FROM tasks WHERE task_code = ?');
    const [sent] = this.#unknown(word, row);
    const [first = 0, ...others] = word.accounts;
    const account = others.find((one) => nameOfAccount(one) === sent?.account) ?? first;
    const free = this.#around.gateway.charges.find(
      (charge) => charge.row === row && charge.account === account && owner.get(charge.code) === undefined,
    );
    if (free === undefined) this.rows.givesUp(row);
    this.#around.watch.allowOneMore(account);
    this.#letsGo(word);
    const taskCode = free?.code ?? '999999';
    return life.engine.decisions.resolve(word.id, sent?.id ?? row, { kind: 'adopt', taskCode });
  }

  async #writeOff(life: Life, row: string): Promise<void> {
    const { word } = this.#of(row);
    this.#givesUp(row);
    const unknown = this.#unknown(word, row);
    const ids = new Set(unknown.map(({ id }) => id));
    this.#writtenOff.set(word, (this.#writtenOff.get(word) ?? 0) + unknown.length);
    for (const id of ids) await life.engine.decisions.resolve(word.id, id, { kind: 'write-off' });
    this.#writtenOff.set(word, Math.max(0, (this.#writtenOff.get(word) ?? 0) - unknown.length));
  }

  /** Takes of a row of which nobody knows what became, with the row's present id. */
  #unknown({ id }: BatchWord, row: string) {
    return this.#around.disk.db
      .prepare<{ readonly id: string; readonly account: string | null }>(
        `SELECT r.row_id AS id, t.account FROM tasks t JOIN rows r ON r.seq = t.row JOIN batches b ON b.seq = t.batch
         WHERE b.id = ? AND t.row IN (${ROWS_NAMED}) AND t.superseded = 0 AND t.status = 'submit-unknown'
         ORDER BY t.row, t.take, t.id`,
      )
      .all(id, row);
  }

  #keys({ id }: BatchWord, row: string): readonly number[] {
    return rowsNamed(this.#around.disk.db, id, row).map(({ key }) => key);
  }

  /** Picks one of the verified files of a row, or of its copies, or takes the pick back; `only`: of which rows. */
  #pick(
    { engine, now }: Life,
    { kind, row, nth }: Extract<Deed, { kind: 'pick' | 'unpick' }>,
    only = 'TRUE',
  ): Promise<unknown> {
    const { word } = this.#of(row);
    const files = this.#around.disk.db
      .prepare<{ readonly task: number; readonly position: number }>(
        `SELECT o.task, o.position FROM outputs o JOIN tasks t ON t.id = o.task
         JOIN rows r ON r.seq = t.row WHERE t.row IN (${ROWS_NAMED}) AND ${only}
         AND t.superseded = 0 AND o.state = 'verified' ORDER BY t.take, t.id, o.position`,
      )
      .all(row);
    const file = files[nth % Math.max(1, files.length)];
    if (file === undefined) return Promise.resolve();
    // A pick lets a batch that has ended go on, and a pause of one that has ended has no effect.
    if (kind === 'pick' && now.store.batch(word.id)?.state === 'finished') this.#letsGo(word);
    return engine.reviews.reviewFile(outputIdOf(file.task, file.position), { picked: kind === 'pick' });
  }

  /** Says something about one of the files that a row has or had. A file that is picked and rejected is no pick. */
  async #review({ engine }: Life, { row, nth, says }: Extract<Deed, { kind: 'review' }>): Promise<void> {
    const statement = this.#around.disk.db.prepare<{ readonly task: number; readonly position: number }>(
      `SELECT o.task, o.position FROM outputs o JOIN tasks t ON t.id = o.task
       WHERE t.row IN (${ROWS_NAMED}) AND o.state = 'verified' ORDER BY t.take, t.id, o.position`,
    );
    const files = statement.all(row);
    const file = files[nth % Math.max(1, files.length)];
    if (file === undefined) return;
    const isOnly = this.#author.isOnlyFromNow();
    const said = await engine.reviews.reviewFile(outputIdOf(file.task, file.position), WORDS_OF_REVIEW[says]);
    if (said.ok && isOnly()) this.#checkVerdict(row, file, says);
  }

  #checkVerdict(
    row: string,
    { task, position }: { readonly task: number; readonly position: number },
    says: keyof typeof WORDS_OF_REVIEW,
  ): void {
    const found = this.#around.disk.db
      .prepare<{ readonly rest: string }>('SELECT rest FROM outputs WHERE task = ? AND position = ?')
      .get(task, position);
    const { verdict } = JSON.parse(found?.rest ?? '{}') as Pick<Output, 'verdict'>;
    const wrong = Object.entries(WORDS_OF_REVIEW[says]).some(
      ([name, value]) => verdict?.[name as 'kept' | 'rating'] !== (value ?? undefined),
    );
    const isPickOfRejected = says === 'reject' && verdict?.pickedAt !== undefined;
    if (wrong || isPickOfRejected)
      this.#around.watch.report('review', `the user says ${says} of ${row}, and ${JSON.stringify(verdict)} is kept`);
  }

  /** Files are where the user’s words say: what a kill or the disk left where it was is moved now. */
  async tidy({ engine }: Life): Promise<void> {
    if (!this.#does('review')) return;
    for (const { word } of this.#batches) await engine.files.tidy(word.id);
  }

  async #setTurn(life: Life, { row, turn }: Extract<Deed, { kind: 'turn' }>): Promise<void> {
    const { word } = this.#of(row);
    const { held } = this.#around.watch;
    const keys = this.#keys(word, row);
    // Nothing can be said about a row that is not in the sheet, or that leaves it meanwhile.
    if (keys.length === 0) return;
    // A row that goes first is no longer held.
    const holds = keys.map((key) => {
      const known = held.get(key) ?? new Choice(false);
      held.set(key, known);
      return [key, known.change(turn === 'hold')] as const;
    });
    // After a release a batch that has ended goes on.
    if (turn !== 'hold' && life.now.store.batch(word.id)?.state === 'finished') this.#letsGo(word);
    const count = await life.engine.decisions.setTurn(word.id, { keys }, turn);
    // While the application closes, it may come too late for the takes: the user sees that it has changed none.
    if (count === 0 && turn === 'hold' && this.#hasWaiting(keys)) return;
    const isThere = new Set(this.#keys(word, row));
    for (const [key, isSaid] of holds) if (isThere.has(key)) isSaid();
  }

  #hasWaiting(rows: readonly number[]): boolean {
    const statement = this.#around.disk.db.prepare<object>(
      `SELECT 1 FROM tasks WHERE superseded = 0 AND status = 'queued' AND state ->> '$.onHold' IS NULL
       AND row IN (SELECT value FROM json_each(?)) LIMIT 1`,
    );
    return statement.get(JSON.stringify(rows)) !== undefined;
  }

  #waitsForPick(row: string): boolean {
    const statement = this.#around.disk.db.prepare<{ readonly id: number }>(
      `SELECT r.seq AS id FROM rows r WHERE r.removed = 0 AND ${WAITED_FOR} AND r.seq IN (${ROWS_NAMED})`,
    );
    return statement.get(row) !== undefined;
  }

  /** The names of rows that the user has held back, or put first, and not released. */
  #withTurn({ id }: BatchWord): ReadonlySet<string> {
    const { db } = this.#around.disk;
    const kept = db
      .prepare<{ readonly key: number }>(
        `SELECT r.seq AS key FROM rows r JOIN batches b ON b.seq = r.batch
         WHERE b.id = ? AND r.removed = 0 AND r.turn IS NOT NULL`,
      )
      .all(id);
    const keys = [...this.#around.watch.held.keys(), ...kept.map(({ key }) => key)];
    return new Set(keys.flatMap((key) => nameOf(db, key) ?? []));
  }

  /** The batch that a deed is about; undefined if it is about none, or about all. */
  #batchOf(deed: UserDeed): KnownBatch | undefined {
    if ('row' in deed) return this.#of(deed.row);
    return 'batch' in deed ? this.#at(deed.batch) : undefined;
  }

  #at(batch: number): KnownBatch {
    const known = this.#batches[batch];
    if (known === undefined) throw new Error(`The plan has no batch ${batch}.`);
    return known;
  }

  #of(row: string): KnownBatch {
    const known = this.#batches.find(({ plan }) => plan.rows.some(({ id }) => id === row));
    if (known === undefined) throw new Error(`The plan has no row ${row}.`);
    return known;
  }
}
