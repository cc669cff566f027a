/**
 * A server, gateways and workers of its own, and a user's desk: everything that a campaign hits, and a folder for it.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SeededRandom } from '../../../src/gateway-sim/random.ts';
import { startCluster, stopCluster } from '../../support/postgres-cluster.ts';
import { LIMITS, startAccounts, type WatchedAccount } from './accounts.ts';
import { Audit, SCHEMA } from './audit.ts';
import { Worker, type Program } from './workers.ts';

export interface FleetOptions {
  readonly seed: string;
  readonly workers: number;
  readonly accounts: number;
  /** The most requests of a night at the first account. */
  readonly cap?: number;
  readonly leaseSeconds: number;
  readonly program: Program;
}

export interface CommandEnd {
  readonly exitCode: number | null;
  readonly output: string;
}

export interface Fleet {
  readonly dir: string;
  readonly socket: string;
  /** The server is being hit. */
  isServerBusy: boolean;
  readonly audit: Audit;
  readonly accounts: readonly WatchedAccount[];
  readonly workers: readonly Worker[];
  /** The words that name the accounts of a run. */
  readonly accountWords: readonly string[];
  /** Starts a command at the user's desk, which is never hit; `until` ends it earlier, as Ctrl+C does. */
  readonly command: (args: readonly string[], until?: Promise<unknown>) => Promise<CommandEnd>;
}

const MEMORY = '/dev/shm';

/** Starts everything, runs `work`, and leaves nothing behind. */
export async function withFleet<T>(options: FleetOptions, work: (fleet: Fleet) => Promise<T>): Promise<T> {
  const { seed, program } = options;
  const dir = mkdtempSync(path.join(tmpdir(), 'nocturne-fleet-'));
  const socket = mkdtempSync(path.join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'nocturne-fleet-'));
  const capOf = (n: number): number | undefined => (n === 1 ? options.cap : undefined);
  const { accounts, close } = await startAccounts(options.accounts, new SeededRandom(seed).below(2 ** 30), capOf);
  const audit = new Audit(socket);
  const workers: Worker[] = [];
  const desk = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(socket)}&schema=${SCHEMA}`;
  const command = (args: readonly string[], until?: Promise<unknown>): Promise<CommandEnd> =>
    runCommand(program, [...args, '--store', desk, '--data', path.join(dir, 'desk')], until);
  const stop = (): void => {
    for (const { pids } of workers) for (const pid of pids.keys()) killQuietly(pid);
    stopCluster(socket);
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', stop);
  try {
    startCluster(socket);
    const keys = accounts.map(({ name, key }) => `${name}=${written(dir, `${name}.key`, key)}`);
    for (let n = 1; n <= options.workers; n += 1) {
      const name = `w${n}`;
      const dataDir = path.join(dir, name);
      const { leaseSeconds } = options;
      workers.push(
        await Worker.make({
          name,
          program,
          socket,
          keys,
          dataDir,
          leaseSeconds,
        }),
      );
    }
    for (const worker of workers) worker.start();
    await audit.watch().catch((error: unknown) => {
      throw new Error(`No fleet: ${workers.flatMap(({ ownEnds }) => ownEnds).at(-1) ?? ''}`, { cause: error });
    });
    const accountWords = accounts.flatMap((account) => wordsOf(dir, account));
    return await work({ dir, socket, isServerBusy: false, audit, accounts, workers, accountWords, command });
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
    for (const { proxy } of workers) proxy.close();
    await audit.close();
    await close();
    process.off('exit', stop);
    stopCluster(socket);
    rmSync(dir, { recursive: true, force: true });
  }
}

function wordsOf(dir: string, { name, gateway: { baseUrl }, cap }: WatchedAccount): readonly string[] {
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const { requestsPerSecond, places, downloads } = LIMITS;
  const profile = {
    name,
    baseUrl,
    status: { musicgen: status, 'videogen-b': status },
    limits: { requestsPerSecond, activePerFamily: { musicgen: places, 'videogen-b': places }, downloads },
    deadlines: { submitSeconds: 15, pollSeconds: 15 },
  };
  const file = written(dir, `${name}.json`, JSON.stringify(profile));
  const limit = cap === undefined ? [] : ['--account-max-requests', `${name}=${cap}`];
  return ['--account', `${name}=${file}`, ...limit];
}

function written(dir: string, name: string, text: string): string {
  const file = path.join(dir, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

async function runCommand(program: Program, args: readonly string[], until?: Promise<unknown>): Promise<CommandEnd> {
  const child = spawn(process.execPath, [...program.args, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: program.env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  void until?.then(() => child.kill('SIGINT'));
  return new Promise((resolve) => {
    child.on('close', (exitCode) => resolve({ exitCode, output }));
  });
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}
