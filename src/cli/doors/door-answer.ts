/** What a command of the doors reads, and what it answers: a value, or why it did nothing. */
import type { Engine, StoreView } from '../../engine/index.ts';
import { err, type Result } from '../../shared/domain/base/result.ts';

export const REFUSAL_KINDS = [
  'invalid-input',
  'not-found',
  'refused',
  'needs-cap',
  'over-cap',
  'store-in-use',
  'internal',
] as const;

/** Why a command did nothing: what is wrong, where, and what to do about it. */
export interface Refusal {
  readonly kind: (typeof REFUSAL_KINDS)[number];
  readonly message: string;
  readonly remedy: string;
  /** The fields of the input that are wrong, each by its path. */
  readonly fields?: readonly { readonly path: string; readonly message: string; readonly remedy: string }[];
}

export type DoorAnswer<T> = Result<T, Refusal>;

/** A refusal as a command's answer. */
export function refusal(
  kind: Refusal['kind'],
  message: string,
  remedy: string,
): { readonly ok: false; readonly error: Refusal } {
  return err({ kind, message, remedy });
}

/** A store to read, beside its owner or from within. */
export interface Looking extends Pick<StoreView, 'store' | 'views' | 'ledger'> {
  /** Whether a process works on the store: without one, nothing continues by itself. */
  readonly isAtWork: boolean;
  /** Knows more about what runs; undefined if another process or none has the store. */
  readonly engine?: Engine;
}

/** The store from within. */
export function lookingAt(engine: Engine): Looking {
  const { store, views, ledger } = engine;
  return { store, views, ledger, isAtWork: true, engine };
}
