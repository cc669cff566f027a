/** Nights of many seeds, in one thread or in several. */
import { Worker } from 'node:worker_threads';
import { Coverage } from './coverage.ts';
import { makePlan } from './make-plan.ts';
import { runNight } from './night.ts';
import { SimDisk } from './sim-disk.ts';

/** Seeds from `first` on, each for the lane that asks next: one count for all threads. */
export interface Seeds {
  readonly first: number;
  /** How many there are. */
  readonly most: number;
  /** In shared memory: how many are taken, and for each lane the number of the one that it has, from 1. */
  readonly taken: Int32Array;
}

/** What a thread is given, and what everything that runs nights has to know. */
export interface Lane {
  readonly seeds: Seeds;
  /** Counted from 1. */
  readonly number: number;
}

/** The results of nights. */
export interface Passed {
  readonly nights: number;
  readonly turns: number;
  readonly simulatedMs: number;
  readonly coverage: Coverage['counts'];
  /** The first seed whose night has broken a promise. */
  readonly broken?: number;
}

export function seedsFrom(first: number, most: number, lanes = 1): Seeds {
  return { first, most, taken: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * (1 + lanes))) };
}

/** Lets no more nights begin. */
export function endSeeds({ taken, most }: Seeds): void {
  Atomics.store(taken, 0, most);
}

/** The seeds of the last nights that were begun, lane by lane. */
export function lastSeeds({ first, taken }: Seeds): readonly number[] {
  return Array.from(taken.subarray(1), (nth) => first + nth - 1).filter((seed) => seed >= first);
}

/** The nights of a lane, one after another, until no seed is left or one of all lanes has broken a promise. */
export async function passNights({ seeds, number }: Lane): Promise<Passed> {
  const disk = new SimDisk();
  const coverage = new Coverage();
  const totals = { nights: 0, turns: 0, simulatedMs: 0 };
  for (;;) {
    const nth = Atomics.add(seeds.taken, 0, 1);
    if (nth >= seeds.most) return { ...totals, coverage: coverage.counts };
    Atomics.store(seeds.taken, number, nth + 1);
    const seed = seeds.first + nth;
    const report = await runNight(makePlan(seed), { disk });
    totals.nights += 1;
    totals.turns += report.turns;
    totals.simulatedMs += report.simulatedMs;
    coverage.add(report.coverage);
    if (report.violations.length === 0) continue;
    // The others finish theirs: if several nights break a promise, the first seed is reported, which does not depend on
    // who was faster.
    endSeeds(seeds);
    return { ...totals, coverage: coverage.counts, broken: seed };
  }
}

/** The same in this many threads together. */
export async function passInLanes(seeds: Seeds, lanes: number): Promise<Passed> {
  const numbers = Array.from({ length: lanes }, (_, i) => i + 1);
  const all = await Promise.all(
    numbers.map((number) => (lanes === 1 ? passNights({ seeds, number }) : passInThread({ seeds, number }))),
  );
  const coverage = new Coverage();
  for (const passed of all) coverage.add({ counts: passed.coverage });
  const broken = all.flatMap((passed) => passed.broken ?? []).toSorted((a, b) => a - b)[0];
  const sum = (of: (passed: Passed) => number): number => all.reduce((total, passed) => total + of(passed), 0);
  return {
    nights: sum(({ nights }) => nights),
    turns: sum(({ turns }) => turns),
    simulatedMs: sum(({ simulatedMs }) => simulatedMs),
    coverage: coverage.counts,
    ...(broken === undefined ? {} : { broken }),
  };
}

function passInThread(lane: Lane): Promise<Passed> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('lane-thread.ts', import.meta.url), { workerData: lane });
    thread.once('message', resolve);
    thread.once('error', reject);
    // Too late to matter, unless it has reported nothing.
    thread.once('exit', (code) => reject(new Error(`A lane ended with ${code}.`)));
  });
}
