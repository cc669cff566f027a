import { groupBy } from '../../../shared/domain/base/result.ts';
import { headerNamed, kindText, type SheetProblemCode } from '../../../shared/domain/sheet/problems.ts';
import type { ColumnView, SameProblemsView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import type { Correction } from '../opening/sheet-understanding.ts';

/** The kind of a problem, and the number of its places. */
type Counted = Pick<SameProblemsView, 'severity' | 'code' | 'count'>;

/** Problems of one kind, with the same remedy. */
export interface ProblemGroup<P extends Counted = SameProblemsView> {
  readonly code: SheetProblemCode;
  readonly severity: SameProblemsView['severity'];
  /** How many problems of this kind there are. */
  readonly count: number;
  /** Equal problems are listed once. */
  readonly problems: readonly P[];
}

/** Problems by kind, errors first, in the order of their first appearance. */
export function groupProblems<P extends Counted>(problems: readonly P[]): readonly ProblemGroup<P>[] {
  const groups = groupBy(problems, ({ severity, code }) => `${severity}/${code}`);
  const all = [...groups.values()].flatMap((group): ProblemGroup<P>[] => {
    const [first] = group;
    const count = group.reduce((sum, problem) => sum + problem.count, 0);
    return first === undefined ? [] : [{ code: first.code, severity: first.severity, count, problems: group }];
  });
  return [...all.filter((group) => group.severity === 'error'), ...all.filter((group) => group.severity === 'warning')];
}

/** What a problem is about, as far as its kind goes. */
export interface ProblemKind extends Counted {
  readonly column?: string | undefined;
}

/** The kinds of problems of a group, each with the number of its problems: as many as columns are concerned. */
export function kindsIn<P extends ProblemKind>(
  problems: readonly P[],
): readonly (ProblemKind & { readonly first: P })[] {
  const kinds = new Map<string, ProblemKind & { readonly first: P }>();
  for (const problem of problems) {
    const { severity, code, column, count } = problem;
    const known = kinds.get(kindText(problem));
    kinds.set(kindText(problem), {
      severity,
      code,
      column,
      count: count + (known?.count ?? 0),
      first: known?.first ?? problem,
    });
  }
  return [...kinds.values()];
}

/** The header that the cells of a problem are under; undefined if it is about no column of the sheet. */
export function headerOfProblem(
  problem: Pick<SameProblemsView, 'code' | 'column'>,
  columns: readonly ColumnView[],
): string | undefined {
  const named = headerNamed(problem, columns);
  return columns.find(({ header }) => header === named)?.header;
}

/** The text that another one surely stands for, and the problem that using it solves. */
export interface Suggestion<P> extends Correction {
  readonly problem: P;
}

/** Every suggestion that leaves the user no choice. */
export function suggestionsIn<P extends Pick<SameProblemsView, 'code' | 'column' | 'cell'>>(
  problems: readonly P[],
  columns: readonly ColumnView[],
): readonly Suggestion<P>[] {
  return problems.flatMap((problem) => {
    const header = headerOfProblem(problem, columns);
    const { text, meant } = problem.cell ?? {};
    return header === undefined || text === undefined || meant === undefined
      ? []
      : [{ header, written: text, instead: meant, problem }];
  });
}

/** Whether the window offers to put a problem right for all rows that it is about, once the sheet is a batch. */
export function isFixedForAll({ code }: Pick<SameProblemsView, 'code'>): boolean {
  return code === 'unused-column';
}

/**
 * Where equal problems are: the line and row of one, or the number of rows and some lines of several; and the column.
 */
export function placesOfProblem(
  problem: Pick<SameProblemsView, 'code' | 'line' | 'row' | 'column' | 'count' | 'lines'>,
  columns: readonly ColumnView[],
): string {
  const { line, row, count, lines } = problem;
  const column = headerNamed(problem, columns);
  const { problemAt, rows } = words.common;
  const one =
    line !== undefined ? problemAt.line(line) : column === undefined ? problemAt.wholeSheet : problemAt.column;
  const some = lines.length === 0 ? '' : problemAt.lines(lines, lines.length >= count);
  const place = count === 1 ? [one, row === undefined ? '' : shownLine(row)] : [rows(count), some];
  return [...place, column === undefined ? '' : shownLine(column)].filter((part) => part !== '').join(' · ');
}

/** Titles of the kinds of problems. */
export const PROBLEM_TITLES: Readonly<Record<SheetProblemCode, string>> = words.common.problemTitles;
