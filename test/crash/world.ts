import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import { SeededRandom } from '../../src/gateway-sim/random.ts';
import { profileSchema, type Profile } from '../../src/shared/domain/gateway/profile.ts';
import { CRASH_KEY, type ChildOrder, type DeathPoint, type Recovery, type UserAnswer } from './child-protocol.ts';
import { live, type Life } from './live.ts';
import { Oracle, type Violation } from './oracle.ts';
import { RECIPES, type Recipe, type RecipeName } from './recipes.ts';

/** The engine's clock against the gateway's: a back-off of 5 s passes in a quarter of a second. */
const SPEED = 20;
/** The longest that a life may take to go on where the previous one died. */
const RECOVERY_MAX_MS = 2000;
/** More lives than any night needs. */
const LIVES_MAX = 200;

/** Where a life is to end: at a point's n-th pass, or at any time. */
export type PlannedDeath =
  | { readonly point: DeathPoint; readonly pass: number }
  | { readonly point: 'any-time'; readonly afterMs: number };

export interface WorldPlan {
  readonly seed: string;
  readonly recipe: RecipeName;
  readonly deaths: readonly PlannedDeath[];
  readonly mutant?: string;
}

/** The result of one night, in as many lives as it took. */
export interface WorldReport {
  /** Where the engine died, once for each kill that struck. */
  readonly deaths: readonly PlannedDeath['point'][];
  readonly recoveries: readonly Recovery[];
  /** Submits whose outcome a kill hid, and how many of them had been charged. */
  readonly unknownByKill: number;
  readonly unknownCharged: number;
  /** Parts of downloads that were left when the night was over, for the next start to clear away. */
  readonly leftoverParts: number;
  /** Empty if every promise was kept. */
  readonly violations: readonly Violation[];
}

/** A gateway, a data folder and a media folder of its own, removed when `work` is done. */
export async function withWorld<T>(
  seed: string,
  recipe: Recipe,
  work: (world: { gateway: ObservedGateway; oracle: Oracle; order: ChildOrder; dir: string }) => Promise<T>,
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'nocturne-crash-'));
  const started = await startObservedGateway({
    seed: new SeededRandom(seed).below(2 ** 31),
    behaviour: { ...recipe.behaviour, auth: { keys: [CRASH_KEY] } },
  });
  if (!started.ok) throw new Error(`The gateway did not start: ${JSON.stringify(started.error)}`);
  const gateway = started.value;
  const order: ChildOrder = {
    dataDir: join(dir, 'data'),
    folder: join(dir, 'media'),
    profile: crashProfile(gateway, recipe.keepHours),
    rows: recipe.rows,
    settle: 'at-end',
    speed: SPEED,
    epochMs: Date.now(),
  };
  try {
    return await work({ gateway, oracle: new Oracle(gateway, order.folder, recipe.rows), order, dir });
  } finally {
    await gateway.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Few things at once, so that a night is long enough for many lives; hosts of redirects are allowed. */
function crashProfile(gateway: ObservedGateway, keepHours?: number): Profile {
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  return profileSchema.parse({
    baseUrl: gateway.baseUrl,
    status: { musicgen: status, 'videogen-a': status, 'videogen-b': status },
    limits: {
      requestsPerSecond: 1000,
      activePerFamily: { musicgen: 2, 'videogen-a': 2, 'videogen-b': 2 },
      downloads: 2,
    },
    // On the engine's fast clock.
    deadlines: { submitSeconds: 15 * SPEED, pollSeconds: 15 * SPEED, taskHours: 24 },
    ...(keepHours === undefined ? {} : { idempotency: { header: 'Idempotency-Key', keepHours } }),
    media: { allowHosts: [new URL(gateway.otherOrigin).host] },
  });
}

/** Runs one night, with a kill wherever the plan says, until every row is done or a promise is broken. */
export async function runWorld(plan: WorldPlan): Promise<WorldReport> {
  return withWorld(plan.seed, RECIPES[plan.recipe], async ({ oracle, order }) => {
    const night = new WorldNight(plan, oracle);
    for (let lives = 0; lives < LIVES_MAX && !night.isOver; lives += 1) await night.nextLife(order);
    await night.nextEvening(order);
    return night.report();
  });
}

class WorldNight {
  readonly #plan: WorldPlan;
  readonly #oracle: Oracle;
  readonly #random: SeededRandom;
  readonly #left: PlannedDeath[];
  readonly #deaths: PlannedDeath['point'][] = [];
  readonly #recoveries: Recovery[] = [];
  readonly #violations: Violation[] = [];
  /** Rows that the engine has reported as unknown, and that the user has not settled. */
  #known: ReadonlySet<string> = new Set();
  /** Submits under way at the kills since the engine last reported what it took up. */
  #inFlight = 0;
  #hasLived = false;
  #unknownByKill = 0;
  #unknownCharged = 0;
  #leftoverParts = 0;
  #isEnded = false;

  constructor(plan: WorldPlan, oracle: Oracle) {
    this.#plan = plan;
    this.#oracle = oracle;
    this.#random = new SeededRandom(plan.seed, 'lives');
    this.#left = [...plan.deaths];
  }

  get isOver(): boolean {
    return this.#isEnded || this.#violations.length > 0;
  }

  async nextLife(base: ChildOrder): Promise<void> {
    const death = this.#left.shift();
    const order: ChildOrder = {
      ...base,
      settle: this.#random.next() < 0.5 ? 'at-start' : 'at-end',
      ...(this.#plan.mutant === undefined ? {} : { mutant: this.#plan.mutant }),
      ...(death === undefined || death.point === 'any-time' ? {} : { dieAt: death }),
    };
    const killAfterMs = death?.point === 'any-time' ? { killAfterMs: death.afterMs } : {};
    const life = await live({ order, ...killAfterMs, decide: (unknown) => this.#decide(unknown) });
    this.#judgeLife(life);
    if (life.end === 'killed' && death !== undefined) this.#deaths.push(death.point);
    if (life.rows === undefined) this.#violations.push(...this.#oracle.judgeNow());
    else this.#violations.push(...this.#oracle.judgeEnd(life.rows));
    this.#isEnded = life.rows !== undefined;
    this.#hasLived = true;
  }

  /** Starts the engine again, which clears away what interrupted downloads have left behind. */
  async nextEvening(order: ChildOrder): Promise<void> {
    if (this.#violations.length > 0 || this.#oracle.leftoverParts().length === 0) return;
    this.#leftoverParts = this.#oracle.leftoverParts().length;
    this.#left.length = 0;
    await this.nextLife(order);
    const detail = this.#oracle.leftoverParts().join(', ');
    if (detail !== '') this.#violations.push({ oracle: 'orphaned part', detail });
  }

  report(): WorldReport {
    return {
      deaths: this.#deaths,
      recoveries: this.#recoveries,
      unknownByKill: this.#unknownByKill,
      unknownCharged: this.#unknownCharged,
      leftoverParts: this.#leftoverParts,
      violations: this.#violations,
    };
  }

  /** As a careful user does: adopts what the gateway has charged, and pays for nothing twice. */
  #decide(unknown: readonly string[]): UserAnswer {
    return unknown.map((row) => {
      const [taskCode] = this.#oracle.codesOf(row);
      if (taskCode !== undefined) this.#unknownCharged += 1;
      if (taskCode !== undefined) return { row, decision: { kind: 'adopt', taskCode } };
      return { row, decision: { kind: this.#random.next() < 0.5 ? 'resubmit' : 'write-off' } };
    });
  }

  #judgeLife(life: Life): void {
    if (life.end === 'hung' || life.end === 'failed' || life.complaints.length > 0) {
      this.#violations.push({
        oracle: 'broken life',
        detail: `${life.end}: ${life.complaints.join('').slice(0, 2000)}`,
      });
    }
    if (life.unknownAtStart !== undefined) {
      this.#judgeUnknown(life.unknownAtStart);
      this.#known = life.toldUnknown;
    }
    this.#inFlight += life.inFlight;
    if (life.recovery === undefined || !this.#hasLived) return;
    this.#recoveries.push(life.recovery);
    const { ms, waitedMs } = life.recovery;
    if (ms - waitedMs > RECOVERY_MAX_MS) {
      const detail = `${Math.round(ms)} ms, ${Math.round(waitedMs)} ms of them waiting for a processor`;
      this.#violations.push({ oracle: 'slow recovery', detail });
    }
  }

  /** No more rows may be unknown than had been reported, or were under way when the previous life ended. */
  #judgeUnknown(unknown: readonly string[]): void {
    const fresh = unknown.filter((row) => !this.#known.has(row));
    if (fresh.length > this.#inFlight) {
      const detail = `${fresh.join(', ')} unknown after a kill with ${this.#inFlight} submits under way`;
      this.#violations.push({ oracle: 'unknown without a cause', detail });
    }
    this.#inFlight = 0;
    this.#unknownByKill += fresh.length;
  }
}
