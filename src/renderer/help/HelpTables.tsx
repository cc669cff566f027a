import { Fragment } from 'react';
import { FAILURE_CODES, FAILURE_POLICIES, whatFollows } from '../../shared/domain/task/failure.ts';
import { ROW_STATUSES } from '../../shared/ipc/rows.ts';
import { STATUS_LOOKS } from '../design/status-look.ts';
import { StatusBadge } from '../design/Status.tsx';
import styles from './HelpScreen.module.css';

const WORDS: readonly (readonly [word: string, meaning: string])[] = [
  ['Sheet', 'What you wrote: CSV, TSV, XLSX or ODS. One line is one row.'],
  ['Batch', 'An imported sheet, with its folder, its gateway and its request limit.'],
  ['Row', 'One line of a batch: an operation, its fields, and its own id.'],
  ['Take', 'One paid rendering of a row. A row asks for one or more.'],
  ['Task', 'What the gateway made of one take: one paid request, one task code.'],
  ['Output', 'One file, or one JSON document, that a task gave. A task may give several.'],
  [
    'Key',
    'Opens your gateway, and is sent to no other. Each gateway has its own. Where a gateway repeats it, you see ***your-key***.',
  ],
  ['Profile', 'Gateway settings that its interface does not define.'],
  [
    'Inferred',
    'The profile does not say what the gateway’s status means; what the gateway answered looks like a failure. You can edit the row at once. The gateway is still asked, and a file that comes late is kept.',
  ],
  [
    'Trying again',
    'A file did not come, or what came was a web page, half a file or a broken one. It is asked for again after seconds, then minutes, then every hour, for about five hours; nothing is rendered or paid again. What came instead is kept in “set-aside”.',
  ],
  ['Night', 'One run over one or more batches, from the start to the last row.'],
  ['Ledger', 'What was planned, submitted, accepted, rendered, downloaded and verified, and what fell out in between.'],
  ['Unknown', 'A paid request whose answer was lost. It may have been charged. It is never sent again automatically.'],
];

type KeyLines = readonly (readonly [keys: readonly string[], action: string])[];

const CTRL = 'Ctrl or ⌘';

const KEYS: readonly { readonly title: string; readonly lines: KeyLines }[] = [
  {
    title: 'Everywhere',
    lines: [
      [[CTRL, 'O'], 'Import a sheet'],
      [[CTRL, 'V'], 'Outside of a grid and of fields: open the table that is in the clipboard'],
      [[CTRL, 'Enter'], 'Start or resume'],
      [[CTRL, ','], 'Settings'],
      [['F6'], 'To the next part of the window; Shift F6 to the one before'],
      [['Escape'], 'Close what is open; in the grid, leave it'],
    ],
  },
  {
    title: 'Move and choose in the grid',
    lines: [
      [['↑', '↓', '←', '→'], 'Move from cell to cell'],
      [[CTRL, 'arrow'], 'To the last cell; Home, End, Page up and Page down as in a spreadsheet'],
      [['Shift', 'arrow'], 'Choose several cells'],
      [['Shift', 'Space'], 'Choose whole rows'],
      [[CTRL, 'Space'], 'Choose whole columns'],
      [[CTRL, 'A'], 'Choose everything'],
    ],
  },
  {
    title: 'Edit',
    lines: [
      [['Enter', 'F2'], 'Edit the cell; typing replaces what is in it'],
      [['Space'], 'In a row without files: turn true to false and back'],
      [['F4', 'Shift F2'], 'Edit a long text in a large editor'],
      [['Delete'], 'Clear the cells'],
      [[CTRL, 'C', 'X', 'V'], 'Copy, cut, paste: from and to Excel, LibreOffice, Google Sheets'],
      [[CTRL, 'D'], 'Fill down'],
      [[CTRL, 'Z', 'Y'], 'Undo, redo'],
      [[CTRL, 'F', 'H'], 'Find; find and replace'],
      [[CTRL, '+', '−'], 'Insert rows, delete rows'],
      [['Alt', '↑', '↓'], 'Move rows up, down'],
    ],
  },
  {
    title: 'Look',
    lines: [
      [[CTRL, 'I'], 'Open the row in the inspector and go there; again, back to the grid'],
      [['Shift F10', 'Menu'], 'What can be done with the row'],
      [['Space'], 'In any cell: play or show the row’s files, and close them again'],
    ],
  },
];

export function WordTable() {
  return (
    <table className={styles.table}>
      <tbody>
        {WORDS.map(([word, meaning]) => (
          <tr key={word}>
            <th scope="row">{word}</th>
            <td>{meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function StatusMeanings() {
  return (
    <table className={styles.table}>
      <tbody>
        {ROW_STATUSES.map((status) => (
          <tr key={status}>
            <th scope="row">
              <StatusBadge status={status} />
            </th>
            <td>{STATUS_LOOKS[status].meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function KeyTable() {
  return (
    <div className={styles.guide}>
      {KEYS.map(({ title, lines }) => (
        <Fragment key={title}>
          <h3>{title}</h3>
          <table className={styles.table}>
            <tbody>
              {lines.map(([keys, action]) => (
                <tr key={action}>
                  <th scope="row">
                    {keys.map((key) => (
                      <span key={key}>
                        <kbd>{key}</kbd>{' '}
                      </span>
                    ))}
                  </th>
                  <td>{action}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Fragment>
      ))}
    </div>
  );
}

export function MorningGuide() {
  return (
    <ol className={styles.steps}>
      <li className={styles.step}>
        <span>
          <strong>Look at the banner.</strong> A batch that stands still says why, and what to do before you press
          Resume.
        </span>
      </li>
      <li className={styles.step}>
        <span>
          <strong>Settle what is unknown.</strong> Press Unknown above the grid. Adopt a task code where the gateway
          shows one, resubmit, or write it off. Nothing is paid again without your word.
        </span>
      </li>
      <li className={styles.step}>
        <span>
          <strong>Read what failed.</strong> Each row says what the gateway said. Retry failed asks for what is still
          there, and renders anew only where nothing is left. Where Nocturne asks what a status of your gateway means,
          answer it: with a yes such rows fail at once.
        </span>
      </li>
      <li className={styles.step}>
        <span>
          <strong>Look and listen.</strong> Press Space on a row, then use the arrow keys, or open the gallery in the
          folder.
        </span>
      </li>
      <li className={styles.step}>
        <span>
          <strong>Take the folder.</strong> Its manifest says where every file came from; nocturne verify proves it.
        </span>
      </li>
    </ol>
  );
}

/** Every failure that is expected, what follows, and what to do. */
export function FailureTable() {
  return (
    <table className={styles.table}>
      <tbody>
        {FAILURE_CODES.map((code) => {
          const { title, remedy } = FAILURE_POLICIES[code];
          return (
            <tr key={code}>
              <th scope="row">{title}</th>
              <td>
                {whatFollows(code)} {remedy}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
