/** What the process says when it ends; a contract with scripts (see the README). */
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

/** An expected end of a command: a message that says what, where and what to do, and the code to end with. */
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
