import type { Line, Report } from './support/report.ts';
import { inTemporaryFolder } from './support/measure.ts';
import { numberOf, runContender, runInTurn, withGateway } from './support/run-contender.ts';

const ROUNDS = 3;

/** What a task costs the processor, submit to done: the whole engine, durable, against a script that keeps nothing. */
export function engine(): Promise<Report> {
  return compare(500, 100, 1 / 6);
}

/** The same with five times as many tasks at the gateway. */
export function engineBusy(): Promise<Report> {
  return compare(1500, 500, 1 / 10);
}

function compare(rows: number, inFlight: number, most: number): Promise<Report> {
  const duration = { law: 'lognormal', medianSeconds: 4, sigma: 0.35 } as const;
  const behaviour = {
    timeScale: 1,
    durations: { 'videogen-a': duration },
    media: { detail: 'tiny' },
    times: { format: 'milliseconds' },
  } as const;
  return inTemporaryFolder((folder) =>
    withGateway(folder, behaviour, async (baseUrl) => {
      let run = 0;
      const common = { baseUrl, rows, inFlight };
      const ownNight = () =>
        runContender('our-night', {
          ...common,
          folder: `${folder}/${(run += 1)}`,
          operation: 'videogen-a/video/generate',
          sampleEvery: 0,
        });
      // A fixed interval is late by half of itself on average: the rival polls often enough to match our latency.
      const intervalMs = Math.round(2 * numberOf(await ownNight(), 'latencyMs'));
      const script = () => runContender('script-night', { ...common, folder: `${folder}/${(run += 1)}`, intervalMs });
      const [ours, rival] = await runInTurn([ownNight, script], ROUNDS);
      if (ours === undefined || rival === undefined) throw new Error('A contender gave nothing.');
      const perTask = (figures: typeof ours, name: string) => numberOf(figures, name) / numberOf(figures, 'tasks');
      const at = `${inFlight} in flight`;
      const lines: Line[] = [
        {
          what: `CPU, ${at}`,
          unit: 'ms/task',
          ours: perTask(ours, 'cpuMs'),
          rival: perTask(rival, 'cpuMs'),
          goal: { bound: 'at most', value: most },
        },
        {
          what: `mean latency, ${at}`,
          unit: 'ms',
          ours: numberOf(ours, 'latencyMs'),
          rival: numberOf(rival, 'latencyMs'),
        },
        { what: `polls, ${at}`, unit: 'per task', ours: numberOf(ours, 'polls'), rival: numberOf(rival, 'polls') },
        { what: `RSS, ${at}`, unit: 'MiB', ours: numberOf(ours, 'maxRssMiB'), rival: numberOf(rival, 'maxRssMiB') },
      ];
      return {
        title: `engine: CPU per task, submit to done, ${at}`,
        lines,
        notes: [
          'The rival: p-queue and fetch, asking at the fixed interval that gives our mean latency. It has no store, no',
          'limits by family, no verification, no fsync and no recovery; ours has all of them.',
          `${rows} tasks of about 4 s, ${ROUNDS} rounds in turn; the rival asks every ${intervalMs} ms.`,
        ],
      };
    }),
  );
}
