import { useId, useState } from 'react';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { LedgerGroupView, LedgerRowView } from '../../shared/ipc/ledger.ts';
import { FAILURE_POLICIES } from '../../shared/domain/base/failure.ts';
import { words } from '../../shared/words/words.ts';
import { Button, PlainButton } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { shownLine, shownText } from '../format/shown-text.ts';
import { formatNearby } from '../format/times.ts';
import { useAppModel, useNow } from '../state/app-context.ts';
import { StatusQuestions } from '../batch/head/StatusQuestions.tsx';
import { EnterKey, GroupActions } from './GroupActions.tsx';
import { useHappening } from './use-happening.ts';
import styles from './LedgerScreen.module.css';

interface GroupCardProps {
  readonly group: LedgerGroupView;
  readonly batch: BatchView;
  /** The ledger is about several batches: each group names its batch. */
  readonly isNamed: boolean;
  /** What statuses of the batch mean is asked here, and in no other group. */
  readonly asksStatuses: boolean;
}

/** Whether a time needs its day beside it seldom changes. */
const CLOCK_INTERVAL_MS = 60_000;

/** Takes that need the same: how many, what became of them, what to press, and which takes they are. */
export function GroupCard({ group, batch, isNamed, asksStatuses }: GroupCardProps) {
  const [isOpen, setOpen] = useState(false);
  const now = useNow(CLOCK_INTERVAL_MS);
  const listId = useId();
  const titleId = useId();
  const { what, takes, codes, needsYou, waitsUntil } = group;
  return (
    <li
      className={joinClasses('card', styles.group)}
      data-needs={needsYou || undefined}
      data-testid={`ledger-group-${group.group}`}
      aria-labelledby={titleId}
    >
      <div className={joinClasses('row wrap', styles.head)}>
        <div className={styles.words}>
          <h3 className="name" id={titleId}>
            {words.ledger.group.title(
              takes,
              isNamed ? shownLine(batch.name) : undefined,
              what,
              waitsUntil === undefined ? undefined : formatNearby(waitsUntil, now),
            )}
          </h3>
          <p className="soft">{group.do}</p>
          {codes.length > 1 && <p className="faint">{codes.map((code) => FAILURE_POLICIES[code].title).join(' · ')}</p>}
        </div>
        <div className={joinClasses('row wrap', styles.actions)}>
          <GroupActions group={group} batch={batch} />
          <Button
            size="small"
            look="quiet"
            aria-expanded={isOpen}
            aria-controls={listId}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? words.ledger.group.hideRows : words.ledger.group.showRows}
          </Button>
        </div>
      </div>
      {group.group === 'enter-key' && <EnterKey batch={batch} />}
      {asksStatuses && <StatusQuestions batch={batch} />}
      <div id={listId}>{isOpen && <GroupRows group={group} />}</div>
    </li>
  );
}

const ROWS_SHOWN = 100;

function GroupRows({ group: { batchId, group, takes } }: { readonly group: LedgerGroupView }) {
  const answer = useHappening('ledger.rows', { batchId, group, limit: ROWS_SHOWN });
  return (
    <ul className={joinClasses('scroll', styles.list)}>
      {answer?.rows.map((row) => (
        <RowLine key={`${row.key} ${row.take}`} batchId={batchId} row={row} />
      ))}
      {takes > ROWS_SHOWN && <li className="faint">{words.ledger.group.andMore(takes - ROWS_SHOWN)}</li>}
    </ul>
  );
}

function RowLine({ batchId, row }: { readonly batchId: string; readonly row: LedgerRowView }) {
  const model = useAppModel();
  const name = shownLine(row.row);
  const about = [shownLine(row.label), row.reason === undefined ? '' : shownText(row.reason)].filter(Boolean);
  return (
    <li>
      <PlainButton
        className={joinClasses('row', styles.item)}
        title={[words.ledger.group.openRow(name), ...about].join('\n')}
        onClick={() => void model.ways.inspectRow(batchId, row.key)}
      >
        <span className={joinClasses('cut', styles.rowName)}>
          {row.take > 1 ? words.ledger.group.rowAndTake(name, row.take) : name}
        </span>
        <span className="cut soft">{about.join(' — ')}</span>
      </PlainButton>
    </li>
  );
}
