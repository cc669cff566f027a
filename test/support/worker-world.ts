import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { StoreAddress } from '../../src/engine/store/postgres/store-address.ts';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { CLI_SPEED } from './built-cli.ts';
import { startObservedGateway, type ObservedGateway } from './observed-gateway.ts';
import { postgresAddress, postgresUrl } from './postgres.ts';
import { startCli, type CliEnd, type RunningCli } from './run-cli.ts';
import { temporaryFolder } from './temporary-folder.ts';

const KEYS = { main: 'canary-key-main-41c0', spare: 'canary-key-spare-9f27' } as const;
type Name = keyof typeof KEYS;
/** Leases end by the server's clock, which no test hurries. */
const REAL_TIME = { [CLI_SPEED]: '1' };

/** Two gateways, and the processes that work on the store between them. */
export interface WorkerWorld {
  readonly main: ObservedGateway;
  readonly spare: ObservedGateway;
  /** Starts a worker that has these accounts' keys; without accounts, one whose key is for none of the batches. */
  readonly worker: (name: string, lease: number, accounts?: readonly Name[], ...more: readonly string[]) => RunningCli;
  /** Starts a run of this many rows. */
  readonly run: (rows: number, ...more: readonly string[]) => RunningCli;
  /** The same with songs; a worker fetches two of them at once. */
  readonly runSongs: (rows: number) => RunningCli;
  readonly tell: (...args: readonly string[]) => Promise<CliEnd>;
  readonly submits: () => number;
  /** What was paid for, as hashes of what was sent. */
  readonly paid: () => readonly string[];
  readonly statuses: () => Promise<Readonly<Record<string, number>>>;
  /** The media folder. */
  readonly out: string;
  /** The store. */
  readonly address: StoreAddress;
}

async function gatewayOf(name: Name, behaviour: BehaviourInput): Promise<ObservedGateway> {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' }, ...behaviour },
    acceptKey: (key) => key === KEYS[name],
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  return started.value;
}

/** Two gateways with an account at each, and a store on a server. */
export async function workerWorld(behaviour: BehaviourInput = {}): Promise<WorkerWorld> {
  const [main, spare] = [await gatewayOf('main', behaviour), await gatewayOf('spare', behaviour)];
  const dir = temporaryFolder();
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text, { mode: 0o600 });
    return path.join(dir, name);
  };
  const store = postgresUrl(dir);
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const profileOf = (name: Name, { baseUrl }: ObservedGateway): string =>
    file(
      `${name}.json`,
      JSON.stringify({
        name,
        baseUrl,
        status: { musicgen: status },
        limits: { requestsPerSecond: 20, activePerFamily: { musicgen: 5 }, downloads: 2 },
      }),
    );
  const accounts = ['--account', `main=${profileOf('main', main)}`, '--account', `spare=${profileOf('spare', spare)}`];
  for (const [name, key] of Object.entries(KEYS)) file(`${name}.key`, key);
  const started: RunningCli[] = [];
  onTestFinished(async () => {
    for (const { process } of started) process.kill('SIGKILL');
    await Promise.all(started.map(({ ended }) => ended));
  });
  const start = (machine: string, args: readonly string[]): RunningCli => {
    const cli = startCli([...args, '--store', store, '--data', path.join(dir, machine)], REAL_TIME);
    started.push(cli);
    return cli;
  };
  const out = path.join(dir, 'out');
  const run = (operation: string, rows: number, more: readonly string[]): RunningCli => {
    const lines = Array.from({ length: rows }, (_, i) => `r${i},${operation},a song about ${i}`);
    const sheet = file('s.csv', `row,operation,prompt\n${lines.join('\n')}\n`);
    return start('desk', ['run', sheet, '--out', out, '--no-canary', ...accounts, ...more]);
  };
  return {
    main,
    spare,
    worker: (name, lease, held = ['main', 'spare'], ...more) =>
      start(name, [
        'worker',
        '--json',
        '--name',
        name,
        '--lease',
        String(lease),
        ...(held.length > 0 ? [] : ['--account-key', `of-no-batch=${path.join(dir, 'main.key')}`]),
        ...held.flatMap((account) => ['--account-key', `${account}=${path.join(dir, `${account}.key`)}`]),
        ...more,
      ]),
    run: (rows, ...more) => run('lyrics', rows, more),
    runSongs: (rows) => run('music', rows, []),
    tell: (...args) => start('desk', args).ended,
    submits: () => main.stats().submits + spare.stats().submits,
    paid: () => [main, spare].flatMap((gateway) => gateway.chargeLog().map(({ bodySha256 }) => bodySha256)),
    statuses: async () => {
      const said = await start('desk', ['status', '--json']).ended;
      const [batch] = JSON.parse(said.stdout) as readonly {
        readonly tasks: Readonly<Record<string, Readonly<Record<string, number>>>>;
      }[];
      return batch?.tasks['musicgen'] ?? {};
    },
    out,
    address: postgresAddress(dir),
  };
}
