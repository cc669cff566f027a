import {
  inEnglish,
  reason,
  SaidError,
  systemSays,
  type Reason,
  type Saying,
} from '../../../shared/domain/base/reason.ts';
import { present } from '../../../shared/domain/base/result.ts';

/** Why a store cannot be used; in that case nothing was written. */
export interface StoreProblem {
  readonly kind: StoreProblemKind;
  /** What is wrong, and where. */
  readonly message: string;
  /** What the user can do about it. */
  readonly remedy: string;
  /** Both, so that they can be shown in another language. */
  readonly said: Saying;
  readonly help: Reason;
  /** With `owned`: the process that holds the store, if known. */
  readonly ownerPid?: number;
}

/**
 * `owned`: another process has it. `newer`, `older`: made by another version; an older one becomes current when its
 * owner opens it. `damaged`: not a database, or not a sound one. `missing`: there is none, and only an owner creates
 * one. `denied`, `full`: the disk. `unsafe`: a power cut could lose what was written, so nothing may be paid for.
 * `away`: its server does not answer. `moved`: it is in another place now.
 */
export type StoreProblemKind =
  | ('owned' | 'newer' | 'older' | 'damaged' | 'missing' | 'denied' | 'full' | 'unsafe')
  | ('away' | 'moved');

/** SQLSTATE of a table, a column and a schema that are not there. */
const MISSING: ReadonlySet<string> = new Set(['42P01', '42703', '3F000']);

/** @param said What is wrong. @param help What to do about it, if that differs from the remedy for the kind. */
export function storeProblem(
  kind: StoreProblemKind,
  said: Saying,
  help: Reason = reason(`storeRemedy.${kind}`),
  ownerPid?: number,
): StoreProblem {
  return { kind, message: inEnglish(said), remedy: inEnglish(help), said, help, ...present({ ownerPid }) };
}

/** The same problem, with something else to do about it. */
export function withHelp({ kind, said, ownerPid }: StoreProblem, help: Reason): StoreProblem {
  return storeProblem(kind, said, help, ownerPid);
}

/**
 * The store's writes throw this when the disk refuses them: the transaction is rolled back, and the store is as it was
 * before. It is an exception because no caller of a single write can continue; whoever runs the night pauses it.
 */
export class StoreWriteError extends SaidError {
  override readonly name = 'StoreWriteError';
  readonly problem: StoreProblem;

  constructor(problem: StoreProblem, cause: unknown) {
    super(problem.said, cause);
    this.problem = problem;
  }
}

/** Another process has become the owner while this one still is: the lock was removed. */
export class StoreTakenError extends StoreWriteError {
  constructor(path: string) {
    super(storeProblem('owned', reason('store.taken', path)), undefined);
  }
}

/** SQLite's result codes that a disk or another process can cause: https://sqlite.org/rescode.html */
const SQLITE_KINDS: Readonly<Record<number, StoreProblemKind>> = {
  3: 'denied',
  5: 'owned',
  6: 'owned',
  8: 'denied',
  10: 'denied',
  11: 'damaged',
  13: 'full',
  14: 'denied',
  23: 'denied',
  26: 'damaged',
  // No room for the index of the log (SQLITE_IOERR_SHMSIZE).
  4874: 'full',
};

const SYSTEM_KINDS: Readonly<Record<string, StoreProblemKind>> = {
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
  ENOTDIR: 'denied',
  EEXIST: 'denied',
  EISDIR: 'denied',
  ELOOP: 'denied',
  ENAMETOOLONG: 'denied',
  ENOENT: 'denied',
  EIO: 'denied',
  EDQUOT: 'full',
  ENOSPC: 'full',
  ECONNREFUSED: 'away',
  ECONNRESET: 'away',
};

/** By the class, or the whole, of a code of PostgreSQL: https://www.postgresql.org/docs/15/errcodes-appendix.html */
const POSTGRES_KINDS: Readonly<Record<string, StoreProblemKind>> = {
  '08': 'away',
  '57': 'away',
  '53': 'full',
  '53300': 'away',
  '28': 'denied',
  '3D': 'denied',
  '42501': 'denied',
  '25006': 'denied',
  '58': 'denied',
  XX: 'damaged',
  '40': 'owned',
  '55P03': 'owned',
};

/** The problem behind an error of SQLite or of the file system; undefined for a bug. */
export function problemOfError(error: unknown, path: Saying): StoreProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  // The low byte is the primary code; the whole is more specific.
  const kind =
    typeof errcode === 'number'
      ? (SQLITE_KINDS[errcode] ?? SQLITE_KINDS[errcode & 0xff])
      : typeof code === 'string'
        ? (SYSTEM_KINDS[code] ?? kindOfSqlState(code))
        : undefined;
  return kind && storeProblem(kind, reason('store.error', path, systemSays(error)));
}

/**
 * The same for opening or inspecting a store, when a server's tables may be missing; during a night, missing tables
 * would be a bug of ours.
 */
export function problemOfLook(error: unknown, path: string): StoreProblem | undefined {
  const { code } = error as { code?: unknown };
  if (!(error instanceof Error) || !MISSING.has(String(code))) return problemOfError(error, path);
  return storeProblem('damaged', reason('store.error', path, systemSays(error)), reason('storeRemedy.damagedOnServer'));
}

function kindOfSqlState(code: string): StoreProblemKind | undefined {
  return /^[0-9A-Z]{5}$/u.test(code) ? (POSTGRES_KINDS[code] ?? POSTGRES_KINDS[code.slice(0, 2)]) : undefined;
}

/**
 * True if the disk, or the server, caused an exception of the store, so that it may pass; any other exception is a bug.
 */
export function isRefusedByDisk(error: unknown): boolean {
  return error instanceof StoreWriteError || problemOfError(error, '') !== undefined;
}
