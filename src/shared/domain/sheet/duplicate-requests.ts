import { countText } from '../base/text.ts';
import { quoteCell } from '../cells/cell-value.ts';
import { requestKey, requestText, type Row, costsOf, costText, type Prices } from './row.ts';
import type { SheetProblem } from './problems.ts';

const NAMED_ROWS = 5;

/**
 * A warning for each group of rows that ask the gateway for exactly the same, and would each be charged for it.
 * @param invalid Ids of the rows that an error keeps from running.
 * @param requestKey The number of a row's request (see `SheetChecker`).
 */
export function duplicateRequests(
  rows: readonly Row[],
  invalid: ReadonlySet<string>,
  requestKey: (row: Row) => number,
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
  return [...groups.values()].map((group) => duplicateRequest(group, prices));
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
export function duplicateRequest(rows: readonly Row[], prices: Prices = {}): SheetProblem {
  const [first, second = first] = rows;
  const names = rows.slice(0, NAMED_ROWS).map((row) => `${quoteCell(row.id)} (line ${row.line})`);
  const more = rows.length - names.length;
  const times = rows.length === 2 ? 'twice' : `${countText(rows.length)} times`;
  return {
    severity: 'warning',
    code: 'duplicate-request',
    ...(second === undefined ? {} : { line: second.line, row: second.id }),
    message: `The rows ${names.join(' and ')}${more > 0 ? ` and ${countText(more)} more` : ''} are identical; you would pay ${times}${costOf(rows, prices)}.`,
    remedy: 'If you want several versions, keep one row and set its “takes”; otherwise delete the others.',
  };
}

/** `: 0.60 USD for 3 takes, where the first row alone is 0.20 USD`. */
function costOf(rows: readonly Row[], prices: Prices): string {
  const all = costsOf(rows, prices);
  if (all.costs.length === 0) return '';
  const takes = rows.reduce((sum, row) => sum + row.takes, 0);
  return `: ${costText(all)} for ${countText(takes)} takes, where the first row alone is ${costText(costsOf(rows.slice(0, 1), prices))}`;
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
