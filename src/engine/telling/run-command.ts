/** Runs the user's own program with a message or a file: no shell, a time limit. */
import { spawn, type ChildProcess } from 'node:child_process';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import type { Clock } from '../ports/base.ts';

const LIMIT_MS = 30_000;
const ERROR_BYTES = 4096;
const ERROR_CHARACTERS = 200;

/** What the program must not inherit: keys and secrets of Nocturne's own. */
const OWN_SECRETS = new Set([
  'NOCTURNE_AI_KEY',
  'NOCTURNE_NTFY_TOKEN',
  'NOCTURNE_WEBHOOK_SECRET',
  'NOCTURNE_FILES_PASSWORD',
  'NOCTURNE_STORE',
  'PGPASSWORD',
]);

export interface CommandInput {
  readonly argv: readonly string[];
  /** Variables besides those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to its standard input. */
  readonly input: string;
  /** The program is ended after this time; 30 s by default. */
  readonly limitMs?: number;
  /** How much of what it prints is kept; by default nothing. */
  readonly outputBytes?: number;
  /** Ends the program earlier. */
  readonly signal?: AbortSignal;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly isOk: boolean;
  /** Such as `ended with code 3: no such bucket`: it follows the program’s name. */
  readonly said: Reason;
  readonly output: string;
  /** False if it could not even be started. */
  readonly wasStarted: boolean;
}

/**
 * What the program leaves running in the background may hold its output open: the rest is awaited no longer than this.
 */
const OUTPUT_GRACE_MS = 1000;

/** The variables of this process, without its keys and secrets: for any program that it starts. */
export function environmentWithoutSecrets(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN_SECRETS.has(name.toUpperCase())));
}

/** Runs the program and says how it ended. Never rejects. */
export function runProgramWith(
  { argv, env, input, limitMs = LIMIT_MS, outputBytes = 0, signal }: CommandInput,
  clock: Clock,
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const [program = '', ...args] = argv;
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        stdio: ['pipe', outputBytes > 0 ? 'pipe' : 'ignore', 'pipe'],
        env: { ...environmentWithoutSecrets(), ...env },
        windowsHide: true,
        // A group of its own, so that what it has started ends with it.
        detached: process.platform !== 'win32',
      });
    } catch (error) {
      resolve({ isOk: false, said: notStarted(error), output: '', wasStarted: false });
      return;
    }
    let errors = '';
    let output = '';
    let isLate = false;
    const cancel = clock.setTimer(limitMs, () => {
      isLate = true;
      endGroup(child);
    });
    const stop = (): void => endGroup(child);
    signal?.addEventListener('abort', stop, { once: true });
    const settle = (isOk: boolean, said: Reason, wasStarted = true): void => {
      cancel();
      signal?.removeEventListener('abort', stop);
      const end = (): void => {
        cancelGrace();
        child.stderr?.destroy();
        child.stdout?.destroy();
        resolve({ isOk, said, output, wasStarted });
      };
      const isRead = child.stdout === null || child.stdout.readableEnded || !isOk;
      const cancelGrace = isRead ? (): void => undefined : clock.setTimer(OUTPUT_GRACE_MS, end);
      if (isRead) end();
      else child.stdout?.once('end', end);
    };
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(0, outputBytes);
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      errors = (errors + chunk).slice(0, ERROR_BYTES);
    });
    child.once('error', (error) => settle(false, notStarted(error), false));
    // Not `close`: what it leaves running in the background may hold its output open.
    child.once('exit', (code, signal) => {
      if (isLate) settle(false, reason('program.late', limitMs / 1000));
      else if (code === 0) settle(true, reason('program.well'));
      else settle(false, endedBy(code, signal, lastLine(errors)));
    });
    // A program that does not read its input has closed it before us.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

function endGroup(child: ChildProcess): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

function endedBy(code: number | null, signal: string | null, says: string): Reason {
  return code === null ? reason('program.signal', String(signal), says) : reason('program.code', String(code), says);
}

function notStarted(error: unknown): Reason {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === 'ENOENT') return reason('program.notThere');
  if (code === 'EACCES') return reason('program.noProgram');
  return reason('program.notStarted', code ?? '');
}

function lastLine(errors: string): string {
  const last = errors.trim().split('\n').at(-1) ?? '';
  return visibleLine(last, ERROR_CHARACTERS);
}
