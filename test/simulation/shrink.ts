/** Removes from a night that fails whatever is not needed for it to fail. */
import type { BatchPlan, Deed, FilePlan, NightPlan, RowPlan, TimedDeed } from './plan.ts';

/** More nights than a person waits for. */
const MOST_TRIES = 600;

/**
 * The smallest night found that still fails: rows, faults, spells and deeds are removed, and then made plainer, as long
 * as `fails` says so.
 */
export async function shrink(plan: NightPlan, fails: (plan: NightPlan) => Promise<boolean>): Promise<NightPlan> {
  let smallest = plan;
  let tries = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of smallerThan(smallest)) {
      tries += 1;
      if (tries > MOST_TRIES) return smallest;
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(plan: NightPlan): Iterable<NightPlan> {
  for (let i = 0; plan.batches.length > 1 && i < plan.batches.length; i += 1) yield withoutBatch(plan, i);
  for (const deeds of parts(plan.deeds)) yield { ...plan, deeds };
  for (const faults of parts(plan.faults)) yield { ...plan, faults };
  for (const spells of parts(plan.spells)) yield { ...plan, spells };
  for (const [i, batch] of plan.batches.entries()) {
    for (const rows of parts(batch.rows)) if (rows.length > 0) yield withBatch(plan, i, { ...batch, rows });
  }
  yield* plainer(plan);
}

/** A list without one of its parts: halves first, then single items. */
function* parts<T>(list: readonly T[]): Iterable<readonly T[]> {
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < list.length; at += size) yield [...list.slice(0, at), ...list.slice(at + size)];
  }
}

function* plainer(plan: NightPlan): Iterable<NightPlan> {
  if (plan.store !== 'at-once') yield { ...plan, store: 'at-once' };
  if (plan.shape !== 'text') yield { ...plan, shape: 'text' };
  if (plan.law.kind !== 'fixed') yield { ...plan, law: { kind: 'fixed', ms: plan.law.ms } };
  const { spending, ...unlimited } = plan;
  if (spending !== undefined) yield unlimited;
  for (const [i, batch] of plan.batches.entries()) {
    for (const plainBatch of withoutEach(batch, [
      'maxCost',
      'schedule',
      'cap',
      'isShared',
      'keys',
      'canary',
      'again',
      'isTitled',
    ]))
      yield withBatch(plan, i, plainBatch);
    if (!batch.isStated) yield withBatch(plan, i, { ...batch, isStated: true });
    for (const [at, row] of batch.rows.entries()) {
      if (row.takes > 1) yield withRow(plan, i, at, { ...row, takes: 1 });
      for (const plainRow of withoutEach(row, ['after', 'fails', 'isLate', 'pick']))
        yield withRow(plan, i, at, plainRow);
    }
  }
  for (const [i, { atMs, deed }] of plan.deeds.entries()) {
    for (const smaller of smallerDeeds(deed)) yield { ...plan, deeds: plan.deeds.with(i, { atMs, deed: smaller }) };
    const rounded = Math.floor(atMs / 1000) * 1000;
    const deeds = plan.deeds.with(i, { atMs: rounded, deed });
    if (rounded !== atMs) yield { ...plan, deeds };
  }
}

/** Without one of these parts, as far as they are there. */
function* withoutEach<T extends object, K extends keyof T & string>(
  whole: T,
  names: readonly (undefined extends T[K] ? K : never)[],
): Iterable<T> {
  for (const name of names) {
    const { [name]: part, ...rest } = whole;
    if (part !== undefined) yield rest as unknown as T;
  }
}

function* smallerDeeds(deed: Deed): Iterable<Deed> {
  switch (deed.kind) {
    case 'import':
      yield* smallerFiles(deed);
      return;
    case 'render-again':
    case 'keep-earlier':
    case 'duplicate':
      for (const rows of parts(deed.rows)) if (rows.length > 0) yield { ...deed, rows };
      return;
    case 'edit-all':
    case 'undo':
    case 'redo':
      yield* withoutEach(deed, ['endsIn']);
      return;
    default:
      return;
  }
}

function* smallerFiles<T extends FilePlan>(file: T): Iterable<T> {
  for (const rows of parts(file.rows)) yield { ...file, rows };
  for (const gone of parts(file.gone)) yield { ...file, gone };
  if (file.isTurned) yield { ...file, isTurned: false };
  if (file.withDependents) yield { ...file, withDependents: false };
}

function withRow(plan: NightPlan, batch: number, at: number, row: RowPlan): NightPlan {
  const before = plan.batches[batch] as BatchPlan;
  return withBatch(plan, batch, { ...before, rows: before.rows.with(at, row) });
}

/** With a batch replaced by another; what names rows that are gone is removed with them. */
function withBatch(plan: NightPlan, at: number, batch: BatchPlan): NightPlan {
  return withoutGoneRows({ ...plan, batches: plan.batches.with(at, batch) });
}

function withoutBatch(plan: NightPlan, at: number): NightPlan {
  const deeds = plan.deeds.flatMap(({ atMs, deed }): TimedDeed[] => {
    if (!('batch' in deed)) return [{ atMs, deed }];
    if (deed.batch === at) return [];
    const moved: Deed = deed.batch > at ? { ...deed, batch: deed.batch - 1 } : deed;
    return [{ atMs, deed: moved }];
  });
  return withoutGoneRows({ ...plan, deeds, batches: plan.batches.filter((_, i) => i !== at) });
}

function withoutGoneRows(plan: NightPlan): NightPlan {
  const ids = new Set(plan.batches.flatMap(({ rows }) => rows.map(({ id }) => id)));
  const batches = plan.batches.map((batch) => ({
    ...batch,
    rows: batch.rows.map(({ after, ...row }) => (after === undefined || !ids.has(after) ? row : { ...row, after })),
  }));
  const faults = plan.faults.filter(({ row }) => ids.has(row));
  const deeds = plan.deeds.flatMap(({ atMs, deed }): TimedDeed[] => {
    if ('row' in deed && !ids.has(deed.row)) return [];
    if (deed.kind === 'move' && !ids.has(deed.to)) return [];
    if (deed.kind === 'render-again' || deed.kind === 'keep-earlier' || deed.kind === 'duplicate')
      return [{ atMs, deed: { ...deed, rows: deed.rows.filter((row) => ids.has(row)) } }];
    if (deed.kind !== 'import') return [{ atMs, deed }];
    const rows = deed.rows.filter(({ row }) => ids.has(row));
    const gone = deed.gone.filter((row) => ids.has(row));
    return [{ atMs, deed: { ...deed, rows, gone } }];
  });
  return { ...plan, batches, faults, deeds };
}
