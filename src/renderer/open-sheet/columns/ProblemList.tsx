import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { ignoring, type WarningKind } from '../../../shared/domain/sheet/problems.ts';
import type { SameProblemsView, SheetView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Disclosure, Section } from '../../design/Page.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { problemSummary } from '../../format/phrases.ts';
import { useAppModel } from '../../state/app-context.ts';
import {
  groupProblems,
  isFixedForAll,
  kindsIn,
  placesOfProblem,
  PROBLEM_TITLES,
  type ProblemGroup,
} from '../../state/batch/problem-groups.ts';
import { understandingOf, withCorrections } from '../../state/opening/sheet-understanding.ts';
import { tourPlace } from '../../state/tour.ts';
import { NamePlace } from '../start/FilesPlace.tsx';
import { CorrectAll, UseSuggestions } from './Corrections.tsx';
import { IgnoreColumns, IgnoreKind, WithIgnored } from './IgnoredWarnings.tsx';
import styles from './ProblemList.module.css';

/** Groups up to this size start open; a longer one would push the others out of sight. */
const OPEN_UP_TO = 4;

/** Everything that is wrong with a sheet, by kind: where, what, and what to do about it. */
export function ProblemList({ sheet }: { readonly sheet: SheetView }) {
  const model = useAppModel();
  const isChecking = useStore(model.bringIn.store, (state) => state.isChecking);
  const groups = useMemo(() => groupProblems(sheet.problems), [sheet.problems]);
  const { ignored } = sheet;
  const ignore = (kinds: readonly WarningKind[], isIgnored: boolean): void =>
    void model.bringIn.interpret({ ignored: [...ignoring(understandingOf(sheet).ignored ?? [], kinds, isIgnored)] });
  const listed = sheet.problems.reduce((sum, { count }) => sum + count, 0);
  const hidden = sheet.errorCount + sheet.warningCount - listed;
  return (
    <Section title={words.sheet.problems.title} region="tools">
      {groups.length === 0 ? (
        <p className={joinClasses('row soft', styles.clean)} {...tourPlace('problems')}>
          <CircleCheck size={16} strokeWidth={1.75} aria-hidden />
          {ignored.length === 0 ? words.sheet.problems.none : words.sheet.problems.noneElse}
        </p>
      ) : (
        <p className="soft" {...tourPlace('problems')}>
          {problemSummary(sheet)}
        </p>
      )}
      <WithIgnored
        label={words.sheet.problems.title}
        className={groups.length + ignored.length === 0 ? undefined : 'card'}
        columns={sheet.columns}
        ignored={ignored}
        isDisabled={isChecking}
        onTakeBack={(kinds) => ignore(kinds, false)}
      >
        <UseSuggestions
          problems={sheet.problems}
          sheet={sheet}
          isDisabled={isChecking}
          onUse={(all) => void model.bringIn.interpret({ corrections: withCorrections(all, sheet) })}
        />
        {groups.map((group) => (
          <Group
            key={`${group.severity}/${group.code}`}
            group={group}
            sheet={sheet}
            onIgnore={(kinds) => ignore(kinds, true)}
          />
        ))}
      </WithIgnored>
      {hidden > 0 && <p className="soft">{words.sheet.problems.more(hidden)}</p>}
    </Section>
  );
}

interface GroupProps {
  readonly group: ProblemGroup;
  readonly sheet: SheetView;
  readonly onIgnore: (kinds: readonly WarningKind[]) => void;
}

function Group({ group, sheet, onIgnore }: GroupProps) {
  const model = useAppModel();
  const isChecking = useStore(model.bringIn.store, (state) => state.isChecking);
  const kindOf = new Map(kindsIn(group.problems).map((kind) => [kind.first, kind]));
  const [isBusy, run] = useBusy();
  const Icon = group.severity === 'error' ? CircleX : TriangleAlert;
  return (
    <Disclosure
      isOpenFirst={group.problems.length <= OPEN_UP_TO}
      head={
        <>
          <Icon className={styles[group.severity]} size={16} strokeWidth={1.75} aria-hidden />
          <span className="grow name">{PROBLEM_TITLES[group.code]}</span>
          <span className="faint tabular">
            {group.severity === 'error' ? words.common.errors(group.count) : words.common.warnings(group.count)}
          </span>
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
              <span className={joinClasses('faint', styles.place)}>{placesOfProblem(problem, sheet.columns)}</span>
              {shownLine(problem.message)} <span className="soft">{shownLine(problem.remedy)}</span>
            </p>
            <CorrectAll sheet={sheet} problem={problem} />
            {sheet.rowCount > 0 && (problem.row !== undefined || isFixedForAll(problem)) && (
              <Button
                size="small"
                look="quiet"
                className={styles.fix}
                disabled={isBusy}
                title={isFixedForAll(problem) ? words.sheet.problems.fixAllHint : words.sheet.problems.fixHint}
                onClick={() => run(() => model.newBatches.fixInGrid(problem))}
              >
                {words.sheet.problems.fixHere}
              </Button>
            )}
            <IgnoreKind
              kind={kindOf.get(problem)}
              columns={sheet.columns}
              isDisabled={isChecking}
              onIgnore={onIgnore}
            />
          </li>
        ))}
      </ul>
      <IgnoreColumns group={group} isDisabled={isChecking} onIgnore={onIgnore} />
    </Disclosure>
  );
}

function keyOf({ line, row, column, message }: SameProblemsView): string {
  return JSON.stringify([line, row, column, message]);
}
