import { domainWords } from '../../words/domain-words.ts';
import { quoteCell } from '../cells/cell-value.ts';
import { requestKey, requestText, type Row, costsOf, costText, type Prices } from './row.ts';
import type { SheetProblem } from './problems.ts';
import type { SheetChecker } from './sheet-checker.ts';
import { headerOfColumn, type SheetLayout } from './sheet-columns.ts';

const NAMED_ROWS = 5;

/**
 * A warning for each group of rows that ask the gateway for exactly the same, and would each be charged.
 * @param invalid Ids of the rows that an error keeps from running.
 */
export function duplicateRequests(
  rows: readonly Row[],
  invalid: ReadonlySet<string>,
  { requestKey, layout }: Pick<SheetChecker, 'requestKey' | 'layout'>,
  prices?: Prices,
): SheetProblem[] {
  const firsts = new FirstRequests(requestKey);
  const groups = new Map<Row, Row[]>();
  for (const row of rows) {
    if (row.skip || row.operation === undefined || invalid.has(row.id)) continue;
    const first = firsts.of(row);
    const group = groups.get(first);
    if (group) group.push(row);
    else if (first !== row) groups.set(first, [first, row]);
  }
  return [...groups.values()].map((group) => duplicateRequest(group, layout, prices));
}

/** The rows that ask for exactly what a row before them asks for. */
export function repeatedRows(rows: readonly Row[]): readonly Row[] {
  const firsts = new FirstRequests(requestKey);
  return rows.filter((row) => firsts.of(row) !== row);
}

/**
 * The warning about rows with the same request, at the second of them.
 * @param rows Two or more rows, in their order.
 */
export function duplicateRequest(rows: readonly Row[], layout: SheetLayout, prices: Prices = {}): SheetProblem {
  const [first, second = first] = rows;
  const named = rows.slice(0, NAMED_ROWS).map(({ id, line }) => ({ id: quoteCell(id), line }));
  return {
    severity: 'warning',
    code: 'duplicate-request',
    ...(second === undefined ? {} : { line: second.line, row: second.id }),
    ...domainWords.problems.row.duplicates(named, rows.length, costOf(rows, prices), headerOfColumn(layout, 'takes')),
  };
}

/** What all of them cost together, and what the first alone costs; undefined without a price. */
function costOf(
  rows: readonly Row[],
  prices: Prices,
): { readonly all: string; readonly takes: number; readonly first: string } | undefined {
  const all = costsOf(rows, prices);
  if (all.costs.length === 0) return undefined;
  const takes = rows.reduce((sum, row) => sum + row.takes, 0);
  return { all: costText(all), takes, first: costText(costsOf(rows.slice(0, 1), prices)) };
}

/** Finds the first row with a request. Keeps a number for each request, not its text: there may be a million. */
class FirstRequests {
  readonly #requestKey: (row: Row) => number;
  readonly #byKey = new Map<number, Row>();
  /** The rest, when two different requests have the same number. */
  readonly #byText = new Map<string, Row>();

  constructor(requestKey: (row: Row) => number) {
    this.#requestKey = requestKey;
  }

  /** The first row with the same request as this one; this row itself if it is the first. */
  of(row: Row): Row {
    const key = this.#requestKey(row);
    const first = this.#byKey.get(key);
    if (first === undefined) {
      this.#byKey.set(key, row);
      return row;
    }
    const request = requestText(row);
    if (requestText(first) === request) return first;
    const known = this.#byText.get(request) ?? row;
    this.#byText.set(request, known);
    return known;
  }
}
