import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What a piece of work cost its process. */
export interface Cost {
  readonly wallMs: number;
  /** User and system time of all threads. */
  readonly cpuMs: number;
}

/** Measures what a piece of work costs this process. */
export async function measure(work: () => Promise<void> | void): Promise<Cost> {
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - startedMs, cpuMs: (user + system) / 1000 };
}

/** How often the loop is looked at: more often would itself cost time. */
const LOOK_MS = 10;

/** Watches the event loop; the returned function gives a timer's worst delay in ms, leaving out one in a hundred. */
export function watchLoop(): () => number {
  const delays = monitorEventLoopDelay({ resolution: LOOK_MS });
  delays.enable();
  return () => {
    delays.disable();
    return Math.max(0, delays.percentile(99) / 1e6 - LOOK_MS);
  };
}

/** How many milliseconds a piece of work takes, and the longest time within it in which nothing else could run. */
export async function watchBlocks(
  work: () => Promise<unknown>,
): Promise<{ readonly ms: number; readonly blockMs: number }> {
  const startedMs = performance.now();
  let blockMs = 0;
  let last = startedMs;
  const look = (): void => {
    blockMs = Math.max(blockMs, performance.now() - last);
    last = performance.now();
  };
  const watch = setInterval(look, 1);
  await work();
  look();
  clearInterval(watch);
  return { ms: last - startedMs, blockMs };
}

/** The largest resident set that this process has had, in MiB. */
export function maxRssMiB(): number {
  return process.resourceUsage().maxRSS / 1024;
}

/** Collects garbage now; the process must run with `--expose-gc`. */
export function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error('Run with --expose-gc.');
  globalThis.gc();
}

export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] ?? Number.NaN;
  return sorted.length % 2 === 1 ? middle : (middle + (sorted[(sorted.length >> 1) - 1] ?? Number.NaN)) / 2;
}

export function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

/** How late ends were noticed: on average, at worst leaving out one in a hundred, and at worst. */
export function lateness(latenciesMs: readonly number[]) {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  return {
    latencyMs: mean(sorted),
    latencyP99Ms: sorted[Math.ceil(0.99 * sorted.length) - 1] ?? Number.NaN,
    latencyMaxMs: sorted.at(-1) ?? Number.NaN,
  };
}

/** The slope of the line that fits the points best (least squares). */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** Works in a temporary folder. */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-of-nocturne-'));
  try {
    return await work(folder);
  } finally {
    // A program that has just been ended may still be writing.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
