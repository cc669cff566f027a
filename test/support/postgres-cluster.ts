/**
 * A throw-away PostgreSQL for all tests of a run, started by the first test that asks for it. Its files are in memory where
 * there is some, and its commits are synced all the same, as the store insists.
 */
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const LOCATION = 'NOCTURNE_TEST_POSTGRES';
const PREFIX = 'nocturne-postgres-';
const MEMORY = '/dev/shm';
/** The socket has a name of its own in the folder, and the port is none that is listened to. */
const SOCKET_PORT = 5432;
/** Debian's are outside the path; another system's are on it. */
const PROGRAMS = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1) ?? '';

/** Says where the cluster of this run will be; called before the first test. */
export function setup(): void {
  const base = existsSync(MEMORY) ? MEMORY : tmpdir();
  for (const name of readdirSync(base).filter((one) => one.startsWith(PREFIX))) {
    // Left by a run that was killed.
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
    // Whoever makes the folder starts the cluster; others wait for it.
    if (waited === 0 && madeHere(folder)) {
      startCluster(folder);
      writeFileSync(ready, '');
    } else if (waited > 600) throw new Error(`Nobody has started PostgreSQL in ${folder}: see its log there.`);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  return folder;
}

/** Makes a cluster in a folder and starts it: throws if PostgreSQL is not installed. */
export function startCluster(folder: string, settings: readonly string[] = []): void {
  if (isRoot()) chownSync(folder, ...ids());
  const data = path.join(folder, 'data');
  asPostgres(
    folder,
    'initdb',
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  );
  startServer(folder, settings);
}

/** Starts the server of a cluster, also after it was killed. */
export function startServer(folder: string, settings: readonly string[] = []): void {
  const options = [
    `-c unix_socket_directories=${folder}`,
    `-c port=${SOCKET_PORT}`,
    "-c listen_addresses=''",
    '-c max_connections=200',
    '-c shared_buffers=64MB',
    ...settings.map((setting) => `-c ${setting}`),
  ];
  const log = path.join(folder, 'log');
  asPostgres(folder, 'pg_ctl', '-D', path.join(folder, 'data'), '-w', '-l', log, '-o', options.join(' '), 'start');
}

/** Ends a server at once, as a power cut would. */
export function killServer(folder: string): void {
  asPostgres(folder, 'pg_ctl', '-D', path.join(folder, 'data'), '-m', 'immediate', '-w', 'stop');
}

export function stopCluster(folder: string): void {
  if (existsSync(path.join(folder, 'data/postmaster.pid'))) killServer(folder);
  rmSync(folder, { recursive: true, force: true });
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

/** PostgreSQL refuses to run as root. */
function asPostgres(folder: string, program: string, ...args: readonly string[]): void {
  const [uid, gid] = isRoot() ? ids() : [undefined, undefined];
  const done = spawnSync(path.join(PROGRAMS, program), args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    ...(uid === undefined || gid === undefined ? {} : { uid, gid }),
  });
  if (done.status === 0) return;
  throw new Error(`${program}: ${done.error?.message ?? done.stderr} (npm run setup installs PostgreSQL)`);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function ids(): [uid: number, gid: number] {
  const id = (flag: string): number => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  return [id('-u'), id('-g')];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
