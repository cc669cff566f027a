import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lateStore } from '../support/late-store.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { accepted, notSent, RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const HEADERS = ['row', 'operation', 'prompt', 'takes', 'note'];
const ROWS = 6;
const PER_SECOND = 5;

/** What a user does. */
type Deed =
  | { readonly kind: 'start' | 'pause' | 'sheet-changed' }
  | { readonly kind: 'cancel' | 'edit'; readonly row: number }
  | { readonly kind: 'limit'; readonly submits: number }
  | { readonly kind: 'wait'; readonly ms: number };

interface Plan {
  /** One thing after another; the next may wait for it to be done, or not. */
  readonly deeds: readonly { readonly deed: Deed; readonly isAwaited: boolean }[];
  /** How long the ways to the store and back take, over and over. */
  readonly turns: readonly number[];
  /** How long the gateway's answers take, over and over. */
  readonly answersMs: readonly number[];
  readonly places: number;
  readonly limit: number;
  readonly isEndedEarly: boolean;
}

const row = fc.nat(ROWS - 1);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('start' as const, 'pause' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sheet-changed' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'edit' as const), row }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('limit' as const), submits: fc.nat(ROWS) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 20, 50, 3000) }) },
);
const plan: fc.Arbitrary<Plan> = fc.record({
  deeds: fc.array(fc.record({ deed, isAwaited: fc.boolean() }), { maxLength: 14 }),
  turns: fc.array(fc.integer({ min: -12, max: 4 }), { minLength: 1, maxLength: 30 }),
  answersMs: fc.array(fc.constantFrom(0, 5, 200), { minLength: 1, maxLength: 5 }),
  places: fc.integer({ min: 1, max: 3 }),
  limit: fc.integer({ min: 1, max: ROWS }),
  isEndedEarly: fc.boolean(),
});

/** The start waits for something, and the pause does not. */
const PAUSED_BEFORE_IT_RAN: Plan = {
  deeds: [
    { deed: { kind: 'start' }, isAwaited: false },
    { deed: { kind: 'pause' }, isAwaited: false },
    { deed: { kind: 'wait', ms: 50 }, isAwaited: false },
  ],
  turns: [0],
  answersMs: [0],
  places: 1,
  limit: 1,
  isEndedEarly: false,
};

/** The night ends while a start waits for a limit that is being stored. */
const ENDED_BEHIND_A_LIMIT: Plan = {
  deeds: [
    { deed: { kind: 'pause' }, isAwaited: true },
    { deed: { kind: 'limit', submits: 0 }, isAwaited: false },
    { deed: { kind: 'edit', row: 0 }, isAwaited: true },
    { deed: { kind: 'sheet-changed' }, isAwaited: false },
    { deed: { kind: 'start' }, isAwaited: false },
  ],
  turns: [4, 2, 0, 0, 0, 2, 0],
  answersMs: [0],
  places: 1,
  limit: 1,
  isEndedEarly: true,
};

/** A night on a store that answers late, watched at every request that leaves. */
class WatchedNight {
  readonly rig = new SheetRig();
  readonly wrong: string[] = [];
  /** Codes under which the gateway accepted something. */
  readonly codes: string[] = [];
  batchId = '';
  hasEnded = false;
  readonly #places: number;
  readonly #sent = new Map<string, number>();
  readonly #cancelled = new Set<string>();
  /** Limits that apply, or may still apply. */
  #limits: readonly number[];
  #starts = 0;
  #isHeld = true;
  #isPausing = false;

  constructor({ turns, answersMs, places, limit }: Plan) {
    this.#places = places;
    this.#limits = [limit];
    const { night } = this.rig;
    let ways = 0;
    night.open((store) => {
      const late = lateStore(store, () => turns[ways++ % turns.length] ?? 0);
      night.clock.isBusy = () => late.underWay() > 0;
      // What is committed at a pause, or behind one, was asked for before it.
      const commit: typeof store.commit = (changes) => {
        const submits = changes.some(({ openAttempt }) => openAttempt !== undefined);
        if (submits && this.#isPausing) this.wrong.push('an intent was committed behind a pause');
        return late.store.commit(changes);
      };
      return { ...late.store, commit };
    });
    // The test itself looks at what is committed.
    night.store = night.opened.store;
    this.rig.reopen();
    night.gateway.onSubmit = async ({ body }, nth) => {
      await this.#check(body);
      const ms = answersMs[nth % answersMs.length] ?? 0;
      await new Promise<void>((resolve) => void night.clock.setTimer(ms, resolve));
      if (nth % 5 === 0) {
        this.#sent.delete(rowOf(body));
        return notSent();
      }
      this.codes.push(`code-${nth}`);
      return accepted(`code-${nth}`);
    };
  }

  async bringIn({ places, limit }: Plan): Promise<void> {
    const lines = Array.from({ length: ROWS }, (_, i) => [`s${i}`, 'music', `s${i} first`, '', '']);
    const profile = profileWith({ activePerFamily: { musicgen: places } });
    this.batchId = await this.rig.bringIn(HEADERS, lines, { settings: { profile, maxSubmits: limit } });
  }

  /** At the first byte of a request. */
  async #check(body: string): Promise<void> {
    const { night } = this.rig;
    const name = rowOf(body);
    const sent = (this.#sent.get(name) ?? 0) + 1;
    this.#sent.set(name, sent);
    if (sent > 1) this.wrong.push(`${name} was sent ${sent} times`);
    if (this.#isHeld) this.wrong.push(`${name} was sent behind a pause`);
    if (this.hasEnded) this.wrong.push(`${name} was sent behind the end`);
    if (this.#cancelled.has(name)) this.wrong.push(`${name} was sent although it was cancelled`);
    const limits = this.#limits;
    const used = await night.store.submitsUsed(this.batchId);
    const most = Math.max(...limits, ...this.#limits);
    if (used > most) this.wrong.push(`${used} submits, where ${most} are allowed`);
    const submitting = (await night.tasks(this.batchId)).filter(({ status }) => status === 'submitting');
    const intents = (await Promise.all(submitting.map(({ id }) => night.store.attempts(id)))).flat();
    const isCommitted = intents.some(
      (one) => one.answeredAt === undefined && Buffer.from(one.body).toString() === body,
    );
    if (!isCommitted) this.wrong.push(`${name} was sent without a committed intent`);
    if (submitting.length > this.#places) this.wrong.push(`${submitting.length} at the gateway`);
  }

  /** Lets time pass until this is done. */
  async until<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    await this.rig.night.clock.advanceUntil(() => isDone);
    return done;
  }

  async carryOut(deed: Deed): Promise<void> {
    const { scheduler } = this.rig.night;
    switch (deed.kind) {
      case 'start':
        return this.start();
      case 'pause': {
        const starts = this.#starts;
        this.#isPausing = true;
        await scheduler.pauseByUser(this.batchId);
        if (starts === this.#starts) this.#isHeld = true;
        return;
      }
      case 'sheet-changed':
        return scheduler.sheetChanged(this.batchId);
      case 'cancel':
        return this.#cancel(`s${deed.row}`);
      case 'edit': {
        const edit = await this.rig.block(this.batchId, deed.row, ['prompt'], [[`s${deed.row} edited`]]);
        await this.rig.editor.edit(this.batchId, edit);
        return;
      }
      case 'limit':
        return this.limit(deed.submits);
      case 'wait':
        return this.rig.night.clock.advance(deed.ms);
    }
  }

  start(): Promise<void> {
    this.#starts += 1;
    this.#isHeld = false;
    this.#isPausing = false;
    return this.rig.night.scheduler.start(this.batchId);
  }

  async limit(maxSubmits: number): Promise<void> {
    const { night } = this.rig;
    const batch = await night.store.batch(this.batchId);
    if (batch === undefined) throw new Error('no batch');
    this.#limits = [...this.#limits, maxSubmits];
    const at = this.#limits.length - 1;
    await night.scheduler.configure(this.batchId, { ...batch.settings, maxSubmits });
    this.#limits = this.#limits.map((limit, i) => (i < at ? 0 : limit));
  }

  async #cancel(rowId: string): Promise<void> {
    const { night } = this.rig;
    const tasks = (await night.tasks(this.batchId)).filter((task) => task.rowId === rowId);
    await night.scheduler.decide(tasks.map(({ id }) => ({ taskId: id, event: { kind: 'cancel-requested' } })));
    const ids = new Set(tasks.map(({ id }) => id));
    const after = await night.tasks(this.batchId);
    if (after.some(({ id, status }) => ids.has(id) && status === 'cancelled')) this.#cancelled.add(rowId);
  }
}

function rowOf(body: string): string {
  return (JSON.parse(body) as { readonly prompt: string }).prompt.split(' ')[0] ?? '';
}

test('however late the store answers: nothing is sent twice, without its intent, past a limit or behind a pause', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (given) => {
      const watched = new WatchedNight(given);
      await watched.bringIn(given);
      const { batchId, rig } = watched;
      const { night } = rig;
      await watched.until(watched.start());
      const left: Promise<void>[] = [];
      for (const { deed, isAwaited } of given.deeds) {
        const done = watched.carryOut(deed);
        if (isAwaited || deed.kind === 'wait') await watched.until(done);
        else left.push(done);
      }
      if (given.isEndedEarly) {
        const unsaved = await watched.until(night.scheduler.end());
        watched.hasEnded = true;
        expect(unsaved).toEqual([]);
      }
      await watched.until(Promise.all(left));
      if (!given.isEndedEarly) {
        await watched.until(watched.limit(ROWS));
        await watched.until(watched.start());
        await night.clock.advanceUntil(async () => (await night.state(batchId)) === 'finished');
        expect(['done', 'cancelled']).toEqual(expect.arrayContaining([...new Set(await night.statuses(batchId))]));
      }
      await night.clock.advance(60_000);
      expect(watched.wrong).toEqual([]);
      expect(night.bugs).toEqual([]);
      for (const code of watched.codes) expect(await night.store.isTaskCodeKnown(batchId, code)).toBe(true);
    }),
    { numRuns: 40, examples: [[PAUSED_BEFORE_IT_RAN], [ENDED_BEHIND_A_LIMIT]] },
  );
}, 120_000);

test('what is sent late, because its intent was committed late, is within the pace all the same', async () => {
  const night = new NightHarness();
  const { clock, gateway } = night;
  night.open((store) => ({
    ...store,
    async commit(changes) {
      const pays = changes.some(({ openAttempt }) => openAttempt !== undefined);
      if (pays) await new Promise<void>((resolve) => void clock.setTimer(3_000, resolve));
      return store.commit(changes);
    },
  }));
  // How many came beyond what may come, at the gateway.
  let ahead = 0;
  let mostAhead = 0;
  let before = clock.now();
  const note = (): void => {
    ahead = Math.max(0, ahead - ((clock.now() - before) / 1000) * PER_SECOND) + 1;
    before = clock.now();
    mostAhead = Math.max(mostAhead, ahead);
  };
  gateway.onSubmit = (_, nth) => {
    note();
    return accepted(`code-${nth}`);
  };
  gateway.onPoll = () => {
    note();
    return RUNNING;
  };
  const limits = { requestsPerSecond: PER_SECOND, activePerFamily: { musicgen: 40 } };
  const batchId = await night.bringIn(rows(40), { profile: profileWith(limits) });
  await night.scheduler.start(batchId);
  await clock.advance(5 * 60_000);
  expect(gateway.submits).toHaveLength(40);
  expect(mostAhead).toBeLessThanOrEqual(PER_SECOND);
});

test('a pause is only confirmed once it is stored, also where another one is on its way', async () => {
  const night = new NightHarness();
  let turns = 0;
  night.open((store) => lateStore(store, () => turns).store);
  const id = await night.bringIn(rows(3));
  await night.scheduler.start(id);
  turns = 3;
  const first = night.scheduler.pauseByUser(id);
  await night.scheduler.pauseByUser(id);
  // As a power cut would leave it.
  turns = 0;
  expect((await night.opened.store.batch(id))?.state).toBe('paused');
  await first;
});
