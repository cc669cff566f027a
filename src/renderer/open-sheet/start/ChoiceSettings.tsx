import { RadioGroup } from 'radix-ui';
import type { SheetView } from '../../../shared/ipc/views.ts';
import { countOf, formatCount } from '../../format/numbers.ts';
import { useAppModel } from '../../state/app-context.ts';
import styles from '../columns/MappingPanel.module.css';

/** What becomes of `{red|green|blue}`: one is drawn for each row, or every one is a row of its own. */
export function ChoiceSettings({ sheet }: { readonly sheet: SheetView }) {
  const model = useAppModel();
  const { choiceCells, choices, rowCount, expandedRows } = sheet;
  if (choiceCells === 0) return null;
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>Choices</legend>
      <p className={styles.settingText}>{`${countOf(choiceCells, 'cell')} with a choice such as {red|green|blue}.`}</p>
      <RadioGroup.Root
        className={styles.choices}
        aria-label="Choices"
        value={choices}
        onValueChange={(value) => void model.bringIn.interpret({ choices: value === 'expand' ? 'expand' : 'draw' })}
      >
        <RadioGroup.Item className={styles.choice} value="draw" aria-label="Draw one for each row">
          <span className={styles.choiceTitle}>Draw one for each row</span>
          <span className={styles.settingText}>The same row always gets the same one.</span>
        </RadioGroup.Item>
        <RadioGroup.Item className={styles.choice} value="expand" aria-label="One row for each">
          <span className={styles.choiceTitle}>One row for each</span>
          <span className={styles.settingText}>
            {choices === 'expand'
              ? `All combinations: ${formatCount(rowCount)} rows now.`
              : `All combinations: ${formatCount(expandedRows)} rows instead of ${formatCount(rowCount)}.`}
          </span>
        </RadioGroup.Item>
      </RadioGroup.Root>
    </fieldset>
  );
}
