import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatPlan, parseDeaths, planNight, POINTS } from '../../crash/campaign.ts';
import { FLEET_MUTANTS } from '../../crash/fleet/fleet-mutants.ts';
import { MUTANTS } from '../../crash/mutants.ts';
import { SIMULATED_MUTANTS } from '../../simulation/mutants.ts';
import { applyPatch } from '../../support/patch-modules.ts';

test('a night is planned the same for the same seed, number and kills so far', () => {
  const kills = new Map([['poll.answered', 3] as const]);
  expect(planNight('s', 4, kills)).toEqual(planNight('s', 4, kills));
  expect(planNight('s', 4, kills)).not.toEqual(planNight('t', 4, kills));
});

test('the points with the fewest kills come first', () => {
  const kills = new Map(POINTS.map((point) => [point, 7]));
  kills.set('place.linked', 0).set('submit.bytes-left', 6);
  const planned = planNight('s', 0, kills).deaths.map(({ point }) => point);
  expect(planned).toEqual(expect.arrayContaining(['place.linked', 'submit.bytes-left']));
});

test('a night’s plan can be read back from what is printed of it', () => {
  const plan = planNight('s', 2, new Map());
  expect(parseDeaths(formatPlan(plan).at(-1) ?? '')).toEqual(plan.deaths);
  expect(parseDeaths('none')).toEqual([]);
  expect(() => parseDeaths('nowhere:1')).toThrow('Not a death');
});

test('a mutant that no longer fits its module says so', () => {
  const patch = { module: 'x.ts', find: 'a', replace: 'b' };
  expect(applyPatch('-a-', patch)).toBe('-b-');
  expect(() => applyPatch('-', patch)).toThrow('no longer fits x.ts');
  expect(() => applyPatch('aa', patch)).toThrow('no longer fits x.ts');
});

test.each(
  [...MUTANTS, ...SIMULATED_MUTANTS, ...FLEET_MUTANTS].flatMap(({ name, patches }) =>
    patches.map((patch) => ({ name, ...patch })),
  ),
)('the mutant “$name” fits $module', (patch) => {
  const source = readFileSync(new URL(`../../../src/engine/${patch.module}`, import.meta.url), 'utf8');
  expect(applyPatch(source, patch)).not.toBe(source);
});
