import type { Decision, TaskStatus } from '../../src/shared/domain/task/task.ts';
import type { CrashPointName } from '../../src/engine/crash-point.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';

/**
 * Places, by name, where the engine can be made to die: its own, and one that the HTTP client itself reports, when the
 * bytes of a POST have been handed to the system and no answer has come.
 */
export type DeathPoint = CrashPointName | 'submit.bytes-left';

/** What a child process is to do; its only argument, as JSON. */
export interface ChildOrder {
  readonly dataDir: string;
  readonly folder: string;
  readonly profile: Profile;
  readonly rows: readonly Row[];
  /** Whether what is unknown is settled at the start of this life, or only when nothing else is left to do. */
  readonly settle: 'at-start' | 'at-end';
  /** The engine's clock runs this many times faster than the real one, counted from `epochMs`. */
  readonly speed: number;
  readonly epochMs: number;
  /** Dies when it passes this point for the `pass`-th time. */
  readonly dieAt?: { readonly point: DeathPoint; readonly pass: number };
  /** The name of the deliberate fault that is put into its code. */
  readonly mutant?: string;
}

/** What a child reports, one JSON document per line, each written before the child goes on. */
export type ChildReport =
  /** The engine is about to open its store. */
  | { readonly kind: 'opening' }
  /** It goes on where the previous life ended. */
  | { readonly kind: 'started'; readonly recovery: Recovery; readonly unknown: readonly string[] }
  /**
   * Submits that have begun and whose answers are not committed: reported before each begins and after each has ended.
   */
  | { readonly kind: 'in-flight'; readonly count: number }
  /** The engine says that the outcome of a row's submit is unknown. */
  | { readonly kind: 'unknown'; readonly row: string }
  /** The user's decision about such a row is committed. */
  | { readonly kind: 'settled'; readonly row: string }
  /** Asks the user; goes on when the answer has come. */
  | { readonly kind: 'asks'; readonly unknown: readonly string[] }
  | { readonly kind: 'dying' }
  | { readonly kind: 'bug'; readonly message: string }
  /** Nothing is left to do. */
  | { readonly kind: 'ended'; readonly rows: readonly EndedRow[] };

/** How long it took to go on where the previous life ended, counted from the start of the process. */
export interface Recovery {
  readonly ms: number;
  /** The part of that time in which other processes had the processor: a busy machine says nothing about the engine. */
  readonly waitedMs: number;
}

export interface EndedRow {
  readonly row: string;
  readonly status: TaskStatus;
  readonly failure?: string;
}

/** The user's answer, one line on the child's standard input. */
export type UserAnswer = readonly { readonly row: string; readonly decision: Decision }[];

/** Not a secret: no gateway but the built-in one ever sees it. */
export const CRASH_KEY = 'key-of-the-crash-test';
