/** What the user of a night does with whole batches: puts them away, brings them back, and moves them in the queue. */
import { QUEUE_MOVES } from '../../src/shared/domain/task/batch-standing.ts';
import { inTurn } from './make-edits.ts';
import { VERDICTS, type BatchPlan, type Deed, type NightPlan, type TimedDeed } from './plan.ts';
import { Stream } from './random.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A night in which somebody also puts batches away, or has several of them wait for the same account. */
export function withBatchDeeds(plan: NightPlan): NightPlan {
  const queued = withQueue(plan);
  const deeds = [...queued.deeds, ...makeShelving(queued), ...makeReview(queued)];
  return { ...queued, deeds: deeds.toSorted((a, b) => a.atMs - b.atMs) };
}

const OF_SHELF = [
  'pause',
  'pause',
  'delete',
  'delete',
  'delete',
  'archive',
  'back',
  'back',
  'start',
  'run-drafts',
  'cancel-all',
  'retry-all',
  'edit',
  'leave',
  'close',
  'kill',
] as const;

/** Batches are deleted and archived, mostly once they are paused or done, and brought back, started, or forgotten. */
function makeShelving({ seed, batches, law, deeds }: NightPlan): readonly TimedDeed[] {
  const random = new Stream(seed, 'shelf');
  if (!random.chance(0.2)) return [];
  const batch = random.below(batches.length);
  const { rows, places } = batches[batch] as BatchPlan;
  const doneMs = 5000 + law.ms * (1 + Math.ceil(rows.length / places));
  const downMs = (): number => random.pick([0, 500, MINUTE_MS]);
  const put = (to: 'archived' | 'deleted'): Deed => ({ kind: 'shelve', batch, to });
  const make = (): readonly Deed[] => {
    const kind = random.pick(OF_SHELF);
    switch (kind) {
      case 'delete':
        return [put('deleted')];
      case 'archive':
        return [put('archived')];
      case 'back':
        return [{ kind: 'shelve', batch, to: 'back' }];
      case 'edit':
        return [{ kind: 'edit', row: random.pick(rows).id, version: random.below(3) }];
      case 'leave':
        // A day later it is gone.
        return [
          put('deleted'),
          { kind: 'leap', byMs: DAY_MS + random.pick([-1000, 0, 2 * 60 * MINUTE_MS]) },
          random.chance(0.5) ? { kind: 'close', downMs: downMs() } : { kind: 'kill', turns: 0, downMs: downMs() },
        ];
      case 'close':
        return [{ kind, downMs: downMs() }];
      case 'kill':
        return [{ kind, turns: random.below(40), downMs: downMs() }];
      default:
        return [{ kind, batch }];
    }
  };
  const fromMs = random.pick([random.pick(deeds).atMs, random.below(20_000), doneMs, 3 * doneMs]);
  const first: readonly Deed[] = random.chance(0.7) ? [{ kind: 'pause', batch }, put('deleted')] : [put('deleted')];
  const some = Array.from({ length: 1 + random.few(0.8, 12) }, make).flat();
  return inTurn(random, fromMs, [0, 0, 1, 30, 500, 3000, law.ms, doneMs], [...first, ...some]);
}

/** Files are rejected, kept or rated; what is rejected is rendered again, and sometimes was good enough after all. */
function makeReview({ seed, batches, law }: NightPlan): readonly TimedDeed[] {
  const random = new Stream(seed, 'review');
  if (!random.chance(0.2)) return [];
  const batch = random.below(batches.length);
  const { rows, places } = batches[batch] as BatchPlan;
  const doneMs = 5000 + law.ms * (1 + Math.ceil(rows.length / places));
  const chosen = Array.from({ length: 1 + random.few(0.4, 3) }, () => random.pick(rows).id);
  const make = (): readonly Deed[] => {
    const row = random.pick(chosen);
    const nth = random.below(4);
    const says = random.pick(['reject', 'reject', ...VERDICTS] as const);
    const said: Deed = { kind: 'review', row, nth, says };
    switch (random.pick(['say', 'say', 'say', 'again', 'pick', 'end'] as const)) {
      case 'say':
        return random.chance(0.3) ? [said, { ...said, says: random.pick(VERDICTS) }] : [said];
      case 'again': {
        const again: Deed = { kind: 'render-again', batch, rows: [row] };
        const then: Deed = random.chance(0.7)
          ? { kind: 'run-drafts', batch }
          : { kind: 'keep-earlier', batch, rows: [row] };
        return [{ ...said, says: 'reject' }, again, then];
      }
      case 'pick':
        return [{ kind: 'pick', row, nth }, said];
      case 'end':
        return [said, { kind: 'kill', turns: random.below(20), downMs: random.pick([0, 500]) }];
    }
  };
  const fromMs = random.pick([random.below(20_000), doneMs, doneMs, 3 * doneMs]);
  return inTurn(
    random,
    fromMs,
    [0, 1, 30, 500, 3000, doneMs],
    Array.from({ length: 1 + random.few(0.85, 12) }, make).flat(),
  );
}

/** All batches wait for the same few places, in an order that the user changes. */
function withQueue(plan: NightPlan): NightPlan {
  const random = new Stream(plan.seed, 'queue');
  if (!random.chance(0.15)) return plan;
  const places = 1 + random.below(2);
  const shared = { account: random.below(2), places, perSecond: random.pick([1, 2, 10]) };
  const same = plan.batches.map((batch): BatchPlan => {
    const { isShared: _, ...rest } = batch;
    return random.chance(0.8) ? { ...rest, ...shared } : batch;
  });
  const count = same.length + 1 + random.few(0.3, 1);
  const more = Array.from({ length: count - same.length }, (_, i): BatchPlan => {
    const ids = Array.from({ length: 1 + random.below(7) }, (_row, at) => `b${same.length + i}r${at}`);
    const rows = ids.map((id) => ({ id, takes: random.chance(0.2) ? 2 : 1 }));
    return { rows, ...shared, downloads: 1 + random.below(4), isStated: true };
  });
  const batches = [...same, ...more];
  const workMs = 5000 + (plan.law.ms * batches.flatMap(({ rows }) => rows).length) / places;
  const atAnyTime = (deed: Deed): TimedDeed => ({ atMs: random.below(workMs), deed });
  const starts = more.map((_, i): TimedDeed => {
    return { atMs: random.chance(0.7) ? 0 : random.below(workMs), deed: { kind: 'start', batch: same.length + i } };
  });
  const moves = Array.from({ length: random.few(0.8, 10) }, () => {
    const batch = random.below(count);
    const other = random.pick(['start', 'start', 'pause', 'run-drafts'] as const);
    return atAnyTime(
      random.chance(0.2) ? { kind: other, batch } : { kind: 'queue', batch, to: random.pick(QUEUE_MOVES) },
    );
  });
  return { ...plan, batches, deeds: [...plan.deeds, ...starts, ...moves] };
}
