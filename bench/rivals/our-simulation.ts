import { passNights, seedsFrom, type Passed } from '../../test/simulation/lanes.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn } from '../support/input.ts';
import { measure } from '../support/measure.ts';

/** From seeds that no other night has, so that compilation on the way is not counted. */
const WARM_UP = 100;
const HOUR_MS = 3_600_000;
const NONE: Passed = { nights: 0, turns: 0, simulatedMs: 0, coverage: [] };

/** Simulated nights from fixed seeds, one after another. Input: `nights`. */
export async function simulateNights(input: ContenderInput): Promise<Figures> {
  const most = numberIn(input, 'nights');
  const inOneLane = (first: number, count: number) => passNights({ seeds: seedsFrom(first, count), number: 1 });
  await inOneLane(1 + most, WARM_UP);
  const passed: Passed[] = [];
  const { cpuMs } = await measure(async () => void passed.push(await inOneLane(1, most)));
  const [{ broken, nights, simulatedMs, turns } = NONE] = passed;
  if (broken !== undefined) throw new Error(`A promise was broken: npm run simulate -- --seed ${broken}`);
  const perS = (count: number): number => (count / cpuMs) * 1000;
  return {
    nightsPerS: perS(nights),
    hoursPerS: perS(simulatedMs / HOUR_MS),
    turnsPerS: perS(turns),
  };
}
