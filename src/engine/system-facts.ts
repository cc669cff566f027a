/** What somebody who helps needs to know about this machine and the log, without a store or an engine. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import os from 'node:os';

const MIB = 1024 * 1024;
const TAIL_BYTES = 64 * 1024;
const TAIL_LINES = 200;

/** The machine and its versions, in numbers and in names that do not come from the user. */
export function systemFacts(): Readonly<Record<string, string | number | undefined>> {
  const { node, electron, chrome, v8 } = process.versions as Readonly<Record<string, string | undefined>>;
  return {
    platform: process.platform,
    release: os.release(),
    architecture: process.arch,
    processors: os.cpus().length,
    'memory in MiB': Math.round(os.totalmem() / MIB),
    'free memory in MiB': Math.round(os.freemem() / MIB),
    'hours since start': Math.round(os.uptime() / 3600),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    Node: node,
    Electron: electron,
    Chrome: chrome,
    V8: v8,
  };
}

/** The last lines of a log; none if it cannot be read. */
export function logTail(file: string): readonly string[] {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    const { size } = fstatSync(handle);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = readSync(handle, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.toString('utf8', 0, read).split('\n');
    // The first line may have lost its beginning.
    return (size > bytes.length ? lines.slice(1) : lines).filter((line) => line !== '').slice(-TAIL_LINES);
  } catch {
    return [];
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
