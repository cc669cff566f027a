/** Times by which batches are to finish: what a night has from its beginning, and what its user changes about them. */
import type { Schedule } from '../../src/shared/domain/task/schedule.ts';
import { EPOCH_MS } from './gateway-bodies.ts';
import { inTurn } from './make-edits.ts';
import type { BatchPlan, Deed, NightPlan, TimedDeed } from './plan.ts';
import { Stream } from './random.ts';

const MINUTE_MS = 60_000;
/** As long as rows are thought to take while nothing is known about them. */
const USUAL_MS = 2 * MINUTE_MS;

const ABOUT_FINISH = ['schedule', 'schedule', 'start', 'start', 'run-drafts', 'retry-all', 'takes', 'leap'] as const;

/** A night in which some batches are to finish by a time that comes while there is work, or just before or after it. */
export function withTimesToFinish(plan: NightPlan): NightPlan {
  const random = new Stream(plan.seed, 'times to finish by');
  if (!random.chance(0.08)) return plan;
  const { law } = plan;
  const workMs = ({ rows, places }: BatchPlan): number => USUAL_MS + law.ms * (1 + Math.ceil(rows.length / places));
  const timed = ({ schedule }: BatchPlan, withinMs: number): Schedule => ({
    ...(schedule ?? { windows: [], zone: 'UTC' }),
    finishBy: EPOCH_MS + random.below(random.pick([withinMs, withinMs, 2 * withinMs, 10 * withinMs])),
  });
  const batches = plan.batches.map((batch): BatchPlan => {
    // Rows of one operation are known sooner than all that are left can be sent.
    const places = random.chance(0.5) ? 1 + random.below(2) : batch.places;
    return random.chance(0.7) ? { ...batch, places, schedule: timed(batch, workMs({ ...batch, places })) } : batch;
  });
  const make = (): readonly Deed[] => {
    const batch = random.below(batches.length);
    const known = batches[batch] as BatchPlan;
    const kind = random.pick(ABOUT_FINISH);
    switch (kind) {
      case 'schedule': {
        const deed: Deed = { kind, batch, schedule: random.chance(0.2) ? null : timed(known, 2 * workMs(known)) };
        return random.chance(0.5) ? [deed, { kind: 'start', batch }] : [deed];
      }
      case 'takes':
        return [
          { kind, row: random.pick(known.rows).id, takes: 1 + random.below(3) },
          { kind: 'run-drafts', batch },
        ];
      case 'leap':
        return [{ kind, byMs: random.pick([MINUTE_MS, 10 * MINUTE_MS, -10 * MINUTE_MS]) }];
      default:
        return [{ kind, batch }];
    }
  };
  const some = Array.from({ length: random.few(0.7, 8) }, make).flat();
  const gapsMs = random.pick([
    [0, 1, 500],
    [0, 3000, law.ms],
    [500, law.ms, USUAL_MS],
  ]);
  const changes: readonly TimedDeed[] = inTurn(random, random.below(USUAL_MS + law.ms), gapsMs, some);
  return { ...plan, batches, deeds: [...plan.deeds, ...changes].toSorted((a, b) => a.atMs - b.atMs) };
}
