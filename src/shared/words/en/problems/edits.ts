import { countOf, countText } from '../../../domain/base/text.ts';

/** Edits of a sheet: their names for undo and redo, and why an edit is refused. Headers are without quotation marks. */
export const editWords = {
  labels: {
    addColumn: (header: string): string => `Add the column “${header}”`,
    moveColumn: (header: string): string => `Move the column “${header}”`,
    removeColumn: (header: string): string => `Remove the column “${header}”`,
    doNotSend: (header: string): string => `Do not send “${header}”`,
    mapColumn: (header: string, column: string): string => `Take “${header}” for “${column}”`,
    setVariables: 'Set the variables',
    setOperation: 'Set the operation of the sheet',
    ignoreWarnings: 'Ignore warnings',
    countWarnings: 'Count ignored warnings again',
    editCell: (header: string): string => `Edit “${header}”`,
    paste: (cells: number): string => `Paste ${countOf(cells, 'cell')}`,
    fillDown: (rows: number): string => `Fill down ${countOf(rows, 'row')}`,
    clear: (cells: number): string => `Clear ${countOf(cells, 'cell')}`,
    insert: (rows: number): string => `Insert ${aRow(rows)}`,
    remove: (rows: number): string => `Remove ${aRow(rows)}`,
    renderAgain: (rows: number): string => `Render ${aRow(rows)} again`,
    keepEarlier: (rows: number): string => `Keep the earlier files of ${aRow(rows)}`,
    duplicate: (rows: number): string => `Duplicate ${aRow(rows)}`,
    correct: (rows: number): string => `Correct ${aRow(rows)}`,
    replace: (found: string, rows: number): string => `Replace ${found} in ${aRow(rows)}`,
    move: (rows: number): string => `Move ${aRow(rows)}`,
    clearUnused: (cells: number, header: string): string => `Clear ${countText(cells)} unused “${header}”`,
  },
  noColumn: (header: string): string => `The sheet no longer has a column “${header}”. Look at the sheet again.`,
  needsName: 'A column needs a name.',
  columnExists: (header: string): string => `There is already a column “${header}”.`,
  mostColumns: (most: number): string => `A sheet has at most ${most} columns.`,
  lastColumn: 'A sheet needs at least one column.',
  /** `now` holds the ids of the rows, if there is such a column; with the edit, `then` would. */
  idsStay: (now: string | undefined, then: string | undefined): string => {
    const stay = now === undefined ? 'Rows keep the ids of their import' : `Rows keep the ids of the column “${now}”`;
    const anew = `To use “${then}” as the id, import the file as a new batch and map the column to row there.`;
    return `${stay}: a re-import knows them by these.${then === undefined ? '' : ` ${anew}`}`;
  },
  mostRows: (most: number): string => `A sheet has at most ${countText(most)} rows.`,
  chooseRows: 'Choose the rows to write into.',
  chooseTwo: 'Choose at least two rows to fill down.',
  /** The row that this is about is gone. */
  gone: {
    fill: 'The row to fill from no longer exists.',
    insert: 'The row to insert next to no longer exists.',
    move: 'The row to move next to no longer exists.',
    row: 'It is no longer in the sheet.',
    batch: 'This batch no longer exists.',
  },
  tooWide: (cells: number, columns: number): string =>
    `The table is ${cells} columns wide, and from here to the last column there are ${columns}. Start further left, or add columns first.`,
  cellTooLong: (millions: number): string => `A cell would have more than ${millions} million characters.`,
  namesUse: (header: string): string => `Names of files use “${header}”, so its values stay.`,
  noneUnused: (header: string): string => `No value of “${header}” is unused any more.`,
  nothingFinished: 'It has no finished take that it still asks for.',
  nothingToKeep: 'It has no earlier files that could take the place of what it asks for.',
  alreadySent: 'Its new request has been sent and cannot be taken back. The earlier files stay beside the new ones.',
  holdsKey: 'A cell would contain your gateway key and send it with the row. Enter the key only in the settings.',
  nothingTo: { undo: 'There is nothing to undo.', redo: 'There is nothing to redo.' },
  tooQuick: 'The batch is changing too quickly. Pause it, then try again.',
  patternTooSlow: 'This pattern takes too long. Simplify it: avoid repeats inside repeats.',
  /** Comparing a batch with its file. */
  living: {
    noFile: 'This batch did not come from a file. Choose the file to compare it with.',
    notKnown: 'This comparison is no longer available. Re-import the file.',
    changed: (path: string): string => `${path} has changed since the comparison. Re-import it.`,
    unreadable: 'The file cannot be read.',
    asksMore: (unseen: number): string =>
      `The batch has changed since the comparison: the file now asks for ${countOf(unseen, 'paid request')} that the comparison did not show. Re-import it.`,
  },
};
export type EditWords = typeof editWords;

function aRow(rows: number): string {
  return rows === 1 ? 'a row' : countOf(rows, 'row');
}
