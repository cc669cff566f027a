import type { Completion, CompletionList } from './completions.ts';
import { shownLine } from '../../format/shown-text.ts';
import { joinClasses } from '../../design/join-classes.ts';
import styles from './CellEditor.module.css';

interface CompletionMenuProps {
  readonly list: CompletionList;
  readonly chosen: number;
  readonly onTake: (option: Completion) => void;
}

/** The completions, below the text; the focus stays in the text. */
export function CompletionMenu({ list, chosen, onTake }: CompletionMenuProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a native list takes the focus from the text
    <div className={styles.menu} role="listbox" aria-label="Suggestions">
      {list.options.map((option, index) => (
        <div
          key={option.insert}
          className={joinClasses('row', styles.option)}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- see above
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          onPointerDown={(event) => {
            // The text keeps the focus.
            event.preventDefault();
            onTake(option);
          }}
        >
          <span className="cut">{shownLine(option.label)}</span>
          {option.hint !== undefined && <span className={styles.optionHint}>{option.hint}</span>}
        </div>
      ))}
    </div>
  );
}
