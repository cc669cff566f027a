import { CircleAlert, Eraser, TriangleAlert, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, IconButton, PlainButton, useBusy } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Disclosure, SidePanel } from '../../design/Page.tsx';
import { countText } from '../../../shared/domain/base/text.ts';
import { words } from '../../../shared/words/words.ts';
import { groupSameProblems, type WarningKind } from '../../../shared/domain/sheet/problems.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { ColumnView, SameProblemsView } from '../../../shared/ipc/opening.ts';
import { CellCorrection, UseSuggestions } from '../../open-sheet/columns/Corrections.tsx';
import { IgnoreColumns, IgnoreKind, WithIgnored } from '../../open-sheet/columns/IgnoredWarnings.tsx';
import { NamePlace } from '../../open-sheet/start/FilesPlace.tsx';
import { shownLine, shownText } from '../../format/shown-text.ts';
import { problemWords } from '../../format/phrases.ts';
import { useAppModel, useEditing, usePlaces } from '../../state/app-context.ts';
import {
  groupProblems,
  headerOfProblem,
  kindsIn,
  placesOfProblem,
  PROBLEM_TITLES,
  type ProblemGroup,
} from '../../state/batch/problem-groups.ts';
import { withCorrections } from '../../state/opening/sheet-understanding.ts';
import type { SheetProblemView } from '../../state/batch/sheet-places.ts';
import styles from './ProblemsPanel.module.css';

/** Everything that is wrong with the sheet, by kind, with equal problems listed once; one click leads to the cell. */
export function ProblemsPanel({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const sheet = useEditing((state) => state.sheet);
  const isOpen = usePlaces((state) => state.isProblemsOpen);
  const problems = usePlaces((state) => state.problems);
  useEffect(() => {
    if (!isOpen) return undefined;
    void model.places.readProblems();
    return model.editing.onEdited(() => void model.places.readProblems());
  }, [model, isOpen]);
  const [isBusy, run] = useBusy();
  if (!isOpen) return null;
  const { ignored = [], columns = [] } = sheet ?? {};
  const ignore = (kinds: readonly WarningKind[], isIgnored: boolean): void =>
    run(async () => void (await model.editing.edit({ kind: 'ignore-warnings', kinds: [...kinds], isIgnored })));
  const total = (sheet?.errorCount ?? 0) + (sheet?.warningCount ?? 0);
  const lacksPlace = batch.filesPlace === undefined && problems?.some(({ code }) => code === 'local-file') === true;
  const rest = total - (problems?.length ?? 0);
  const same = groupSameProblems(problems ?? []).map(({ problem, ...all }): SameProblem => ({ ...problem, ...all }));
  const groups = groupProblems(same);
  return (
    <SidePanel
      title={words.find.problems.title}
      about={problemWords(sheet?.errorCount ?? 0, sheet?.warningCount ?? 0)}
      label={words.find.problems.ofSheet}
      testId="problems-panel"
      tools={<IconButton icon={X} label={words.find.problems.close} onClick={() => model.places.showProblems(false)} />}
    >
      {lacksPlace && <NamePlace choose={() => model.choosePlace(batch.id)} />}
      <div className={joinClasses(styles.list, 'grow scroll')}>
        {problems?.length === 0 && (
          <p className={joinClasses('soft', styles.none)}>
            {ignored.length === 0 ? words.find.problems.none : words.sheet.problems.noneElse}
          </p>
        )}
        <WithIgnored
          label={words.find.problems.ofSheet}
          columns={columns}
          ignored={ignored}
          isDisabled={isBusy}
          onTakeBack={(kinds) => ignore(kinds, false)}
        >
          {sheet !== undefined && (
            <UseSuggestions
              problems={same}
              sheet={sheet}
              isDisabled={isBusy}
              onUse={(all) =>
                run(() =>
                  model.editing.correctCells(
                    all.flatMap(({ problem }) => rowsOf(problem)),
                    withCorrections(all),
                  ),
                )
              }
            />
          )}
          {groups.map((group) => (
            <Group
              key={`${group.severity}/${group.code}`}
              batch={batch}
              group={group}
              columns={columns}
              onIgnore={(kinds) => ignore(kinds, true)}
            />
          ))}
          {problems !== undefined && rest > 0 && (
            <p className={joinClasses('soft', styles.none)}>{words.find.problems.more(rest)}</p>
          )}
        </WithIgnored>
      </div>
    </SidePanel>
  );
}

/** Equal problems, once: the first of them with its places, and the keys of their rows. */
type SameProblem = SheetProblemView &
  Pick<SameProblemsView, 'count' | 'lines'> & { readonly all: readonly SheetProblemView[] };

/** Groups up to this size start open; a longer one would push the others out of sight. */
const OPEN_UP_TO = 6;

interface GroupProps {
  readonly batch: BatchView;
  readonly group: ProblemGroup<SameProblem>;
  readonly columns: readonly ColumnView[];
  readonly onIgnore: (kinds: readonly WarningKind[]) => void;
}

interface ProblemProps {
  readonly problem: SameProblem;
  readonly columns: readonly ColumnView[];
}

function Group({ batch, group, columns, onIgnore }: GroupProps) {
  const isBusy = useEditing((state) => state.isBusy);
  const kindOf = new Map(kindsIn(group.problems).map((kind) => [kind.first, kind]));
  const Icon = group.severity === 'error' ? CircleAlert : TriangleAlert;
  return (
    <Disclosure
      isOpenFirst={group.problems.length <= OPEN_UP_TO}
      head={
        <>
          <Icon
            className={styles[group.severity]}
            size={15}
            strokeWidth={1.75}
            aria-label={group.severity === 'error' ? words.find.problems.error : words.find.problems.warning}
          />
          <span className="grow name">{PROBLEM_TITLES[group.code]}</span>
          <span className="faint tabular">{countText(group.count)}</span>
        </>
      }
    >
      <ul>
        {group.problems.map((problem) => (
          <li key={JSON.stringify([problem.column, problem.message, problem.cell?.text])}>
            <ProblemButton problem={problem} columns={columns} />
            <ReplaceAll batch={batch} problem={problem} columns={columns} />
            <div className={joinClasses('row wrap', styles.fix)}>
              {problem.code === 'unused-column' && kindOf.has(problem) && (
                <ClearUnused problem={problem} columns={columns} isDisabled={isBusy} />
              )}
              <IgnoreKind kind={kindOf.get(problem)} columns={columns} isDisabled={isBusy} onIgnore={onIgnore} />
            </div>
          </li>
        ))}
      </ul>
      <IgnoreColumns group={group} isDisabled={isBusy} onIgnore={onIgnore} />
    </Disclosure>
  );
}

/** Clears the values of a column that nothing uses in all of their rows, as one edit. */
function ClearUnused({ problem, columns, isDisabled }: ProblemProps & { readonly isDisabled: boolean }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const said = words.find.problems;
  const header = headerOfProblem(problem, columns);
  if (header === undefined) return null;
  return (
    <Button
      size="small"
      icon={Eraser}
      disabled={isBusy || isDisabled}
      title={said.clearHint(shownLine(header))}
      aria-label={said.clearOf(shownLine(header))}
      onClick={() => run(async () => void (await model.editing.edit({ kind: 'clear-unused', header })))}
    >
      {said.clear}
    </Button>
  );
}

/** Writes another value into the cells of all rows with this problem, as one edit. */
function ReplaceAll({ batch, problem, columns }: ProblemProps & { readonly batch: BatchView }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const { cell, count } = problem;
  const header = headerOfProblem(problem, columns);
  if (cell === undefined || header === undefined) return null;
  return (
    <div className={styles.fix}>
      <CellCorrection
        problem={problem}
        cell={cell}
        count={count}
        accounts={batch.accounts?.map(({ name }) => name) ?? []}
        isDisabled={isBusy}
        onChoose={(instead) =>
          run(() =>
            model.editing.correctCells(rowsOf(problem), withCorrections([{ header, written: cell.text, instead }])),
          )
        }
      />
    </div>
  );
}

function rowsOf({ all }: SameProblem): readonly number[] {
  return all.flatMap(({ key }) => key ?? []);
}

/** Leads to the cell; if there are equal problems, each press leads to the next one. */
function ProblemButton({ problem, columns }: ProblemProps) {
  const model = useAppModel();
  const [next, setNext] = useState(0);
  const { all, column, message, remedy } = problem;
  const key = all[next % all.length]?.key;
  return (
    <PlainButton
      className={styles.problem}
      disabled={key === undefined && column === undefined}
      title={all.length > 1 ? words.find.problems.pressAgain : undefined}
      onClick={() => {
        setNext(next + 1);
        void goTo();
      }}
    >
      <span className={joinClasses('stack', styles.words)}>
        <span className="faint">{placesOfProblem(problem, columns)}</span>
        <span>{shownText(message)}</span>
        <span className="soft">{shownText(remedy)}</span>
      </span>
    </PlainButton>
  );

  async function goTo(): Promise<void> {
    const header = headerOfProblem(problem, columns);
    if (key === undefined) model.places.jump(placeInSight(), model.rows.store.getState().selectedKey, header);
    else if (!(await model.places.jumpTo(key, header))) {
      model.notices.show({ level: 'info', ...words.find.problems.rowGone });
    }
  }

  function placeInSight(): number {
    const { selectedKey } = model.rows.store.getState();
    return (selectedKey === undefined ? undefined : model.rows.pages.placeOf(selectedKey)) ?? 0;
  }
}
