import {
  FILE_FAULTS,
  POLL_FAULTS,
  SPELLS,
  STORE_PACES,
  SUBMIT_FAULTS,
  type BatchPlan,
  type Deed,
  type Law,
  type NightPlan,
  type RequestFault,
  type RowPlan,
  type Spell,
  type TimedDeed,
} from './plan.ts';
import { Stream } from './random.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The night of a seed. Most are small: what goes wrong in them is soon understood. */
export function makePlan(seed: number): NightPlan {
  const random = new Stream(seed, 'plan');
  const batchCount = 1 + random.few(0.35, 2);
  const batches = Array.from({ length: batchCount }, (_, i) => makeBatch(random, i));
  const rows = batches.flatMap((batch) => batch.rows);
  const law = makeLaw(random);
  // Most of what happens, happens while there is work.
  const workMs = 5000 + (law.ms * rows.length) / batches.reduce((sum, { places }) => sum + places, 0);
  const withinMs = Math.round(workMs * random.pick([0.3, 1, 1, 3, 20]));
  const starts = batches.map((_, batch): TimedDeed => {
    return { atMs: random.chance(0.8) ? 0 : random.below(MINUTE_MS), deed: { kind: 'start', batch } };
  });
  const deeds = Array.from({ length: random.few(0.75, 14) }, (): TimedDeed => {
    return { atMs: random.below(withinMs), deed: makeDeed(random, rows, batchCount) };
  });
  return {
    seed,
    batches,
    law,
    addressMs: random.pick([5 * MINUTE_MS, HOUR_MS, 48 * HOUR_MS]),
    store: random.pick(STORE_PACES),
    faults: Array.from({ length: random.few(0.7, 12) }, () => makeFault(random, rows)),
    spells: Array.from({ length: random.few(0.35, 4) }, () => makeSpell(random, withinMs)),
    deeds: [...starts, ...deeds].toSorted((a, b) => a.atMs - b.atMs),
  };
}

function makeBatch(random: Stream, number: number): BatchPlan {
  const rowCount = 1 + (random.chance(0.03) ? random.below(120) : random.below(random.pick([2, 6, 20])));
  const rows: RowPlan[] = [];
  for (let i = 0; i < rowCount; i += 1) {
    const before = i > 0 && random.chance(0.15) ? rows[random.below(i)] : undefined;
    rows.push({
      id: `b${number}r${i}`,
      takes: random.chance(0.2) ? 2 : 1,
      ...(before === undefined ? {} : { after: before.id }),
      ...(random.chance(0.06) ? { fails: true as const } : {}),
    });
  }
  return {
    rows,
    account: random.below(2),
    places: 1 + random.below(5),
    perSecond: random.pick([0.2, 1, 2, 10]),
    downloads: 1 + random.below(4),
    ...(random.chance(0.25) ? { cap: random.below(rowCount + 2) } : {}),
    isStated: random.chance(0.8),
  };
}

function makeLaw(random: Stream): Law {
  // Long renderings are mostly polls.
  const ms = random.pick([2000, 2000, 20_000, 20_000, 90_000, 10 * MINUTE_MS]);
  switch (random.pick(['fixed', 'lognormal', 'heavy', 'batches', 'queue'] as const)) {
    case 'fixed':
      return { kind: 'fixed', ms };
    case 'lognormal':
      return { kind: 'lognormal', ms, spread: random.pick([0.1, 0.5, 1]) };
    case 'heavy':
      return { kind: 'heavy', ms };
    case 'batches':
      return { kind: 'batches', ms };
    case 'queue':
      return { kind: 'queue', ms, places: 1 + random.below(3) };
  }
}

function makeFault(random: Stream, rows: readonly RowPlan[]): RequestFault {
  const row = random.pick(rows).id;
  switch (random.pick(['submit', 'submit', 'poll', 'file'] as const)) {
    case 'submit':
      return { at: 'submit', row, nth: 1 + random.few(0.2, 3), does: random.pick(SUBMIT_FAULTS) };
    case 'poll':
      return { at: 'poll', row, nth: 1 + random.few(0.5, 6), does: random.pick(POLL_FAULTS) };
    case 'file':
      return { at: 'file', row, nth: 1 + random.few(0.3, 4), does: random.pick(FILE_FAULTS) };
  }
}

function makeSpell(random: Stream, withinMs: number): Spell {
  return {
    kind: random.pick(SPELLS),
    fromMs: random.below(withinMs),
    forMs: random.pick([2000, 10_000, MINUTE_MS, 20 * MINUTE_MS]),
  };
}

const KINDS = [
  'start',
  'start',
  'pause',
  'undo',
  'redo',
  'run-drafts',
  'cancel',
  'retry',
  'resubmit',
  'write-off',
  'adopt',
  'edit',
  'edit',
  'takes',
  'remove',
  'cap',
  'limits',
  'kill',
  'kill',
  'close',
  'sleep',
  'leap',
] as const satisfies readonly Deed['kind'][];

function makeDeed(random: Stream, rows: readonly RowPlan[], batches: number): Deed {
  const kind = random.pick(KINDS);
  const batch = random.below(batches);
  const row = random.pick(rows).id;
  const downMs = random.pick([0, 500, MINUTE_MS, HOUR_MS]);
  switch (kind) {
    case 'start':
    case 'pause':
    case 'undo':
    case 'redo':
    case 'run-drafts':
      return { kind, batch };
    case 'cancel':
    case 'retry':
    case 'resubmit':
    case 'write-off':
    case 'adopt':
    case 'remove':
      return { kind, row };
    case 'edit':
      return { kind, row, version: random.below(3) };
    case 'takes':
      return { kind, row, takes: 1 + random.below(3) };
    case 'cap':
      return { kind, batch, cap: random.chance(0.3) ? null : random.below(8) };
    case 'limits':
      return { kind, batch, places: 1 + random.below(5), perSecond: random.pick([0.5, 2, 10]) };
    case 'kill':
      return { kind, turns: random.below(40), downMs };
    case 'close':
      return { kind, downMs };
    case 'sleep':
      return { kind, forMs: random.pick([MINUTE_MS, HOUR_MS, 9 * HOUR_MS]) };
    case 'leap':
      return { kind, byMs: random.pick([-HOUR_MS, -500, 2 * MINUTE_MS, HOUR_MS, 26 * HOUR_MS]) };
  }
}
