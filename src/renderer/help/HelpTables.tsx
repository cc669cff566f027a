import { shortcutLines } from '../shell/commands.ts';
import { listedKeys } from '../shell/shortcuts.ts';
import { REVIEW_KEYS } from '../review/review-keys.ts';
import { Fragment, type ReactNode } from 'react';
import { FAILURE_CODES, FAILURE_POLICIES, whatFollows } from '../../shared/domain/base/failure.ts';
import { ROW_VIEW_STATUSES } from '../../shared/domain/task/row-status.ts';
import { words } from '../../shared/words/words.ts';
import { joinClasses } from '../design/join-classes.ts';
import { STATUS_LOOKS } from '../design/status-look.ts';
import { StatusBadge } from '../design/Status.tsx';
import styles from './HelpTables.module.css';

type KeyLines = readonly (readonly [keys: readonly string[], action: string])[];

const KEY = words.help.keys;

/** Keys as on Linux and Windows: `listedKeys` writes them for this computer. */
const KEYS: readonly { readonly title: string; readonly lines: KeyLines }[] = [
  { title: KEY.everywhere, lines: shortcutLines() },
  {
    title: KEY.moving,
    lines: [
      [['↑', '↓', '←', '→'], KEY.move],
      [['Ctrl', KEY.arrow], KEY.toLast],
      [['Shift', KEY.arrow], KEY.selectCells],
      [['Shift', 'Space'], KEY.selectRows],
      [['Ctrl', 'Space'], KEY.selectColumns],
      [['Ctrl', 'A'], KEY.selectAll],
    ],
  },
  {
    title: KEY.editing,
    lines: [
      [['Enter', 'F2'], KEY.edit],
      [['Space'], KEY.toggle],
      [['F4', 'Shift F2'], KEY.editLarge],
      [['Delete'], KEY.clear],
      [['Ctrl', 'C', 'X', 'V'], KEY.copyPaste],
      [['Ctrl', 'D'], KEY.fillDown],
      [['Ctrl', 'Z', 'Y'], KEY.undoRedo],
      [['Ctrl', '+', '−'], KEY.insertDelete],
      [['Alt', '↑', '↓'], KEY.moveRows],
      [['Ctrl', 'Shift', 'H', 'L', 'E'], KEY.holdRows],
      [['Ctrl', 'Shift', 'A'], KEY.oneMoreTake],
      [['Ctrl', 'Shift', 'R'], KEY.renderAgain],
    ],
  },
  {
    title: KEY.looking,
    lines: [
      [['Ctrl', 'I'], KEY.inspect],
      [['Shift F10', 'Menu'], KEY.rowMenu],
      [['Space'], KEY.play],
      [['C'], KEY.compare],
      [['+', '−', 'Z', 'S'], KEY.lookCloser],
      [[',', '.', '<', '>'], KEY.lookFilm],
    ],
  },
  { title: KEY.review, lines: REVIEW_KEYS },
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
  return <MeaningTable lines={Object.values(words.help.terms)} />;
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
        return [title, words.common.sentences([whatFollows(code), remedy])] as const;
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
              listedKeys(keys).map((key) => (
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

/** Steps in order. */
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
  return <Steps steps={Object.values(words.help.morning)} />;
}

/** What happens between evening and morning, even after the window is closed. */
export function NightGuide() {
  return <MeaningTable lines={Object.values(words.help.night)} />;
}

/** What protects the key and the prompts, and what red lines mean. */
export function SafetyGuide() {
  return <MeaningTable lines={Object.values(words.help.safety)} />;
}
