import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Figures } from './contender.ts';
import { scaled, type Bench } from './support/bench.ts';
import { inTemporaryFolder } from './support/measure.ts';
import { processorMsOf, withServerOfPostgres, type Done, type MeteredServer } from './support/postgres-meter.ts';
import type { Report } from './support/report.ts';
import { numberOf, runContender, withGateway } from './support/run-contender.ts';

const ACCOUNTS = 8;
const WORKERS = [1, 2, 4, 8] as const;

/** A batch, how much of it is rendered, and what each account allows. */
interface Plan {
  readonly rows: number;
  /** How many rows are rendered before the batch pauses. */
  readonly submits: number;
  /** Unfinished tasks of an account. */
  readonly inFlight: number;
  /** Requests of an account per second, submits and polls. */
  readonly perSecond: number;
}

/** As fast as possible. */
const UNPACED = { submits: 400, inFlight: 6, perSecond: 10_000 };
const ROWS = 4_000;
const LONG_ROWS = 100_000;
const LARGE_ROWS = 1_000_000;
const LARGE_WORKERS = 4;
/** A minute of work for eight accounts that allow two requests a second each. */
const PACED: Plan = { rows: 600, submits: 480, inFlight: 6, perSecond: 2 };
/** The fewest that a task takes: its submit, and one poll. */
const REQUESTS_A_TASK = 2;

/**
 * One batch with several accounts on PostgreSQL, rendered by one worker and by several, against one process on SQLite.
 */
export const fleet: Bench = {
  report: async (settings) => {
    const submits = scaled(UNPACED.submits, settings, 20);
    const rows = Math.max(submits + 1, scaled(settings.isLong ? LONG_ROWS : ROWS, settings, 40));
    return withNights(async (run) => {
      const plan = { ...UNPACED, rows, submits };
      const alone = await run(plan, 0);
      const nights: Night[] = [];
      for (const workers of WORKERS) nights.push(await run(plan, workers));
      return reportOf(alone, nights, rows, submits);
    });
  },
};

/** The same if the accounts' limits decide how fast it is: the rival is what they allow. */
export const fleetPaced: Bench = {
  report: async (settings) => {
    const submits = scaled(PACED.submits, settings, 32);
    const plan = { ...PACED, submits, rows: submits + 100 };
    return withNights(async (run) => {
      const nights: Night[] = [];
      for (const workers of [0, ...WORKERS]) nights.push(await run(plan, workers));
      return pacedReportOf(nights, plan);
    });
  },
};

/** A million rows imported, some of them rendered, and all of them counted. */
export const fleetLarge: Bench = {
  report: async (settings) => {
    const rows = scaled(LARGE_ROWS, settings, 1_000);
    return withNights(async (run) => {
      const plan = { ...UNPACED, submits: scaled(UNPACED.submits, settings, 20), rows };
      const small = await run({ ...plan, rows: ROWS }, LARGE_WORKERS);
      const alone = await run(plan, 0);
      return largeReportOf(small, alone, await run(plan, LARGE_WORKERS), rows);
    });
  },
};

interface Night {
  readonly workers: number;
  readonly tasks: number;
  readonly shares: readonly number[];
  readonly perSecond: number;
  readonly importMs: number;
  readonly importRssMiB: number;
  /** The size on the server, after the import. */
  readonly bytesARow: number;
  /** How long it took to count the batch once the night was over. */
  readonly countMs: number;
  /** Processor time per task, in ms. */
  readonly cpu: { readonly nocturne: number; readonly server: number; readonly gateway: number };
  /** What the server did per task. */
  readonly done: Done;
  readonly longest: readonly string[];
}

/** Runs nights on a server and a gateway of their own; without workers a night is one process on SQLite. */
async function withNights(
  work: (run: (plan: Plan, workers: number) => Promise<Night>) => Promise<Report>,
): Promise<Report> {
  const behaviour = {
    timeScale: 1,
    durations: { 'videogen-a': { law: 'lognormal', medianSeconds: 0.5, sigma: 0.35 } },
    media: { detail: 'tiny' },
    times: { format: 'milliseconds' },
  } as const;
  const postgres = path.join('/dev/shm', `nocturne-bench-${process.pid}`);
  mkdirSync(postgres);
  return inTemporaryFolder((folder) =>
    withServerOfPostgres(postgres, (server) =>
      withGateway(folder, behaviour, (baseUrl, gateway) => {
        let nights = 0;
        return work((plan, workers) => {
          nights += 1;
          const own = path.join(folder, String(nights));
          return runNight({ ...plan, folder: own, store: `fleet_${nights}`, baseUrl, gateway, workers, server });
        });
      }),
    ),
  );
}

async function runNight(
  options: Plan & {
    readonly folder: string;
    readonly store: string;
    readonly baseUrl: string;
    readonly gateway: number;
    readonly workers: number;
    readonly server: MeteredServer;
  },
): Promise<Night> {
  const { folder, baseUrl, gateway, rows, submits, inFlight, perSecond, workers, server } = options;
  mkdirSync(folder);
  const store = workers === 0 ? '' : server.storeOf(options.store);
  const input = { folder, baseUrl, store, rows, submits, workers, accounts: ACCOUNTS, inFlight, perSecond };
  const empty = await server.done();
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
    importRssMiB: numberOf(imported, 'rssMiB'),
    bytesARow: ((before['bytes'] ?? 0) - (empty['bytes'] ?? 0)) / rows,
    countMs: numberOf(found, 'countMs'),
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
      `Each account has ${UNPACED.inFlight} in flight at most, of about half a second each; as fast as it goes, on whatever the processors have`,
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

function pacedReportOf(nights: readonly Night[], { submits, perSecond }: Plan): Report {
  const allowed = (ACCOUNTS * perSecond) / REQUESTS_A_TASK;
  return {
    title: `fleet-paced: ${submits} rows, ${ACCOUNTS} accounts with ${perSecond} requests a second each`,
    lines: nights.map(({ workers, perSecond: tasks }) => ({
      what: `throughput, ${workersText(workers)} / what the accounts allow`,
      unit: 'tasks/s',
      ours: tasks,
      rival: allowed,
      ...(workers === 0 ? {} : { goal: { id: '16', bound: 'at least', value: 0.9 } as const }),
    })),
    notes: [
      `What they allow: ${REQUESTS_A_TASK} requests a task, a submit and one poll that finds it done. From the start of the batch until`,
      'it is at rest, with the time in which workers take the accounts.',
      ...nights.map(({ workers, cpu, shares, done }) =>
        workers === 0
          ? `${workersText(0)}: a task takes ${numbersText({ ...cpu })} ms of processor (Nocturne, server, gateway).`
          : `${workersText(workers)}: ${numbersText({ ...cpu })} ms; shares ${shares.join(', ')}. The server, for a task: ${numbersText(done)}.`,
      ),
    ],
  };
}

function largeReportOf(small: Night, alone: Night, large: Night, rows: number): Report {
  const of = `${rows.toLocaleString('en-GB')} rows`;
  const night = `${large.tasks} of ${of}`;
  return {
    title: `fleet-large: ${night} on PostgreSQL, ${ACCOUNTS} accounts, ${workersText(LARGE_WORKERS)}`,
    lines: [
      { what: `import of ${of} / SQLite`, unit: 'ms', ours: large.importMs, rival: alone.importMs },
      { what: 'memory of the import / SQLite', unit: 'MiB', ours: large.importRssMiB, rival: alone.importRssMiB },
      { what: `throughput, ${night} / of ${ROWS}`, unit: 'tasks/s', ours: large.perSecond, rival: small.perSecond },
      {
        what: `CPU of Nocturne and the server, ${night} / of ${ROWS}`,
        unit: 'ms/task',
        ours: large.cpu.nocturne + large.cpu.server,
        rival: small.cpu.nocturne + small.cpu.server,
      },
      { what: `counting ${of} / SQLite`, unit: 'ms', ours: large.countMs, rival: alone.countMs },
      { what: 'the store after the import', unit: 'bytes/row', ours: large.bytesARow },
    ],
    notes: [
      `The server, for a task: ${numbersText(large.done)}.`,
      ...large.longest.map((statement) => `  ${statement}`),
    ],
  };
}

function workersText(workers: number): string {
  if (workers === 0) return 'one process on SQLite';
  return workers === 1 ? '1 worker' : `${workers} workers`;
}

function numbersText(numbers: Readonly<Record<string, number>>): string {
  return Object.entries(numbers)
    .map(([name, value]) => `${name} ${value.toFixed(value < 10 ? 1 : 0)}`)
    .join(', ');
}
