import type { SheetProblem } from './row.ts';

/** What is wrong in the same way at several places: one mistake to its author, such as one misspelt word in 60 rows. */
export interface SameProblems<P extends SheetProblem = SheetProblem> {
  /** The first of them. */
  readonly problem: P;
  /** How many there are, the first among them. */
  readonly count: number;
  /** The lines of the first {@link LINES_NAMED}, each once. */
  readonly lines: readonly number[];
}

/** More lines are not read one by one. */
const LINES_NAMED = 12;

/** Puts together what says the same of the same column, in the order of first appearance. */
export function groupSameProblems<P extends SheetProblem>(problems: readonly P[]): readonly SameProblems<P>[] {
  const groups = new Map<string, { readonly problem: P; count: number; readonly lines: Set<number> }>();
  for (const problem of problems) {
    const { severity, code, column, message, remedy, line, cell } = problem;
    const key = JSON.stringify([severity, code, column, message, remedy, cell?.text]);
    const group = groups.get(key) ?? { problem, count: 0, lines: new Set() };
    group.count += 1;
    if (line !== undefined && group.lines.size < LINES_NAMED) group.lines.add(line);
    groups.set(key, group);
  }
  return Array.from(groups.values(), ({ problem, count, lines }) => ({ problem, count, lines: [...lines] }));
}
