/** How a command ends: its exit code, and its message if it ends early. */
import { CommanderError } from 'commander';
import { StoreWriteError, type StoreProblem } from '../engine/store/open/store-problem.ts';
import { print } from './console.ts';

/** Exit codes; a contract with scripts. */
export const EXIT = {
  done: 0,
  bug: 1,
  usage: 2,
  failedRows: 3,
  waitsForUser: 4,
  paused: 5,
  storeOwned: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What the help says of each exit code. */
const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'every row done and verified',
  bug: 'a bug',
  usage: 'wrong usage, or an invalid sheet or profile (nothing was sent)',
  failedRows: 'ended with failed rows, or rows that are wrong in the sheet',
  waitsForUser: 'rows wait for your decision',
  paused: 'paused (auth, balance, limit, fuse, disk)',
  storeOwned: 'another process owns the store',
  interrupted: 'interrupted, everything kept',
};

/** The exit codes and what they mean, for the help: a line for each. */
export function exitCodesInHelp(): string {
  return (Object.keys(EXIT) as (keyof typeof EXIT)[])
    .map((name) => `  ${String(EXIT[name]).padEnd(3)}  ${EXIT_MEANINGS[name]}`)
    .join('\n');
}

/** An expected end of a command: a message that says what, where and what to do, and the exit code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;
  readonly remedy: string;

  constructor(exitCode: ExitCode, message: string, remedy: string) {
    super(message);
    this.exitCode = exitCode;
    this.remedy = remedy;
  }
}

/** The end of a command that was called wrongly, or given something that it cannot use: nothing was sent. */
export function wrongUsage(message: string, remedy: string): CommandFailure {
  return new CommandFailure(EXIT.usage, message, remedy);
}

/** The end of a command because of its store: it cannot be opened, or no longer answers. */
export function refusedBy({ kind, message, remedy }: StoreProblem): CommandFailure {
  return new CommandFailure(kind === 'owned' ? EXIT.storeOwned : EXIT.usage, message, remedy);
}

/** The expected end that an error stands for; undefined for a bug. */
export function expectedEnd(error: unknown): CommandFailure | undefined {
  if (error instanceof StoreWriteError) return refusedBy(error.problem);
  return error instanceof CommandFailure ? error : undefined;
}

/** Turns an early end into its exit code: help and wrong usage (already printed), an expected failure, or a bug. */
export function endOf(error: unknown, json: boolean): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const expected = expectedEnd(error);
  if (expected !== undefined) {
    const { message, remedy, exitCode } = expected;
    if (json) print(process.stdout, `${JSON.stringify({ event: 'error', message, remedy, exitCode })}\n`);
    print(process.stderr, `error: ${message}\n    → ${remedy}\n`);
    return exitCode;
  }
  print(
    process.stderr,
    `This is a bug in Nocturne. Please report it:\n${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return EXIT.bug;
}
