/**
 * A throw-away PostgreSQL for all tests of a run, started by the first test that asks for it. Its files are in memory
 * if there is enough, and its commits are synced all the same, because the store insists on it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import {
  killServer as killPrivateServer,
  removePostgres,
  startOf,
  startPostgres,
  startServer as startPrivateServer,
} from '../../src/cli/fleet/demo/private-postgres.ts';
import type { Result } from '../../src/shared/domain/base/result.ts';

const LOCATION = 'NOCTURNE_TEST_POSTGRES';
const PREFIX = 'nocturne-postgres-';
const MEMORY = '/dev/shm';
const ENDS_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;

/** Says where the cluster of this run will be; called before the first test. */
export function setup(): void {
  const base = existsSync(MEMORY) ? MEMORY : tmpdir();
  for (const name of readdirSync(base).filter((one) => one.startsWith(PREFIX))) {
    // This cluster was left by a run that was killed.
    if (!isAlive(Number(name.slice(PREFIX.length)))) stopCluster(path.join(base, name));
  }
  process.env[LOCATION] = path.join(base, `${PREFIX}${process.pid}`);
}

/** Stops it, if a test has started it. */
export function teardown(): void {
  const folder = process.env[LOCATION];
  if (folder !== undefined) stopCluster(folder);
}

/** The folder with the socket of the cluster, which is started if nobody has done that yet. */
export function clusterSocket(): string {
  const folder = process.env[LOCATION];
  if (folder === undefined) throw new Error('The run of tests has not been set up.');
  const ready = path.join(folder, 'ready');
  for (let waited = 0; !existsSync(ready); waited += 1) {
    // The process that makes the folder starts the cluster; others wait for it.
    if (waited === 0 && madeHere(folder)) {
      startCluster(folder);
      writeFileSync(ready, '');
    } else if (waited > 600) throw new Error(`Nobody has started PostgreSQL in ${folder}: see its log there.`);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  return folder;
}

/** Makes a cluster in a folder and starts it: throws if PostgreSQL is not installed. */
export function startCluster(folder: string, settings?: readonly string[]): void {
  valueOf(startPostgres(folder, settings));
}

/** Starts the server of a cluster, even after it was killed. */
export function startServer(folder: string, settings?: readonly string[]): void {
  valueOf(startPrivateServer(folder, settings));
}

/**
 * The same beside other work of this process. If the server was hit a moment ago, this waits until it has ended,
 * because nobody may take its lock before: ending takes up to five seconds, and then the process that adopts orphans
 * has to notice. Its own children may need another moment.
 */
export async function startServerMeanwhile(folder: string): Promise<void> {
  const end = performance.now() + ENDS_WITHIN_MS;
  const old = postmasterOf(folder);
  const isEnding = (): boolean => old !== undefined && isAlive(old) && performance.now() < end;
  while (isEnding()) await setTimeout(LOOK_EVERY_MS);
  for (;;) {
    const { file, args, options } = valueOf(startOf(folder, []));
    const child = spawn(file, args, { ...options, stdio: 'ignore' });
    const [status] = (await once(child, 'close')) as [number | null];
    if (status === 0) return;
    if (performance.now() > end) {
      const log = readFileSync(path.join(folder, 'log'), 'utf8').slice(-2_000);
      throw new Error(`The server did not start again: ${log}`);
    }
    await setTimeout(LOOK_EVERY_MS);
  }
}

/** Ends a server at once, and waits for nothing; `crash`: as if its process had a fault. */
export function hitServer(folder: string, how: 'immediate' | 'crash'): void {
  const pid = postmasterOf(folder);
  if (pid === undefined) throw new Error(`No server runs in ${folder}.`);
  process.kill(pid, how === 'crash' ? 'SIGKILL' : 'SIGQUIT');
}

/** Makes a user of a running cluster who needs a password, which the others do not. */
export async function letIn(folder: string, user: string, password: string): Promise<void> {
  const rules = path.join(folder, 'data/pg_hba.conf');
  writeFileSync(rules, `local all ${user} scram-sha-256\n${readFileSync(rules, 'utf8')}`);
  const client = new pg.Client({ host: folder, user: 'postgres', database: 'postgres' });
  await client.connect();
  await client.query(`CREATE ROLE ${user} LOGIN SUPERUSER PASSWORD ${client.escapeLiteral(password)}`);
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}

/** Ends a server at once, as a power cut would. */
export function killServer(folder: string): void {
  valueOf(killPrivateServer(folder));
}

export function stopCluster(folder: string): void {
  removePostgres(folder);
}

function valueOf<T>(result: Result<T, string>): T {
  if (!result.ok) throw new Error(`${result.error} (npm run setup installs PostgreSQL)`);
  return result.value;
}

/** The process of a server, as the server itself has noted it; undefined once it has ended in order. */
function postmasterOf(folder: string): number | undefined {
  const file = path.join(folder, 'data/postmaster.pid');
  if (!existsSync(file)) return undefined;
  const [pid = ''] = readFileSync(file, 'utf8').split('\n');
  return Number(pid);
}

function madeHere(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o755 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
