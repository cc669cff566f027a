import { err, ok, type Result } from '../../shared/domain/result.ts';

const MAX_SUBMITS_LIMIT = 1_000_000;

/** Reads the maximum of submits that somebody typed; empty means that there is none. */
export function readMaxSubmits(text: string): Result<number | undefined, string> {
  const digits = text.replace(/[\s,.'_]/gu, '');
  if (digits === '') return ok(undefined);
  const number = /^\d{1,9}$/.test(digits) ? Number(digits) : 0;
  if (number >= 1 && number <= MAX_SUBMITS_LIMIT) return ok(number);
  return err('Write a whole number from 1 to 1,000,000, or leave it empty.');
}
