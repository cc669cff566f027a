/** One simulated night: a plan carried out on the real engine, watched at every turn and audited at its end. */
import { KeyRing } from '../../src/engine/gateway/key-ring.ts';
import { isRefusedByDisk } from '../../src/engine/store/open/store-problem.ts';
import { Agenda, settle, withTurnsOn } from './agenda.ts';
import { audit } from './audit.ts';
import { Coverage } from './coverage.ts';
import { Life, type Surroundings } from './life.ts';
import { Machine } from './machine.ts';
import { ModelGateway } from './model-gateway.ts';
import { calmAtMs, type Deed, type NightPlan } from './plan.ts';
import { hashOf, Stream } from './random.ts';
import { Rest } from './rest.ts';
import type { SimDisk } from './sim-disk.ts';
import { RequestCounts } from './sim-network.ts';
import { keyOfAccount, originOfAccount } from './sim-sheet.ts';
import type { AnswerPart } from './sim-store.ts';
import { User } from './user.ts';
import { Watch, type Violation } from './watch.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** How often the user comes back before what is not settled counts as stuck. */
const MORNINGS = 6;
/** Before that, every other night is left alone for this long. */
const ALONE_MS = 2 * HOUR_MS;
const TAIL_LENGTH = 60;
/** More turns than any night needs. */
const MOST_TURNS = 1_000_000;
/** What the disk refused is written within this time, once the disk accepts it. */
const STORED_AGAIN_MS = 30_000;
const DEED_LIMIT_MS = 2 * HOUR_MS;
/** Sleeps and restarts put off what comes after them. */
const PLAN_LIMIT_MS = 200 * HOUR_MS;

export interface NightOptions {
  readonly disk: SimDisk;
  /** Changes the store's answers. */
  readonly twist?: (answer: AnswerPart) => AnswerPart;
}

export interface NightReport {
  readonly violations: readonly Violation[];
  /** A hash of every turn and its time: equal for equal nights. */
  readonly hash: number;
  readonly turns: number;
  readonly simulatedMs: number;
  readonly coverage: Coverage;
  /** The last turns. */
  readonly tail: readonly string[];
}

export async function runNight(plan: NightPlan, options: NightOptions): Promise<NightReport> {
  return new Night(plan, options).run();
}

class Night {
  readonly #plan: NightPlan;
  readonly #agenda: Agenda;
  readonly #around: Surroundings;
  readonly #user: User;
  readonly #rest: Rest;
  /** The last turns; the oldest is the next to go. */
  readonly #tail: { readonly label: string; readonly nowMs: number }[] = [];
  readonly #coverage: Coverage;
  #hash = 0;
  #turns = 0;
  #life: Life | undefined;
  #isClosing = false;
  /** What the user wants to do once the process that is closing has begun anew. */
  readonly #untilBegun: Deed[] = [];
  #upAtMs = 0;
  /** The process dies in this many turns. */
  #diesIn: { turns: number; readonly downMs: number } | undefined;
  #deedsLeft: number;

  constructor(plan: NightPlan, { disk, twist = (answer) => answer }: NightOptions) {
    this.#plan = plan;
    this.#deedsLeft = plan.deeds.length;
    this.#agenda = new Agenda(plan.seed);
    this.#coverage = new Coverage(() => this.#agenda.nowMs, plan.spells);
    this.#agenda.onStep = (label, nowMs) => this.#note(label, nowMs);
    disk.empty();
    this.#rest = new Rest(disk);
    const machine = new Machine(plan, this.#agenda);
    const gateway = new ModelGateway(
      plan,
      () => this.#agenda.nowMs,
      (kind) => machine.isSpell(kind),
    );
    const keys = new KeyRing();
    for (const account of [0, 1]) keys.set(originOfAccount(account), keyOfAccount(account, 'first'));
    this.#around = {
      machine,
      disk,
      gateway,
      requests: new RequestCounts(plan.faults, this.#coverage),
      files: new Map(),
      keys,
      watch: new Watch(disk.db, machine, gateway, plan),
      accountOf: ({ baseUrl }) => (baseUrl.startsWith(originOfAccount(0)) ? 0 : 1),
      coverage: this.#coverage,
      twist,
    };
    this.#user = new User(plan, this.#around);
  }

  async run(): Promise<NightReport> {
    await withTurnsOn(this.#agenda, () => this.#pass());
    return {
      violations: this.#around.watch.violations,
      hash: this.#hash,
      turns: this.#turns,
      simulatedMs: this.#agenda.nowMs,
      coverage: this.#coverage,
      tail: this.#tailTexts(),
    };
  }

  async #pass(): Promise<void> {
    try {
      this.#life = new Life(this.#around);
      await this.#until(this.#user.bringIn(this.#life));
      for (const { atMs, deed } of this.#plan.deeds) this.#expect(atMs, deed);
      await this.#passTo(this.#agenda.nowMs + calmAtMs(this.#plan));
      await this.#whileTrue(() => this.#isPlanUnderWay(), PLAN_LIMIT_MS, 'deeds');
      // Neglect shows only while nobody comes: anything that the user does makes the engine look again.
      await this.#passTo(this.#agenda.nowMs + new Stream(this.#plan.seed, 'rest').pick([0, ALONE_MS]));
      await this.#settleAll();
      await this.#end();
      const misled = new Set(this.#plan.faults.flatMap(({ row, does }) => (does === 'other-code' ? [row] : [])));
      audit({ ...this.#around, plan: this.#plan, life: this.#life, user: this.#user, misled });
    } catch (error) {
      if (!(error instanceof BrokenPromise)) throw error;
    }
    this.#life?.die();
  }

  #isPlanUnderWay(): boolean {
    const isDying = this.#isClosing || this.#diesIn !== undefined || this.#life === undefined;
    return isDying || this.#around.machine.isAsleep || this.#deedsLeft > 0 || this.#user.isWaiting;
  }

  #note(label: string, nowMs: number): void {
    this.#hash = hashOf(`${nowMs} ${label}`, this.#hash);
    this.#tail[this.#turns % TAIL_LENGTH] = { label, nowMs };
    this.#turns += 1;
  }

  #tailTexts(): readonly string[] {
    const oldest = this.#turns % TAIL_LENGTH;
    const tail = [...this.#tail.slice(oldest), ...this.#tail.slice(0, oldest)];
    return tail.map(({ label, nowMs }) => `${(nowMs / 1000).toFixed(3)} s  ${label}`);
  }

  #report(rule: string, detail: string): never {
    this.#around.watch.report(rule, detail);
    throw new BrokenPromise();
  }

  /** One turn: the next entry, and everything that follows from it at once. False if there is none by then. */
  async #turn(untilMs?: number): Promise<boolean> {
    const { watch } = this.#around;
    if (!this.#agenda.step(untilMs)) return false;
    if (this.#turns > MOST_TURNS) this.#report('endless', `it goes on after ${this.#turns} turns`);
    await settle();
    if (this.#life !== undefined) {
      watch.look();
      this.#user.look(this.#life);
    }
    if (watch.violations.length > 0) throw new BrokenPromise();
    if (this.#diesIn !== undefined) {
      this.#diesIn.turns -= 1;
      if (this.#diesIn.turns < 0) this.#die(this.#diesIn.downMs);
    }
    return true;
  }

  async #passTo(atMs: number): Promise<void> {
    this.#agenda.add(atMs - this.#agenda.nowMs, 'world', 'time has passed', () => undefined);
    while (await this.#turn(atMs));
  }

  async #whileTrue(condition: () => boolean, limitMs: number, what: string): Promise<void> {
    const endMs = this.#agenda.nowMs + limitMs;
    while (condition()) {
      if (!(await this.#turn(endMs)))
        this.#report('stuck', `${what} not done; open: ${this.#agenda.ofProcess().join(', ')}`);
    }
  }

  async #until(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    done.catch(() => undefined);
    await settle();
    await this.#whileTrue(() => !isDone, DEED_LIMIT_MS, 'what was asked for is');
    await done;
  }

  #expect(delayMs: number, deed: Deed): void {
    this.#agenda.add(delayMs, 'world', `deed: ${deed.kind}`, () => this.#carryOut(deed));
  }

  #carryOut(deed: Deed): void {
    const { machine } = this.#around;
    const life = this.#life;
    const isBusy = life === undefined || this.#diesIn !== undefined;
    if (this.#isClosing) {
      // Nobody knows how long that takes: looking every millisecond would be most of what happens in the night.
      this.#untilBegun.push(deed);
      return;
    }
    if (machine.isAsleep || isBusy) {
      // The machine may sleep and the process may be gone: then it comes later.
      const waitMs = Math.max(1, machine.asleepForMs, this.#upAtMs - this.#agenda.nowMs);
      this.#expect(waitMs, deed);
      return;
    }
    this.#deedsLeft -= 1;
    this.#coverage.deed(deed.kind);
    switch (deed.kind) {
      case 'kill':
        this.#killIn(deed.turns, deed.downMs);
        return;
      case 'close':
        this.#close(life, deed.downMs);
        return;
      case 'sleep':
        machine.sleep(deed.forMs);
        return;
      case 'leap':
        machine.leap(deed.byMs);
        return;
      default:
        void this.#user.perform(life, deed);
    }
  }

  #killIn(turns: number, downMs: number): void {
    const death = { turns, downMs };
    this.#diesIn = death;
    // If nothing happens, no turn comes.
    this.#agenda.add(MINUTE_MS, 'world', 'killed at the latest', () => {
      if (this.#diesIn === death) death.turns = 0;
    });
  }

  #die(downMs: number): void {
    // Killed before the disk stored a pause: nothing could keep it, and nobody is left to say so.
    if (this.#isStoreDoubted && !this.#isClosing) for (const word of this.#around.watch.batches) word.isHeld = false;
    this.#user.processDied(!this.#isClosing);
    this.#diesIn = undefined;
    this.#isClosing = false;
    this.#life?.die();
    this.#life = undefined;
    this.#upAtMs = this.#agenda.nowMs + downMs;
    this.#agenda.add(downMs, 'world', 'process starts', () => this.#begin());
  }

  #begin(): void {
    const life = new Life(this.#around);
    this.#life = life;
    for (const deed of this.#untilBegun.splice(0)) this.#expect(1, deed);
    life.takeUp().catch((error: unknown) => {
      // The user is told, and starts it again.
      if (isRefusedByDisk(error)) this.#diesIn = { turns: 0, downMs: MINUTE_MS };
      else this.#around.watch.report('start', String(error));
    });
  }

  /** Whether the disk has refused something so recently that it need not be written yet. */
  get #isStoreDoubted(): boolean {
    const { clock, storeRefusedAtMs } = this.#around.machine;
    return clock.monotonic() - storeRefusedAtMs < STORED_AGAIN_MS;
  }

  #close(life: Life, downMs: number): void {
    this.#isClosing = true;
    void life.engine.quiesce().then((unsaved) => {
      // A store that stalls may take longer over an edit's way back than a user waits for the end.
      const unexpected = unsaved.filter(({ kind }) => kind !== 'edit' || this.#plan.store !== 'stalling');
      if (unexpected.length > 0 && !this.#isStoreDoubted) {
        this.#around.watch.report('unsaved', JSON.stringify(unexpected));
      }
      const lost = new Set(unsaved.flatMap(({ kind, batchId }) => (kind === 'pause' ? [batchId] : [])));
      // The user is told that it goes on.
      for (const word of this.#around.watch.batches) if (lost.has(word.id)) word.isHeld = false;
      for (const { kind, batchId } of unsaved) if (kind === 'edit') this.#user.hearsOfEdit(batchId);
      this.#diesIn = { turns: -1, downMs };
      this.#agenda.add(0, 'world', 'process ends', () => undefined);
    });
  }

  /** The user settles what is open, morning after morning, until every row has ended. */
  async #settleAll(): Promise<void> {
    const rows = this.#plan.batches.flatMap((batch) => batch.rows).length;
    for (let round = 0; round < MORNINGS; round += 1) {
      const life = this.#life as Life;
      await this.#until(this.#user.settle(life, round));
      await this.#whileTrue(() => !this.#rest.isAtRest, (40 + rows * 20) * HOUR_MS, `${this.#rest.openRows()} is`);
      this.#user.judgeMorning();
      if (this.#rest.openRows() === '') return;
    }
    this.#report('stuck', `after ${MORNINGS} mornings: ${this.#rest.openRows()}`);
  }

  async #end(): Promise<void> {
    const life = this.#life as Life;
    await this.#until(this.#user.tidy(life));
    await this.#until(
      life.engine.quiesce().then((unsaved) => {
        if (unsaved.length > 0) this.#around.watch.report('unsaved', JSON.stringify(unsaved));
      }),
    );
    this.#around.watch.hasEnded = true;
    const left = this.#agenda.ofProcess();
    await this.#passTo(this.#agenda.nowMs + HOUR_MS);
    if (left.some((label) => label === 'timer')) this.#report('end', `timers are left at the end: ${left.join(', ')}`);
  }
}

/** A promise was broken, and the watch knows which. */
class BrokenPromise extends Error {}
