import type { SheetProblemCode } from '../../../shared/domain/sheet/problems.ts';
import type { SameProblemsView } from '../../../shared/ipc/opening.ts';

/** Problems of one kind: the same thing to do about each of them. */
export interface ProblemGroup {
  readonly code: SheetProblemCode;
  readonly severity: SameProblemsView['severity'];
  /** How many there are of this kind. */
  readonly count: number;
  /** What says the same is here once. */
  readonly problems: readonly SameProblemsView[];
}

/** Problems by kind, errors first, in the order of their first appearance. */
export function groupProblems(problems: readonly SameProblemsView[]): readonly ProblemGroup[] {
  const groups = new Map<string, SameProblemsView[]>();
  for (const problem of problems) {
    const key = `${problem.severity}/${problem.code}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [problem]);
    else group.push(problem);
  }
  const all = [...groups.values()].flatMap((group): ProblemGroup[] => {
    const [first] = group;
    const count = group.reduce((sum, problem) => sum + problem.count, 0);
    return first === undefined ? [] : [{ code: first.code, severity: first.severity, count, problems: group }];
  });
  return [...all.filter((group) => group.severity === 'error'), ...all.filter((group) => group.severity === 'warning')];
}

/** Titles of the kinds of problems. */
export const PROBLEM_TITLES: Readonly<Record<SheetProblemCode, string>> = {
  unreadable: 'The sheet cannot be read',
  'too-large': 'The sheet is too large',
  encrypted: 'The sheet is encrypted',
  empty: 'The sheet is empty',
  'no-operation-column': 'There is no operation column',
  'duplicate-header': 'Two columns have the same header',
  'unknown-column': 'Not a known column',
  'unused-column': 'Value not used by this operation',
  'operation-missing': 'The operation is missing',
  'operation-unknown': 'The operation is not known',
  'row-id-duplicate': 'Two rows have the same id',
  'row-id-mangled': 'A row id that the spreadsheet may have changed',
  'value-type': 'A value of the wrong type',
  'value-range': 'A value out of range',
  'value-characters': 'Characters that cannot be sent',
  'value-formula': 'A formula without a value',
  'nothing-to-render': 'No prompt or source',
  'reference-invalid': 'A reference that cannot be understood',
  'reference-missing': 'A reference to a row that is not there',
  'reference-cycle': 'Rows that wait for each other',
  'reference-blocked': 'A reference to a row that cannot run',
  'variable-unknown': 'An unknown name in braces',
  'choice-invalid': 'A choice that cannot be made as it is written',
  'list-unknown': 'A list that is not there',
  'mapping-unknown': 'A mapping that does not fit',
  'duplicate-request': 'Identical rows',
  'shared-address': 'One address for two rows',
  'same-content': 'One file twice',
  'reserved-value': 'Invalid value',
  'contains-key': 'The gateway’s key is in the sheet',
  'hidden-rows': 'Hidden rows',
  'hidden-columns': 'Hidden columns',
  'external-link': 'A link to another workbook',
  'unsupported-format': 'A format that cannot be read',
  'encoding-guessed': 'The encoding was guessed',
  'quotes-broken': 'A quote that does not end',
  'header-matched': 'A header that was matched to a column',
  'header-missing': 'A column without a header',
  'extra-cells': 'More cells than headers',
  'value-long': 'A very long value',
  'value-address': 'A web address that cannot work',
  'number-imprecise': 'A number that lost digits',
  'other-sheets': 'Other sheets in the workbook',
};
