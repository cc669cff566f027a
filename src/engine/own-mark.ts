/** Names of unfinished files say whose they are, so that what a killed process has left is found, and removed. */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Machine, process, and whatever follows. */
const MARK = /^[0-9a-f]{8}-\d+-/u;
/** A mark and a unique number, or that number alone, as earlier versions had it. */
const UNIQUE = String.raw`(?:[0-9a-f]{8}-\d+-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`;
/** An older part from another machine belongs to nobody: no file takes this long to write. */
const DEAD_AFTER_MS = 24 * 3_600_000;

/** The beginning of the name of something unfinished, which says whose it is. */
export function ownMark(): string {
  return `${machine()}-${process.pid}-`;
}

/** A hidden name for an unfinished file beside its place: short, and no other writer's. */
export function ownPartName(): string {
  return unfinishedName('', '.nocturne-part');
}

/** A hidden name, which nothing else has, for an unfinished file. */
export function unfinishedName(begin: string, ending: string): string {
  return `.${begin}${ownMark()}${randomUUID()}${ending}`;
}

/** The names that {@link unfinishedName} makes. Both are sources of regular expressions. */
export function unfinishedNames(begin: string, ending: string): RegExp {
  return new RegExp(String.raw`^\.${begin}(?<mark>${UNIQUE})${ending}$`, 'u');
}

/** Removes the unfinished files with such names from a folder whose writers were killed. */
export async function clearUnfinished(folder: string, names: RegExp): Promise<void> {
  // A folder that cannot be read, or from which such a file cannot be removed, may still accept a new one.
  for (const name of await readdir(folder).catch(() => [])) {
    const mark = names.exec(name)?.groups?.mark;
    const path = join(folder, name);
    if (mark !== undefined && (await isDead(path, mark))) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Such a file, or what SQLite writes beside one. */
const PARTS = unfinishedNames('', String.raw`\.nocturne-part(?:-journal|-wal|-shm)?`);

/** Removes unfinished files of {@link ownPartName} from a folder whose writers were killed. */
export function clearParts(folder: string): Promise<void> {
  return clearUnfinished(folder, PARTS);
}

/** True for what a killed process has left. `mark`: the name from the mark on. */
export async function isLeftOver(path: string, mark: string): Promise<boolean> {
  return MARK.test(mark) && isDead(path, mark);
}

let known: string | undefined;

/** The machine, and the processes that see each other on it: in another container, numbers mean other processes. */
function machine(): string {
  known ??= createHash('sha256')
    .update(JSON.stringify([hostname(), ifThere(() => readFileSync('/etc/machine-id', 'utf8')), ifThere(ownProcesses)]))
    .digest('hex')
    .slice(0, 8);
  return known;
}

function ownProcesses(): string {
  return readlinkSync('/proc/self/ns/pid');
}

function ifThere(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/** Judged by its process, if that ran on this machine. */
async function isDead(path: string, name: string): Promise<boolean> {
  const [host, pid] = name.split('-');
  try {
    const { mtimeMs } = await lstat(path);
    if (host !== machine()) return Date.now() - mtimeMs > DEAD_AFTER_MS;
    // In a container, every process may have the same number.
    if (Number(pid) === process.pid) return mtimeMs < Date.now() - process.uptime() * 1000;
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    // EPERM: a process of another user is alive.
    return !(error instanceof Error && 'code' in error && error.code === 'EPERM');
  }
}
