import { quoteCell } from './cell-value.ts';
import { checkRow } from './check-row.ts';
import type { CheckedRow, RowContext } from './check-row.ts';
import { nearestName } from './nearest-name.ts';
import { OPERATIONS } from './operations.ts';
import type { Operation, OperationPath } from './operations.ts';
import type { Profile } from './profile.ts';
import type { Row, SheetProblem } from './row.ts';
import { hideKeyInRecord } from './sheet-key.ts';
import { layOutColumns, layOutOperation } from './sheet-columns.ts';
import type { OperationLayout, SheetLayout } from './sheet-columns.ts';
import type { RawRecord } from './sheet-raw.ts';

/** How the cells of a sheet are understood, and what they are checked against. */
export interface CheckOptions {
  /** What a row is that names no operation itself. */
  readonly defaultOperation?: OperationPath;
  /** The gateway's key: a row with it in a cell is blocked. It appears in no message and no row. */
  readonly key?: string;
  /** What headers mean where it is not their own name: an exact column, or `''` for one that is not sent. */
  readonly mapping?: Readonly<Record<string, string>>;
  /** Values for `{name}` where no column has that name. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The items of each list that `__name__` draws from. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  /** What becomes of `{red|green|blue}`: one is drawn for each row (where nothing is said), or each is a row of its own. */
  readonly choices?: 'draw' | 'expand';
  /** What a task of an operation costs, to say what a duplicate would cost. */
  readonly prices?: Profile['prices'];
}

/** Checks the rows of one sheet, one by one: for an editor, which changes some of them. */
export interface SheetChecker {
  readonly layout: SheetLayout;
  /** What is wrong with the header line, and with what was said about it. */
  readonly problems: readonly SheetProblem[];
  /** One line as the row it is; what concerns several rows is not looked at. */
  checkRecord(record: RawRecord, id: string): CheckedRow;
  /** A number that rows have in common that ask the gateway for the same; others rarely have it in common. */
  requestKey(row: Row): number;
}

/** Understands the header line of a sheet, and makes what checks its rows. */
export function createSheetChecker(headers: readonly string[], options: CheckOptions = {}): SheetChecker {
  const { key } = options;
  const layout = layOutColumns(headers);
  const context = contextOf(layout, options);
  const needsOperation = !layout.indexes.has('operation') && options.defaultOperation === undefined;
  return {
    layout,
    problems: [...layout.problems, ...(needsOperation ? [noOperationColumn(headers)] : [])],
    checkRecord: (record, id) => {
      if (!key) return checkRow(record, id, context);
      const hidden = hideKeyInRecord(record, headers, key);
      const checked = checkRow(hidden.record, id, context);
      if (checked.row.skip || hidden.problems.length === 0) return checked;
      return { ...checked, problems: [...hidden.problems.map((one) => ({ ...one, row: id })), ...checked.problems] };
    },
    requestKey: (row) => hashOf(requestText(row)),
  };
}

function contextOf(layout: SheetLayout, options: CheckOptions): RowContext {
  const layouts = new Map<Operation, OperationLayout>();
  return {
    layout,
    defaultOperation: options.defaultOperation,
    layoutOf: (operation) => {
      const known = layouts.get(operation) ?? layOutOperation(layout, operation);
      layouts.set(operation, known);
      return known;
    },
  };
}

function noOperationColumn(headers: readonly string[]): SheetProblem {
  const nearest = headers.find((header) => nearestName(header, ['operation']) !== undefined);
  return {
    severity: 'error',
    code: 'no-operation-column',
    column: 'operation',
    message: `The sheet has no column “operation”. Its header line is: ${quoteCell(headers.join(', '))}.`,
    remedy: nearest
      ? `Rename the header ${quoteCell(nearest)} to “operation”.`
      : 'Add a column “operation” that says what each row is: ' +
        `${OPERATIONS.map((operation) => operation.short).join(', ')}; or choose one operation for the whole sheet.`,
  };
}

/** What a row asks the gateway for, as a text that is the same for the same. */
export function requestText(row: Row): string {
  return `${row.operation} ${JSON.stringify(row.body)}`;
}

/** FNV-1a over the code units, as a whole number of 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}
