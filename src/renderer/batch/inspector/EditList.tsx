import { Undo2 } from 'lucide-react';
import { KEY_MARK } from '../../../shared/domain/base/key-finder.ts';
import type { CellEdited, RowDetail } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Disclosure, Phrase } from '../../design/Page.tsx';
import { shownLine, shownText } from '../../format/shown-text.ts';
import { formatDayAndClock, formatNearby } from '../../format/times.ts';
import { editedWords } from '../../state/batch/edit-words.ts';
import { useAppModel, useEditing, useNow } from '../../state/app-context.ts';
import { InspectorSection } from './InspectorSection.tsx';
import styles from './EditList.module.css';

const CLOCK_INTERVAL_MS = 60_000;
/** Some screens long: the whole of a text is in its cell once it is used again. */
const CHARACTERS_SHOWN = 2_000;
const CHARACTERS_NAMED = 60;

const said = words.inspector.edits;

/** What was edited in the row since the import, and its earlier texts, to be used again. */
export function EditList({ detail }: { readonly detail: RowDetail }) {
  const now = useNow(CLOCK_INTERVAL_MS);
  const columns = useEditing((state) => state.sheet?.columns) ?? [];
  const { row, edits, cells } = detail;
  if (edits === undefined) return null;
  const { addedAt, changes } = edits;
  const columnOf = ({ header }: CellEdited): string => columns.find((column) => column.header === header)?.column ?? '';
  // A note is never sent: there is nothing for it to apply to.
  const last = changes.find((change) => columnOf(change) !== 'note');
  if (addedAt === undefined && changes.length === 0) return null;
  return (
    <InspectorSection title={said.title} testId="row-edits">
      {addedAt !== undefined && <p className="soft">{said.added(formatNearby(addedAt, now))}</p>}
      {last !== undefined && last.isReimport !== true && (
        <p className="soft">{editedWords(detail, last, columnOf(last), formatNearby(last.at, now))}</p>
      )}
      {changes.length > 0 && (
        <Disclosure head={said.about(changes.length)}>
          <ol className={joinClasses('stack', styles.changes)}>
            {changes.map((change) => (
              <ChangeItem
                key={`${change.at} ${change.header} ${change.before}`}
                change={change}
                column={columnOf(change)}
                row={row}
                now={now}
                isSaidNow={cells.some(({ header, value }) => header === change.header && value === change.before)}
              />
            ))}
          </ol>
        </Disclosure>
      )}
    </InspectorSection>
  );
}

interface ChangeItemProps extends Pick<RowDetail, 'row'> {
  readonly change: CellEdited;
  /** What the change's header maps to. */
  readonly column: string;
  readonly now: number;
  /** The cell has the earlier text again. */
  readonly isSaidNow: boolean;
}

function ChangeItem({ change, column, row, now, isSaidNow }: ChangeItemProps) {
  const { editing } = useAppModel();
  const [isBusy, run] = useBusy();
  const { at, header, before, after } = change;
  const lock = editing.lockOf(row, column);
  const name = shownLine(header) || words.grid.header.noName;
  return (
    <li className={styles.change}>
      <p className={joinClasses('row faint', styles.head)}>
        <time className="tabular" dateTime={new Date(at).toISOString()} title={formatDayAndClock(at)}>
          {formatNearby(at, now)}
        </time>
        <span className="name cut" translate="no">
          {name}
        </span>
        {change.isReimport === true && <span>{said.reimport}</span>}
      </p>
      <CellText text={before} />
      {/* Stays where it was pressed: the focus is on it. In place of a key there is only a mark. */}
      {!before.includes(KEY_MARK) && (
        <Button
          size="small"
          look="quiet"
          icon={Undo2}
          title={lock}
          aria-label={said.againOf(name, shownLine(before.slice(0, CHARACTERS_NAMED)))}
          disabled={isBusy || isSaidNow || lock !== undefined}
          onClick={() =>
            run(async () => void (await editing.setCells({ rows: [row.key], headers: [header] }, [[before]])))
          }
        >
          {said.again}
        </Button>
      )}
      <CellText text={after} isAfter />
    </li>
  );
}

interface CellTextProps {
  readonly text: string;
  /** The text took the place of the one above. */
  readonly isAfter?: boolean;
}

function CellText({ text, isAfter = false }: CellTextProps) {
  const isCut = text.length > CHARACTERS_SHOWN;
  const shown =
    text === '' ? (
      <span className="faint">{words.find.filter.blank}</span>
    ) : (
      <span translate="no">{shownText(isCut ? `${text.slice(0, CHARACTERS_SHOWN)}…` : text)}</span>
    );
  return (
    <p className={joinClasses('selectable', styles.text)}>{isAfter ? <Phrase of={said.after(shown)} /> : shown}</p>
  );
}
