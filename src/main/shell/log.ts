import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes one line for whoever looks for a cause. Never gets a key, a prompt, or an answer from the gateway. */
export type Log = (level: 'info' | 'warning' | 'error', message: string) => void;

const LOG_MAX_BYTES = 1_048_576;

/** A log in a file; it and its predecessor stay below 2 MiB together. A log that cannot be written stops nothing. */
export function openLog(path: string): Log {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch {
    // The write below meets the same obstacle, and ignores it, too.
  }
  return (level, message) => {
    const line = `${new Date().toISOString()} ${level} ${message.replaceAll(/[\r\n]+/g, ' ⏎ ').slice(0, 4000)}\n`;
    try {
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_MAX_BYTES) renameSync(path, `${path}.1`);
      appendFileSync(path, line, { mode: 0o600 });
    } catch {
      // A full disk must not take the application down.
    }
  };
}

/** What a process wrote about its end, for the log: kinds of errors and places in the code, without any content. */
export function causeWithoutContent(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => /^\s+at .*|^\w*Error\b(?: \[\w+\])?/.exec(line)?.[0].trim() ?? [])
    .join(' ⏎ ');
}
