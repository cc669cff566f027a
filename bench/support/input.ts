import type { ContenderInput } from '../contender.ts';

/** A number that a contender was told. */
export function numberIn(input: ContenderInput, key: string): number {
  const value = input[key];
  if (typeof value !== 'number') throw new Error(`The contender needs a number ${key}.`);
  return value;
}

/** A text that a contender was told. */
export function textIn(input: ContenderInput, key: string): string {
  const value = input[key];
  if (typeof value !== 'string') throw new Error(`The contender needs a text ${key}.`);
  return value;
}
