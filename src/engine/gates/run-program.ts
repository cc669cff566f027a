/** Runs ffmpeg and its like on a file: no shell, no environment, a time limit, and bounded output. */
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { constants as systemConstants, setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../ports/base.ts';

/** More output than any sound file causes; a program that prints more is ended. */
const MAX_OUTPUT_BYTES = 64 << 20;
/** No line that is looked for is longer. */
const MAX_LINE = 4096;
/** The number under which the program finds the file open. */
const FILE_FD = 3;
/** Where to find programs that a desktop does not put into PATH. */
const USUAL_FOLDERS = process.platform === 'win32' ? [] : ['/usr/local/bin', '/opt/homebrew/bin', '/usr/bin'];
/** What a program needs to start; no key, no proxy, nothing that makes it write a report. */
const ENVIRONMENT: ReadonlySet<string> = new Set(['SystemRoot', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']);

/** The absolute path of a program on this machine; undefined if there is none. */
export function findProgram(name: string, searched = process.env['PATH'] ?? ''): string | undefined {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  const folders = [...searched.split(path.delimiter), ...USUAL_FOLDERS].filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, file)).find(isRunnable);
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A file that is open, and its path. */
export interface OpenedFile {
  readonly fd: number;
  readonly path: string;
}

/**
 * What the program opens: the file that is open already, so that it sees neither the file's name nor another file that
 * has taken its place. Windows has no such names for open files, and its file names contain nothing that could break a
 * line.
 */
export function inputAddressOf(file: OpenedFile): string {
  return process.platform === 'win32' ? `file:${file.path}` : `file:/dev/fd/${FILE_FD}`;
}

/** What is run, on which file, and who reads its output. */
export interface ProgramRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly file?: OpenedFile;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer) => void;
  /** Receives what the program says about its work, line by line. */
  readonly onLine: (line: string) => void;
}

/** How a run ended: with a code, or why it was ended. */
export type MediaProgramEnd =
  | { readonly kind: 'ended'; readonly code: number }
  | { readonly kind: 'late' | 'failed' | 'stopped' };

/** Runs the program to its end. Never rejects; a signal ends the program at once. */
export function runMediaProgram(run: ProgramRun, clock: Clock): Promise<MediaProgramEnd> {
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(run.program, run.args, {
        stdio: [
          'ignore',
          'pipe',
          'pipe',
          ...(run.file === undefined || process.platform === 'win32' ? [] : [run.file.fd]),
        ],
        env: Object.fromEntries(Object.entries(process.env).filter(([name]) => ENVIRONMENT.has(name))),
        cwd: tmpdir(),
        windowsHide: true,
      });
    } catch {
      resolve({ kind: 'failed' });
      return;
    }
    let ended: MediaProgramEnd | undefined;
    const end = (kind: 'late' | 'failed' | 'stopped'): void => {
      ended ??= { kind };
      child.kill('SIGKILL');
      // Otherwise the run ends only with whatever the program has started itself, which may hold these open for ever.
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const cancel = clock.setTimer(run.limitMs, () => end('late'));
    const onAbort = (): void => end('stopped');
    run.signal.addEventListener('abort', onAbort, { once: true });
    let bytes = 0;
    const count = (chunk: Buffer): boolean => {
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT_BYTES) end('failed');
      return ended === undefined;
    };
    child.stdout?.on('data', (chunk: Buffer) => {
      if (count(chunk)) run.onOutput(chunk);
    });
    const lines = new Lines(run.onLine);
    child.stderr?.on('data', (chunk: Buffer) => {
      if (count(chunk)) lines.add(chunk);
    });
    const settle = (how: MediaProgramEnd): void => {
      cancel();
      run.signal.removeEventListener('abort', onAbort);
      lines.end();
      resolve(ended ?? how);
    };
    child.once('error', () => settle({ kind: 'failed' }));
    child.once('close', (code) => settle(code === null ? { kind: 'failed' } : { kind: 'ended', code }));
    lowerPriority(child);
    if (run.signal.aborted) onAbort();
  });
}

/** Measuring gives way to everything else that the machine does. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, systemConstants.priority.PRIORITY_LOW);
  } catch {
    // The program has ended already, or its priority may not be changed.
  }
}

/** The lines of a stream; any that is too long is left out. */
export class Lines {
  readonly #onLine: (line: string) => void;
  #rest = '';
  #isTooLong = false;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(chunk: Buffer): void {
    const parts = chunk.toString('latin1').split(/\r\n|\n|\r/u);
    for (const [at, part] of parts.entries()) {
      if (at > 0) this.end();
      this.#isTooLong ||= this.#rest.length + part.length > MAX_LINE;
      this.#rest = this.#isTooLong ? '' : this.#rest + part;
    }
  }

  end(): void {
    if (!this.#isTooLong && this.#rest !== '') this.#onLine(this.#rest);
    this.#rest = '';
    this.#isTooLong = false;
  }
}
