/** The comparison of a file with its batch, as the window may see it. */
import type { SheetDifference } from '../../engine/index.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { rowLabel } from '../../shared/domain/task/row-view.ts';
import { type RowDifference, changedCells } from '../../shared/domain/sheet/sheet-difference.ts';
import { isResultColumn } from '../../shared/domain/sheet/result-columns.ts';
import type { DifferenceView } from '../../shared/ipc/living.ts';

const ROWS_SHOWN = 500;
const TEXT_CHARACTERS = 4_000;
/** What matters most comes first: what costs, then what goes, then what stays. */
const SHOWN_FIRST: readonly RowDifference['kind'][] = ['changed', 'new', 'removed', 'locked', 'details'];

/** What the window shows before anything is taken over. */
export function toDifferenceView(
  { id, batchId, file, read, comparison, invalid, submits, dependentSubmits }: SheetDifference,
  batch: BatchRecord,
): DifferenceView {
  const { rows, dependents } = comparison;
  const count = (kind: RowDifference['kind']): number => rows.filter((row) => row.kind === kind).length;
  const { problems, headers } = read.sheet;
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const shown = SHOWN_FIRST.flatMap((kind) => rows.filter((row) => row.kind === kind)).slice(0, ROWS_SHOWN);
  return {
    differenceId: id,
    batchId,
    file,
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
    headersAdded: headers.filter((header) => !batch.headers.includes(header) && !isResultColumn(header)),
    headersRemoved: batch.headers.filter((header) => !headers.includes(header) && !isResultColumn(header)),
    rows: shown.map(rowView),
    errorCount: errors,
    warningCount: problems.length - errors,
  };
}

function rowView(difference: RowDifference): DifferenceView['rows'][number] {
  switch (difference.kind) {
    case 'new': {
      const { after } = difference;
      const filled = Object.entries(after.cells).filter(([, text]) => text !== '');
      return {
        kind: 'new',
        row: after.id,
        line: after.line,
        label: rowLabel(after),
        changes: filled.map(([header, text]) => ({ header, before: '', after: cut(text) })),
      };
    }
    case 'changed':
    case 'details':
    case 'locked': {
      const { before, after } = difference;
      const changes = changedCells(before, after);
      return {
        kind: difference.kind,
        row: after.id,
        line: after.line,
        label: rowLabel(after),
        changes: changes.map(({ header, ...texts }) => ({
          header,
          before: cut(texts.before),
          after: cut(texts.after),
        })),
        ...(difference.kind === 'locked' ? { reason: difference.reason } : {}),
      };
    }
    case 'removed': {
      const { before } = difference;
      return { kind: 'removed', row: before.id, line: before.line, label: rowLabel(before), changes: [] };
    }
    case 'unchanged':
      throw new Error('Unchanged rows are not shown.');
  }
}

/** What the new submits cost at the profile's prices, by currency. */
function costOf(
  rows: readonly RowDifference[],
  submits: ReadonlyMap<number, number>,
  { settings }: BatchRecord,
): DifferenceView['cost'] {
  const sums = new Map<string, number>();
  for (const [index, takes] of submits) {
    const difference = rows[index];
    const operation =
      difference === undefined || difference.kind === 'removed' ? undefined : difference.after.operation;
    const price = operation === undefined ? undefined : settings.profile.prices[operation];
    if (price !== undefined) sums.set(price.currency, (sums.get(price.currency) ?? 0) + price.amount * takes);
  }
  return [...sums].map(([currency, amount]) => ({ currency, amount }));
}

function sum(submits: ReadonlyMap<number, number>): number {
  return [...submits.values()].reduce((total, takes) => total + takes, 0);
}

function cut(text: string): string {
  return text.length <= TEXT_CHARACTERS ? text : `${text.slice(0, TEXT_CHARACTERS)}…`;
}
