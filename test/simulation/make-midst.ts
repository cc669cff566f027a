/** What the user of a night does in the midst of something: while a process starts, or while rows leave one by one. */
import { inTurn } from './make-edits.ts';
import { EDITS_OF_ALL, type Deed, type NightPlan, type TimedDeed } from './plan.ts';
import { Stream } from './random.ts';

/** Up to what gaps the deeds come while a batch is being read, by the pace of the store. */
const GAPS_MS: Readonly<Record<NightPlan['store'], readonly number[]>> = {
  'at-once': [0, 0, 1],
  quick: [0, 1, 2, 4],
  slow: [0, 10, 40, 100],
  stalling: [0, 1, 2, 1000],
};

/** Deeds that take a batch into the night, if it is not part of it yet. */
const TAKE_UP = ['start', 'start', 'retry-all', 'run-drafts', 'cancel', 'release', 'next'] as const;
/** What must hold from then on. */
const HOLD = ['pause', 'pause', 'pause', 'cap', 'limits'] as const;

/** A night in which the user is there when a process begins, and edits what is just being sent. */
export function withMidst(plan: NightPlan): NightPlan {
  const { deeds, ...others } = withEditsOnTheWay(withStartUps(plan));
  return { ...others, deeds: deeds.toSorted((a, b) => a.atMs - b.atMs) };
}

/** A night in which the process dies while there is work, and the user is there when it comes back. */
function withStartUps(plan: NightPlan): NightPlan {
  const random = new Stream(plan.seed, 'start-ups');
  if (!random.chance(0.1)) return plan;
  const { batches, law, store, deeds } = plan;
  const longest = batches.reduce((most, one) => (one.rows.length > most.rows.length ? one : most));
  const { rows, places } = longest;
  const batch = batches.indexOf(longest);
  const doneMs = 2000 + law.ms * Math.ceil(rows.length / places);
  const takeUp = (): Deed => {
    const kind = random.pick(TAKE_UP);
    const { id: row } = random.pick(rows);
    if (kind === 'cancel') return { kind, row };
    return kind === 'release' || kind === 'next' ? { kind: 'turn', row, turn: kind } : { kind, batch };
  };
  const hold = (): Deed => {
    const kind = random.pick(HOLD);
    if (kind === 'cap') return { kind, batch, cap: random.below(rows.length + 1) };
    if (kind === 'limits') return { kind, batch, places: 1, perSecond: random.pick([0.5, 2]) };
    return { kind, batch };
  };
  const some = (make: () => Deed): readonly Deed[] => Array.from({ length: 1 + random.few(0.5, 3) }, make);
  const startUps = Array.from({ length: 1 + random.few(0.6, 4) }, (): readonly TimedDeed[] => {
    const atMs = random.below(random.pick([1000, doneMs]));
    const downMs = random.pick([0, 500]);
    const kill: Deed = { kind: 'kill', turns: random.below(3), downMs };
    const done = [...some(takeUp), ...some(hold), ...(random.chance(0.2) ? some(takeUp) : [])];
    return [{ atMs, deed: kill }, ...inTurn(random, atMs + downMs + 1, GAPS_MS[store], done)];
  }).flat();
  return { ...plan, deeds: [...deeds, ...startUps] };
}

/** A night with one more batch, whose rows leave one after another while all of them are edited, mostly in vain. */
function withEditsOnTheWay(plan: NightPlan): NightPlan {
  const random = new Stream(plan.seed, 'edits on the way');
  if (!random.chance(0.06)) return plan;
  const batch = plan.batches.length;
  const rows = Array.from({ length: 10 + random.below(15) }, (_, at) => ({ id: `b${batch}r${at}`, takes: 1 }));
  const perSecond = random.pick([2, 10, 10]);
  const limits = { account: random.below(2), places: rows.length, perSecond, downloads: 1 + random.below(4) };
  const fromMs = random.below(1000);
  const count = 1 + random.few(0.4, 3);
  const everyMs = (rows.length * 1000) / perSecond / count;
  const edits = Array.from({ length: count }, (_, i): TimedDeed => {
    const does = random.pick(['words', 'words', 'words', ...EDITS_OF_ALL] as const);
    const edit = {
      kind: 'edit-all',
      batch,
      does,
      version: 1 + random.below(2),
      lines: random.pick([401, 601]),
    } as const;
    const atMs = Math.round(fromMs + i * everyMs + random.below(everyMs / 2));
    return { atMs, deed: random.chance(0.9) ? { ...edit, endsIn: 5 + random.below(60) } : edit };
  });
  const deeds = [...plan.deeds, { atMs: fromMs, deed: { kind: 'start', batch } } as const, ...edits];
  // Between two parts of an edit something is sent only if the store takes its time.
  const store = random.chance(0.7) ? 'slow' : plan.store;
  return { ...plan, store, batches: [...plan.batches, { rows, ...limits, isStated: true }], deeds };
}
