import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import type { SameProblemsView, SheetView } from '../../../shared/ipc/opening.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Disclosure, Section } from '../../design/Page.tsx';
import { countOf } from '../../../shared/domain/base/text.ts';
import { shownLine } from '../../format/shown-text.ts';
import { problemWords } from '../../format/words.ts';
import { useAppModel } from '../../state/app-context.ts';
import { groupProblems, placesOfProblem, PROBLEM_TITLES, type ProblemGroup } from '../../state/batch/problem-groups.ts';
import { NamePlace } from '../start/FilesPlace.tsx';
import { CorrectAll } from './Corrections.tsx';
import styles from './ProblemList.module.css';

/** Groups up to this size start open; a longer one would push the others out of sight. */
const OPEN_UP_TO = 4;

/** Everything wrong with a sheet, by kind: where, what, and what to do about it. */
export function ProblemList({ sheet }: { readonly sheet: SheetView }) {
  const groups = useMemo(() => groupProblems(sheet.problems), [sheet.problems]);
  const listed = sheet.problems.reduce((sum, { count }) => sum + count, 0);
  const hidden = sheet.errorCount + sheet.warningCount - listed;
  return (
    <Section title="Errors and warnings">
      {groups.length === 0 ? (
        <p className={joinClasses('row soft', styles.clean)}>
          <CircleCheck size={16} strokeWidth={1.75} aria-hidden />
          Nothing is wrong with this sheet.
        </p>
      ) : (
        <>
          <p className="soft">{summaryOf(sheet)}</p>
          <div className="card">
            {groups.map((group) => (
              <Group key={`${group.severity}/${group.code}`} group={group} sheet={sheet} />
            ))}
          </div>
          {hidden > 0 && <p className="soft">{`And ${countOf(hidden, 'more problem')} of the same kinds.`}</p>}
        </>
      )}
    </Section>
  );
}

function summaryOf({ errorCount, warningCount }: SheetView): string {
  const words = problemWords(errorCount, warningCount);
  if (errorCount === 0) return `${words}. Warnings do not stop a row; look at them before you start.`;
  return (
    `${words}. A row with an error does not run; the others do. Correct the file and import it again, fix the rows ` +
    'here, or start without them.'
  );
}

function Group({ group, sheet }: { readonly group: ProblemGroup; readonly sheet: SheetView }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const Icon = group.severity === 'error' ? CircleX : TriangleAlert;
  return (
    <Disclosure
      isOpenFirst={group.problems.length <= OPEN_UP_TO}
      head={
        <>
          <Icon className={styles[group.severity]} size={16} strokeWidth={1.75} aria-hidden />
          <span className="grow name">{PROBLEM_TITLES[group.code]}</span>
          <span className="faint tabular">{countOf(group.count, group.severity)}</span>
        </>
      }
    >
      {group.code === 'local-file' && sheet.filesPlace === undefined && (
        <NamePlace choose={() => model.bringIn.choosePlace()} />
      )}
      <ul className={joinClasses(styles.problems, 'selectable')}>
        {group.problems.map((problem) => (
          <li key={keyOf(problem)} className={styles.problem}>
            <p className={styles.message}>
              <span className={joinClasses('faint', styles.place)}>{placesOfProblem(problem)}</span>
              {shownLine(problem.message)} <span className="soft">{shownLine(problem.remedy)}</span>
            </p>
            <CorrectAll sheet={sheet} problem={problem} />
            {sheet.rowCount > 0 && problem.row !== undefined && (
              <Button
                size="small"
                look="quiet"
                className={styles.fix}
                disabled={isBusy}
                title="Import the sheet without starting it, and go to this cell"
                onClick={() => run(() => model.bringIn.fixInGrid(problem))}
              >
                Fix it here
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}

function keyOf({ line, row, column, message }: SameProblemsView): string {
  return JSON.stringify([line, row, column, message]);
}
