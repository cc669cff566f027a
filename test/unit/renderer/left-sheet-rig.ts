/** A sheet that is left before it can be imported, and what was said of it by then. */
import { beginningOf } from '../../../src/renderer/state/opening/start-forms.ts';
import { understandingOf, type SheetUnderstanding } from '../../../src/renderer/state/opening/sheet-understanding.ts';
import type { SheetView } from '../../../src/shared/ipc/opening.ts';
import { type Answers, bringingInRig, column, NOT_FOUND } from './bringing-in-rig.ts';
import { makeSheet } from './make-view.ts';

const NO_OPERATION: SheetView['problems'][number] = {
  severity: 'error',
  code: 'no-operation-column',
  message: 'No column names an operation.',
  remedy: 'Choose one.',
  count: 1,
  lines: [],
};
export const columns = [column('Text', 'unknown'), column('Mood', 'unknown')];
export const refused = (changes: Partial<SheetView> = {}): SheetView =>
  makeSheet({ recentId: 'songs', name: 'songs.csv', columns, problems: [NO_OPERATION], runnableRows: 0, ...changes });
/** As the application answers: what it is told is how it is. */
export const interpreted = ({
  sheetId,
  mapping,
  variables,
  choices,
}: SheetUnderstanding & { sheetId: string }): SheetView =>
  refused({
    sheetId,
    variables,
    choices,
    columns: columns.map((one) =>
      one.header in mapping ? column(one.header, 'chosen', mapping[one.header] ?? '') : one,
    ),
  });
export const said = { mapping: { Text: 'prompt' }, variables: { who: 'Ada' }, choices: 'expand' } as const;
export const recent = [{ recentId: 'songs', name: 'songs.csv', folder: '/home/ada', openedAt: 1, isThere: true }];

/** A window on the sheet, with everything said of it that can be. */
export async function saidAll(answers: Answers = {}, sheet = refused()) {
  const { recentId, name, format, problems, preview } = sheet;
  const all = bringingInRig({
    'sheet.interpret': (input: SheetUnderstanding & { sheetId: string }) => ({
      ...interpreted(input),
      recentId,
      name,
      format,
      problems,
      preview,
    }),
    'sheet.recent': () => recent,
    ...answers,
  });
  all.bringIn.show(sheet);
  await all.bringIn.interpret(said);
  const { open } = all.bringIn.store.getState();
  if (open === undefined) throw new Error('No sheet is open.');
  all.startForms.change(sheet.sheetId, beginningOf(open, []), { name: 'My night', limitText: '3' });
  return all;
}
/** What a window shows of the open sheet that a user has said. */
export const shownIn = ({ startForms, open }: ReturnType<typeof bringingInRig>) => {
  const sheet = open();
  if (sheet === undefined) return undefined;
  const { name, limitText } = startForms.store.getState()[sheet.sheetId] ?? {};
  return { sheetId: sheet.sheetId, name, limitText, ...understandingOf(sheet) };
};
/** What {@link shownIn} finds where nothing of {@link saidAll} was lost. */
export const all = { name: 'My night', limitText: '3', ...said };

export const accountsOf = ({ accounts }: SheetUnderstanding) => ({ accounts });
export const ofVariables = ({ variables }: SheetUnderstanding) => ({ variables });
/** A pasted table with this text in its first row. */
export const pastedAs = (sheetId: string, text: string): SheetView =>
  refused({
    sheetId,
    recentId: undefined,
    name: 'Pasted table',
    preview: { headers: [], rows: [[text]], bodies: [] },
  });
/** The same file before it is known which line is its header. */
export const raw = (changes: Partial<SheetView> = {}): SheetView =>
  refused({ columns: [column('A', 'unknown')], ...changes });
export const other = (): SheetView => makeSheet({ sheetId: 'other', recentId: 'other', name: 'other.csv' });
/** The next window, with what one has kept. */
export const from = (rig: ReturnType<typeof bringingInRig>, answers: Answers) =>
  bringingInRig(answers, { kept: rig.kept() });
/** The application has been started anew: it knows the file, but no sheet of before. */
export const anew = (answers: Answers = {}): Answers => ({
  'sheet.interpret': (input: SheetUnderstanding & { sheetId: string }) =>
    input.sheetId === 'again' ? interpreted(input) : NOT_FOUND,
  'sheet.recent': () => recent,
  'sheet.openRecent': () => refused({ sheetId: 'again' }),
  ...answers,
});
