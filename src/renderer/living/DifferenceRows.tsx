import { useState } from 'react';
import type { DifferenceView } from '../../shared/ipc/living.ts';
import { words } from '../../shared/words/words.ts';
import { Button } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { shownLine, shownText } from '../format/shown-text.ts';
import styles from './DifferenceRows.module.css';

type Row = DifferenceView['rows'][number];

/** Longer texts show their beginning until they are opened. */
const CUT = 160;

/** The rows that differ, each with its cells before and after. */
export function DifferenceRows({ difference }: { readonly difference: DifferenceView }) {
  const { rows, headersAdded, headersRemoved, counts } = difference;
  const all = counts.new + counts.changed + counts.details + counts.removed + counts.locked;
  if (all === 0 && headersAdded.length + headersRemoved.length === 0) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
    <section className={joinClasses(styles.rows, 'scroll')} aria-label={words.home.difference.rows} tabIndex={0}>
      {headersAdded.length > 0 && (
        <p className={joinClasses('soft', styles.headers)}>
          {words.home.difference.headersAdded(headersAdded.map(shownLine))}
        </p>
      )}
      {headersRemoved.length > 0 && (
        <p className={joinClasses('soft', styles.headers)}>
          {words.home.difference.headersRemoved(headersRemoved.map(shownLine))}
        </p>
      )}
      {rows.map((row) => (
        <DifferentRow key={`${row.kind} ${row.row}`} row={row} />
      ))}
      {all > rows.length && (
        <p className={joinClasses('soft', styles.headers)}>{words.home.difference.more(all - rows.length)}</p>
      )}
    </section>
  );
}

function DifferentRow({ row }: { readonly row: Row }) {
  const [isOpen, setOpen] = useState(false);
  const isCut = row.changes.some(({ before, after }) => before.length > CUT || after.length > CUT);
  return (
    <section className={styles.row} data-kind={row.kind} aria-label={words.home.difference.row(shownLine(row.row))}>
      <header className="row">
        <span className={joinClasses('faint', styles.kind)}>{words.home.difference.kinds[row.kind]}</span>
        <span className="name">{shownLine(row.row)}</span>
        <span className="grow soft cut">{shownLine(row.label)}</span>
        {isCut && (
          <Button size="small" look="quiet" onClick={() => setOpen(!isOpen)}>
            {isOpen ? words.home.difference.less : words.home.difference.whole}
          </Button>
        )}
      </header>
      {row.reason !== undefined && <p className={joinClasses('faint', styles.reason)}>{shownText(row.reason)}</p>}
      {row.changes.length > 0 && (
        <dl className={styles.changes}>
          {row.changes.map(({ header, before, after }) => (
            <div key={header} className={styles.change}>
              <dt className="faint cut">{shownLine(header)}</dt>
              <dd>
                {before !== '' && <del className={styles.before}>{shown(before, isOpen)}</del>}
                {after !== '' && <ins className={styles.after}>{shown(after, isOpen)}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function shown(text: string, isOpen: boolean): string {
  return shownText(isOpen || text.length <= CUT ? text : `${text.slice(0, CUT)}…`);
}
