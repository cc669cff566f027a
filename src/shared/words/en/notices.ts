import { countOf } from '../../domain/base/text.ts';

const stay = (takes: number): string => (takes === 1 ? 'stays as it is' : 'stay as they are');
const cells =
  (done: string) =>
  (n: number): string =>
    `${done} ${countOf(n, 'cell')}`;
const rows =
  (done: string) =>
  (n: number): string =>
    `${done} ${countOf(n, 'row')}`;

/** What is said in passing: notices, what an edit has done, and why something waits or cannot be done. */
export const noticesWords = {
  /** Titles of what failed, by the code of the error. A title has no full stop. */
  errors: {
    'invalid-input': 'Not understood',
    forbidden: 'Not allowed',
    'not-found': 'No longer there',
    refused: 'That did not work',
    unavailable: 'The engine does not answer',
    internal: 'A bug in Nocturne',
    cancelled: 'Cancelled',
  },
  /** Titles of what was refused: what did not happen. */
  failed: {
    imported: 'The sheet was not imported',
    configured: 'The batch was not changed',
    delivered: 'Not everything was delivered',
    placed: 'The files place was not changed',
    shelved: 'The batch stays where it is',
    started: 'The batch was not started',
    resumed: 'The batch was not resumed',
    retried: 'Nothing was retried',
    turned: 'The rows stay as they were',
    released: 'Nothing was started',
    settled: 'The rows were not resolved',
    edited: 'The sheet was not changed',
    pasted: 'Nothing was pasted',
    compared: 'The file was not compared',
    applied: 'The changes were not applied',
    reread: 'The file was not read again',
    resultsWritten: 'The results were not written',
    evidence: 'The evidence was not exported',
    backedUp: 'The store was not backed up',
    storeChanged: 'The store was not changed',
    paused: 'Nothing was paused',
    restored: 'The backup was not restored',
    diagnostics: 'The diagnostics were not saved',
  },

  /** What was done with takes; `none`: there were none. */
  done: {
    retried: (takes: number): string => `${countOf(takes, 'take')} retried.`,
    cancelled: (takes: number): string => `${countOf(takes, 'take')} cancelled.`,
    resolved: (takes: number): string => `${countOf(takes, 'take')} resolved.`,
    hold: (takes: number): string => `${countOf(takes, 'take')} held.`,
    release: (takes: number): string => `${countOf(takes, 'take')} released.`,
    next: (takes: number): string => `${countOf(takes, 'take')} will run next.`,
  },
  none: {
    retried: 'Nothing here can be retried.',
    cancelled: 'Nothing here can be cancelled.',
    resolved: 'There was nothing left to resolve.',
    hold: 'Nothing here can be held.',
    release: 'Nothing here is held.',
    next: 'Nothing here is waiting.',
  },
  changedMeanwhile: (takes: number): string => `${countOf(takes, 'take')} changed in the meantime and ${stay(takes)}.`,
  rowResolved: (row: string): string => `Row ${row} resolved.`,
  meansFailed: (status: string): string => `Status “${status}” means failed from now on.`,
  countAsFailed: (takes: number): string =>
    `${countOf(takes, 'take')} that seemed to have failed now ${takes === 1 ? 'counts' : 'count'} as failed.`,
  staysAsItWas: (file: string): string => `${file} stays as it was`,
  nothingToPlay: 'No file here can be played',
  evidenceExported: 'The evidence is exported',
  tooManyToDrag: (most: number): string => `At most ${countOf(most, 'file')} can be dragged at once`,
  selectFewer: 'Select fewer, or open the folder of the batch.',
  backedUp: 'The store is backed up',
  noTable: 'There is no table on the clipboard',
  copyTable: 'Copy the cells in your spreadsheet, with their header line, and paste again.',
  resultsWritten: 'The results are written',
  showResults: 'Show in folder',
  resultsShown: 'Shown in its folder',
  updated: 'Batch updated to match the file',
  willRender: (takes: number): string => `${countOf(takes, 'take')} will be rendered.`,
  shelved: {
    archived: (batch: string): string => `“${batch}” is archived`,
    deleted: (batch: string): string => `“${batch}” is deleted`,
    bringBack: 'For a day, you can bring it back under Archived. Its files stay.',
  },

  /** What came of a delivery. */
  delivery: {
    delivered: 'Delivered',
    'nothing-new': 'Nothing new to deliver',
    nothing: 'Nothing to deliver',
    cancelled: 'Delivery cancelled',
    /** About one batch, by its name. */
    of: (batch: string, outcome: string): string => `${batch}: ${outcome.toLowerCase()}`,
    /** `what`: sentences, which say what was delivered. */
    to: (what: string, place: string): string => `${what} → ${place}`,
    cancelling: 'Cancelling: the file under way is finished first.',
    looking: 'Looking for what is new…',
  },

  rowGone: 'The row is no longer in its sheet',

  /** A sheet that was open, with the user's answers, when another one was opened. */
  sheetKept: (name: string): string => `“${name}” was imported but not started.`,
  sheetKeptWhere: 'It is among the batches, with what you entered.',
  discarded: (name: string): string => `“${name}” was discarded`,
  sheetLeft: (name: string): string => `“${name}” was closed: it cannot be imported yet.`,
  sheetLeftFor: 'Open it again to continue: what you entered is kept.',
  sheetGone: (name: string): string => `“${name}” is no longer open`,
  pasteAgain: 'It was pasted and could not be imported yet. Paste it again to continue: what you entered is kept.',
  openAgain: 'Open again',
  openedAgain: 'Opened',
  sheetKeptInPart: 'It is among the batches, with what you entered, except for answers that could not be understood.',

  /** One more take of some rows. */
  oneMore: {
    notAsked: 'No take was added',
    noneFinished: 'No row here has a finished take.',
    ofRow: (row: string): string => `One more take of ${row}, once you agree to its cost`,
    ofRows: (n: number): string => `One more take of ${countOf(n, 'row')}, once you agree to its cost`,
    how: '“Run”, above the sheet, says what it costs. Ctrl+Z takes it back.',
  },

  /** Rows that are to be rendered again. */
  renderAgain: {
    ofRows: (n: number): string => `${countOf(n, 'row')} to render again, once you agree to the cost`,
    how: 'The files stay, as earlier versions. “Run”, above the sheet, says what it costs. Until it is sent, Ctrl+Z or “Keep the earlier files” takes it back.',
  },

  /** What an edit of a sheet has done. */
  edits: {
    copied: cells('Copied'),
    cut: cells('Cut'),
    pasted: cells('Pasted'),
    changed: cells('Changed'),
    cleared: cells('Cleared'),
    filled: rows('Filled'),
    inserted: rows('Inserted'),
    deleted: rows('Deleted'),
    duplicated: rows('Duplicated'),
    toRenderAgain: (n: number): string => `${countOf(n, 'row')} to render again, once run`,
    keptEarlier: (n: number): string => `Earlier files of ${countOf(n, 'row')} kept`,
    moved: rows('Moved'),
    nothingToReplace: 'Nothing to replace',
    replaced: (inCells: number, inRows: number): string =>
      `Replaced in ${countOf(inCells, 'cell')} (${countOf(inRows, 'row')})`,
    addedColumn: 'Added a column',
    removedColumn: 'Removed a column',
    movedColumn: 'Moved a column',
    mappedColumn: 'Changed the mapping of a column',
    ignoredWarnings: 'Changed which warnings are ignored',
    setVariables: 'Changed the variables',
    setOperation: 'Changed the operation of rows without one',
    nothingToUndo: 'Nothing to undo',
    nothingToRedo: 'Nothing to redo',
    nothingChanged: 'Nothing has changed',
    undone: 'Undone',
    redone: 'Redone',
    historyEnded: 'The engine was restarted: earlier edits are kept, but can no longer be undone.',
    notEdited: 'The sheet could not be edited.',
    mostTakes: (most: number): string => `A row has at most ${most} takes.`,
    /** Rows that an edit has left as they were, and why. */
    refused: (n: number): string => (n === 1 ? '1 row stays as it was' : `${countOf(n, 'row')} stay as they were`),
    refusedRow: (row: string, line: number, reason: string): string => `${row} (line ${line}): ${reason}`,
    andMore: (n: number): string => `And ${countOf(n, 'more row', 'more rows')}.`,
    sortToMove: 'Click the header “#” to sort by line, then move the rows.',
    onlyInOrder: 'Rows can only be moved in the order of the sheet',
    tooManyToFill: 'Too many rows to fill from',
    fillFewer: (most: number): string => `Fill from at most ${countOf(most, 'row')} at once, or copy and paste them.`,
  },

  /** Why a row that is queued is not sent yet: a sentence. Times are such as `03:40`. */
  waits: {
    held: 'You hold it: it waits until you release it.',
    forPickOf: (row: string): string => `Waits for you to pick a file of row ${row}.`,
    forRow: (row: string): string => `Waits for row ${row}.`,
    forDraft: (row: string): string => `Waits for row ${row}, a draft until you run it.`,
    forStart: 'Waits for the start of the batch.',
    pausedBy: (why: string): string => `The batch is paused: ${why}.`,
    paused: 'The batch is paused.',
    forHours: (time: string): string => `Waits until ${time}: the batch sends only in its hours.`,
    gatewayAsks: (time: string): string => `The gateway asks us to wait until ${time}.`,
    forTrouble: (trouble: string): string => `${trouble}: it is sent once that is over.`,
    forFirst: (row: string): string => `Waits until row ${row}, the first of its kind, is verified.`,
    until: (time: string): string => `Waits until ${time} to be sent.`,
    forPlace: (takes: number, family: string): string =>
      `Waits for a free place: the gateway already has ${countOf(takes, 'take')} of ${family}, its limit.`,
    forTurn: 'Waits for its turn.',
    /** `pace`: requests per second; may be a fraction. */
    forTurnAt: (pace: number): string =>
      `Waits for its turn: at most ${pace === 1 ? 'one request' : `${pace} requests`} a second.`,
  },
  tryingAgain: (time: string): string => `Trying again at ${time}.`,

  /** The same file was imported before, with the name and time of that import. */
  earlier: {
    rehearsed: (name: string, time: string): string => `Rehearsed before as ${name} on ${time}.`,
    imported: (name: string, time: string): string => `Imported before as ${name} on ${time}.`,
    notStarted: (name: string, time: string): string => `Imported before as ${name} on ${time}, not started.`,
    nothingPaid: 'Nothing was paid for that.',
    nothingSent: 'Nothing was sent for that batch. To run it, open it and start it.',
    paysAgain: (n: number | undefined): string =>
      `Starting it on your gateway renders and pays for all of it again${n === undefined ? '' : `: ${countOf(n, 'paid request')}`}.`,
  },
  outdatedElectron: (version: string): string =>
    `Electron ${version} no longer gets security fixes. It is for tests only: use the current Electron for your own nights.`,

  /** Why the real gateway cannot be used yet. */
  obstacle: {
    unread: 'The settings have not been read yet.',
    noGateway: 'No gateway is connected yet. Connect it to render for real.',
    noKey: 'The gateway’s key is missing. Enter it in the settings to render for real.',
  },

  /** In the title of the window. */
  needsYou: 'Needs you',
  pausedAt: (percent: string): string => `Paused at ${percent}`,
  /** On the button that retries a whole batch. */
  retryFailed: 'Retry failed',
  retryCancelled: 'Retry cancelled',
  retryBoth: 'Retry failed and cancelled',
};
export type NoticesWords = typeof noticesWords;
