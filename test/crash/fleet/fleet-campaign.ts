/** Faults spread over the nights of a fleet: each kind as often as the others, each point of a kind likewise. */
import { SeededRandom } from '../../../src/gateway-sim/random.ts';
import { withFleet, type Fleet } from './fleet.ts';
import { FAULT_KINDS, KILL_POINTS, STOP_POINTS, type Fault, type FaultKind, type Hit } from './fleet-faults.ts';
import { fleetNight, type NightReport } from './fleet-night.ts';
import type { RowEnd } from './fleet-oracle.ts';
import { LEASE_SECONDS, type Program } from './workers.ts';

export interface FleetCampaignOptions {
  /** Faults that have to hit something. */
  readonly hits: number;
  readonly seed: string;
  readonly program: Program;
  readonly rows: number;
  readonly workers: number;
  readonly accounts: number;
  readonly onHit: (hit: Hit, hitsSoFar: number) => void;
  readonly onNight: (number: number, report: NightReport) => void;
}

export interface FleetCampaignReport {
  readonly nights: readonly NightReport[];
  /** By kind: how often it hit something, and how the rows that were in flight there ended. */
  readonly kinds: ReadonlyMap<FaultKind, { readonly hits: number; readonly ends: ReadonlyMap<RowEnd, number> }>;
  readonly isWhole: boolean;
}

/** A night is enough for about this many. */
const HITS_PER_NIGHT = 20;
const LANES = 2;
/** This many in a row that hit nothing mean that the plan is wrong. */
const IN_VAIN_MAX = 40;
/** The share of the rows that the first account may have. */
const CAPPED_SHARE = 0.15;
/** One night in this many has a cap that it reaches. */
const CAPPED_NIGHTS = 4;
/** How many rows of such a night are not paid for. */
const ROWS_BEYOND_CAP = 15;

/** Runs nights over one store until enough faults have hit something, or a promise is broken. */
export async function runFleetCampaign(options: FleetCampaignOptions): Promise<FleetCampaignReport> {
  const { seed, program, workers, accounts, rows } = options;
  const cap = Math.round(rows * CAPPED_SHARE);
  return withFleet({ seed, program, workers, accounts, cap, leaseSeconds: LEASE_SECONDS }, (fleet) =>
    runNights(fleet, options),
  );
}

async function runNights(fleet: Fleet, options: FleetCampaignOptions): Promise<FleetCampaignReport> {
  const { seed, rows } = options;
  const planner = new Planner(seed);
  const nights: NightReport[] = [];
  let hits = 0;
  const isBroken = (): boolean => nights.some(({ violations }) => violations.length > 0);
  while (hits < options.hits && !isBroken()) {
    let left = Math.min(HITS_PER_NIGHT, options.hits - hits);
    let inVain = 0;
    const report = await fleetNight(fleet, {
      seed,
      number: nights.length + 1,
      rows,
      lanes: LANES,
      leaseSeconds: LEASE_SECONDS,
      next: () => (left <= 0 || inVain > IN_VAIN_MAX ? undefined : planner.next()),
      onVain: () => void (inVain += 1),
      onHit: (hit) => {
        hits += 1;
        left -= 1;
        inVain = 0;
        planner.note(hit.fault);
        options.onHit(hit, hits);
      },
      ...(nights.length % CAPPED_NIGHTS === CAPPED_NIGHTS - 1 && { cap: rows - ROWS_BEYOND_CAP }),
    });
    nights.push(report);
    options.onNight(nights.length, report);
    if (report.hits.length === 0) break;
  }
  return { nights, kinds: kindsOf(nights), isWhole: hits >= options.hits && !isBroken() };
}

/** The fault that has hit something least often comes next. */
class Planner {
  readonly #random: SeededRandom;
  readonly #faults: { readonly fault: Fault; count: number }[];

  constructor(seed: string) {
    this.#random = new SeededRandom(seed, 'faults');
    this.#faults = FAULT_KINDS.flatMap((kind): readonly Fault[] => {
      if (kind === 'killed at a point') return KILL_POINTS.map((point) => ({ kind, point }));
      return kind === 'stopped at a point' ? STOP_POINTS.map((point) => ({ kind, point })) : [{ kind }];
    }).map((fault) => ({ fault, count: 0 }));
  }

  next(): Fault {
    const kinds = FAULT_KINDS.map((kind) => ({ kind, count: this.#count(kind), order: this.#random.next() }));
    const [first] = kinds.toSorted((a, b) => a.count - b.count || a.order - b.order);
    const own = this.#faults.filter(({ fault }) => fault.kind === first?.kind);
    const [next] = own
      .map((one) => ({ one, order: this.#random.next() }))
      .toSorted((a, b) => a.one.count - b.one.count || a.order - b.order);
    if (next === undefined) throw new Error('There is no fault.');
    // Even if it hit nothing, it has had its turn.
    next.one.count += 0.5;
    return next.one.fault;
  }

  note(fault: Fault): void {
    for (const one of this.#faults) if (one.fault === fault) one.count += 0.5;
  }

  #count(kind: FaultKind): number {
    return this.#faults.filter(({ fault }) => fault.kind === kind).reduce((sum, { count }) => sum + count, 0);
  }
}

function kindsOf(nights: readonly NightReport[]): FleetCampaignReport['kinds'] {
  const kinds = new Map<FaultKind, { hits: number; ends: Map<RowEnd, number> }>();
  for (const kind of FAULT_KINDS) kinds.set(kind, { hits: 0, ends: new Map() });
  for (const { hits, ends } of nights) {
    for (const { fault, tasks } of hits) {
      const kind = kinds.get(fault.kind);
      if (kind === undefined) continue;
      kind.hits += 1;
      for (const task of tasks) {
        const end = ends.get(task);
        if (end !== undefined) kind.ends.set(end, (kind.ends.get(end) ?? 0) + 1);
      }
    }
  }
  return kinds;
}
