import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Figures } from './contender.ts';
import { scaled, type Bench, type Settings } from './support/bench.ts';
import { inTemporaryFolder } from './support/measure.ts';
import { processorMsOf, withServerOfPostgres, type Done, type MeteredServer } from './support/postgres-meter.ts';
import type { Report } from './support/report.ts';
import { numberOf, runContender, withGateway } from './support/run-contender.ts';

/** Rows that are rendered, of how many in the batch. */
const SUBMITS = 400;
const ROWS = 4_000;
const LONG_ROWS = 100_000;
const ACCOUNTS = 8;
/** Of each account. */
const IN_FLIGHT = 6;
const WORKERS = [1, 2, 4, 8] as const;

/** One batch with several accounts on PostgreSQL, rendered by one worker and by several, against one process on SQLite. */
export const fleet: Bench = {
  report: (settings) => inTemporaryFolder((folder) => compare(folder, settings)),
};

interface Night {
  readonly workers: number;
  readonly tasks: number;
  readonly shares: readonly number[];
  readonly perSecond: number;
  readonly importMs: number;
  /** Processor time for a task, in ms. */
  readonly cpu: { readonly nocturne: number; readonly server: number; readonly gateway: number };
  /** What the server did for a task. */
  readonly done: Done;
  readonly longest: readonly string[];
}

async function compare(folder: string, settings: Settings): Promise<Report> {
  const submits = scaled(SUBMITS, settings, 20);
  const rows = Math.max(submits + 1, scaled(settings.isLong ? LONG_ROWS : ROWS, settings, 40));
  const behaviour = {
    timeScale: 1,
    durations: { 'videogen-a': { law: 'lognormal', medianSeconds: 0.5, sigma: 0.35 } },
    media: { detail: 'tiny' },
    times: { format: 'milliseconds' },
  } as const;
  const postgres = path.join('/dev/shm', `nocturne-bench-${process.pid}`);
  mkdirSync(postgres);
  return withServerOfPostgres(postgres, (server) =>
    withGateway(folder, behaviour, async (baseUrl, gateway) => {
      const run = (workers: number): Promise<Night> =>
        runNight({ folder: path.join(folder, String(workers)), baseUrl, gateway, rows, submits, workers, server });
      const alone = await run(0);
      const nights: Night[] = [];
      for (const workers of WORKERS) nights.push(await run(workers));
      return reportOf(alone, nights, rows, submits);
    }),
  );
}

async function runNight(options: {
  readonly folder: string;
  readonly baseUrl: string;
  readonly gateway: number;
  readonly rows: number;
  readonly submits: number;
  readonly workers: number;
  readonly server: MeteredServer;
}): Promise<Night> {
  const { folder, baseUrl, gateway, rows, submits, workers, server } = options;
  mkdirSync(folder);
  const store = workers === 0 ? '' : server.storeOf(`fleet_${workers}`);
  const input = { folder, baseUrl, store, rows, submits, workers, accounts: ACCOUNTS, inFlight: IN_FLIGHT };
  const imported = await runContender('fleet-import', input);
  await server.longest(1);
  const before = await server.done();
  const gatewayMs = processorMsOf(gateway);
  const [found, ...ofWorkers] = await Promise.all([
    runContender('fleet-batch', input),
    ...Array.from({ length: workers }, (_, i) => runContender('fleet-worker', { ...input, name: `w${i}` })),
  ]);
  const done = await server.done();
  const tasks = numberOf(found, 'tasks');
  const perTask = (ms: number): number => ms / tasks;
  const cpuOf = (figures: Figures): number => numberOf(figures, 'cpuMs');
  return {
    workers,
    tasks,
    shares: ofWorkers.map((figures) => numberOf(figures, 'done')),
    perSecond: (tasks / numberOf(found, 'wallMs')) * 1000,
    importMs: numberOf(imported, 'wallMs'),
    cpu: {
      nocturne: perTask([found, ...ofWorkers].reduce((sum, figures) => sum + cpuOf(figures), 0)),
      server: perTask((done['cpuMs'] ?? 0) - (before['cpuMs'] ?? 0)),
      gateway: perTask(processorMsOf(gateway) - gatewayMs),
    },
    done: Object.fromEntries(Object.entries(done).map(([name, value]) => [name, perTask(value - (before[name] ?? 0))])),
    longest: await server.longest(6),
  };
}

function reportOf(alone: Night, nights: readonly Night[], rows: number, submits: number): Report {
  const [one] = nights;
  return {
    title: `fleet: ${submits} of ${rows.toLocaleString('en-GB')} rows on PostgreSQL, ${ACCOUNTS} accounts`,
    lines: [
      ...nights.map(({ workers, perSecond }) => ({
        what: `throughput, ${workersText(workers)} / SQLite`,
        unit: 'tasks/s',
        ours: perSecond,
        rival: alone.perSecond,
      })),
      ...nights.map(({ workers, cpu }) => ({
        what: `CPU of Nocturne and the server, ${workersText(workers)} / SQLite`,
        unit: 'ms/task',
        ours: cpu.nocturne + cpu.server,
        rival: alone.cpu.nocturne,
        ...(workers === 1 ? { goal: { id: '16', bound: 'at most', value: 2 } as const } : {}),
      })),
      { what: 'import / SQLite', unit: 'ms', ours: one?.importMs ?? Number.NaN, rival: alone.importMs },
    ],
    notes: [
      `Each account has ${IN_FLIGHT} in flight at most, of about half a second each; as fast as it goes, on whatever the processors have`,
      'left. The server, the gateway, the workers and whoever waits for the end share them, so more workers cannot be faster here: what',
      'counts is what each part takes for a task. One night each. Besides the workers, Nocturne is the process that started the batch.',
      ...nights.flatMap(({ workers, cpu, shares, done, longest }) => [
        '',
        `${workersText(workers)}: a task takes ${numbersText({ ...cpu })} ms of processor (Nocturne, server, gateway); shares ${shares.join(', ')}.`,
        `  The server, for a task: ${numbersText(done)}.`,
        ...longest.map((statement) => `  ${statement}`),
      ]),
    ],
  };
}

function workersText(workers: number): string {
  return workers === 1 ? '1 worker' : `${workers} workers`;
}

function numbersText(numbers: Readonly<Record<string, number>>): string {
  return Object.entries(numbers)
    .map(([name, value]) => `${name} ${value.toFixed(value < 10 ? 1 : 0)}`)
    .join(', ');
}
