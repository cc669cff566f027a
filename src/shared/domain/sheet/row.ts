import type { JsonObject } from '../base/json.ts';
import type { OperationPath } from '../operations/operations.ts';
import type { LinkedField } from '../cells/reference.ts';

/** Something wrong with a sheet, in words for its author: where, what, and what to do about it. */
export interface SheetProblem {
  /** An error keeps its row (or, without a row, the whole sheet) from running; a warning never does. */
  readonly severity: 'error' | 'warning';
  readonly code: SheetProblemCode;
  /** Line of the file, counted from 1 with the header as the first; absent when the whole sheet is meant. */
  readonly line?: number;
  /** The row's own id, where it has one. */
  readonly row?: string;
  readonly column?: string;
  /** What is wrong. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  /** The whole text of the cell, where every row that has it means the same: and what was most likely meant. */
  readonly cell?: { readonly text: string; readonly meant?: string };
}

export const SHEET_PROBLEM_CODES = [
  'unreadable',
  'too-large',
  'encrypted',
  'empty',
  'no-operation-column',
  'duplicate-header',
  'unknown-column',
  'unused-column',
  'operation-missing',
  'operation-unknown',
  'row-id-duplicate',
  'row-id-mangled',
  'value-type',
  'value-range',
  'value-characters',
  'value-formula',
  'nothing-to-render',
  'reference-invalid',
  'reference-missing',
  'reference-cycle',
  'reference-blocked',
  'variable-unknown',
  'choice-invalid',
  'list-unknown',
  'mapping-unknown',
  'hidden-columns',
  'duplicate-request',
  'reserved-value',
  'contains-key',
  'hidden-rows',
  'external-link',
  'shared-address',
  'same-content',
  'unsupported-format',
  'encoding-guessed',
  'quotes-broken',
  'header-matched',
  'header-missing',
  'extra-cells',
  'value-long',
  'value-address',
  'number-imprecise',
  'other-sheets',
] as const;
export type SheetProblemCode = (typeof SHEET_PROBLEM_CODES)[number];

/** One line of a sheet, read and checked: what will be sent for it, and how often. */
export interface Row {
  /** The row's own id, unique in its sheet; `row-<line>`-like when the sheet gives none. */
  readonly id: string;
  /** Line of the file, counted from 1 with the header as the first. */
  readonly line: number;
  /** Undefined when the row names no known operation (then it has an error). */
  readonly operation: OperationPath | undefined;
  /** The request body, exactly as it will be sent; only the fields that the row gives. */
  readonly body: JsonObject;
  /** Fields of the body that other rows of the batch give; `body` holds them as written until then. Absent where there are none. */
  readonly links?: readonly LinkedField[];
  /** How many paid renderings are asked for: 1 or more. */
  readonly takes: number;
  /** Higher runs earlier; 0 where the sheet says nothing. */
  readonly priority: number;
  /** The name template for this row's files, where the sheet gives one. */
  readonly filename: string | undefined;
  readonly note: string | undefined;
  /** The user wants this row left out. */
  readonly skip: boolean;
  /** All cells as text, by header, as the sheet had them: for the results sheet and for name templates. */
  readonly cells: Readonly<Record<string, string>>;
}

/** A sheet that was read and checked. */
export interface CheckedSheet {
  /** The headers in their order. */
  readonly headers: readonly string[];
  readonly rows: readonly Row[];
  readonly problems: readonly SheetProblem[];
  /** By the ids of rows: indexes of cells that the row's operation has no use for. */
  readonly unusedCells?: ReadonlyMap<string, readonly number[]>;
}

/** The ids of rows that an error keeps from running. */
export function blockedRowIds(sheet: CheckedSheet): ReadonlySet<string> {
  const ids = sheet.problems.flatMap((p) => (p.severity === 'error' && p.row !== undefined ? [p.row] : []));
  return new Set(ids);
}

/** True when an error concerns the sheet as a whole, so that none of it can run. */
export function isSheetRefused(sheet: CheckedSheet): boolean {
  return sheet.problems.some((p) => p.severity === 'error' && p.line === undefined);
}
