/** Runs ffmpeg and its like on a file: no shell, no environment, an end in time, and output that cannot grow. */
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { constants as systemConstants, setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../ports.ts';

/** More than any sound file makes it say; what says more is ended. */
const MAX_OUTPUT_BYTES = 64 << 20;
/** A longer line is nothing that is looked for. */
const MAX_LINE = 4096;
/** The file, as the number that the program finds it open under. */
const FILE_FD = 3;
/** Where programs are that a desktop does not put into PATH. */
const USUAL_FOLDERS = process.platform === 'win32' ? [] : ['/usr/local/bin', '/opt/homebrew/bin', '/usr/bin'];
/** What a program needs to start; no key, no proxy, nothing that makes it write a report. */
const ENVIRONMENT: ReadonlySet<string> = new Set(['SystemRoot', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']);

/** The absolute path of a program of this machine; undefined if there is none. */
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
 * What the program opens: the file that is open already, so that it sees neither its name nor another file that has taken
 * its place. Windows has no such names, and its file names hold nothing that a line could break at.
 */
export function inputAddressOf(file: OpenedFile): string {
  return process.platform === 'win32' ? `file:${file.path}` : `file:/dev/fd/${FILE_FD}`;
}

/** What is run, on which file, and who reads what it says. */
export interface ProgramRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly file?: OpenedFile;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer) => void;
  /** Gets what it says about its work, line by line. */
  readonly onLine: (line: string) => void;
}

/** How a run ended: with a code; or why not by itself. */
export type MediaProgramEnd =
  | { readonly kind: 'ended'; readonly code: number }
  | { readonly kind: 'late' | 'failed' | 'stopped' };

/** Runs it to its end. Never rejects; a signal ends it at once. */
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
      // Else its end is that of whatever it has started itself, which may hold them open for ever.
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

/** Measuring waits for everything else that the machine does. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, systemConstants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or may not be changed.
  }
}

/** Lines of a stream, of which one too long is left out. */
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
