import { joinClasses } from '../design/join-classes.ts';
import { MeaningTable, Steps } from './HelpTables.tsx';
import styles from './HelpTables.module.css';

/** What a cell can hold, and what that means. */
type Examples = readonly (readonly [cell: string, meaning: string])[];

const REFERENCES: Examples = [
  ['{{intro.taskId}}', 'The task of the row “intro”. Its row waits until “intro” is done.'],
  ['{{words.result.text}}', 'A field of the gateway’s answer for the row “words”, at any depth.'],
  ['{{picture.output.1.url}}', 'The address of the first file of the row “picture”.'],
  [
    '{{shot.output.1.lastFrame}}',
    'The last frame of the film of the row “shot”; of a song, .cover. It is put on your own place for files, if there is one.',
  ],
];

const VALUES: Examples = [
  ['A {animal} under the moon', 'The cell of the column “animal” in the same row, or a variable of the batch.'],
  ['Chapter {row}', 'The row’s own id.'],
  ['{red|green|blue} sky', 'One of them, drawn for each row, or one row for each.'],
  ['A {|very }quiet street', 'A choice may be empty.'],
  ['An old __animals__', 'An item of your list “animals” (Settings, Lists).'],
];

const EXACT: Examples = [
  ['\\{not a choice|only text}', 'A backslash before { or __ sends them as they are.'],
  ['""', 'Sends an empty text. A blank cell sends nothing.'],
  ['calm|piano|slow', 'Several items in a column that takes a list; or a JSON array: ["calm", "piano"].'],
];

/** The language of cells, with examples to copy. */
export function LanguageGuide() {
  return (
    <div className={joinClasses('stack soft', styles.guide)}>
      <p>
        Each header is a column of an operation, such as <code>prompt</code>; its mapping can be changed when the sheet
        is imported. The column <code>row</code> gives a row its id, <code>operation</code> says what to render. Columns
        of your own are not sent, but cells can name them.
      </p>
      <h3>Other rows</h3>
      <p>
        A cell can use the result of another row. Its row then waits for that row, whatever their order. If that row
        fails, the waiting row fails too, and continues automatically once that row is retried. Rows that wait for each
        other in a circle are an error.
      </p>
      <ExampleTable examples={REFERENCES} />
      <h3>Values, choices, lists</h3>
      <p>
        What is drawn depends on the row’s id, or on its column <code>seed</code> if there is one: the same row always
        gets the same draw, even after a re-import. Enter another seed for another draw. Braces in text that is filled
        in are not read again.
      </p>
      <ExampleTable examples={VALUES} />
      <h3>As it is written</h3>
      <ExampleTable examples={EXACT} />
    </div>
  );
}

function ExampleTable({ examples }: { readonly examples: Examples }) {
  return <MeaningTable lines={examples.map(([cell, meaning]) => [<code key={cell}>{cell}</code>, meaning])} />;
}

/** How a batch and its file stay in step. */
export function LivingGuide() {
  return (
    <Steps
      steps={[
        [
          'Edit where you like.',
          'In the grid, or in your spreadsheet. Rows that wait can be edited while the batch runs; a row in flight says why it cannot.',
        ],
        [
          'Re-import it.',
          <>
            The menu “Sheet” of a batch compares it with its file: what is new, changed, removed, and what it would
            cost. Rows are matched by their ids, so give them a column <code>row</code>.
          </>,
        ],
        [
          'Only what changed runs.',
          'A row that was rendered and still asks for the same is never paid for again, even if you change it and change it back. (For a row that refers to others, only Undo does that: their results may be different by now.) Rows that you change in a batch that has run wait as drafts until you press “Run”.',
        ],
        [
          'Results go back.',
          'Status, files, task code and failure as columns: written to a copy next to your file, or to the file itself if you choose that.',
        ],
      ]}
    />
  );
}
