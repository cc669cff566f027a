/** The user of a simulated night: does what the plan says, and remembers what was asked for. */
import { assertNever, ok, present } from '../../src/shared/domain/base/result.ts';
import { isRefusedByDisk } from '../../src/engine/store/open/store-problem.ts';
import type { SheetEdit } from '../../src/shared/ipc/editing.ts';
import type { Life, Surroundings } from './life.ts';
import { Limit } from './limit.ts';
import type { BatchPlan, Deed, NightPlan, RowPlan } from './plan.ts';
import { Stream } from './random.ts';
import { profileOf, promptOf, sheetOf } from './sim-sheet.ts';
import { SheetWatch } from './sheet-watch.ts';
import type { BatchWord } from './watch.ts';

const MINUTE_MS = 60_000;

/** What the user has agreed to pay for a row. */
export interface RowWord {
  /** The most takes that were ever asked for. */
  takes: number;
  /** How often the user said to pay once more. */
  again: number;
  /** The user has given a task of it up, or named one that the gateway does not know. */
  isGivenUp: boolean;
}

/** A deed of the user alone, not of the machine. */
export type UserDeed = Exclude<Deed, { kind: 'kill' | 'close' | 'sleep' | 'leap' }>;

interface KnownBatch {
  readonly plan: BatchPlan;
  readonly word: BatchWord;
}

export class User {
  readonly rows = new Map<string, RowWord>();
  readonly #plan: NightPlan;
  readonly #around: Surroundings;
  readonly #batches: KnownBatch[] = [];
  readonly #sheets: SheetWatch;
  /** Deeds that are not done yet, in the life of a process. */
  #underWay = 0;

  constructor(plan: NightPlan, around: Surroundings) {
    this.#plan = plan;
    this.#around = around;
    this.#sheets = new SheetWatch(around.watch);
  }

  get isWaiting(): boolean {
    return this.#underWay > 0;
  }

  /** The process has died: nobody answers what was asked of it. */
  processDied(): void {
    this.#underWay = 0;
    this.#sheets.processDied();
  }

  /** Brings the sheets in; nothing starts. */
  async bringIn(life: Life): Promise<void> {
    for (const [i, plan] of this.#plan.batches.entries()) {
      const { account, places, perSecond, cap, rows } = plan;
      const id = await this.#create(life, plan, `night ${i}`);
      const word: BatchWord = {
        id,
        account,
        cap: new Limit(cap ?? Number.POSITIVE_INFINITY),
        places: new Limit(places),
        perSecond: new Limit(perSecond),
        isHeld: true,
        starts: 0,
      };
      this.#batches.push({ plan, word });
      this.#around.watch.batches.push(word);
      for (const row of rows) this.rows.set(row.id, { takes: row.takes, again: 0, isGivenUp: false });
    }
  }

  /** Makes a batch of a sheet; the disk may be full from the beginning, and the user tries again then. */
  async #create({ engine }: Life, plan: BatchPlan, name: string): Promise<string> {
    const settings = {
      folder: '/media',
      profile: profileOf(plan, plan),
      filename: '{row}-{take}',
      rehearsal: false,
      ...present({ maxSubmits: plan.cap }),
    };
    for (;;) {
      try {
        return (await engine.createBatch({ sheet: sheetOf(plan), name, settings })).id;
      } catch (error) {
        if (!isRefusedByDisk(error)) throw error;
        await this.#around.machine.wait(MINUTE_MS, 'the user tries again');
      }
    }
  }

  /** Carries a deed out, as far as it applies; what the disk refuses is told to the user, who knows it then. */
  perform(life: Life, deed: UserDeed): Promise<void> {
    this.#underWay += 1;
    const { machine, watch } = this.#around;
    machine.disturbedAtMs = machine.agenda.nowMs;
    return this.#carryOut(life, deed).then(
      () => {
        this.#underWay -= 1;
      },
      (error: unknown) => {
        this.#underWay -= 1;
        if (!isRefusedByDisk(error)) {
          watch.report('deed', `${JSON.stringify(deed)}: ${error instanceof Error ? error.stack : String(error)}`);
        }
      },
    );
  }

  /** In the morning everything is settled, one way or the other. */
  async settle(life: Life, round: number): Promise<void> {
    const random = new Stream(this.#plan.seed, `morning ${round}`);
    for (const [batch, { plan }] of this.#batches.entries()) {
      await this.perform(life, { kind: 'cap', batch, cap: null });
      for (const { id: row } of plan.rows) {
        // There may be no code to adopt, and no end of lost answers: some morning the user has had enough.
        const kind = round < 3 ? random.pick(['adopt', 'resubmit', 'write-off'] as const) : 'write-off';
        if (this.#isUnknown(row)) await this.perform(life, { kind, row });
      }
      await this.perform(life, { kind: 'run-drafts', batch });
    }
  }

  async #carryOut(life: Life, deed: UserDeed): Promise<unknown> {
    const { engine } = life;
    switch (deed.kind) {
      case 'start':
        return this.#start(life, this.#at(deed.batch));
      case 'pause':
        return this.#pause(life, this.#at(deed.batch).word);
      case 'undo':
        return this.#sheets.undo(life, this.#at(deed.batch).word.id);
      case 'redo': {
        const { id } = this.#at(deed.batch).word;
        return this.#sheets.other(id, () => engine.editor.redo(id));
      }
      case 'run-drafts': {
        const batch = this.#at(deed.batch);
        const released = await engine.editor.release(batch.word.id);
        return released.ok ? this.#start(life, batch) : undefined;
      }
      case 'cap':
        return this.#cap(life, this.#at(deed.batch).word, deed.cap);
      case 'limits':
        return this.#limits(life, this.#at(deed.batch), deed);
      case 'cancel': {
        const { word } = this.#of(deed.row);
        this.#givesUp(deed.row);
        return engine.cancel(word.id, this.#keys(life, word.id, deed.row));
      }
      case 'retry': {
        const { word } = this.#of(deed.row);
        this.#paysAgain(deed.row, word);
        return engine.retry(word.id, [deed.row]);
      }
      case 'resubmit':
      case 'write-off': {
        const { word } = this.#of(deed.row);
        if (deed.kind === 'resubmit') this.#paysAgain(deed.row, word);
        else this.#writesOff(deed.row);
        return engine.resolve(word.id, deed.row, { kind: deed.kind });
      }
      case 'adopt':
        return this.#adopt(life, deed.row);
      case 'edit': {
        const { plan } = this.#of(deed.row);
        const row = plan.rows.find(({ id }) => id === deed.row) as RowPlan;
        return this.#write(life, deed.row, 'prompt', promptOf(row, deed.version));
      }
      case 'takes': {
        const known = this.rows.get(deed.row);
        if (known !== undefined) known.takes = Math.max(known.takes, deed.takes);
        return this.#write(life, deed.row, 'takes', String(deed.takes));
      }
      case 'remove': {
        const { word } = this.#of(deed.row);
        const rows = this.#keys(life, word.id, deed.row);
        this.#givesUp(deed.row);
        return this.#edit(life, word.id, rows, { kind: 'remove-rows', rows: [...rows] });
      }
      default:
        return assertNever(deed);
    }
  }

  #letsGo(word: BatchWord): void {
    word.isHeld = false;
    word.starts += 1;
  }

  #paysAgain(row: string, word: BatchWord): void {
    const known = this.rows.get(row);
    if (known !== undefined) known.again += known.takes;
    this.#letsGo(word);
  }

  #givesUp(row: string): void {
    const known = this.rows.get(row);
    if (known !== undefined) known.isGivenUp = true;
  }

  /** It may have been charged; a row that is typed anew after that is run, and paid for, all the same. */
  #writesOff(row: string): void {
    this.#givesUp(row);
    const known = this.rows.get(row);
    if (known !== undefined) known.again += known.takes;
  }

  async #start({ engine }: Life, { word }: KnownBatch): Promise<unknown> {
    this.#letsGo(word);
    const pauses = engine.pausesOf(word.id);
    return engine.editor.between(word.id, async () => ok(await engine.start(word.id, pauses)));
  }

  async #pause({ engine }: Life, word: BatchWord): Promise<void> {
    const { starts } = word;
    await engine.pause(word.id);
    if (word.starts === starts) word.isHeld = true;
  }

  async #cap({ engine }: Life, word: BatchWord, cap: number | null): Promise<void> {
    const holds = word.cap.change(cap ?? Number.POSITIVE_INFINITY);
    await engine.setCap(word.id, cap ?? undefined);
    holds();
  }

  async #limits({ engine }: Life, { plan, word }: KnownBatch, limits: Pick<BatchPlan, 'places' | 'perSecond'>) {
    const { watch } = this.#around;
    const hold = [word.places.change(limits.places), word.perSecond.change(limits.perSecond)];
    await engine.correctProfile(word.id, profileOf(plan, limits));
    watch.limitsChange(word.account, () => hold.forEach((holds) => holds()));
  }

  async #adopt(life: Life, row: string): Promise<unknown> {
    const { word } = this.#of(row);
    const known = life.now.store;
    const free = this.#around.gateway.charges.find(
      (charge) => charge.row === row && known.taskByCode(word.id, charge.code) === undefined,
    );
    if (free === undefined) this.#givesUp(row);
    this.#around.watch.allowOneMore(word.account);
    this.#letsGo(word);
    return life.engine.resolve(word.id, row, { kind: 'adopt', taskCode: free?.code ?? '999999' });
  }

  #isUnknown(row: string): boolean {
    const statement = this.#around.disk.db.prepare<{ readonly id: number }>(
      "SELECT id FROM tasks WHERE row_id = ? AND superseded = 0 AND status = 'submit-unknown'",
    );
    return statement.get(row) !== undefined;
  }

  async #write(life: Life, row: string, header: string, text: string): Promise<unknown> {
    const { word } = this.#of(row);
    const rows = this.#keys(life, word.id, row);
    return this.#edit(life, word.id, rows, {
      kind: 'set-cells',
      rows: [...rows],
      added: 0,
      headers: [header],
      values: [[text]],
    });
  }

  async #edit(life: Life, batchId: string, rows: readonly number[], edit: SheetEdit): Promise<unknown> {
    if (rows.length === 0) return undefined;
    return this.#sheets.edit(life, batchId, rows, () => life.engine.editor.edit(batchId, edit));
  }

  #keys({ now }: Life, batchId: string, row: string): readonly number[] {
    return now.sheets.keysByIds(batchId, [row]).get(row) ?? [];
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
