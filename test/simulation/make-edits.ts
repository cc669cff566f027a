/** What the user of a night does to its sheets on purpose: undoes and redoes edits, and edits all rows at once. */
import { EDITS_OF_ALL, type BatchPlan, type Deed, type NightPlan, type Spell, type TimedDeed } from './plan.ts';
import { Stream } from './random.ts';

const MINUTE_MS = 60_000;

type Sessions = Pick<NightPlan, 'deeds' | 'spells'>;

/** A night in which somebody also renders finished rows again, and edits whole sheets but ends that on the way. */
export function withSessions(plan: NightPlan): NightPlan {
  const { spells, deeds } = withEditsOfAll(plan, withWishes(plan));
  const titled = withTitles({ ...plan, spells, deeds: withKept(plan.seed, deeds) });
  return { ...titled, deeds: [...titled.deeds, ...makeNames(titled)].toSorted((a, b) => a.atMs - b.atMs) };
}

const OF_NAMES = [
  'rename',
  'rename',
  'rename',
  'rename-back',
  'rename-back',
  'duplicate',
  'duplicate',
  'undo',
  'undo',
  'undo',
  'redo',
  'run-drafts',
  'run-drafts',
  'start',
  'edit',
  'takes',
  'remove',
  'render-again',
  'import',
  'end',
] as const;

/** Rows get other ids, their own again, and those of others, and are copied, mostly those that others refer to. */
function makeNames({ seed, batches, law }: NightPlan): readonly TimedDeed[] {
  const random = new Stream(seed, 'names');
  if (!random.chance(0.3)) return [];
  const batch = random.below(batches.length);
  const { rows, places } = batches[batch] as BatchPlan;
  const linked = rows.flatMap(({ id, after }) => (after === undefined ? [] : [id, after]));
  const all = rows.map(({ id }) => id);
  const some = Array.from({ length: 1 + random.few(0.5, 3) }, () =>
    random.pick(linked.length > 0 && random.chance(0.7) ? linked : all),
  );
  const ids = ['x', 'x', 'X', '', `${some[0]}-copy`, ...some, random.pick(some).toUpperCase(), random.pick(all)];
  const make = (): readonly Deed[] => {
    const kind = random.pick(OF_NAMES);
    const row = random.pick(some);
    switch (kind) {
      case 'rename':
        return [{ kind, row, nth: random.below(2), id: random.pick(ids) }];
      case 'rename-back':
        return [{ kind: 'rename', row, nth: 0, id: row }];
      case 'duplicate':
      case 'render-again':
        return [{ kind, batch, rows: random.chance(0.7) ? [row] : [...new Set(some)] }];
      case 'edit':
        return [{ kind, row, version: random.below(2) }];
      case 'takes':
        return [{ kind, row, takes: 1 + random.below(2) }];
      case 'remove':
        return [{ kind, row }];
      case 'import': {
        const changed = random.chance(0.5) ? [{ row, version: random.below(2), takes: 1 }] : [];
        const removed = random.pick(['keep', 'keep', 'remove'] as const);
        const gone = random.chance(0.2) ? [random.pick(some)] : [];
        const file = { rows: changed, gone, removed, releases: random.chance(0.5) };
        return [{ kind, batch, ...file, isTurned: false, withDependents: random.chance(0.2) }];
      }
      case 'end': {
        const downMs = random.pick([0, 500]);
        return [random.chance(0.3) ? { kind: 'close', downMs } : { kind: 'kill', turns: random.below(40), downMs }];
      }
      default:
        return [{ kind, batch }];
    }
  };
  const doneMs = 5000 + law.ms * (1 + Math.ceil(rows.length / places));
  const fromMs = random.pick([0, random.below(20_000), doneMs, doneMs, 3 * doneMs]);
  const deeds = Array.from({ length: 2 + random.few(0.85, 14) }, make).flat();
  return inTurn(random, fromMs, [0, 30, 500, 3000, law.ms + 1000, doneMs], deeds);
}

/** What was to be rendered once more is not, after all: either at once, or in the next process, which cannot undo. */
function withKept(seed: number, deeds: NightPlan['deeds']): NightPlan['deeds'] {
  const random = new Stream(seed, 'kept');
  const kept = deeds.flatMap(({ atMs, deed }): readonly TimedDeed[] => {
    if (deed.kind !== 'render-again' || random.chance(0.5)) return [];
    const keep: Deed = { ...deed, kind: 'keep-earlier' };
    const downMs = random.pick([0, 500, MINUTE_MS]);
    const end = random.pick([
      [],
      [{ kind: 'close', downMs }],
      [{ kind: 'kill', turns: random.below(40), downMs }],
    ] as const satisfies readonly (readonly Deed[])[]);
    const way: Deed = { kind: random.pick(['undo', 'redo', 'run-drafts']), batch: deed.batch };
    const gapsMs = [0, 30, 500, 3000, 20_000];
    const some = random.chance(0.3) ? [...end, keep, way, keep] : [...end, keep];
    return inTurn(random, atMs + random.pick([0, 30, 3000, 20_000]), gapsMs, some);
  });
  return [...deeds, ...kept];
}

/** Rows have a title that not all of them use, and the unused titles are cleared, sooner or later. */
function withTitles(plan: NightPlan): NightPlan {
  const random = new Stream(plan.seed, 'titles');
  if (!random.chance(0.15)) return plan;
  const batch = random.below(plan.batches.length);
  const clear: Deed = { kind: 'clear-unused', batch };
  const cleared = Array.from({ length: 1 + random.few(0.5, 3) }, (): readonly TimedDeed[] => {
    const fromMs = random.pick([{ atMs: 0 }, ...plan.deeds]).atMs + random.pick([0, 30, 3000]);
    const ways = (['undo', 'redo'] as const).map((kind): Deed => ({ kind, batch }));
    return inTurn(random, fromMs, [0, 30, 3000], [clear, ...ways.slice(0, random.below(3))]);
  }).flat();
  const titled = plan.batches.with(batch, { ...(plan.batches[batch] as BatchPlan), isTitled: true });
  return { ...plan, batches: titled, deeds: [...plan.deeds, ...cleared] };
}

/** One thing after the other, at once or a while later. */
export function inTurn(
  random: Stream,
  fromMs: number,
  gapsMs: readonly number[],
  deeds: readonly Deed[],
): readonly TimedDeed[] {
  let atMs = fromMs;
  return deeds.map((deed) => {
    const timed = { atMs, deed };
    atMs += random.pick(gapsMs);
    return timed;
  });
}

/** Rows are to be rendered once more, and edits before and after that are undone and redone. */
function withWishes({ seed, batches, law, deeds, spells }: NightPlan): Sessions {
  const random = new Stream(seed, 'wishes');
  if (!random.chance(0.4)) return { deeds, spells };
  const batch = random.below(batches.length);
  const { rows, places } = batches[batch] as BatchPlan;
  const chosen = Array.from({ length: 1 + random.few(0.3, 3) }, () => random.pick(rows).id);
  const again = (): Deed => ({
    kind: 'render-again',
    batch,
    rows: random.chance(0.7) ? [random.pick(chosen)] : [...new Set(chosen)],
  });
  const doneMs = 5000 + law.ms * (1 + Math.ceil(rows.length / places));
  const fromMs = random.below(20_000) + random.pick([0, doneMs, 3 * doneMs]);
  // Only what is finished can be rendered again: limits and pauses would be in the way.
  const letAllRun: readonly Deed[] = random.chance(0.6)
    ? [
        { kind: 'cap', batch, cap: null },
        { kind: 'start', batch },
      ]
    : [];
  const gapsMs = [0, 30, 3000, law.ms + 5000, doneMs];
  const some = Array.from({ length: 1 + random.few(0.85, 14) }, (): readonly Deed[] => {
    const row = random.pick(chosen);
    const back: Deed = { kind: 'undo', batch };
    // Words that come back are often paid for by then.
    if (random.chance(0.1)) {
      const words = [1, 0].map((version): Deed => ({ kind: 'edit', row, version }));
      return [{ kind: 'takes', row, takes: 3 }, ...words, { kind: 'run-drafts', batch }, back, back];
    }
    const deed = makeOfWish(random, batch, row, again);
    // An edit is often not what was meant.
    return 'row' in deed && random.chance(0.6) ? [deed, back] : [deed];
  }).flat();
  const finish = inTurn(random, fromMs, [0], letAllRun);
  return { deeds: [...deeds, ...finish, ...inTurn(random, fromMs + doneMs, gapsMs, [again(), ...some])], spells };
}

const OF_WISHES = [
  'again',
  'again',
  'undo',
  'undo',
  'undo',
  'redo',
  'redo',
  'run-drafts',
  'run-drafts',
  'edit',
  'takes',
  'import',
  'import',
  'remove',
] as const;

function makeOfWish(random: Stream, batch: number, row: string, again: () => Deed): Deed {
  const kind = random.pick(OF_WISHES);
  switch (kind) {
    case 'again':
      return again();
    case 'undo':
    case 'redo':
    case 'run-drafts':
      return { kind, batch };
    case 'edit':
      return { kind, row, version: random.below(2) };
    case 'takes':
      return { kind, row, takes: 1 + random.below(3) };
    case 'remove':
      return { kind, row };
    case 'import':
      return {
        kind,
        batch,
        rows: [{ row, version: random.pick([0, 0, 0, 1]), takes: 1 + random.below(3) }],
        gone: [],
        isTurned: false,
        removed: 'keep',
        withDependents: random.chance(0.2),
        releases: random.chance(0.7),
      };
  }
}

/** The longest that an edit of all rows takes, by the pace of the store. */
const EDIT_MS: Readonly<Record<NightPlan['store'], number>> = { 'at-once': 1, quick: 60, slow: 1500, stalling: 30 };

/** Edits of all rows, most of them in a batch that is not started yet, while the disk fills up or the process dies. */
function withEditsOfAll({ seed, batches, law, store }: NightPlan, { deeds, spells }: Sessions): Sessions {
  const random = new Stream(seed, 'edits of all');
  if (!random.chance(0.2)) return { deeds, spells };
  const batch = random.below(batches.length);
  const fromMs = random.below(random.pick([10, MINUTE_MS]));
  const endsIn = (): { readonly endsIn?: number } => (random.chance(0.7) ? { endsIn: random.below(45) } : {});
  const some = Array.from({ length: 1 + random.few(0.6, 8) }, () => makeOfAll(random, batch, endsIn)).flat();
  const edits = inTurn(random, fromMs, [0, 30, 3000, 3000, 20_000], some);
  const lastMs = edits.at(-1)?.atMs ?? fromMs;
  const deaths = Array.from({ length: random.few(0.35, 2) }, (): TimedDeed => {
    const downMs = random.pick([0, 500, MINUTE_MS]);
    return {
      atMs: random.pick(edits).atMs + random.pick([0, 0, 10, 500]),
      deed: random.chance(0.7) ? { kind: 'kill', turns: random.below(60), downMs } : { kind: 'close', downMs },
    };
  });
  const full = Array.from({ length: random.few(0.5, 3) }, (): Spell => {
    const fromMs = random.pick(edits).atMs + random.below(EDIT_MS[store]);
    return { kind: 'store', fromMs, forMs: random.pick([1, 10, 100, 2000, 2000]) };
  });
  const startsAtMs = lastMs + random.pick([0, 100, 5000, 5000, law.ms]);
  const isLate = random.chance(0.6);
  const later = deeds.map(({ atMs, deed }) => {
    const isStart = deed.kind === 'start' && deed.batch === batch;
    return { atMs: isLate && isStart ? Math.max(atMs, startsAtMs) : atMs, deed };
  });
  return { deeds: [...later, ...edits, ...deaths], spells: [...spells, ...full] };
}

function makeOfAll(random: Stream, batch: number, endsIn: () => { readonly endsIn?: number }): readonly Deed[] {
  const lines = random.pick([201, 401, 601]);
  const edit = { kind: 'edit-all', batch, does: random.pick(EDITS_OF_ALL), version: random.below(3), lines } as const;
  const kind = random.pick(['edit-all', 'edit-all', 'edit-all', 'undo', 'undo', 'redo'] as const);
  if (kind === 'edit-all') return [{ ...edit, ...endsIn() }];
  // A step that was ended is still to be taken.
  const way: readonly Deed[] = [{ kind, batch, ...endsIn() }, ...(random.chance(0.5) ? [{ kind, batch }] : [])];
  return kind === 'undo' && random.chance(0.5) ? [edit, ...way] : way;
}
