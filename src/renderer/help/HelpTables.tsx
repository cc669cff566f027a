import { keysShown, shortcutLines } from '../shell/commands.ts';
import { REVIEW_KEYS } from '../review/review-keys.ts';
import { Fragment, type ReactNode } from 'react';
import { FAILURE_CODES, FAILURE_POLICIES, whatFollows } from '../../shared/domain/base/failure.ts';
import { NIGHT_WORDS } from '../../shared/domain/task/night.ts';
import { ROW_VIEW_STATUSES } from '../../shared/domain/task/row-status.ts';
import { joinClasses } from '../design/join-classes.ts';
import { STATUS_LOOKS } from '../design/status-look.ts';
import { StatusBadge } from '../design/Status.tsx';
import styles from './HelpTables.module.css';

const WORDS: readonly (readonly [word: string, meaning: string])[] = [
  ['Sheet', 'What you wrote: CSV, TSV, XLSX or ODS. One line is one row.'],
  ['Batch', 'An imported sheet, with its folder, its gateway and its request limit.'],
  ['Row', 'One line of a batch: an operation, its fields, and its own id.'],
  ['Take', 'One paid rendering of a row. A row asks for one or more.'],
  ['Task', 'What the gateway made of one take: one paid request, one task code.'],
  ['Output', 'One file, or one JSON document, that a task gave. A task may give several.'],
  [
    'Key',
    'Gives access to your gateway, and is sent to no other. Each gateway has its own. If a gateway repeats it, you see ***your-key***.',
  ],
  ['Profile', 'Gateway settings that its interface does not define.'],
  [
    'Account',
    'A gateway and a key. A batch has one, or several that share its rows: one that is empty, refused or at its limit stops alone.',
  ],
  [
    'Inferred',
    'The profile does not say what the gateway’s status means, but the answer looks like a failure. You can edit the row at once. Nocturne keeps asking the gateway, and keeps a file that arrives late.',
  ],
  [
    'Trying again',
    'A file did not arrive, or what arrived was a web page, an incomplete file or a broken one. It is requested again after seconds, then minutes, then every hour, for about five hours; nothing is rendered or paid for again. What arrived instead is kept in “set-aside”.',
  ],
  ['Night', NIGHT_WORDS],
  ['Ledger', 'What was planned, submitted, accepted, rendered, downloaded and verified, and what fell out in between.'],
  [
    'Unknown',
    'A paid request whose answer was lost. It may have been charged. It is never paid for again automatically.',
  ],
];

type KeyLines = readonly (readonly [keys: readonly string[], action: string])[];

const [CTRL = ''] = keysShown('Mod');

const KEYS: readonly { readonly title: string; readonly lines: KeyLines }[] = [
  {
    title: 'Everywhere',
    lines: shortcutLines(),
  },
  {
    title: 'Move and select in the grid',
    lines: [
      [['↑', '↓', '←', '→'], 'Move from cell to cell'],
      [[CTRL, 'arrow'], 'To the last cell; Home, End, Page up and Page down as in a spreadsheet'],
      [['Shift', 'arrow'], 'Select several cells'],
      [['Shift', 'Space'], 'Select whole rows'],
      [[CTRL, 'Space'], 'Select whole columns'],
      [[CTRL, 'A'], 'Select everything'],
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
      [[CTRL, '+', '−'], 'Insert rows, delete rows'],
      [['Alt', '↑', '↓'], 'Move rows up, down'],
      [[CTRL, 'Shift', 'H', 'L', 'E'], 'Hold rows, release them, run them next'],
      [[CTRL, 'Shift', 'A'], 'One more take of rows that are done: nothing is sent before you have seen its cost'],
    ],
  },
  {
    title: 'Look',
    lines: [
      [[CTRL, 'I'], 'Open the row in the inspector; press again to return to the grid'],
      [['Shift F10', 'Menu'], 'Open the menu of the row'],
      [['Space'], 'In any cell: play or show the row’s files, and close them again'],
    ],
  },
  { title: 'Review', lines: REVIEW_KEYS },
];

const MORNING: readonly (readonly [title: string, text: string])[] = [
  [
    'Open the ledger.',
    'It says how many takes came from the plan to the folder, and what fell out on the way, with a button for each thing to do: correct, try again, resume downloads, check a charge, raise a limit, enter the key. Below are the money, the night over time, and every night before.',
  ],
  ['Look at the banner.', 'A paused batch says why, and what to do before you press Resume.'],
  [
    'Resolve what is unknown.',
    'Press Unknown above the grid. Adopt a task code if the gateway shows one, resubmit, or write it off. Nothing is paid again without your word.',
  ],
  [
    'Read what failed.',
    'Each row says what the gateway said. “Why it failed”, above the grid, shows the rows with one reason and retries just these; “Retry failed” all of them. A retry fetches what is still there, and renders again only if nothing is left. If Nocturne asks what a status of your gateway means, answer it: if you say yes, rows with that status fail at once.',
  ],
  [
    'Look and listen, and choose.',
    'Review shows all files of a row side by side: keep, reject, rate, note, by keyboard. Rejected files go to the folder “rejected”, come back by undo, and are deleted only when you say so. Space on a row only shows them, lyrics as text, and the gallery in the folder has them all.',
  ],
  [
    'Deliver it, or take the folder.',
    'Deliver copies what you kept for others, under names of your choice and told what it is; into the same folder, later only what is new. It goes on behind its closed dialog, and can be cancelled in the head of the batch. The manifest of the media folder says where every file came from; nocturne verify proves it.',
  ],
];

/** Words and their meanings. */
export function MeaningTable({ lines }: { readonly lines: readonly (readonly [ReactNode, string])[] }) {
  return (
    <table className={joinClasses('table', styles.meanings)}>
      <tbody>
        {lines.map(([word, meaning], index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the lines never change
          <tr key={index}>
            <th scope="row">{word}</th>
            <td>{meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function WordTable() {
  return <MeaningTable lines={WORDS} />;
}

export function StatusMeanings() {
  return (
    <MeaningTable
      lines={ROW_VIEW_STATUSES.map((status) => [
        <StatusBadge key={status} status={status} />,
        STATUS_LOOKS[status].meaning,
      ])}
    />
  );
}

/** Every expected failure, what follows, and what to do. */
export function FailureTable() {
  return (
    <MeaningTable
      lines={FAILURE_CODES.map((code) => {
        const { title, remedy } = FAILURE_POLICIES[code];
        return [title, `${whatFollows(code)} ${remedy}`] as const;
      })}
    />
  );
}

export function KeyTable() {
  return (
    <div className={joinClasses('stack soft', styles.guide)}>
      {KEYS.map(({ title, lines }) => (
        <Fragment key={title}>
          <h3>{title}</h3>
          <MeaningTable
            lines={lines.map(([keys, action]) => [
              keys.map((key) => (
                <Fragment key={key}>
                  <kbd>{key}</kbd>{' '}
                </Fragment>
              )),
              action,
            ])}
          />
        </Fragment>
      ))}
    </div>
  );
}

/** Steps in their order. */
export function Steps({ steps }: { readonly steps: readonly (readonly [title: string, text: ReactNode])[] }) {
  return (
    <ol className={joinClasses('stack', styles.steps)}>
      {steps.map(([title, text]) => (
        <li key={title} className={joinClasses('soft', styles.step)}>
          <span>
            <strong>{title}</strong> {text}
          </span>
        </li>
      ))}
    </ol>
  );
}

export function MorningGuide() {
  return <Steps steps={MORNING} />;
}
