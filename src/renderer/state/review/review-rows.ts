/** The rows that a review goes through: fixed by their keys when it is opened, whatever the night does meanwhile. */
import type { RowView } from '../../../shared/ipc/rows.ts';

export const REVIEW_FILTERS = ['all', 'undecided', 'kept', 'rejected'] as const;
export type ReviewFilter = (typeof REVIEW_FILTERS)[number];

/** A row with verified files, and what was said about them. */
export interface ReviewRow extends Pick<
  RowView,
  'key' | 'row' | 'line' | 'label' | 'operation' | 'takes' | 'fileCount'
> {
  readonly kept: number;
  readonly rejected: number;
}

export interface ReviewList {
  /** All rows that are known, by key, including those that came later and have no place in the order yet. */
  readonly rows: ReadonlyMap<number, ReviewRow>;
  /** The keys that the review goes through, in order. */
  readonly order: readonly number[];
  /** Keys of rows that have got files since; they are added when the user asks for that. */
  readonly arrived: ReadonlySet<number>;
  readonly filter: ReviewFilter;
}

export const NO_ROWS: ReviewList = { rows: new Map(), order: [], arrived: new Set(), filter: 'all' };

/** What was said about the files of all rows. */
export interface ReviewCounts {
  readonly files: number;
  readonly kept: number;
  readonly rejected: number;
}

/** A row as the review has it; undefined if it has no file. */
export function reviewRowOf(view: RowView): ReviewRow | undefined {
  const { key, row, line, label, operation, takes, fileCount, kept = 0, rejected = 0 } = view;
  return fileCount === 0 ? undefined : { key, row, line, label, operation, takes, fileCount, kept, rejected };
}

export function passes({ fileCount, kept, rejected }: ReviewRow, filter: ReviewFilter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'undecided':
      return kept + rejected < fileCount;
    case 'kept':
      return kept > 0;
    case 'rejected':
      return rejected > 0;
  }
}

/** The list with what is now known about rows. `isOpening`: new ones go to their places, or else wait for the user. */
export function withRowsTold(list: ReviewList, views: readonly RowView[], isOpening: boolean): ReviewList {
  const rows = new Map(list.rows);
  const added: number[] = [];
  const arrived = new Set(list.arrived);
  for (const view of views) {
    const row = reviewRowOf(view);
    const isKnown = rows.has(view.key);
    // A row that has lost its files stays where it is, so that nothing jumps.
    if (row === undefined) {
      if (isKnown && arrived.delete(view.key)) rows.delete(view.key);
      continue;
    }
    rows.set(row.key, row);
    if (isKnown) continue;
    if (!isOpening) arrived.add(row.key);
    else if (passes(row, list.filter)) added.push(row.key);
  }
  if (added.length === 0) return { ...list, rows, arrived };
  // Some rows may be reported before the list has been read that far.
  const lineOf = (key: number): number => rows.get(key)?.line ?? 0;
  const order = [...list.order, ...added].toSorted((a, b) => lineOf(a) - lineOf(b) || a - b);
  return { ...list, rows, arrived, order };
}

/** The list as a filter has it now, with all rows that have come since, in the order of the sheet. */
export function filteredAnew(list: ReviewList, filter: ReviewFilter): ReviewList {
  const order = [...list.rows.values()]
    .filter((row) => passes(row, filter))
    .toSorted((a, b) => a.line - b.line || a.key - b.key)
    .map(({ key }) => key);
  return { ...list, filter, order, arrived: new Set() };
}

/** What was said about a row and its files, which the window knows before the store reports it. */
export function withSaid(
  list: ReviewList,
  key: number,
  said: Partial<Pick<ReviewRow, 'kept' | 'rejected' | 'takes'>>,
): ReviewList {
  const row = list.rows.get(key);
  return row === undefined ? list : { ...list, rows: new Map(list.rows).set(key, { ...row, ...said }) };
}

/**
 * The key before or after that of a row; undefined at the ends. From a row that is not among them, because a filter has
 * left it out or it has only earlier files, the step goes by its line; from a row that is not known at all, it goes to
 * the beginning.
 */
export function stepFrom(
  { order, rows }: Pick<ReviewList, 'order' | 'rows'>,
  from: Pick<ReviewRow, 'key' | 'line'> | undefined,
  by: 1 | -1,
): number | undefined {
  if (from === undefined) return order[0];
  const at = order.indexOf(from.key);
  if (at !== -1) return order[at + by];
  const isBeyond = (key: number): boolean => ((rows.get(key)?.line ?? 0) - from.line) * by > 0;
  return by === 1 ? order.find(isBeyond) : order.findLast(isBeyond);
}

export function countsOf({ rows, arrived }: ReviewList): ReviewCounts {
  const counts = { files: 0, kept: 0, rejected: 0 };
  for (const { key, fileCount, kept, rejected } of rows.values()) {
    if (arrived.has(key)) continue;
    counts.files += fileCount;
    counts.kept += kept;
    counts.rejected += rejected;
  }
  return counts;
}
