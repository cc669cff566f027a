import { domainWords } from '../../words/domain-words.ts';
import type { Reason } from '../base/reason.ts';

/** Something wrong with a sheet, in words for its author: where, what, and what to do about it. */
export interface SheetProblem {
  /** An error keeps its row (or, without a row, the whole sheet) from running; a warning never does. */
  readonly severity: 'error' | 'warning';
  readonly code: SheetProblemCode;
  /** Line of the file, counted from 1 with the header as the first; absent if it is about the whole sheet. */
  readonly line?: number;
  /** The row's own id, if it has one. */
  readonly row?: string;
  readonly column?: string;
  /** What is wrong. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  /** The whole text of the cell, if every row with this text means the same. */
  readonly cell?: {
    readonly text: string;
    /** The text that is surely meant. */
    readonly meant?: string;
    /** Texts that may be meant; only the author knows which. */
    readonly candidates?: readonly string[];
  };
}

/**
 * A problem that a thread of the store has found. The thread only speaks English; `said` makes other languages
 * possible.
 */
export interface SaidProblem extends SheetProblem {
  readonly said?: Reason;
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
  'account-unknown',
  'contains-key',
  'hidden-rows',
  'external-link',
  'shared-address',
  'same-content',
  'most-outputs',
  'flagged',
  'unsupported-format',
  'encoding-guessed',
  'quotes-broken',
  'header-matched',
  'header-missing',
  'lines-above',
  'extra-cells',
  'value-long',
  'value-address',
  'local-file',
  'number-imprecise',
  'other-sheets',
] as const;
export type SheetProblemCode = (typeof SHEET_PROBLEM_CODES)[number];

/** Collects the problems of one row, so that each of them names the row. */
export class RowProblems {
  readonly found: SheetProblem[] = [];
  readonly #place: { readonly line: number; readonly row: string };

  constructor(line: number, row: string) {
    this.#place = { line, row };
  }

  add(
    severity: 'error' | 'warning',
    code: SheetProblemCode,
    column: string | undefined,
    text: Pick<SheetProblem, 'message' | 'remedy' | 'cell'>,
  ): void {
    const { message, remedy, cell } = text;
    const place = { ...this.#place, ...(column === undefined ? {} : { column }) };
    this.found.push({ severity, code, ...place, message, remedy, ...(cell === undefined ? {} : { cell }) });
  }
}

/** A problem as far as it is compared, also in the form that the window has. */
interface ToldProblem extends Pick<SheetProblem, 'severity' | 'code' | 'message' | 'remedy'> {
  readonly line?: number | undefined;
  readonly column?: string | undefined;
  readonly cell?: { readonly text: string } | undefined;
}

/** The same problem at several places: one mistake to its author, such as one misspelt word in 60 rows. */
export interface SameProblems<P extends ToldProblem = SheetProblem> {
  /** The first of them. */
  readonly problem: P;
  /** How many there are, including the first. */
  readonly count: number;
  /** All of them. */
  readonly all: readonly P[];
  /** The lines of the first {@link LINES_NAMED}, each once. */
  readonly lines: readonly number[];
}

/** Nobody reads more line numbers than this. */
const LINES_NAMED = 12;

/** Groups problems that say the same about the same column, in the order of first appearance. */
export function groupSameProblems<P extends ToldProblem>(problems: readonly P[]): readonly SameProblems<P>[] {
  const groups = new Map<string, { readonly problem: P; readonly all: P[]; readonly lines: Set<number> }>();
  for (const problem of problems) {
    const { severity, code, column, message, remedy, line, cell } = problem;
    const key = JSON.stringify([severity, code, column, message, remedy, cell?.text]);
    const group = groups.get(key) ?? { problem, all: [], lines: new Set() };
    group.all.push(problem);
    if (line !== undefined && group.lines.size < LINES_NAMED) group.lines.add(line);
    groups.set(key, group);
  }
  return Array.from(groups.values(), ({ problem, all, lines }) => ({
    problem,
    count: all.length,
    all,
    lines: [...lines],
  }));
}

/**
 * Warnings that say the same about the same column: the user may ignore them in a sheet, whatever cells they are about.
 */
export interface WarningKind {
  readonly code: SheetProblemCode;
  /** As the problem names it; absent if the problem names no column. */
  readonly column?: string | undefined;
}

/** A kind that is ignored in a sheet, and how many warnings of it there are. */
export interface IgnoredWarnings extends WarningKind {
  readonly count: number;
}

/** The kind as one text, the same in queries of the store. */
export function kindText({ code, column = '' }: WarningKind): string {
  return `${code} ${column}`;
}

/** Whether the user ignores this problem in its sheet. Errors never are. */
export function isIgnored(
  problem: WarningKind & Pick<SheetProblem, 'severity'>,
  ignored: readonly WarningKind[] = [],
): boolean {
  if (problem.severity === 'error' || ignored.length === 0) return false;
  const text = kindText(problem);
  return ignored.some((kind) => kindText(kind) === text);
}

/** The ignored kinds with some more, or without some; each once. */
export function ignoring(
  ignored: readonly WarningKind[],
  kinds: readonly WarningKind[],
  isMore: boolean,
): readonly WarningKind[] {
  const named = new Set(kinds.map(kindText));
  if (!isMore) return ignored.filter((kind) => !named.has(kindText(kind)));
  return [...new Map([...ignored, ...kinds].map((kind) => [kindText(kind), kind])).values()];
}

/** How many of these problems are ignored, by kind; a kind without any warnings left is still listed. */
export function countIgnored(
  problems: readonly (WarningKind & Pick<SheetProblem, 'severity'>)[],
  ignored: readonly WarningKind[] = [],
): readonly IgnoredWarnings[] {
  const counts = new Map<string, number>();
  for (const problem of problems) {
    if (problem.severity === 'warning') counts.set(kindText(problem), (counts.get(kindText(problem)) ?? 0) + 1);
  }
  return ignored.map((kind) => ({ ...kind, count: counts.get(kindText(kind)) ?? 0 }));
}

/** Kinds that name a header, or its letter; all others name a column that a header may stand for. */
const ABOUT_HEADERS: ReadonlySet<SheetProblemCode> = new Set<SheetProblemCode>([
  'duplicate-header',
  'unknown-column',
  'unused-column',
  'header-matched',
  'header-missing',
  'mapping-unknown',
  'value-characters',
  'value-formula',
  'number-imprecise',
]);

/** What a header stands for. */
interface HeaderColumns {
  readonly header: string;
  readonly column: string;
  readonly also: readonly string[];
}

/**
 * What a problem is about, as the sheet's author calls it: the header of its column, or the column's own name if it has
 * no header.
 */
export function headerNamed({ code, column }: WarningKind, columns: readonly HeaderColumns[]): string | undefined {
  if (column === undefined) return undefined;
  // A header is named in problems without the blanks around it, which a file may have.
  if (ABOUT_HEADERS.has(code)) return columns.find(({ header }) => header.trim() === column)?.header ?? column;
  return columns.find((known) => known.column === column || known.also.includes(column))?.header ?? column;
}

/** The problem that a row shows: its first error, else its first warning. */
export function shownProblem(problems: readonly SheetProblem[]): SheetProblem | undefined {
  return problems.find((problem) => problem.severity === 'error') ?? problems[0];
}

/** The rows of a sheet that has no operation for any of them. */
export function noOperationWords(rows: number): string {
  return domainWords.problems.noneSaysWhat(rows);
}
