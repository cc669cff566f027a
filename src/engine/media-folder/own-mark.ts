/** Marks in the names of unfinished files, which say whose they are: what a killed process has left is found by them. */
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { diskErrorCode } from './disk-failure.ts';

/** Machine, process, and whatever follows. */
const MARK = /^[0-9a-f]{8}-\d+-/u;
/** An older part from another machine belongs to nobody: no file takes this long to write. */
const DEAD_AFTER_MS = 24 * 3_600_000;

/** The beginning of the name of something unfinished, which says whose it is. */
export function ownMark(): string {
  return `${machine()}-${process.pid}-`;
}

/** True for what a killed process has left. `mark`: the name from the mark on. */
export async function isLeftOver(path: string, mark: string): Promise<boolean> {
  return MARK.test(mark) && isDead(path, mark);
}

function machine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
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
    return diskErrorCode(error) !== 'EPERM';
  }
}
