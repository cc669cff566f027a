/**
 * A private PostgreSQL server for a while: in a folder that nobody else may read, on a socket there, and on no port.
 * For root, it runs as the user `postgres`, because PostgreSQL refuses root.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, globSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { err, ok, present, type Result } from '../../../shared/domain/base/result.ts';

/** Only part of the socket's name in the folder: no server listens on this port. */
const SOCKET_PORT = 5432;
/** Where Debian and Red Hat keep the programs, outside the path; on other systems they are on it. */
const PROGRAMS = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin'];

/** Makes a cluster in an empty folder, by its absolute path, and starts it. The error is for the user. */
export function startPostgres(folder: string, settings: readonly string[] = []): Result<void, string> {
  const user = ownerOf();
  if (!user.ok) return user;
  if (user.value !== undefined) chownSync(folder, ...user.value);
  chmodSync(folder, 0o700);
  const data = path.join(folder, 'data');
  const made = run(
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
  return made.ok ? startServer(folder, settings) : made;
}

/** Starts the server of a cluster, also after it was killed. */
export function startServer(folder: string, settings: readonly string[] = []): Result<void, string> {
  const start = startOf(folder, settings);
  return start.ok ? carriedOut(start.value) : start;
}

/** The command that starts the server of a cluster, for callers that run it in their own way. */
export function startOf(folder: string, settings: readonly string[]): Result<ServerCommand, string> {
  const options = [
    `-c unix_socket_directories=${folder}`,
    `-c port=${SOCKET_PORT}`,
    "-c listen_addresses=''",
    '-c max_connections=200',
    '-c shared_buffers=64MB',
    // Shared memory is in the folder, so that nothing of a killed server outlives the folder.
    '-c dynamic_shared_memory_type=mmap',
    ...settings.map((setting) => `-c ${setting}`),
  ];
  const log = path.join(folder, 'log');
  const data = path.join(folder, 'data');
  return commandIn(folder, 'pg_ctl', ['-D', data, '-w', '-l', log, '-o', options.join(' '), 'start']);
}

/** Ends a server at once, as a power cut would. */
export function killServer(folder: string): Result<void, string> {
  return run(folder, 'pg_ctl', '-D', path.join(folder, 'data'), '-m', 'immediate', '-w', 'stop');
}

/** Ends the server, if it runs, and removes everything that it had. */
export function removePostgres(folder: string): void {
  const lock = path.join(folder, 'data/postmaster.pid');
  if (existsSync(lock)) killServer(folder);
  // If the file is still there, the server did not end in order, and the memory that it names no longer belongs to
  // anybody.
  if (existsSync(lock)) {
    const [, memory = ''] = /^ *\d+ +(\d+)$/mu.exec(readFileSync(lock, 'utf8')) ?? [];
    spawnSync('ipcrm', ['-m', memory], { stdio: 'ignore' });
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Whether a folder is one that only this user could have made for a server, in a place where everybody may write. */
export function isPostgresOfUser(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  const user = ownerOf();
  const isOurs = uid === process.getuid?.() || (user.ok && uid === user.value?.[0]);
  return isOurs && (mode & 0o077) === 0;
}

/** The address of a store in it. */
export function addressIn(folder: string, schema: string): string {
  return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}&schema=${schema}`;
}

function run(folder: string, program: string, ...args: readonly string[]): Result<void, string> {
  const command = commandIn(folder, program, args);
  return command.ok ? carriedOut(command.value) : command;
}

/** A PostgreSQL program with its arguments, and where and as which user it runs. */
export interface ServerCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: { readonly cwd: string; readonly uid?: number; readonly gid?: number };
}

function commandIn(cwd: string, program: string, args: readonly string[]): Result<ServerCommand, string> {
  const user = ownerOf();
  if (!user.ok) return user;
  const [uid, gid] = user.value ?? [];
  const file = path.join(globSync(PROGRAMS).toSorted().at(-1) ?? '', program);
  return ok({ file, args, options: { cwd, ...present({ uid, gid }) } });
}

function carriedOut({ file, args, options }: ServerCommand): Result<void, string> {
  const done = spawnSync(file, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  if (done.status === 0) return ok(undefined);
  return err(`${path.basename(file)}: ${done.error?.message ?? done.stderr.trim()}`);
}

/** The user that the cluster belongs to, if that is not the user who runs this. */
function ownerOf(): Result<readonly [uid: number, gid: number] | undefined, string> {
  if (process.getuid?.() !== 0) return ok(undefined);
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout || Number.NaN),
  );
  if (uid === undefined || gid === undefined || Number.isNaN(uid) || Number.isNaN(gid))
    return err('There is no user postgres here.');
  return ok([uid, gid]);
}
