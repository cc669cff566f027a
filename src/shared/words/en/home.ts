import { countOf } from '../../domain/base/text.ts';
import { commonWords } from './common.ts';

/** The first screen, sheets that changed on the disk, the store. */
export const homeWords = {
  greeting: 'Give it a sheet at night.',
  promise:
    'Nocturne renders a spreadsheet of prompts overnight: songs, videos and images from your AI gateway. By morning every row is a verified, correctly named file or an explained exception. No row is paid for twice unless you say so.',

  ways: {
    rehearse: 'Rehearse with the built-in gateway',
    rehearseAbout: 'A whole night on this machine: real files, nothing is paid, and no key is needed.',
    rehearseElsewhere: 'Only with the store on this computer, which you can choose in the settings.',
    connect: 'Connect your gateway',
    connectAbout: 'Its base URL and your key. Nothing is sent until you start a batch.',
    connected: (baseUrl: string): string => `Now: ${baseUrl}. Change it, or enter another key.`,
  },

  begin: {
    title: 'Start with a sheet',
    importFile: 'Import a file…',
    importAbout: 'CSV, TSV, Excel, OpenDocument',
    paste: 'Paste a table',
    pasteAbout: 'From Excel, LibreOffice, Google Sheets',
    template: 'From a template…',
    templateAbout: 'Examples and chains that run',
    empty: 'Empty sheet',
    emptyAbout: 'Start typing',
    /** The name of an empty sheet. */
    newSheet: 'New sheet',
    recent: 'Recent sheets',
    gone: 'This file is no longer there.',
    /** In place of its folder. */
    goneShort: 'no longer there',
    forget: (name: string): string => `Forget ${name}`,
  },

  connect: {
    chooseSheet: 'Choose a sheet…',
    saved: 'Saved',
    savedAbout: 'Nothing is sent until you start a batch.',
    backTo: (sheet: string): string => `Back to ${sheet}`,
    backToBatch: 'Back to the batch',
  },

  rehearse: {
    title: 'Choose a rehearsal',
    night: 'A night of 60 rows',
    nightAbout: 'Songs, clips and pictures, like a real evening’s work.',
    chain: 'A chain of 20 rows',
    chainAbout: 'Rows that build on each other: lyrics, songs, videos, and what they become.',
    all: (n: number): string => `All ${n} operations`,
    allAbout: 'One row for each thing the gateway can do.',
    mistakes: 'A sheet full of mistakes',
    mistakesAbout: 'See how each is found and explained before anything is paid.',
    /** A button with `connect.chooseSheet` follows. */
    orOwn: 'Or rehearse your own work: drop a sheet anywhere on this window, or',
  },

  /** Hints in the course of a rehearsal. */
  tour: {
    offer: 'Show me around',
    offerAbout: 'Short hints along the way. F6 takes you to a hint’s buttons, and Escape ends the tour.',
    label: (at: number, of: number): string => `Tour, hint ${at} of ${of}`,
    count: (at: number, of: number): string => `${at} of ${of}`,
    next: 'Next',
    leave: 'Leave the tour',
    end: 'End the tour',
    left: 'You have left the tour',
    leftAbout: '“Show me around”, in Help, starts it again.',
    /** For the screen reader. */
    spoken: (hint: string): string => `${hint} F6 takes you to this hint, and Escape ends the tour.`,
    /** The hints, by where they are shown. */
    hints: {
      rows: 'Each line of a sheet is a row: one thing to be made. “Column mapping” says what each column means, and “The sheet”, at the end of this page, what is sent for each row.',
      problems:
        'Whatever is wrong with a sheet is found before anything is paid, and listed here. “Fix it here” opens the grid at that cell.',
      start:
        'Before you start, you can set a limit that is never exceeded, and see when the night would end and what it would cost. This rehearsal is free: start it when you like.',
      night:
        'Each row shows its status as it changes. You can close the window: Nocturne asks, and the night continues in the background.',
      fallen: (hasAny: boolean): string =>
        hasAny
          ? 'Some rows failed, or may have failed: the column “Reason” says why. Nothing is paid twice: only you can have them sent again.'
          : 'No row failed this time. If one does, the column “Reason” says why, and nothing is paid twice: only you can have it sent again.',
      ledger:
        'The night is over. The ledger accounts for every take, from the plan to the folder, with a button for whatever is left to do.',
      review:
        'Review takes you through the files by keyboard: keep, reject, pick. “Open folder” shows them where they are on your disk.',
      own: 'Now your own sheet: import it here, or drop it on the window. To render for real, connect your gateway under “Welcome”, and begin with a small request limit.',
    },
  },

  back: {
    title: 'Welcome back',
    nothing: 'Nothing is running, and no batch is waiting for you.',
    nothingRuns: 'Nothing is running.',
    /** An open sheet and batches that stand still, with something left that only the user can do. */
    leftOver: 'Left to do',
    openSheet: 'Open sheet, not a batch yet',
    moreLeft: (n: number): string => `and ${commonWords.batches(n)} more, in the list of batches.`,
    need: (n: number): string => (n === 1 ? '1 batch needs you' : `${commonWords.batches(n)} need you`),
    running: 'Running now',
    /** For several batches. */
    queue: 'The queue',
    queueAbout:
      'At the same gateway, the batch with the lower number sends first. Batches with the same number take turns.',
    moveUp: (name: string): string => `Move ${name} up (Alt+↑)`,
    moveDown: (name: string): string => `Move ${name} down (Alt+↓)`,
    /** For the screen reader, after a batch was moved. */
    moved: (name: string, rank: number, isShared: boolean): string =>
      `${name} is now number ${rank}${isShared ? ', and takes turns with others' : ''}.`,
    /** `standing`: how it stands; `done`: a share in percent; `end`: when its end is expected. */
    runs: (standing: string, done: string, end: string | undefined): string =>
      `${standing}, ${done}${end === undefined ? '' : `, finishes ${end}`}`,
    thisNight: 'This night',
    lastNight: 'The last night',
    /** Names of batches, and how many are not named. */
    batches: (names: readonly string[], others: number): string => {
      if (names.length === 0) return commonWords.batches(others);
      return others === 0 ? names.join(', ') : `${names.join(', ')} and ${countOf(others, 'other')}`;
    },
    /** `length`: undefined while it runs. `cost`: such as `12 paid requests, 3 EUR`, or `a rehearsal`. */
    night: ({ began, length, isInterrupted, verified, cost }: NightFacts): string => {
      const word = isInterrupted ? 'interrupted after ' : '';
      const lasted = length === undefined ? 'still running' : `${word}${length}`;
      return `${began}, ${lasted}. ${commonWords.takes(verified)} verified, ${cost}`;
    },
  },

  templates: {
    title: 'Templates',
    about: 'A template opens in the grid, where you can change it. Nothing is sent until you start it.',
    chains: 'Chains: rows that wait for each other',
    examples: 'An example of each operation',
    /** Between the button `begin.empty` and the choice of an operation. */
    orColumnsOf: 'or one with the columns of',
    columnsOf: 'An empty sheet with the columns of',
    anOperation: 'an operation',
    operations: 'Operations',
  },

  living: {
    /** The button of the menu. */
    sheet: 'Sheet',
    hint: 'The file of the sheet, and its results',
    noFile: 'This sheet was not imported from a file',
    reimport: 'Re-import…',
    compare: 'Compare with another file…',
    watch: 'Watch for changes',
    writeResults: 'Write results',
    toCopy: 'To a copy next to the file',
    toFile: 'To the file itself…',
    toChosen: 'To a file of your choice…',
    duplicate: 'Duplicate the batch',
    asksToWrite: 'Write the results to the file itself?',
    write: 'Write to the file',
    writes: (file: string): string =>
      `${file} gets the columns status, files, taskCode and failure. A backup is saved as “.bak”. Close the file in other programs first.`,
    hasChanged: (file: string): string => `${file} has changed`,
    seeChanges: 'See what changed',
    notNow: 'Not now',
    review: 'Review the changes before anything is applied.',
  },

  difference: {
    none: 'Nothing has changed',
    some: 'What changed',
    invalid: (n: number): string =>
      `${commonWords.rows(n)} of the file cannot run; the grid shows what is wrong with ${n === 1 ? 'it' : 'them'}.`,
    apply: 'Apply changes',
    /** `requests`: such as `3 paid requests`. */
    applyAndRun: (requests: string): string => `Apply and run ${requests}`,
    /** How many rows of each kind there are. */
    counts: {
      new: <T>(n: T): readonly (string | T)[] => [n, ' new'],
      changed: <T>(n: T): readonly (string | T)[] => [n, ' changed'],
      details: <T>(n: T): readonly (string | T)[] => [n, ' with changes that need no request'],
      removed: <T>(n: T): readonly (string | T)[] => [n, ' not in the file'],
      locked: <T>(n: T): readonly (string | T)[] => [n, ' being rendered, stay as they are'],
      unchanged: <T>(n: T): readonly (string | T)[] => [n, ' unchanged'],
    },
    removeRows: (n: number): string =>
      `Remove ${commonWords.rows(n)} that ${n === 1 ? 'is' : 'are'} not in the file. Rendered files stay.`,
    renderAgain: (n: number, requests: string): string =>
      `Render ${commonWords.rows(n)} again that ${n === 1 ? 'refers' : 'refer'} to a changed row (${requests}).`,
    noUndo:
      'This cannot be undone, nor can edits from before it. The inspector lists the earlier texts of each changed row.',
    nothingPaid: 'Nothing is rendered, nothing is paid.',
    notStarted: 'Nothing is rendered before you start the batch.',
    rehearsed: (n: number): string => `${commonWords.requests(n)} to the built-in gateway: nothing is paid.`,
    priced: (n: number, sum: string): string => `${commonWords.paidRequests(n)}, ${sum} by the profile’s prices.`,
    unpriced: (n: number): string =>
      `${commonWords.paidRequests(n)}, ${n === 1 ? 'which' : 'each of which'} may be charged.`,

    rows: 'Rows that differ',
    headersAdded: (headers: readonly string[]): string => `New columns: ${headers.join(', ')}`,
    headersRemoved: (headers: readonly string[]): string => `Removed columns: ${headers.join(', ')}`,
    more: (n: number): string => `and ${countOf(n, 'more row')}.`,
    row: (name: string): string => `Row ${name}`,
    /** What became of one row. */
    kinds: {
      new: 'New',
      changed: 'Changed',
      details: 'Needs no request',
      removed: 'Not in the file',
      locked: 'Stays',
    },
    less: 'Less',
    whole: 'Whole texts',
  },

  store: {
    title: 'Store',
    onThisComputer: 'On this computer',
    onThisComputerAbout: 'This window renders.',
    onServer: 'On a server',
    onServerAbout: 'PostgreSQL. Workers render its rows; in the window you watch and decide.',
    address: 'Address',
    addressHint:
      'As on the command line. A connection to another computer is encrypted, and that computer’s certificate is checked.',
    password: 'Password',
    passwordStored: 'Stored. Enter another to replace it.',
    passwordEmpty: 'Empty: as in ~/.pgpass',
    passwordInMemory:
      'This machine has no keyring that Nocturne can use. The password is gone when Nocturne is closed.',
    passwordKept: 'Kept encrypted with your system’s keyring, for this address only.',
    use: 'Use this store',
    test: 'Test',

    unusable: 'This store cannot be used',
    isReady: 'The server is ready for a store',
    isThere: 'A store was found',
    server: (version: string): string => `PostgreSQL ${version}`,
    schema: (version: number): string => `store of version ${version}`,
    /** The parts are such as the two above. */
    versions: (parts: readonly string[]): string => `${parts.join(', ')}.`,
    willBeMade: 'There is no store yet: one will be created.',
    holds: (batches: number): string => `${commonWords.batches(batches)} in it.`,

    noWorkers: 'No worker is running.',
    /** `workers`: how many; `names`: those of the first of them, each with its standing. */
    workers: (workers: number, names: readonly string[]): string => {
      const more = workers - names.length;
      return `${countOf(workers, 'worker')}: ${[...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`;
    },
    worker: (name: string, standing: string): string => `${name} (${standing})`,
    clockIsOff: 'its clock is off',
    accounts: (n: number): string => (n === 0 ? 'no account' : countOf(n, 'account')),
    toChange: (address: string): string => `${address}: to change it, open the settings`,
    /** `host`: undefined for this computer. */
    place: (database: string, host: string | undefined): string => `${database} on ${host ?? 'this computer'}`,

    noKey: <T>(command: T): readonly (string | T)[] => [
      'Rows of this batch wait, and continue automatically once a worker with that key is running: ',
      command,
    ],
    away: (since: string): string => `The server has not answered since ${since}`,
    awayAbout: <T>(address: T): readonly (string | T)[] => [
      address,
      ' is asked every second. What you see dates from then, and nothing can be changed until the server is back. Workers that can reach it continue.',
    ],
    noWorker: 'No worker is running on this store',
    noWorkerAbout: <T>(command: T): readonly (string | T)[] => [
      'Rows wait, and nothing renders them. Start a worker on any computer that has the key of your gateway: ',
      command,
    ],
    copyCommand: 'Copy the command',
    commandCopied: 'The command is copied',

    doesNotOpen: 'The store does not open',
    doesNotOpenAbout: 'This window sends nothing. Workers that can reach the server continue.',
    tryAgain: 'Try again',
    change: 'Change the store',
    workHere: 'Work on this computer',
  },
};
export type HomeWords = typeof homeWords;

interface NightFacts {
  readonly began: string;
  readonly length: string | undefined;
  readonly isInterrupted: boolean;
  readonly verified: number;
  readonly cost: string;
}
