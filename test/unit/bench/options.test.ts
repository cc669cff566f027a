import { describe, expect, test } from 'vitest';
import { DEFAULT_PAIRS, parseOptions } from '../../../bench/support/options.ts';

const KNOWN = ['engine', 'poll'];

function parsed(...args: readonly string[]) {
  const result = parseOptions(args, KNOWN);
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

function problem(...args: readonly string[]): string {
  const result = parseOptions(args, KNOWN);
  return result.ok ? 'none' : result.error;
}

describe('the arguments of the bench', () => {
  test('without any, everything is measured whole', () => {
    expect(parsed()).toEqual({
      names: [],
      compareWith: undefined,
      pairs: DEFAULT_PAIRS,
      scale: 1,
      rounds: undefined,
      sheetjs: undefined,
      isLong: false,
      goals: undefined,
    });
  });

  test('names and options stand in any order', () => {
    expect(parsed('poll', '--compare', 'main', 'engine', '--pairs', '5', '--scale=0.1')).toMatchObject({
      names: ['poll', 'engine'],
      compareWith: 'main',
      pairs: 5,
      scale: 0.1,
    });
    expect(parsed('--rounds', '1', 'poll')).toMatchObject({ names: ['poll'], rounds: 1 });
    expect(parsed('--long', '--goals', 'goals.md')).toMatchObject({ isLong: true, goals: 'goals.md' });
  });

  test('what makes no sense is said', () => {
    expect(problem('engin')).toBe('No such entry: engin. Entries: engine, poll.');
    expect(problem('--compare')).toContain('--compare');
    expect(problem('--compare=')).toContain('--compare needs a commit');
    expect(problem('--fast')).toContain('--fast');
    for (const scale of ['0', '-1', '2', 'half', '']) expect(problem(`--scale=${scale}`)).toContain('--scale');
    for (const count of ['0', '1.5', 'many', '-3']) {
      expect(problem(`--pairs=${count}`)).toContain('--pairs');
      expect(problem(`--rounds=${count}`)).toContain('--rounds');
    }
  });
});
