import { countOf } from '../../../shared/domain/base/text.ts';
import type { SheetProblemCode } from '../../../shared/domain/sheet/problems.ts';
import type { SameProblemsView } from '../../../shared/ipc/opening.ts';
import { shownLine } from '../../format/shown-text.ts';

/** What kind a problem is of, and at how many places it is. */
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
  const groups = new Map<string, P[]>();
  for (const problem of problems) {
    const key = `${problem.severity}/${problem.code}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [problem]);
    else group.push(problem);
  }
  const all = [...groups.values()].flatMap((group): ProblemGroup<P>[] => {
    const [first] = group;
    const count = group.reduce((sum, problem) => sum + problem.count, 0);
    return first === undefined ? [] : [{ code: first.code, severity: first.severity, count, problems: group }];
  });
  return [...all.filter((group) => group.severity === 'error'), ...all.filter((group) => group.severity === 'warning')];
}

/** Where equal problems are: the line and the row of one, how many rows and some of the lines of several; and the column. */
export function placesOfProblem({
  line,
  row,
  column,
  count,
  lines,
}: Pick<SameProblemsView, 'line' | 'row' | 'column' | 'count' | 'lines'>): string {
  const place =
    count === 1
      ? [
          line !== undefined ? `line ${line}` : column === undefined ? 'whole sheet' : 'column',
          ...(row === undefined ? [] : [shownLine(row)]),
        ]
      : [countOf(count, 'row'), linesOf(lines, count)];
  return [...place, ...(column === undefined ? [] : [shownLine(column)])].filter((part) => part !== '').join(' · ');
}

function linesOf(lines: readonly number[], count: number): string {
  if (lines.length === 0) return '';
  return `lines ${lines.join(', ')}${lines.length < count ? ' …' : ''}`;
}

/** Titles of the kinds of problems. */
export const PROBLEM_TITLES: Readonly<Record<SheetProblemCode, string>> = {
  unreadable: 'The sheet cannot be read',
  'too-large': 'The sheet is too large',
  encrypted: 'The sheet is encrypted',
  empty: 'The sheet is empty',
  'no-operation-column': 'There is no operation column',
  'duplicate-header': 'Two columns have the same header',
  'unknown-column': 'Unknown column',
  'unused-column': 'Value not used by this operation',
  'operation-missing': 'The operation is missing',
  'operation-unknown': 'The operation is not known',
  'row-id-duplicate': 'Two rows have the same id',
  'row-id-mangled': 'Row id that the spreadsheet may have changed',
  'value-type': 'Value of the wrong type',
  'value-range': 'Value out of range',
  'value-characters': 'Characters that cannot be sent',
  'value-formula': 'Formula without a value',
  'nothing-to-render': 'No prompt or source',
  'reference-invalid': 'Invalid reference',
  'reference-missing': 'Reference to a missing row',
  'reference-cycle': 'Rows that wait for each other in a circle',
  'reference-blocked': 'Reference to a row that cannot run',
  'variable-unknown': 'Unknown name in braces',
  'choice-invalid': 'Choice that does not work as written',
  'list-unknown': 'Unknown list',
  'mapping-unknown': 'Mapping that does not fit the sheet',
  'duplicate-request': 'Identical rows',
  'shared-address': 'Two rows with the same file address',
  'same-content': 'The same file twice',
  flagged: 'Files that a gate flags',
  'reserved-value': 'Invalid value',
  'account-unknown': 'Unknown account',
  'contains-key': 'The gateway’s key is in the sheet',
  'hidden-rows': 'Hidden rows',
  'hidden-columns': 'Hidden columns',
  'external-link': 'Link to another workbook',
  'unsupported-format': 'Unsupported file format',
  'encoding-guessed': 'The encoding was guessed',
  'quotes-broken': 'Unclosed quote',
  'header-matched': 'Header that Nocturne mapped to a column',
  'header-missing': 'Column without a header',
  'lines-above': 'Lines above the header',
  'extra-cells': 'More cells than headers',
  'value-long': 'Very long value',
  'value-address': 'Invalid web address',
  'local-file': 'File on this computer',
  'number-imprecise': 'Number that lost digits',
  'other-sheets': 'Other sheets in the workbook',
};
