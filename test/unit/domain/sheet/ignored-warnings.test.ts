import { expect, test } from 'vitest';
import {
  countIgnored,
  ignoring,
  isIgnored,
  type SheetProblem,
  type WarningKind,
} from '../../../../src/shared/domain/sheet/problems.ts';

const MOOD: WarningKind = { code: 'unused-column', column: 'mood' };
const GUESS: WarningKind = { code: 'encoding-guessed' };

function problem(kind: WarningKind, severity: SheetProblem['severity'] = 'warning') {
  return { severity, ...kind };
}

test('a warning is ignored by what it says and the column that it is about; an error never is', () => {
  const ignored = [MOOD, GUESS];
  expect(isIgnored(problem(MOOD), ignored)).toBe(true);
  expect(isIgnored(problem(GUESS), ignored)).toBe(true);
  expect(isIgnored(problem({ ...MOOD, column: 'voice' }), ignored)).toBe(false);
  expect(isIgnored(problem({ ...GUESS, column: 'mood' }), ignored)).toBe(false);
  expect(isIgnored(problem(MOOD, 'error'), ignored)).toBe(false);
  expect(isIgnored(problem(MOOD), [])).toBe(false);
});

test('kinds are added and taken away, each is there once', () => {
  expect(ignoring([MOOD], [GUESS, MOOD, GUESS], true)).toEqual([MOOD, GUESS]);
  expect(ignoring([MOOD, GUESS], [MOOD], false)).toEqual([GUESS]);
  expect(ignoring([], [MOOD], false)).toEqual([]);
});

test('ignored warnings are counted by kind, without the errors; what has gone is still listed', () => {
  const found = [problem(MOOD), problem(MOOD), problem(MOOD, 'error'), problem({ code: 'value-long' })];
  expect(countIgnored(found, [GUESS, MOOD])).toEqual([
    { ...GUESS, count: 0 },
    { ...MOOD, count: 2 },
  ]);
});
