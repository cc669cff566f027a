/** A disk that denies what it is given, and comes back; and what its user does meanwhile. */
import { inTurn } from './make-edits.ts';
import type { Deed, NightPlan, Spell } from './plan.ts';
import { Stream } from './random.ts';

const MINUTE_MS = 60_000;
/** For how long a folder that was good counts as good, and how soon one that was not is looked at again. */
const CHECKED_MS = 15_000;
const AGAIN_MS = 30_000;

const MEANWHILE = ['pause', 'pause', 'start', 'start', 'start', 'run-drafts', 'retry-all', 'cancel', 'end'] as const;

/** A night whose folder takes no files for a while, mostly while files arrive. */
export function withRefusals(plan: NightPlan): NightPlan {
  const random = new Stream(plan.seed, 'refusals');
  if (!random.chance(0.08)) return plan;
  const { batches, law } = plan;
  const workMs = Math.max(
    ...batches.map(({ rows, places }) => CHECKED_MS + law.ms * (1 + Math.ceil(rows.length / places))),
  );
  const spells = Array.from({ length: 1 + random.few(0.5, 3) }, (): Spell => ({
    kind: 'denied',
    fromMs: random.below(random.pick([1000, law.ms + CHECKED_MS, workMs])),
    forMs: random.pick([500, CHECKED_MS, AGAIN_MS + 1000, 3 * MINUTE_MS, 30 * MINUTE_MS]),
  }));
  const make = (): Deed => {
    const batch = random.below(batches.length);
    const kind = random.pick(MEANWHILE);
    if (kind === 'cancel') return { kind, row: random.pick(batches[batch]?.rows ?? []).id };
    if (kind !== 'end') return { kind, batch };
    const downMs = random.pick([0, 500, MINUTE_MS]);
    return random.chance(0.3) ? { kind: 'close', downMs } : { kind: 'kill', turns: random.below(40), downMs };
  };
  const meanwhile = spells.flatMap(({ fromMs, forMs }) =>
    inTurn(
      random,
      fromMs + random.below(random.pick([1000, forMs, forMs + AGAIN_MS])),
      [0, 30, 1000, AGAIN_MS],
      Array.from({ length: random.few(0.6, 4) }, make),
    ),
  );
  const deeds = [...plan.deeds, ...meanwhile].toSorted((a, b) => a.atMs - b.atMs);
  return { ...plan, spells: [...plan.spells, ...spells], deeds };
}
