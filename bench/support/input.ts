import type { ContenderInput } from '../contender.ts';

/** A number from a contender's input. */
export function numberIn(input: ContenderInput, key: string): number {
  const value = input[key];
  if (typeof value !== 'number') throw new Error(`The contender needs a number ${key}.`);
  return value;
}

/** A text from a contender's input. */
export function textIn(input: ContenderInput, key: string): string {
  const value = input[key];
  if (typeof value !== 'string') throw new Error(`The contender needs a text ${key}.`);
  return value;
}
