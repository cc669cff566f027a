/** The comparison of a file with its batch, as the window may see it. */
import type { SheetDifference } from '../../engine/index.ts';
import { accountsOf, dearestPrices } from '../../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { rowLabel } from '../../shared/domain/task/row-view.ts';
import { type RowDifference, changedCells } from '../../shared/domain/sheet/sheet-difference.ts';
import { costsOf, type Row } from '../../shared/domain/sheet/row.ts';
import { isIgnored } from '../../shared/domain/sheet/problems.ts';
import { isResultColumn } from '../../shared/domain/base/result-columns.ts';
import type { DifferenceView } from '../../shared/ipc/living.ts';

const ROWS_SHOWN = 500;
const TEXT_CHARACTERS = 4_000;
/** The most important first: what costs money, then what is removed, then what stays. */
const SHOWN_FIRST: readonly RowDifference['kind'][] = ['changed', 'new', 'removed', 'locked', 'details'];

/** What the window shows before anything is applied. */
export function toDifferenceView(difference: SheetDifference, batch: BatchRecord): DifferenceView {
  const { id, batchId, file, read, kept } = difference;
  const { headers } = read.sheet;
  return {
    differenceId: id,
    batchId,
    file,
    headersAdded: headers.filter((header) => !batch.headers.includes(header) && !isResultColumn(header)),
    headersRemoved: batch.headers.filter((header) => !headers.includes(header) && !isResultColumn(header)),
    ...viewOf(difference, batch),
    kept: kept && viewOf(kept, batch),
  };
}

function viewOf(
  { read, comparison, invalid, submits, dependentSubmits }: NonNullable<SheetDifference['kept']>,
  batch: BatchRecord,
): NonNullable<DifferenceView['kept']> {
  const { rows, dependents } = comparison;
  const count = (kind: RowDifference['kind']): number => rows.filter((row) => row.kind === kind).length;
  const { problems } = read.sheet;
  const counted = problems.filter((problem) => !isIgnored(problem, batch.sheet.ignored));
  const errors = counted.filter((problem) => problem.severity === 'error').length;
  const shown = SHOWN_FIRST.flatMap((kind) => rows.filter((row) => row.kind === kind)).slice(0, ROWS_SHOWN);
  return {
    counts: {
      new: count('new'),
      changed: count('changed'),
      details: count('details'),
      unchanged: count('unchanged'),
      removed: count('removed'),
      locked: count('locked'),
      dependent: dependents.size,
      invalid: invalid.size,
    },
    submits: sum(submits),
    dependentSubmits: sum(dependentSubmits),
    cost: costOf(rows, submits, batch),
    rows: shown.map(rowView),
    errorCount: errors,
    warningCount: counted.length - errors,
  };
}

function rowView(difference: RowDifference): DifferenceView['rows'][number] {
  switch (difference.kind) {
    case 'new': {
      const filled = Object.entries(difference.after.cells).filter(([, text]) => text !== '');
      const changes = filled.map(([header, text]) => ({ header, before: '', after: cut(text) }));
      return { kind: 'new', ...nameOf(difference.after), changes };
    }
    case 'changed':
    case 'details':
    case 'locked': {
      const { kind, before, after } = difference;
      const cells = changedCells(before, after);
      const changes = cells.map((cell) => ({ ...cell, before: cut(cell.before), after: cut(cell.after) }));
      return { kind, ...nameOf(after), changes, reason: kind === 'locked' ? difference.reason : undefined };
    }
    case 'removed':
      return { kind: 'removed', ...nameOf(difference.before), changes: [] };
    case 'unchanged':
      throw new Error('Unchanged rows are not shown.');
  }
}

function nameOf(row: Row): Pick<DifferenceView['rows'][number], 'row' | 'line' | 'label'> {
  return { row: row.id, line: row.line, label: rowLabel(row) };
}

/** What the new submits cost at the profile's prices, by currency. */
function costOf(
  rows: readonly RowDifference[],
  submits: ReadonlyMap<number, number>,
  { settings }: BatchRecord,
): DifferenceView['cost'] {
  const wanted = Array.from(submits, ([index, takes]) => {
    const difference = rows[index];
    const isRow = difference !== undefined && difference.kind !== 'removed';
    return { operation: isRow ? difference.after.operation : undefined, takes };
  });
  return costsOf(wanted, dearestPrices(accountsOf(settings))).costs;
}

function sum(submits: ReadonlyMap<number, number>): number {
  return [...submits.values()].reduce((total, takes) => total + takes, 0);
}

function cut(text: string): string {
  return text.length <= TEXT_CHARACTERS ? text : `${text.slice(0, TEXT_CHARACTERS)}…`;
}
