import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  inverseOf,
  pickedOf,
  verdictSchema,
  withVerdictChange,
  type Verdict,
  type VerdictChange,
} from '../../../../src/shared/domain/review/verdict.ts';

const field = {
  kept: fc.boolean(),
  rating: fc.integer({ min: 0, max: 5 }),
  note: fc.string({ minLength: 1, maxLength: 20 }),
  pickedAt: fc.nat(),
};
const verdicts: fc.Arbitrary<Verdict | undefined> = fc
  .record(field, { requiredKeys: [] })
  .map((verdict) => (Object.keys(verdict).length === 0 ? undefined : verdict));
const changes: fc.Arbitrary<VerdictChange> = fc.record(
  Object.fromEntries(
    Object.entries(field).map(([name, value]) => [name, fc.oneof<fc.Arbitrary<unknown>[]>(value, fc.constant(null))]),
  ),
  { requiredKeys: [] },
);

test('every change of a verdict can be taken back, and says nothing of what it does not name', () => {
  fc.assert(
    fc.property(verdicts, changes, (verdict, change) => {
      const after = withVerdictChange(verdict, change);
      expect(verdictSchema.safeParse(after ?? {}).success).toBe(true);
      expect(withVerdictChange(after, inverseOf(verdict, change))).toEqual(verdict);
      for (const name of ['kept', 'rating', 'note', 'pickedAt'] as const)
        if (!(name in change)) expect(after?.[name]).toEqual(verdict?.[name]);
    }),
  );
});

test('the latest pick counts, and only of a file that is verified', () => {
  const file = (pickedAt: number, state = 'verified') => ({ state, verdict: { pickedAt } });
  const takes = [
    { take: 1, outputs: [file(3), { state: 'verified' }] },
    { take: 2, outputs: [file(9, 'set-aside'), file(7)] },
  ];
  expect(pickedOf(takes)).toMatchObject({ take: { take: 2 }, output: { verdict: { pickedAt: 7 } } });
  expect(pickedOf([{ take: 1, outputs: [{ state: 'verified', verdict: { kept: true } }] }])).toBeUndefined();
});
