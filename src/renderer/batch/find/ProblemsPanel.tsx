import { CircleAlert, TriangleAlert, X } from 'lucide-react';
import { useEffect } from 'react';
import { IconButton, PlainButton } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { SidePanel } from '../../design/Page.tsx';
import { countOf } from '../../../shared/domain/base/text.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { NamePlace } from '../../open-sheet/start/FilesPlace.tsx';
import { shownLine, shownText } from '../../format/shown-text.ts';
import { problemWords } from '../../format/words.ts';
import { useAppModel, useEditing, usePlaces } from '../../state/app-context.ts';
import type { SheetProblemView } from '../../state/batch/sheet-places.ts';
import styles from './ProblemsPanel.module.css';

/** Everything wrong with the sheet; one click leads to the cell. */
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
  if (!isOpen) return null;
  const total = (sheet?.errorCount ?? 0) + (sheet?.warningCount ?? 0);
  const lacksPlace = batch.filesPlace === undefined && problems?.some(({ code }) => code === 'local-file') === true;
  const rest = total - (problems?.length ?? 0);
  return (
    <SidePanel
      title="Problems"
      about={problemWords(sheet?.errorCount ?? 0, sheet?.warningCount ?? 0)}
      label="Problems of the sheet"
      testId="problems-panel"
      tools={<IconButton icon={X} label="Close the problems" onClick={() => model.places.showProblems(false)} />}
    >
      {lacksPlace && <NamePlace choose={() => model.ask('batch.choosePlace', { batchId: batch.id })} />}
      <ul className={joinClasses(styles.list, 'grow scroll')}>
        {problems?.map((problem, index) => (
          // The list always comes as a whole: the index is its key.
          // oxlint-disable-next-line react/no-array-index-key -- see above
          <li key={index}>
            <ProblemButton problem={problem} />
          </li>
        ))}
        {problems?.length === 0 && (
          <li className={joinClasses('soft', styles.none)}>Nothing is wrong with this sheet.</li>
        )}
        {problems !== undefined && rest > 0 && (
          <li className={joinClasses('soft', styles.none)}>
            And {countOf(rest, 'more problem')}. They are listed once these are solved.
          </li>
        )}
      </ul>
    </SidePanel>
  );
}

function ProblemButton({ problem }: { readonly problem: SheetProblemView }) {
  const model = useAppModel();
  const { severity, key, line, row, column, message, remedy } = problem;
  const Icon = severity === 'error' ? CircleAlert : TriangleAlert;
  const place = [
    row === undefined ? undefined : shownLine(row),
    line === undefined ? undefined : `line ${line}`,
    column === undefined ? undefined : `“${shownLine(column)}”`,
  ].filter((part) => part !== undefined);
  return (
    <PlainButton
      className={styles.problem}
      data-severity={severity}
      disabled={key === undefined && column === undefined}
      onClick={() => void goTo()}
    >
      <Icon size={15} strokeWidth={1.75} aria-label={severity === 'error' ? 'Error' : 'Warning'} />
      <span className={joinClasses('stack', styles.words)}>
        <span className="name">{place.length === 0 ? 'The sheet' : place.join(', ')}</span>
        <span>{shownText(message)}</span>
        <span className="soft">{shownText(remedy)}</span>
      </span>
    </PlainButton>
  );

  async function goTo(): Promise<void> {
    const header = column === undefined ? undefined : headerOf(column);
    if (key === undefined) model.places.jump(placeInSight(), model.rows.store.getState().selectedKey, header);
    else if (!(await model.places.jumpTo(key, header))) {
      const message = 'It was deleted or replaced by a new one.';
      model.notices.show({ level: 'info', title: 'This row no longer exists', message });
    }
  }

  /** A problem names the header, or the column that it maps to. */
  function headerOf(name: string): string | undefined {
    const columns = model.editing.store.getState().sheet?.columns ?? [];
    return (columns.find(({ header }) => header === name) ?? columns.find((view) => view.column === name))?.header;
  }

  function placeInSight(): number {
    const { selectedKey } = model.rows.store.getState();
    return (selectedKey === undefined ? undefined : model.rows.pages.placeOf(selectedKey)) ?? 0;
  }
}
