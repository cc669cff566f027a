import { countOf, countText } from '../../domain/base/text.ts';
import { commonWords } from './common.ts';

/** The grid: its columns, cells, menus, keys and editors of cells. */
export const gridWords = {
  /** Says to the screen reader which cell is edited. */
  cell: (row: string, header: string): string => `${row}, ${header}`,
  newRow: 'New row',
  /** The number of a row's line, as the screen reader says it. */
  lockedLine: (line: number): string => `${line}, locked`,
  takesDone: (done: number, takes: number): string => `${done} of ${takes}`,
  /** An earlier file of a row that is to get a new one, as the screen reader says it. */
  earlierFile: (name: string): string => `earlier version, ${name}`,
  /** About a cell. */
  edited: 'Edited since the import.',
  emptySheet: 'The sheet is empty. Type into the first row, or paste.',
  noRowsMatch: 'No rows match.',
  lockedNow: (row: string): string => `${row} cannot be edited now`,
  nothingToPasteInto: {
    title: 'Nothing can be pasted here',
    message: 'Choose a cell in one of the sheet’s own columns. Nocturne fills in the others.',
  },
  notOneBlock: {
    title: 'This works with one block at a time',
    message: 'Choose cells in one block, or consecutive rows.',
  },

  /** Columns that Nocturne fills in: they are narrow, so each title is one short word. */
  results: {
    status: 'Status',
    file: 'File',
    fileHelp: 'Its first file, how long that plays, and how many more there are. Space shows them.',
    earlierNote: 'The file that the row had before. It stays visible until the new one is there.',
    reason: 'Reason',
    reasonHelp: 'Why it has its status, or what it waits for.',
    took: 'Took',
    tookHelp: 'From request to last file; time between takes does not count.',
    cost: 'Cost',
    costHelp: 'What the row’s paid requests cost, as the gateway said.',
    finished: 'Finished',
    finishedHelp: 'When its last take ended.',
    takes: 'Takes',
    takesHelp: 'How many of its takes are done.',
  },

  header: {
    /** In place of a missing header. */
    noName: '(no name)',
    menu: (title: string): string => `Column ${title}`,
    ascending: 'Sort ascending',
    descending: 'Sort descending',
    asInSheet: 'Order as in the sheet',
    only: 'Show only rows with…',
    hide: 'Hide',
    show: (title: string): string => `Show ${title}`,
    showAll: (n: number): string => `Show ${countOf(n, 'hidden column')}`,
    choose: 'Maps to…',
    insertBefore: 'Insert a column before…',
    insertAfter: 'Insert a column after…',
    moveLeft: 'Move left',
    moveRight: 'Move right',
    freeze: 'Freeze up to here',
    unfreeze: 'Unfreeze',
    remove: 'Remove the column',
    idsStay: 'Rows keep these ids: a re-import knows them by these.',
    notSent: 'Not sent. To send it, choose what it maps to.',
    mapsTo: (column: string): string => `Maps to “${column}”.`,
    usedBy: (operations: readonly string[]): string => `Used by ${operations.join(', ')}.`,
  },

  /** The menu of rows. */
  row: {
    menu: 'Selected rows',
    noneSelected: 'No row is selected',
    inspect: 'Inspect',
    play: 'Play',
    showInFolder: (ofSeveral: boolean): string =>
      ofSeveral ? 'Show first file in its folder' : 'Show file in its folder',
    /** How many rows an item is for; undefined: unknown, because some of the selected rows were never in sight. */
    count: (n: number | undefined): string => (n === undefined ? 'rows' : commonWords.rows(n)),
    retry: (n: number | undefined): string => `Retry ${n === undefined ? 'rows' : commonWords.rows(n)}`,
    cancel: (n: number | undefined): string => `Cancel ${n === undefined ? 'rows' : commonWords.rows(n)}`,
    /** `text`: that of a cell, cut; empty for a blank cell. */
    onlyWith: (text: string): string =>
      text === '' ? 'Show only rows that are blank here' : `Show only rows with “${text}”`,
    onlyEdited: 'Show only edited rows',
    oneMoreTake: 'One more take',
    renderAgain: 'Render again',
    keepEarlier: 'Keep the earlier files',
    insertAbove: (n: number): string => `Insert ${commonWords.rows(n)} above`,
    insertBelow: (n: number): string => `Insert ${commonWords.rows(n)} below`,
    duplicate: (n: number): string => `Duplicate ${commonWords.rows(n)}`,
    moveUp: 'Move up',
    moveDown: 'Move down',
    delete: (n: number): string => `Delete ${commonWords.rows(n)}`,
  },

  copy: {
    path: 'Copy path',
    prompt: 'Copy prompt',
    row: 'Copy row',
    curl: 'Copy as cURL, without the key',
    pathCopied: 'The path is copied',
    promptCopied: 'The prompt is copied',
    requestCopied: 'The request is copied',
    noKeyInIt: 'Your key is not in it: $NOCTURNE_KEY stands in its place. If you run it at your gateway, you pay.',
  },

  editor: {
    enlarge: 'Large editor (F4)',
    suggestions: 'Suggestions',
    columnNotSent: 'This column is not sent.',
    rowAway: (row: string): string => `${row} has left this view; your text still goes to that row.`,
    notSaved: (row: string): string => `What you typed for ${row} was not saved`,
    unsaved: 'Your change to this text has not been saved to the sheet.',
    fetching: 'Fetching the whole text…',
    /** `bytes` is a size such as `4.21 kB`. */
    size: (characters: number, lines: number, bytes: string): string =>
      `${countOf(characters, 'character')}, ${countOf(lines, 'line')}, ${bytes}`,
    wrap: 'Wrap long lines',
    find: 'Find in the text',
    findKey: 'Find in the text (Ctrl+F)',
    previousMatch: 'Previous match',
    nextMatch: 'Next match',
    notFound: 'Not found',
  },

  /** What a completion means, in a few words beside it. */
  completion: {
    taskId: 'the task, for fields that name a clip',
    url: 'the address of its first file',
    lastFrame: 'the last frame of its film',
    cover: 'the cover picture of its song',
    musicUrl: 'the music of its result',
    videoUrl: 'the video of its result',
    row: 'row',
    list: 'list',
    inSheet: 'in this sheet',
  },
};
export type GridWords = typeof gridWords;

/** Find and replace, the filters of rows, and the panel of problems. */
export const findWords = {
  title: 'Find and replace',
  find: 'Find',
  matchCase: 'Match case',
  wholeCells: 'Whole cells only',
  pattern: 'Regular expression',
  previous: 'Previous match (Shift+Enter)',
  next: 'Next match (Enter)',
  notFound: 'Not found',
  /** Which of the cells that were found is shown. */
  match: (nth: number, of: number): string => `${countText(nth)} of ${commonWords.cells(of)}`,
  openReplace: 'Replace…',
  replaceWith: 'Replace with',
  replace: 'Replace',
  replaceAll: 'Replace all',
  /** Always several cells. */
  onlyInSelected: (cells: number): string => `Only in the ${countText(cells)} selected cells`,
  inSelection: 'In selection',

  filter: {
    statuses: 'Show only these statuses',
    operation: 'Operation',
    allOperations: 'All operations',
    reason: 'Why it failed',
    allReasons: 'All reasons',
    /** A reason, and how many rows failed for it. */
    reasonOf: (title: string, rows: number): string => `${title} (${countText(rows)})`,
    retry: (rows: number): string => `Retry ${commonWords.rows(rows)}`,
    retryShown: 'Retry the rows that are shown',
    text: 'Find rows',
    clear: 'Clear the text',
    /** Asks which text rows must have under a header. */
    cellOf: (header: string): string => `Show only rows with this in “${header}”`,
    frequent: 'Most frequent',
    typed: 'What you typed',
    asTyped: 'exactly this text',
    tooLong: (most: number): string => `Only texts of at most ${countText(most)} characters can be chosen`,
    /** In place of the text of a blank cell. */
    blank: '(nothing)',
    /** What rows must have under a header. */
    cell: (header: string, text: string): string => `${header}: ${text}`,
    removeCell: (header: string): string => `Show rows whatever they have in “${header}”`,
    edited: 'Edited or added',
    removeEdited: 'Also show rows that are as they were imported',
  },

  problems: {
    title: 'Problems',
    ofSheet: 'Problems of the sheet',
    close: 'Close the problems',
    none: 'Nothing is wrong with this sheet.',
    more: (n: number): string => `And ${countOf(n, 'more problem')}. They are listed once these are solved.`,
    error: 'Error',
    warning: 'Warning',
    pressAgain: 'Press again for the next one',
    clear: 'Clear these values',
    clearHint: (header: string): string =>
      `Clears the values of “${header}” in every row whose operation does not use them. What is sent does not change.`,
    /** Distinguishes buttons with the same words. */
    clearOf: (header: string): string => `Clear these values: ${header}`,
    rowGone: { title: 'This row no longer exists', message: 'It was deleted or replaced by a new one.' },
  },
};
export type FindWords = typeof findWords;
