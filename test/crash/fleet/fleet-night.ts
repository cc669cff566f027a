/** One night of a fleet: a sheet, workers that render it, faults one after the other or together, and the judge. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { SeededRandom } from '../../../src/gateway-sim/random.ts';
import { takeLongestStall } from './accounts.ts';
import type { Fleet } from './fleet.ts';
import { LOSES_ANSWERS, pause, strike, type Fault, type Hit } from './fleet-faults.ts';
import { judgeNight, type FleetViolation, type NightJudged } from './fleet-oracle.ts';

export interface NightPlan {
  readonly seed: string;
  readonly number: number;
  readonly rows: number;
  /** What is done next; undefined when it is enough. */
  readonly next: () => Fault | undefined;
  readonly onHit: (hit: Hit) => void;
  /** Called when a fault found nothing to hit. */
  readonly onVain: () => void;
  readonly leaseSeconds: number;
  /** How many faults are at work at the same time. */
  readonly lanes: number;
  /** The most paid requests of the night. */
  readonly cap?: number;
}

export interface NightReport extends NightJudged {
  readonly hits: readonly Hit[];
  readonly inVain: number;
  /** Why it paused, each time that the user had to come. */
  readonly pauses: readonly string[];
}

/** With fewer rows left, there is nothing more to hit. */
const ROWS_WORTH_HITTING = 12;
/** If nothing has happened to any row for this long, the night hangs. */
const HANGS_AFTER_MS = 150_000;
const LOOK_EVERY_MS = 250;
const ENDED: ReadonlySet<string> = new Set(['done', 'failed', 'submit-unknown', 'skipped']);

export async function fleetNight(fleet: Fleet, plan: NightPlan): Promise<NightReport> {
  const { number, rows: count, cap } = plan;
  const name = `night-${number}`;
  const ids = Array.from({ length: count }, (_, i) => `row${i + 1}n${number}`);
  const sheet = path.join(fleet.dir, `${name}.csv`);
  const folder = path.join(fleet.dir, name);
  writeFileSync(sheet, sheetOf(ids));
  takeLongestStall();
  const since = Date.now();
  const limit = cap === undefined ? [] : ['--max-submits', `${cap}`];
  const words = ['--out', folder, '--name', name, '--no-canary', '--fuse', 'off', ...limit, ...fleet.accountWords];
  await begin(fleet, name, ['run', sheet, ...words]);
  const batch = await fleet.audit.batch(name);
  if (batch === undefined) throw new Error(`There is no batch ${name}.`);
  const course = new Course(fleet, plan, folder, batch.seq);
  await course.run();
  const judged = await judgeNight({
    fleet,
    batch: batch.seq,
    batchId: batch.id,
    rows: new Set(ids),
    folder,
    since,
    leaseMs: plan.leaseSeconds * 1000,
    cap,
    answersLost: course.answersLost,
  });
  return { ...judged, ...course.report(judged.violations) };
}

/** Starts it at the desk of the user, who leaves once it is under way. */
async function begin(fleet: Fleet, name: string, words: readonly string[]): Promise<void> {
  const over = new AbortController();
  const isRunning = async (): Promise<void> => {
    while (!over.signal.aborted && (await fleet.audit.batch(name))?.state !== 'running') await pause(LOOK_EVERY_MS);
  };
  const run = await fleet.command(words, isRunning());
  over.abort();
  if ((await fleet.audit.batch(name)) === undefined) throw new Error(`The night did not begin: ${run.output}`);
}

class Course {
  readonly #fleet: Fleet;
  readonly #plan: NightPlan;
  readonly #folder: string;
  readonly #batch: number;
  readonly #hits: Hit[] = [];
  readonly #pauses: string[] = [];
  readonly #violations: FleetViolation[] = [];
  #inVain = 0;
  #isLate = false;
  /** Rows in flight at workers that were hit and can no longer report the answers. */
  answersLost = 0;

  constructor(fleet: Fleet, plan: NightPlan, folder: string, batch: number) {
    this.#fleet = fleet;
    this.#plan = plan;
    this.#folder = folder;
    this.#batch = batch;
  }

  async run(): Promise<void> {
    const lanes = Array.from({ length: this.#plan.lanes }, (_, lane) => this.#lane(lane));
    await Promise.all([...lanes, this.#watch()]);
    for (const { ownEnds } of this.#fleet.workers) {
      for (const detail of ownEnds.splice(0)) this.#violations.push({ oracle: 'broken life', detail });
    }
  }

  report(judged: readonly FleetViolation[]): Pick<NightReport, 'hits' | 'inVain' | 'pauses' | 'violations'> {
    const violations = [...this.#violations, ...judged];
    return { hits: this.#hits, inVain: this.#inVain, pauses: this.#pauses, violations };
  }

  async #lane(lane: number): Promise<void> {
    const { seed, number, next, onHit, onVain } = this.#plan;
    const random = new SeededRandom(seed, 'night', number, lane);
    while (!this.#isLate) {
      const fault = next();
      if (fault === undefined) return;
      const hit = await strike(this.#fleet, fault, random, this.#folder);
      if (hit === undefined) {
        this.#inVain += 1;
        onVain();
      } else {
        this.#hits.push(hit);
        if (LOSES_ANSWERS.has(fault.kind)) this.answersLost += Math.max(1, hit.tasks.length);
        onHit(hit);
      }
      await pause(random.below(400));
    }
  }

  /** Watches until every row has ended, or nothing happens any more; the user comes when it pauses. */
  async #watch(): Promise<void> {
    const { audit, command } = this.#fleet;
    let seen = -1;
    let changedAt = performance.now();
    for (;;) {
      const { counts, events } = await audit.progress(this.#batch);
      const open = Object.entries(counts).filter(([status]) => !ENDED.has(status));
      const left = open.reduce((sum, [, count]) => sum + count, 0);
      if ((counts['queued'] ?? 0) < ROWS_WORTH_HITTING) this.#isLate = true;
      const batch = await audit.batch(`night-${this.#plan.number}`);
      if (left === 0 && batch?.state !== 'running') return;
      if (events !== seen) changedAt = performance.now();
      seen = events;
      if (performance.now() - changedAt > HANGS_AFTER_MS) {
        const detail = JSON.stringify({ counts, state: batch?.state, pause: batch?.pause });
        this.#violations.push({ oracle: 'hang', detail });
        return;
      }
      if (batch?.state === 'paused') {
        const why = JSON.stringify(batch.pause);
        // What the night may not pay for stays unpaid.
        const isAtCap = this.#plan.cap !== undefined && why.includes('CAP_REACHED');
        if (isAtCap && left === (counts['queued'] ?? 0)) return;
        if (!isAtCap) {
          this.#pauses.push(why);
          await command(['resume', batch.id], pause(1_500));
        }
      }
      await pause(LOOK_EVERY_MS);
    }
  }
}

/** Rows of all kinds of output that are quick to make, each with a text of its own. */
function sheetOf(ids: readonly string[]): string {
  const lines = ids.map((id, i) => {
    const operation = ['lyrics', 'image', 'wav'][i % 3] ?? 'lyrics';
    const text = `${id} at night`;
    return operation === 'wav' ? `${id},wav,,${text}` : `${id},${operation},${text},`;
  });
  return `row,operation,prompt,clip_id\n${lines.join('\n')}\n`;
}
