import {
  FILE_FAULTS,
  KEPT_KEYS,
  KEYS,
  PATHS,
  POLL_FAULTS,
  SHAPES,
  SPELLS,
  STORE_PACES,
  SUBMIT_FAULTS,
  type BatchPlan,
  type Deed,
  type FilePlan,
  type Law,
  type NightPlan,
  type RequestFault,
  type RowPlan,
  type Spell,
  type TimedDeed,
} from './plan.ts';
import { withBatchDeeds } from './make-batches.ts';
import { withSessions } from './make-edits.ts';
import { makeCost, makeSpending, withLimitsChanged } from './make-limits.ts';
import { withRefusals } from './make-disk.ts';
import { withTimesToFinish } from './make-finish.ts';
import { withMidst } from './make-midst.ts';
import { EPOCH_MS } from './gateway-bodies.ts';
import { Stream } from './random.ts';
import { WEEKDAYS, type Schedule } from '../../src/shared/domain/task/schedule.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * What is done and goes wrong in a night. If there is a little of everything, things hardly ever meet; so most nights
 * have few kinds of it, but those often, on few rows, and close to each other.
 */
interface Mood {
  readonly deeds: readonly (typeof KINDS)[number][];
  readonly spells: readonly Spell['kind'][];
  readonly faults: Faults;
  /** How much of what is done happens close to something else. */
  readonly closeness: number;
  /** The rows that things happen to. */
  readonly rows: readonly RowPlan[];
}

type Faults = { readonly [At in RequestFault['at']]: readonly Extract<RequestFault, { at: At }>['does'][] };

/** A time at which something happens, and for how long it matters. */
interface Stretch {
  readonly fromMs: number;
  readonly forMs: number;
}

/** What the disk refused is tried again within this time afterwards. */
const AFTER_SPELL_MS = 40_000;

/** The night of a seed. Most are small, so that what goes wrong in them is soon understood. */
export function makePlan(seed: number): NightPlan {
  const random = new Stream(seed, 'plan');
  const batchCount = 1 + random.few(0.35, 2);
  const batches = Array.from({ length: batchCount }, (_, i) => makeBatch(random, i));
  const rows = batches.flatMap((batch) => batch.rows);
  const law = makeLaw(random);
  const mood = makeMood(random, rows);
  // Most of what happens, happens while there is work.
  const workMs = 5000 + (law.ms * rows.length) / batches.reduce((sum, { places }) => sum + places, 0);
  const withinMs = Math.round(workMs * random.pick([0.3, 1, 1, 3, 20]));
  const starts = batches.map((_, batch): TimedDeed => {
    return { atMs: random.chance(0.8) ? 0 : random.below(MINUTE_MS), deed: { kind: 'start', batch } };
  });
  const spells = Array.from({ length: random.few(0.35, 4) }, () => makeSpell(random, mood, withinMs));
  // What other things happen close to: the first answers, the first ends, spells and what follows them.
  const stretches: Stretch[] = [
    ...starts.flatMap(({ atMs }) => [
      { fromMs: atMs, forMs: 600 },
      { fromMs: atMs + law.ms, forMs: 3000 },
    ]),
    ...spells.map(({ fromMs, forMs }) => ({ fromMs, forMs: forMs + AFTER_SPELL_MS })),
  ];
  const deeds = Array.from({ length: random.pick([random.few(0.75, 14), random.few(0.9, 24)]) }, (): TimedDeed => {
    const atMs = random.chance(mood.closeness) ? timeIn(random, random.pick(stretches)) : random.below(withinMs);
    stretches.push({ fromMs: atMs, forMs: random.pick([30, 300, 3000]) });
    return { atMs, deed: makeDeed(random, mood, batches, withinMs) };
  });
  // Drawn last, so that the other nights stay as they were.
  const late = new Stream(seed, 'schedules');
  const scheduled = batches.map((batch) =>
    late.chance(0.2) ? { ...batch, schedule: makeSchedule(late, withinMs) } : batch,
  );
  const money = new Stream(seed, 'spending');
  const limited = scheduled.map((batch) =>
    money.chance(0.15) ? { ...batch, maxCost: makeCost(money, batch.rows.length) } : batch,
  );
  const spending = money.chance(0.3) ? makeSpending(money, rows.length) : undefined;
  const choices = new Stream(seed, 'choices');
  const chosen = limited.map((batch) =>
    withChoices(choices, batch, spending !== undefined || batch.maxCost !== undefined),
  );
  const choosing = makeChoosing(choices, chosen, { fromMs: 0, forMs: withinMs });
  const night = withSessions({
    seed,
    batches: chosen,
    ...(spending === undefined ? {} : { spending }),
    law,
    shape: random.chance(0.5) ? 'text' : random.pick(SHAPES),
    addressMs: random.pick([5 * MINUTE_MS, HOUR_MS, 48 * HOUR_MS]),
    store: random.pick(STORE_PACES),
    faults: Array.from({ length: random.few(0.7, 12) }, () => makeFault(random, mood)),
    spells,
    deeds: [...starts, ...deeds, ...choosing],
  });
  return withRefusals(withTimesToFinish(withMidst(withLimitsChanged(withBatchDeeds(night)))));
}

/** What the user makes a batch wait for, and look at. */
function withChoices(random: Stream, batch: BatchPlan, isLimited: boolean): BatchPlan {
  const sources = new Set(batch.rows.flatMap(({ after }) => after ?? []));
  const isPicked = random.chance(0.4);
  return {
    ...batch,
    rows: batch.rows.map((row) =>
      isPicked && sources.has(row.id) && random.chance(0.8)
        ? { ...row, takes: 1 + random.below(3), pick: true as const }
        : row,
    ),
    ...(random.chance(0.25) ? { isShared: random.pick(['in-order', 'cheapest'] as const) } : {}),
    ...(random.chance(0.3) ? { keys: keysFor(random, batch, isLimited) } : {}),
    ...(random.chance(0.15) ? { canary: true as const } : {}),
    ...(random.chance(0.15) ? { again: 1 + random.below(2) } : {}),
  };
}

/** Nobody can keep to a limit if the gateway charges more often than it says. */
function keysFor(random: Stream, { cap }: BatchPlan, isLimited: boolean): (typeof KEPT_KEYS)[number] {
  return isLimited || cap !== undefined ? random.pick(['kept', 'forgotten'] as const) : random.pick(KEPT_KEYS);
}

/** What the user does about these choices. */
function makeChoosing(random: Stream, batches: readonly BatchPlan[], stretch: Stretch): readonly TimedDeed[] {
  return batches.flatMap(({ rows, canary }, batch) => {
    const picked = rows.filter(({ pick }) => pick === true);
    const deeds = (most: number, make: () => Deed): readonly TimedDeed[] =>
      Array.from({ length: random.few(0.7, most) }, () => ({ atMs: timeIn(random, stretch), deed: make() }));
    return [
      ...(picked.length === 0
        ? []
        : deeds(8, () => ({
            kind: random.pick(['pick', 'pick', 'unpick']),
            row: random.pick(picked).id,
            nth: random.below(4),
          }))),
      ...(random.chance(0.2)
        ? deeds(5, () => ({
            kind: 'turn',
            row: random.pick(rows).id,
            turn: random.pick(['hold', 'hold', 'release', 'next']),
          }))
        : []),
      ...(canary === true
        ? deeds(3, () =>
            random.chance(0.5) ? { kind: 'release-kind', batch } : { kind: 'canary', batch, isOn: random.chance(0.5) },
          )
        : []),
    ];
  });
}

function timeIn(random: Stream, { fromMs, forMs }: Stretch): number {
  return fromMs + random.below(forMs);
}

function makeMood(random: Stream, rows: readonly RowPlan[]): Mood {
  const part = random.pick([1, 0.5, 0.2]);
  const some = <T>(all: readonly T[]): readonly T[] => {
    const chosen = all.filter(() => random.chance(part));
    return chosen.length === 0 ? [random.pick(all)] : chosen;
  };
  return {
    deeds: some(KINDS),
    spells: some(SPELLS),
    faults: { submit: some(SUBMIT_FAULTS), poll: some(POLL_FAULTS), file: some(FILE_FAULTS) },
    closeness: random.pick([0, 0.5, 0.9]),
    rows: random.chance(0.5) ? rows : [random.pick(rows)],
  };
}

function makeBatch(random: Stream, number: number): BatchPlan {
  const rowCount = 1 + (random.chance(0.01) ? random.below(120) : random.below(random.pick([2, 2, 2, 6, 6, 20])));
  const rows: RowPlan[] = [];
  for (let i = 0; i < rowCount; i += 1) {
    const before = i > 0 && random.chance(0.15) ? rows[random.below(i)] : undefined;
    rows.push({
      id: `b${number}r${i}`,
      takes: random.chance(0.2) ? 2 : 1,
      ...(before === undefined ? {} : { after: before.id }),
      ...(random.chance(0.06) ? { fails: true as const } : {}),
      ...(i > 0 && random.chance(0.06) ? { isLate: true as const } : {}),
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
  const ms = random.pick([2000, 2000, 2000, 20_000, 20_000, 20_000, 90_000, 10 * MINUTE_MS]);
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

function makeFault(random: Stream, { faults, rows }: Mood): RequestFault {
  const row = random.pick(rows).id;
  switch (random.pick(['submit', 'submit', 'poll', 'file'] as const)) {
    case 'submit':
      return { at: 'submit', row, nth: 1 + random.few(0.2, 3), does: random.pick(faults.submit) };
    case 'poll':
      return { at: 'poll', row, nth: 1 + random.few(0.5, 6), does: random.pick(faults.poll) };
    case 'file':
      return { at: 'file', row, nth: 1 + random.few(0.3, 4), does: random.pick(faults.file) };
  }
}

function makeSpell(random: Stream, { spells }: Mood, withinMs: number): Spell {
  return {
    kind: random.pick(spells),
    fromMs: random.below(withinMs),
    forMs: random.pick([2000, 10_000, MINUTE_MS, 20 * MINUTE_MS]),
  };
}

/** The clock is set back in the first night: at 03:00 it is 02:00 again. */
const ZONE = 'Europe/Berlin';

/** Windows that open and close while the night has work; it begins at 21:00 on a Saturday. */
function makeSchedule(random: Stream, withinMs: number): Schedule {
  const hours = Math.max(1, Math.min(10, Math.round(withinMs / HOUR_MS)));
  const time = (): string => {
    const minutes = 20 * 60 + 50 + random.below(hours * 60 + 20);
    return `${String(Math.floor(minutes / 60) % 24).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  };
  const windows = Array.from({ length: 1 + random.few(0.4, 2) }, () => {
    return { from: time(), to: time(), days: random.chance(0.7) ? WEEKDAYS : [random.pick(['Sat', 'Sun'] as const)] };
  });
  const startAt = EPOCH_MS + random.below(Math.max(1, withinMs));
  return { windows, zone: ZONE, ...(random.chance(0.2) ? { startAt } : {}) };
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
  'move',
  'column',
  'takes',
  'remove',
  'cap',
  'schedule',
  'limits',
  'retry-all',
  'cancel-all',
  'profile',
  'answer',
  'key',
  'import',
  'import',
  'kill',
  'kill',
  'close',
  'sleep',
  'leap',
] as const satisfies readonly Deed['kind'][];

function makeDeed(random: Stream, { deeds, rows }: Mood, batches: readonly BatchPlan[], withinMs: number): Deed {
  const kind = random.pick(deeds);
  const row = random.pick(rows).id;
  const batch = batches.findIndex((one) => one.rows.some(({ id }) => id === row));
  const downMs = random.pick([0, 500, MINUTE_MS, HOUR_MS]);
  switch (kind) {
    case 'start':
    case 'pause':
    case 'undo':
    case 'redo':
    case 'run-drafts':
    case 'retry-all':
    case 'cancel-all':
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
    case 'move':
      return { kind, row, to: random.pick(rows).id };
    case 'column':
      return { kind, batch, isThere: random.chance(0.6) };
    case 'takes':
      return { kind, row, takes: 1 + random.below(3) };
    case 'cap':
      return { kind, batch, cap: random.chance(0.3) ? null : random.below(8) };
    case 'schedule':
      return { kind, batch, schedule: random.chance(0.3) ? null : makeSchedule(random, withinMs) };
    case 'limits':
      return { kind, batch, places: 1 + random.below(5), perSecond: random.pick([0.5, 2, 10]) };
    case 'profile':
      return { kind, batch, isStated: random.chance(0.5), path: random.pick(PATHS) };
    case 'answer':
      return { kind, batch, means: random.pick(['failed', 'inferred']) };
    case 'key':
      return { kind, account: random.below(2), key: random.pick(KEYS) };
    case 'import':
      return { kind, batch, ...makeFile(random, batches[batch]?.rows ?? []) };
    case 'kill':
      return { kind, turns: random.below(40), downMs };
    case 'close':
      return { kind, downMs };
    case 'sleep':
      return { kind, forMs: random.pick([MINUTE_MS, HOUR_MS, 9 * HOUR_MS]) };
    case 'leap':
      return { kind, byMs: random.pick([-26 * HOUR_MS, -HOUR_MS, -500, 2 * MINUTE_MS, HOUR_MS, 26 * HOUR_MS]) };
  }
}

function makeFile(random: Stream, rows: readonly RowPlan[]): FilePlan {
  const changed = random.pick([0, 0.1, 0.5]);
  return {
    rows: rows.flatMap(({ id: row, takes }) =>
      random.chance(changed) ? { row, version: random.below(3), takes: random.chance(0.8) ? takes : 3 - takes } : [],
    ),
    gone: rows.flatMap(({ id }) => (random.chance(0.1) ? id : [])),
    isTurned: random.chance(0.1),
    removed: random.pick(['keep', 'remove']),
    withDependents: random.chance(0.2),
    releases: random.chance(0.5),
  };
}
