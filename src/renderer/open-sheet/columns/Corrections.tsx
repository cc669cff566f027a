import { Undo2 } from 'lucide-react';
import { useId } from 'react';
import { useStore } from 'zustand';
import { asWritten, OPERATIONS } from '../../../shared/domain/operations/operations.ts';
import type { SameProblemsView, SheetBeginning, SheetView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, IconButton } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { SearchSelect, Select } from '../../design/Select.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { problemWords } from '../../format/phrases.ts';
import { useAppModel } from '../../state/app-context.ts';
import { headerOfProblem, suggestionsIn, type Suggestion } from '../../state/batch/problem-groups.ts';
import { correctionsOf, withCorrections, withoutCorrection } from '../../state/opening/sheet-understanding.ts';
import { operationGroups } from './DefaultOperation.tsx';
import styles from './ProblemList.module.css';

/** Replaces this problem's text in every row that has it: by the most likely value, or by one that the user chooses. */
export function CorrectAll({ sheet, problem }: { readonly sheet: SheetView; readonly problem: SameProblemsView }) {
  const model = useAppModel();
  const isChecking = useStore(model.bringIn.store, (state) => state.isChecking);
  const { cell, count } = problem;
  const header = headerOfProblem(problem, sheet.columns);
  if (cell === undefined || header === undefined) return null;
  const read = (instead: string): void => {
    const correction = { header, written: cell.text, instead };
    void model.bringIn.interpret({ corrections: withCorrections([correction], sheet) });
  };
  return (
    <CellCorrection
      problem={problem}
      cell={cell}
      count={count}
      accounts={sheet.accounts?.list.map(({ name }) => name) ?? []}
      isDisabled={isChecking}
      onChoose={read}
    />
  );
}

interface CellCorrectionProps {
  readonly problem: Pick<SameProblemsView, 'column'>;
  readonly cell: NonNullable<SameProblemsView['cell']>;
  /** How many rows have the text. */
  readonly count: number;
  /** The names of the accounts that there are. */
  readonly accounts: readonly string[];
  readonly isDisabled: boolean;
  readonly onChoose: (instead: string) => void;
}

/** Chooses what replaces a text in every row that has it: the most likely value, or one that the user chooses. */
export function CellCorrection({ problem, cell, count, accounts, isDisabled, onChoose }: CellCorrectionProps) {
  const { meant, candidates = [] } = cell;
  if (meant !== undefined) {
    return (
      <Button size="small" className={styles.fix} disabled={isDisabled} onClick={() => onChoose(meant)}>
        {words.sheet.correction.use(meant, count)}
      </Button>
    );
  }
  if (problem.column === 'account') {
    return (
      <div className={styles.fix}>
        <Select
          label={words.sheet.correction.insteadOf(shownLine(cell.text))}
          value=""
          unchosen={words.sheet.correction.chooseAccount(count)}
          isDisabled={isDisabled}
          options={accounts.map((name) => ({ value: name, words: shownLine(name) }))}
          onChoose={onChoose}
        />
      </div>
    );
  }
  return (
    <div className={joinClasses('row wrap', styles.fix)}>
      {candidates
        .map((short) => asWritten(short, cell.text))
        .map((candidate) => (
          <Button key={candidate} size="small" disabled={isDisabled} onClick={() => onChoose(candidate)}>
            {words.sheet.correction.use(candidate, count)}
          </Button>
        ))}
      <div>
        <SearchSelect
          label={words.sheet.correction.insteadOf(shownLine(cell.text))}
          value=""
          isDisabled={isDisabled}
          groupsFor={(search) => operationGroups(search, false)}
          onChoose={(path) => {
            const chosen = OPERATIONS.find((operation) => operation.path === path);
            if (chosen !== undefined) onChoose(asWritten(chosen.short, cell.text));
          }}
        >
          {words.sheet.correction.chooseOperation(count)}
        </SearchSelect>
      </div>
    </div>
  );
}

interface SuggestionsProps<P> {
  readonly problems: readonly P[];
  readonly sheet: Pick<SheetView, 'columns' | 'errorCount' | 'warningCount'>;
  readonly isDisabled: boolean;
  readonly onUse: (suggestions: readonly Suggestion<P>[]) => void;
}

/** Uses every suggestion that leaves no choice, in one step; shows nothing if there is one at most. */
export function UseSuggestions<P extends SameProblemsView>({
  problems,
  sheet,
  isDisabled,
  onUse,
}: SuggestionsProps<P>) {
  const about = useId();
  const suggestions = suggestionsIn(problems, sheet.columns);
  if (suggestions.length < 2) return null;
  const solved = (severity: P['severity']): number =>
    suggestions.reduce((sum, { problem }) => sum + (problem.severity === severity ? problem.count : 0), 0);
  const cells = solved('error') + solved('warning');
  const errors = sheet.errorCount - solved('error');
  const warnings = sheet.warningCount - solved('warning');
  const rest = errors + warnings;
  return (
    <div className={joinClasses('row wrap', styles.suggestions)}>
      <Button size="small" disabled={isDisabled} aria-describedby={about} onClick={() => onUse(suggestions)}>
        {words.sheet.correction.allSuggestions(suggestions.length)}
      </Button>
      <span id={about} className="faint">
        {words.sheet.correction.corrects(
          cells,
          rest > 0 ? { counts: problemWords(errors, warnings), rest } : undefined,
        )}
      </span>
    </div>
  );
}

/** The replaced texts, each with an undo, and one for all. */
export function CorrectionList({ sheet }: { readonly sheet: SheetBeginning }) {
  const model = useAppModel();
  const corrections = correctionsOf(sheet);
  if (corrections.length === 0) return null;
  return (
    <fieldset className="stack">
      <legend className="name">{words.sheet.correction.done}</legend>
      {corrections.length > 1 && (
        <div className="row">
          <Button
            size="small"
            look="quiet"
            icon={Undo2}
            onClick={() => void model.bringIn.interpret({ corrections: {} })}
          >
            {words.sheet.correction.readAllAsWritten}
          </Button>
        </div>
      )}
      <ul>
        {corrections.map((correction) => (
          <li key={JSON.stringify([correction.header, correction.written])} className="row">
            <span className="grow soft">
              {words.sheet.correction.readAs(
                shownLine(correction.header),
                shownLine(correction.written),
                shownLine(correction.instead),
              )}
            </span>
            <IconButton
              icon={Undo2}
              label={words.sheet.correction.readAsWritten(shownLine(correction.written))}
              onClick={() => void model.bringIn.interpret({ corrections: withoutCorrection(sheet, correction) })}
            />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
