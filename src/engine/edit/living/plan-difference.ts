/** What applying a difference does to the rows and tasks of a batch. */
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { requestText, type Row } from '../../../shared/domain/sheet/row.ts';
import { type RowEdits, withReimport } from '../../../shared/domain/cells/row-edits.ts';
import {
  changedCells,
  type RowDifference,
  type SheetComparison,
} from '../../../shared/domain/sheet/sheet-difference.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import { type PlannedRow, planRemoval, planTasks } from '../../../shared/domain/task/plan-tasks.ts';
import { whyLocked } from '../../../shared/domain/task/row-status.ts';
import { ROW_GAP, type Task } from '../../../shared/domain/task/task.ts';
import type { RowChange, RowContent, StoredRow } from '../../ports/sheet-store.ts';

export interface ApplyOptions {
  /** What happens to rows that are no longer in the file. */
  readonly removed: 'keep' | 'remove';
  /** Rows that refer to a changed row are rendered again, too. */
  readonly withDependents: boolean;
}

/** New submits by the place of their row in a comparison. */
export interface SubmitsOfDifference {
  /** Submits of rows that themselves change. */
  readonly submits: ReadonlyMap<number, number>;
  /** Submits of unchanged rows that refer to a changed one. */
  readonly dependentSubmits: ReadonlyMap<number, number>;
}

export interface DifferenceContext extends ApplyOptions {
  readonly batch: BatchRecord;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A row's present position in the batch. */
  readonly placeOf: (key: number) => PlaceInFile | undefined;
  /** The batch's present rows, without those that stay as they are; see {@link keysToRead}. */
  readonly stored: ReadonlyMap<number, StoredRow>;
  /** Earlier paid takes of the batch's rows that match the file, by key; see {@link keyedChanges}. */
  readonly paid: ReadonlyMap<number, readonly Task[]>;
  /** What the file's check says about a row, by its place in the comparison. */
  readonly problemsAt: (index: number) => readonly SheetProblem[];
  readonly contentOf: (row: Row, position: number, problems: readonly SheetProblem[], isDraft: boolean) => RowContent;
  /** A text with the gateway's key hidden. */
  readonly hide: (text: string) => string;
}

/** What is known about a row that may stay as it is. */
export interface PlaceInFile {
  readonly position: number;
  readonly line: number;
  readonly problems: readonly SheetProblem[];
  /** Absent for a row that was never edited. */
  readonly edits?: RowEdits;
}

export interface PlannedDifference {
  readonly rows: readonly RowChange[];
  /** Rows that stay although the file does not have them: their lines no longer match a file. */
  readonly keptWithoutLine: number;
  /** Ids of rows that differ but stay as they are, because they are now in flight. */
  readonly left: readonly string[];
}

/** The rows of the batch that a plan must know in full. */
export function keysToRead({ rows, dependents }: SheetComparison, { withDependents }: ApplyOptions): readonly number[] {
  return rows.flatMap((difference) => {
    if (difference.kind === 'new') return [];
    const isRead = difference.kind !== 'unchanged' || (withDependents && dependents.has(difference.after.id));
    return isRead ? difference.key : [];
  });
}

/** The rows that themselves change, as the file has them. */
export function keyedChanges({ rows }: SheetComparison): readonly Pick<StoredRow, 'key' | 'row'>[] {
  return rows.flatMap((difference) =>
    difference.kind === 'changed' ? { key: difference.key, row: difference.after } : [],
  );
}

/** Every row of the batch in file order, with the tasks that its new content needs. */
export function planDifference({ rows, dependents }: SheetComparison, context: DifferenceContext): PlannedDifference {
  const changes: RowChange[] = [];
  const left: string[] = [];
  let keptWithoutLine = 0;
  for (const [index, difference] of rows.entries()) {
    const position = (index + 1) * ROW_GAP;
    if (difference.kind === 'removed') {
      const stored = context.stored.get(difference.key);
      if (stored === undefined) continue;
      if (context.removed === 'remove' && whyLocked(stored.tasks) === undefined) {
        changes.push({ kind: 'remove', key: stored.key, tasks: planRemoval(stored.tasks) });
      } else {
        if (context.removed === 'remove') left.push(difference.before.id);
        keptWithoutLine += 1;
        changes.push({ kind: 'move', key: stored.key, position });
      }
      continue;
    }
    const isRenewed = context.withDependents && dependents.has(difference.after.id);
    const planned = changeOf(difference, index, position, isRenewed, context);
    if (planned.isLeft) left.push(difference.after.id);
    changes.push(...planned.rows);
  }
  return { rows: changes, keptWithoutLine, left };
}

interface PlannedChange {
  readonly rows: readonly RowChange[];
  /** The row differs but stays as it is. */
  readonly isLeft: boolean;
}

function changeOf(
  difference: Exclude<RowDifference, { kind: 'removed' }>,
  index: number,
  position: number,
  isRenewed: boolean,
  context: DifferenceContext,
): PlannedChange {
  const { batch, now, problemsAt, contentOf } = context;
  const problems = problemsAt(index);
  const isBlocked = hasError({ problems });
  const after: PlannedRow = { row: difference.after, position, isBlocked };
  const options = { batchId: batch.id, batchState: batch.state, now };
  if (difference.kind === 'new') {
    const planned = planTasks(undefined, after, [], options);
    const content = contentOf(after.row, position, problems, planned.isDraft);
    return { rows: [{ kind: 'insert', content, add: planned.tasks.add }], isLeft: false };
  }
  const { key } = difference;
  const place = context.placeOf(key);
  const { line } = after.row;
  const isMoved = place?.position !== position || place.line !== line;
  const move: readonly RowChange[] = isMoved ? [{ kind: 'move', key, position, line }] : [];
  if (difference.kind === 'unchanged' && !isRenewed) {
    const rows = [...move, ...otherProblems(key, place, problems), ...otherEdits(key, place, after.row, context)];
    return { rows, isLeft: false };
  }
  const stored = context.stored.get(key);
  // The row may have started since the comparison.
  if (stored === undefined || difference.kind === 'locked' || whyLocked(stored.tasks) !== undefined) {
    return { rows: move, isLeft: true };
  }
  const before = isRenewed ? undefined : { row: stored.row, position: stored.position, isBlocked: hasError(stored) };
  // A row that is to render again does not reuse paid takes.
  const paid = isRenewed ? [] : (context.paid.get(key) ?? []);
  // If the row asks for the same as before, a wish sets its files aside, and they can be kept after all.
  const isWish = isRenewed && requestText(stored.row) === requestText(after.row);
  const planned = planTasks(before, after, stored.tasks, {
    ...options,
    paid,
    ...(isWish ? { again: 'anew' as const } : {}),
  });
  const edits = editsByFile(stored, after.row, context);
  const content = { ...contentOf(after.row, position, problems, planned.isDraft), ...present({ edits }) };
  return { rows: [{ kind: 'update', key: stored.key, content, tasks: planned.tasks }], isLeft: false };
}

/** What is kept of a row's edits once the row is as in the file. */
function editsByFile(
  { row, edits }: StoredRow,
  after: Row,
  { now: at, hide }: DifferenceContext,
): RowEdits | undefined {
  const changed = changedCells(row, after).map(({ header }) => header);
  return withReimport(edits, after.cells, { at, before: row.cells, headers: changed, hide });
}

/** The same for a row that the file already has as it is. */
function otherEdits(
  key: number,
  place: PlaceInFile | undefined,
  { cells }: Row,
  { now: at, hide }: DifferenceContext,
): readonly RowChange[] {
  const before = place?.edits;
  const edits = before && withReimport(before, cells, { at, before: cells, headers: [], hide });
  const isSame = edits?.addedAt === before?.addedAt && edits?.earlier === before?.earlier;
  return isSame ? [] : [{ kind: 'edits', key, ...present({ edits }) }];
}

/** How many new submits a difference asks for; `stored` and `paid` know at least the changed rows. */
export function submitsOfDifference(
  { rows, dependents }: SheetComparison,
  stored: ReadonlyMap<number, StoredRow>,
  paid: DifferenceContext['paid'],
  invalid: ReadonlySet<number>,
): SubmitsOfDifference {
  const submits = new Map<number, number>();
  const dependentSubmits = new Map<number, number>();
  for (const [index, difference] of rows.entries()) {
    const isChanged = difference.kind === 'changed';
    const known = isChanged ? stored.get(difference.key) : undefined;
    const back = isChanged ? (paid.get(difference.key) ?? []) : [];
    const own = submitsOfRow(difference, known, back, invalid.has(index));
    if (own > 0) submits.set(index, own);
    if (difference.kind !== 'unchanged' && difference.kind !== 'details') continue;
    if (!dependents.has(difference.after.id)) continue;
    const again = runs(difference.after, invalid.has(index));
    if (again > 0) dependentSubmits.set(index, again);
  }
  return { submits, dependentSubmits };
}

/**
 * How many of the submits that the choice needs `now` were not `shown`, line by line: an edit under way, or a row that
 * has ended since, may need others, even if they are no more in total.
 */
export function submitsUnseen(
  now: SubmitsOfDifference,
  shown: SubmitsOfDifference,
  { withDependents }: Pick<ApplyOptions, 'withDependents'>,
): number {
  const of = ({ submits, dependentSubmits }: SubmitsOfDifference, place: number): number =>
    (submits.get(place) ?? 0) + (withDependents ? (dependentSubmits.get(place) ?? 0) : 0);
  const places = new Set([...now.submits.keys(), ...now.dependentSubmits.keys()]);
  return [...places].reduce((sum, place) => sum + Math.max(0, of(now, place) - of(shown, place)), 0);
}

/** How many new submits a row that differs from the batch needs; `paid` are takes that come back. */
function submitsOfRow(
  difference: RowDifference,
  stored: StoredRow | undefined,
  paid: readonly Task[],
  isBlocked: boolean,
): number {
  switch (difference.kind) {
    case 'new':
      return runs(difference.after, isBlocked);
    case 'changed': {
      const { row, position } = stored ?? { row: difference.before, position: 0 };
      const before = { row, position, isBlocked: stored !== undefined && hasError(stored) };
      const after = { row: difference.after, position, isBlocked };
      // As applying it will plan it; for a batch that has not started, everything that is missing is added.
      const options = { batchId: '', batchState: 'ready', now: 0, paid } as const;
      return planTasks(before, after, stored?.tasks ?? [], options).tasks.add.length;
    }
    case 'details':
    case 'unchanged':
    case 'locked':
    case 'removed':
      return 0;
  }
}

/** How many submits a row needs that runs in full. */
export function runs(row: Row, isBlocked: boolean): number {
  return row.skip || isBlocked || row.operation === undefined ? 0 : row.takes;
}

/**
 * What is said now about an unchanged row because of others: why it still cannot run, or that it is the only one left
 * about which there is a warning.
 */
function otherProblems(
  key: number,
  known: PlaceInFile | undefined,
  problems: readonly SheetProblem[],
): readonly RowChange[] {
  if (known === undefined || hasError(known) !== hasError({ problems })) return [];
  return JSON.stringify(known.problems) === JSON.stringify(problems) ? [] : [{ kind: 'problems', key, problems }];
}

/** Whether a row has an error and cannot run. */
export function hasError({ problems }: Pick<StoredRow, 'problems'>): boolean {
  return problems.some((problem) => problem.severity === 'error');
}
