import { Undo2 } from 'lucide-react';
import type { SheetView } from '../../../shared/ipc/views.ts';
import { IconButton } from '../../design/Button.tsx';
import { visibleLine } from '../../format/visible-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import { correctionsOf, withoutCorrection } from '../../state/sheet-understanding.ts';
import styles from './MappingPanel.module.css';

/** What is read in every row instead of what the file says, and the way back. */
export function CorrectionList({ sheet }: { readonly sheet: SheetView }) {
  const model = useAppModel();
  const corrections = correctionsOf(sheet);
  if (corrections.length === 0) return null;
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>Corrected in every row</legend>
      <ul>
        {corrections.map((correction) => (
          <li key={JSON.stringify([correction.header, correction.written])} className={styles.correction}>
            <span className={styles.settingText}>
              {visibleLine(correction.header)}: “{visibleLine(correction.written)}” is read as “
              {visibleLine(correction.instead)}”.
            </span>
            <IconButton
              icon={Undo2}
              label={`Read “${visibleLine(correction.written)}” as it is written`}
              onClick={() => void model.bringIn.interpret({ corrections: withoutCorrection(sheet, correction) })}
            />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
