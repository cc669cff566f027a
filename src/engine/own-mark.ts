/** Names of unfinished files say whose they are, so that what a killed process has left is found, and removed. */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const UUID = String.raw`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`;
/** A mark, or its unique number alone, as earlier versions had it. */
const UNIQUE = String.raw`(?:[0-9a-f]{8}-\d+-)?${UUID}`;
/** A whole name, to its end: dates begin like a mark, too. */
const MARK = new RegExp(String.raw`^[0-9a-f]{8}-\d+-${UUID}$`, 'u');
/** As earlier versions named folders. So short an ending may be somebody's word: only this machine's are known by it. */
const SHORT_MARK = /^(?<host>[0-9a-f]{8})-\d+-[0-9A-Za-z]{6}$/u;
/** An older part from another machine belongs to nobody: no file takes this long to write. */
const DEAD_AFTER_MS = 24 * 3_600_000;

const START = 'nocturne.start';

/** What tells this process from an earlier one of its number. Threads that are started from then on have it, too. */
export function ownStart(): string {
  const known = getEnvironmentData(START);
  if (typeof known === 'string') return known;
  const made = randomUUID().slice(0, 8);
  setEnvironmentData(START, made);
  return made;
}

/** A name, which nothing else has, for something unfinished; it says whose it is: machine, process, start. */
export function ownMark(): string {
  const start = ownStart();
  return `${machine()}-${process.pid}-${start}${randomUUID().slice(start.length)}`;
}

/** A hidden name for an unfinished file beside its place: short, and no other writer's. */
export function ownPartName(): string {
  return unfinishedName('', '.nocturne-part');
}

/** A hidden name, which nothing else has, for an unfinished file. */
export function unfinishedName(begin: string, ending: string): string {
  return `.${begin}${ownMark()}${ending}`;
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
  const isMark = MARK.test(mark) || SHORT_MARK.exec(mark)?.groups?.['host'] === machine();
  return isMark && isDead(path, mark);
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
  const [host, pid, unique] = name.split('-');
  // A copy may have its source's time, however new it is: what this process writes is known by its name alone.
  if (host === machine() && Number(pid) === process.pid && unique === ownStart()) return false;
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

/** This many characters distinguish a worker from all others that ever shared a media folder with it. */
const MARK_LENGTH = 12;

/** What marks the parts of a worker in a media folder: digits and letters derived from its name. */
export function workerMark(holder: string): string {
  return createHash('sha256').update(holder).digest('hex').slice(0, MARK_LENGTH);
}
