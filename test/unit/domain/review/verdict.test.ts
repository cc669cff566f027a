import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  pickedOf,
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

test('a change of a verdict says what it names, takes back what is null, and leaves the rest', () => {
  fc.assert(
    fc.property(verdicts, changes, (verdict, change) => {
      const after = withVerdictChange(verdict, change);
      for (const name of ['kept', 'rating', 'note', 'pickedAt'] as const) {
        const said = name in change ? (change[name] ?? undefined) : verdict?.[name];
        expect(after?.[name]).toEqual(said);
        // Nothing is kept as null, nor is an empty verdict.
        expect(after === undefined || Object.values(after).every((value) => value !== null)).toBe(true);
      }
      expect(after === undefined || Object.keys(after).length > 0).toBe(true);
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
