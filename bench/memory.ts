import { scaled, type Bench, type Settings } from './support/bench.ts';
import type { Report } from './support/report.ts';
import { inTemporaryFolder, slopeOf } from './support/measure.ts';
import { numberOf, runContender, withGateway } from './support/run-contender.ts';

const ROWS = 6000;
/** Until then, caches fill and code warms up. */
const WARM_UP_TASKS = 2000;
const SAMPLE_EVERY = 500;
/** Below this, a night of 100,000 rows stays within 50 MB of one of 10,000. */
const MOST_BYTES_PER_TASK = 500;

/** Whether a large night makes the engine's process grow: all 13 operations, the whole engine, with its store. */
export const memory: Bench = { report };

function report(settings: Settings): Promise<Report> {
  return inTemporaryFolder((folder) =>
    withGateway(
      folder,
      { timeScale: 0.001, media: { detail: 'tiny' }, times: { format: 'milliseconds' } },
      async (baseUrl) => {
        const input = {
          baseUrl,
          folder,
          rows: scaled(ROWS, settings, WARM_UP_TASKS + 4 * SAMPLE_EVERY),
          inFlight: 100,
          operation: 'all',
          sampleEvery: SAMPLE_EVERY,
        };
        const figures = await runContender('our-night', input);
        const { samples } = figures;
        if (!Array.isArray(samples)) throw new Error('No samples');
        const points = samples as readonly (readonly [number, number, number, number, number])[];
        const warm = points.filter(([done]) => done > WARM_UP_TASKS);
        const slope = (column: 1 | 2 | 3): number => slopeOf(warm.map((point) => [point[0], point[column]]));
        const tasks = numberOf(figures, 'tasks');
        const wallMs = numberOf(figures, 'wallMs');
        const goal = { bound: 'at most', value: MOST_BYTES_PER_TASK } as const;
        return {
          title: `memory: ${tasks.toLocaleString('en-GB')} rows, all operations, through the whole engine`,
          lines: [
            { what: `heap, slope after ${WARM_UP_TASKS} tasks`, unit: 'bytes/task', ours: slope(2), goal },
            { what: `RSS, slope after ${WARM_UP_TASKS} tasks`, unit: 'bytes/task', ours: slope(1), goal },
            { what: 'outside the heap, slope', unit: 'bytes/task', ours: slope(3), goal },
            { what: 'throughput', unit: 'tasks/s', ours: (tasks / wallMs) * 1000 },
            {
              what: 'CPU, without sampling',
              unit: 'ms/task',
              ours: (numberOf(figures, 'cpuMs') - numberOf(figures, 'samplingCpuMs')) / tasks,
            },
            { what: 'RSS at its largest', unit: 'MiB', ours: numberOf(figures, 'maxRssMiB') },
            {
              what: 'exceptions',
              unit: 'tasks',
              ours: numberOf(figures, 'exceptions'),
              goal: { bound: 'at most', value: 0 },
            },
          ],
          notes: [
            'done tasks: RSS / heap / outside the heap (MiB), seconds',
            ...points.map(
              ([done, rss, heap, external, ms]) =>
                `${String(done).padStart(7)}: ${mebibytes(rss)} / ${mebibytes(heap)} / ${mebibytes(external)}, ${(ms / 1000).toFixed(1)} s`,
            ),
          ],
        };
      },
    ),
  );
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
