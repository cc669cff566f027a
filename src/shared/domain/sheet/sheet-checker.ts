import { domainWords } from '../../words/domain-words.ts';
import { quoteCell } from '../cells/cell-value.ts';
import { LONGEST_CELL_NAME, checkRow, hasUnsendable, operationName, operationNamed } from './check-row.ts';
import type { CheckedRow, NamedOperation, RowContext } from './check-row.ts';
import { expandChoices } from './expand-choices.ts';
import type { ExpandedSheet } from './expand-choices.ts';
import type { KeyFinder } from '../base/key-finder.ts';
import { nearestName } from '../base/nearest-name.ts';
import { OPERATIONS } from '../operations/operations.ts';
import type { Operation, OperationPath } from '../operations/operations.ts';
import { requestKey } from './row.ts';
import type { Row, Prices } from './row.ts';
import type { SheetProblem } from './problems.ts';
import { hideKeyInRecord, holdsKey } from './sheet-key.ts';
import { layOutColumns, layOutOperation } from './sheet-columns.ts';
import type { OperationLayout, SheetLayout } from './sheet-columns.ts';
import { SheetLanguage } from '../cells/sheet-language.ts';
import type { RawRecord, RawSheet } from './sheet-raw.ts';

/** How to understand the cells of a sheet, and what to check them against. */
export interface CheckOptions {
  /** The operation of rows that do not name one. */
  readonly defaultOperation?: OperationPath;
  /** Finds the keys of gateways: a row with one in a cell is blocked. The key appears in no message and no row. */
  readonly keyFinder?: KeyFinder;
  /** The columns of headers that are not column names: an exact column, or `''` for a column that is not sent. */
  readonly mapping?: Readonly<Record<string, string>>;
  /** Values for `{name}` if no column has that name. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The items of each list that `__name__` draws from. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  /** What to do with `{red|green|blue}`: draw one for each row (the default), or make each a row of its own. */
  readonly choices?: 'draw' | 'expand';
  /** The price of an operation's task, to say what a duplicate would cost. */
  readonly prices?: Prices;
  /** The names of the accounts that rows may go to; where they are not known yet, any name will do. */
  readonly accounts?: readonly string[];
  /** Files of this computer are put where a gateway can read them; without that, a cell that names one is an error. */
  readonly putsFiles?: boolean;
  /** Rows that are not in the sheet, and stay beside its own, which may refer to them. */
  readonly beside?: readonly RowBeside[];
}

/** A checked row; `isBlocked`: it has an error and cannot run. */
export interface RowBeside {
  readonly row: Row;
  readonly isBlocked: boolean;
}

/** Checks the rows of one sheet, one by one: for an editor, which changes some of them. */
export interface SheetChecker {
  readonly layout: SheetLayout;
  /** What is wrong with the header line, and with the mapping of headers. */
  readonly problems: readonly SheetProblem[];
  /** One line as a row, without checks that concern several rows. */
  readonly checkRecord: (record: RawRecord, id: string) => CheckedRow;
  /** Makes a row for every alternative of the sheet's choices. */
  readonly expandChoices: (raw: RawSheet) => ExpandedSheet;
  /** A number that rows with the same request share; other rows rarely share it. */
  readonly requestKey: (row: Row) => number;
}

/** Interprets the header line of a sheet, and makes the checker of its rows. */
export function createSheetChecker(headers: readonly string[], options: CheckOptions = {}): SheetChecker {
  const { keyFinder } = options;
  const layout = layOutColumns(headers, options.mapping);
  const named = checkNamed(options);
  const context = contextOf(layout, { ...options, ...named.values });
  const operationOf = (record: RawRecord): Operation | undefined =>
    context.operationNamed(operationName(record, context) ?? '').operation;
  const needsOperation = !layout.indexes.has('operation') && options.defaultOperation === undefined;
  return {
    layout,
    problems: [...layout.problems, ...named.problems, ...(needsOperation ? [noOperationColumn(headers)] : [])],
    checkRecord: (record, id) => {
      if (keyFinder === undefined) return checkRow(record, id, context);
      const hidden = hideKeyInRecord(record, headers, keyFinder);
      const checked = checkRow(hidden.record, id, context);
      if (checked.row.skip || hidden.problems.length === 0) return checked;
      return { ...checked, problems: [...hidden.problems.map((one) => ({ ...one, row: id })), ...checked.problems] };
    },
    expandChoices: (raw) => expandChoices(raw, { layout, layoutOf: context.layoutOf, operationOf }),
    requestKey,
  };
}

/**
 * The variables and lists that may be put in, and what is wrong with them: the key must not get into a row through
 * them.
 */
function checkNamed({ keyFinder, variables = {}, lists = {} }: CheckOptions): {
  readonly values: Required<Pick<CheckOptions, 'variables' | 'lists'>>;
  readonly problems: readonly SheetProblem[];
} {
  const problems: SheetProblem[] = [];
  for (const [name, text] of Object.entries(variables)) {
    if (hasUnsendable(text)) problems.push(unsendableVariable(name));
  }
  if (keyFinder === undefined) return { values: { variables, lists }, problems };
  if (Object.values(variables).some((text) => keyFinder.finds(text))) problems.push(holdsKey('variable'));
  if (Object.values(lists).some((items) => items.some((item) => keyFinder.finds(item)))) {
    problems.push(holdsKey('list'));
  }
  const clean = (text: string): string => keyFinder.hide(text);
  const values = {
    variables: Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, clean(text)])),
    lists: Object.fromEntries(Object.entries(lists).map(([name, items]) => [name, items.map(clean)])),
  };
  return { values, problems };
}

function unsendableVariable(name: string): SheetProblem {
  return {
    severity: 'error',
    code: 'value-characters',
    ...domainWords.problems.row.unsendableVariable(quoteCell(name)),
  };
}

function contextOf(layout: SheetLayout, options: CheckOptions): RowContext {
  const layouts = new Map<Operation, OperationLayout>();
  const names = new Map<string, NamedOperation>();
  return {
    layout,
    defaultOperation: options.defaultOperation,
    operationNamed: (name) => {
      // If a column of prose was mistaken for that of the operations, it is not kept in memory.
      if (name.length > LONGEST_CELL_NAME) return operationNamed(name);
      const known = names.get(name) ?? operationNamed(name);
      names.set(name, known);
      return known;
    },
    language: new SheetLanguage(layout, options),
    keyFinder: options.keyFinder,
    accounts: options.accounts,
    putsFiles: options.putsFiles === true,
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
    ...domainWords.problems.header.noOperation(
      quoteCell(headers.join(', ')),
      nearest && quoteCell(nearest),
      OPERATIONS.map((operation) => operation.short),
    ),
  };
}
