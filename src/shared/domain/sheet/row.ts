import { domainWords } from '../../words/domain-words.ts';
import type { JsonObject } from '../base/json.ts';
import { addMoney, amountOf, amountsOf, microsOf, moneyText, type Money } from '../base/money.ts';
import { hashOf } from '../base/text.ts';
import type { OperationPath } from '../operations/operations.ts';
import type { LinkedField } from '../cells/reference.ts';
import type { SheetProblem } from './problems.ts';
import type { RawRecord } from './sheet-raw.ts';
import { foldRowId } from './sheet-row-ids.ts';

/** A row asks for at most this many paid renderings. */
export const MOST_TAKES = 100;

/** One line of a sheet, read and checked: what to send for it, and how often. */
export interface Row {
  /** The row's own id, unique in its sheet; like `row-<line>` if the sheet gives none. */
  readonly id: string;
  /** Line of the file, counted from 1 with the header as the first. */
  readonly line: number;
  /** Undefined if the row names no known operation (then it has an error). */
  readonly operation: OperationPath | undefined;
  /** The request body, exactly as it will be sent; only the fields that the row gives. */
  readonly body: JsonObject;
  /** Fields of the body that other rows give; until then, `body` holds them as written. Absent if there are none. */
  readonly links?: readonly LinkedField[];
  /** How many paid renderings the row asks for: 1 to {@link MOST_TAKES}. */
  readonly takes: number;
  /** Higher runs earlier; 0 by default. */
  readonly priority: number;
  /** The account that it is to be rendered with, if its batch has several; any by default. */
  readonly account?: string;
  /** Rows that refer to it wait until the user has picked one of its files. */
  readonly pick?: true;
  /** The name template for this row's files, if the sheet gives one. */
  readonly filename: string | undefined;
  readonly note: string | undefined;
  /** The user wants to leave this row out. */
  readonly skip: boolean;
  /** All cells as text, by header, as in the sheet: for the results sheet and for name templates. */
  readonly cells: Readonly<Record<string, string>>;
}

/** The text of a cell; a header such as `toString` is a name like any other. */
export function cellText(cells: Row['cells'], header: string): string {
  return Object.hasOwn(cells, header) ? (cells[header] ?? '') : '';
}

/** The cells of a row as a line of its sheet. */
export function cellTexts(cells: Row['cells'], headers: readonly string[]): readonly string[] {
  return headers.map((header) => cellText(cells, header));
}

/** A number that is the same for rows with the same request, and rarely for others. */
export function requestKey(row: Row): number {
  return hashOf(requestText(row));
}

/** What a row asks the gateway for, as a text that is the same for the same request. */
export function requestText(row: Row): string {
  const { operation, body, links } = row;
  if (links === undefined) return `${operation} ${JSON.stringify(body)}`;
  // The spelling of a reference makes no difference, nor does that of the other row's id: only the row and its value count.
  return `${operation} ${JSON.stringify(links.reduce(withoutField, body))} ${JSON.stringify(links, withoutWriting)}`;
}

function withoutField(body: JsonObject, { column }: Pick<LinkedField, 'column'>): JsonObject {
  const [name = '', inner] = column.split('.');
  const value = inner === undefined ? null : withoutField((body[name] ?? {}) as JsonObject, { column: inner });
  return { ...body, [name]: value };
}

/** Leaves out the spelling of references; a linked text, which has the same name, is a list. */
function withoutWriting(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (name === 'text') return undefined;
  return name === 'row' ? foldRowId(value) : value;
}

/** A sheet that was read and checked. */
export interface CheckedSheet {
  /** The headers in their order. */
  readonly headers: readonly string[];
  readonly rows: readonly Row[];
  readonly problems: readonly SheetProblem[];
  /** The meaning that the user gave headers: see `CheckOptions`. */
  readonly mapping?: Readonly<Record<string, string>> | undefined;
  /** By row id: indexes of cells that the row's operation does not use. */
  readonly unusedCells?: ReadonlyMap<string, readonly number[]>;
  /** The lines of a sheet without an operation for any of them; it was refused before they were checked. */
  readonly withoutOperation?: readonly RawRecord[];
}

/** The ids of rows that an error keeps from running. */
export function blockedRowIds({ problems }: Pick<CheckedSheet, 'problems'>): ReadonlySet<string> {
  const ids = problems.flatMap((p) => (p.severity === 'error' && p.row !== undefined ? [p.row] : []));
  return new Set(ids);
}

type SheetWideOrNot = Pick<SheetProblem, 'severity'> & { readonly line?: number | undefined };

/** True if an error concerns the sheet as a whole, so that none of it can run. */
export function isSheetRefused({ problems }: { readonly problems: readonly SheetWideOrNot[] }): boolean {
  return problems.some((p) => p.severity === 'error' && p.line === undefined);
}

/** The rows that a run would submit: none if the sheet is refused as a whole. */
export function runnableRows(sheet: CheckedSheet): readonly Row[] {
  if (isSheetRefused(sheet)) return [];
  const blocked = blockedRowIds(sheet);
  return sheet.rows.filter((row) => !row.skip && !blocked.has(row.id));
}

/** The price of a take, by operation, as far as a profile says. */
export type Prices = { readonly [O in OperationPath]?: Money | undefined };

/** The most that one request of an operation costs, to a millionth; undefined if there is no price. */
export function priceOf(prices: Prices, operation: OperationPath): Money | undefined {
  const price = prices[operation];
  return price && { ...price, amount: amountOf(microsOf(price.amount)) };
}

/** The cost of rows when each of their takes is rendered once. */
export interface SheetCosts {
  /** By currency, in the order in which the rows name them. */
  readonly costs: readonly Money[];
  /** Takes of operations for which the profile names no price. */
  readonly takesWithoutPrice: number;
}

/** The cost of these rows at the profile's prices, counting all takes. */
export function costsOf(rows: readonly Pick<Row, 'operation' | 'takes'>[], prices: Prices = {}): SheetCosts {
  const sums = new Map<string, number>();
  let takesWithoutPrice = 0;
  for (const { operation, takes } of rows) {
    const price = operation === undefined ? undefined : prices[operation];
    if (price === undefined) takesWithoutPrice += takes;
    else addMoney(sums, price, takes);
  }
  return { costs: amountsOf(sums), takesWithoutPrice };
}

/** `6.40 USD and 3.00 EUR`; empty if there is no price. */
export function costText({ costs }: SheetCosts): string {
  return domainWords.problems.sums(costs.map(moneyText));
}
