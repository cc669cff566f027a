import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

const interruption = new AbortController();

/** Ends every child, and lets no other begin: code that waits for one gets an exception, and cleans up. */
export function interrupt(): void {
  interruption.abort();
}

/** Throws if the user has interrupted the bench. */
export function throwIfInterrupted(): void {
  interruption.signal.throwIfAborted();
}

export interface ChildOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program to its end, and returns the last line that it printed. Rejects if it fails. */
export async function lastLineOf(
  program: string,
  args: readonly string[],
  options: ChildOptions = {},
): Promise<string> {
  const { child, lines, ended } = start(program, args, options);
  let last = '';
  for await (const line of lines) last = line;
  await ended;
  throwIfInterrupted();
  if (child.exitCode !== 0)
    throw new Error(`${program} ${args[0] ?? ''} ended with ${child.exitCode ?? child.signalCode}`);
  return last;
}

/** Runs a server during `work`, which gets the first line that it printed, and its process id. */
export async function withServer<T>(
  program: string,
  args: readonly string[],
  work: (line: string, pid: number) => Promise<T>,
): Promise<T> {
  const { child, lines, ended } = start(program, args, {});
  try {
    for await (const line of lines) return await work(line, child.pid ?? 0);
    throw new Error('The server did not start.');
  } finally {
    child.kill();
    await ended;
  }
}

function start(program: string, args: readonly string[], { cwd, env }: ChildOptions) {
  throwIfInterrupted();
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal: interruption.signal,
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
  });
  return { child, lines: createInterface({ input: child.stdout }), ended: endOf(child) };
}

/** Resolves when the process is gone, whatever the reason: only then can its files be removed. */
function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('error', () => undefined);
    // A program that could not be started emits only `close`.
    for (const event of ['exit', 'close']) child.once(event, () => resolve());
  });
}
