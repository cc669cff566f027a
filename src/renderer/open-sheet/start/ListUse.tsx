import { Check, CircleAlert } from 'lucide-react';
import type { SheetView } from '../../../shared/ipc/views.ts';
import { Button } from '../../design/Button.tsx';
import { visibleLine } from '../../format/visible-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import styles from '../columns/MappingPanel.module.css';

/** The lists that cells draw from, with those that are missing. */
export function ListUse({ sheet }: { readonly sheet: SheetView }) {
  const model = useAppModel();
  const { lists } = sheet;
  if (lists.length === 0) return null;
  const isMissing = lists.some(({ isThere }) => !isThere);
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>Lists</legend>
      <ul className={styles.lists}>
        {lists.map(({ name, isThere }) => (
          <li key={name} className={styles.mark} data-open={!isThere}>
            {isThere ? (
              <Check size={14} strokeWidth={1.9} aria-hidden />
            ) : (
              <CircleAlert size={14} strokeWidth={1.9} aria-hidden />
            )}
            <code>{`__${visibleLine(name)}__`}</code>
            {!isThere && 'There is no such list: the text is sent as written.'}
          </li>
        ))}
      </ul>
      <div>
        <Button
          size="small"
          look={isMissing ? 'secondary' : 'quiet'}
          onClick={() => model.go({ kind: 'settings', part: 'lists' })}
        >
          Open your lists
        </Button>
      </div>
    </fieldset>
  );
}
