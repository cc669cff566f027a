import { countOf, countText } from '../../domain/base/text.ts';
import { commonWords } from './common.ts';

/** The frame of the window: side bar, palette, notices, statuses, and what every dialog and list has. */
export const shellWords = {
  nav: {
    importSheet: 'Import a sheet',
    /** While a sheet is read; `rows` so far. */
    opening: (rows: number): string => (rows === 0 ? 'Opening a sheet…' : `Opening… ${countOf(rows, 'row')}`),
    newSheet: 'New sheet from a template',
    welcome: 'Welcome',
    ledger: 'Ledger',
    settings: 'Settings',
    help: 'Help',
    outdatedElectron: 'Outdated Electron: for tests only',
    batches: 'Batches',
    pauseAll: 'Pause all',
    pauseAllHint: 'Nothing new is sent; what is rendering is still fetched.',
    tag: 'Batches with a tag',
    allTags: 'All tags',
    archivedBatches: 'Archived batches',
    archived: (n: number): string => `Archived · ${countText(n)}`,
  },
  batchLink: {
    /** The tooltip. */
    named: (name: string, standing: string): string => `${name}: ${standing}`,
    /** Under its name, while it runs. */
    line: (standing: string, percent: string, failed: number): string =>
      `${standing} · ${percent}${failed > 0 ? ` · ${commonWords.takes(failed)} failed` : ''}`,
    runInTurn: 'Run in turn with the others',
    runFirst: 'Run first',
    moveUp: 'Move up in the queue',
    moveDown: 'Move down in the queue',
    rename: 'Rename…',
    tags: 'Tags…',
    archive: 'Archive',
    bringBack: 'Bring back',
    delete: 'Delete…',
    /** `until`: when it is removed at the earliest. */
    deleted: (until?: string): string => (until === undefined ? 'Deleted' : `Deleted – yours until ${until}`),
  },
  shelf: {
    isArchived: 'This batch is archived',
    isDeleted: 'This batch is deleted',
    removedAfter: (time: string): string =>
      `It is removed, with your changes to it, within the day after ${time}. Its files stay.`,
    rename: 'Rename the batch',
    tags: 'Tags of the batch',
    tagsOf: 'Tags',
    tagsHint: (most: number): string =>
      `Up to ${most} words of your own, separated by commas: a project, a client, a season.`,
    knownTags: 'Tags of other batches',
    folderFollows: 'A folder that was made for it and is still empty gets the new name, too.',
    folderStays: (folder: string): string => `Its folder keeps its name: ${folder}`,
    cannotDelete: (name: string): string => `“${name}” cannot be deleted now`,
    askDelete: (name: string): string => `Delete “${name}”?`,
    delete: 'Delete the batch',
    keep: 'Keep it',
    goes: <T>(bold: (text: string) => T, rows: number): readonly (string | T)[] => [
      bold('Deleted:'),
      ` its ${commonWords.rows(rows)}, with their history, what was sent and answered, and your ratings.`,
    ],
    stays: <T>(bold: (text: string) => T, files: number, folder: T, hasPaid: boolean): readonly (string | T)[] => [
      bold('Kept:'),
      ` its folder with ${files === 0 ? 'whatever lies in it' : `all ${commonWords.files(files)}`}: `,
      folder,
      hasPaid ? '. What was paid for it stays in the ledger, and counts for your limits.' : '.',
    ],
    paidAgain:
      'Nocturne then no longer knows what was rendered: if you import its sheet again, every row is paid for again.',
    aDay: 'You can bring it back for a day. Within the day after that, Nocturne removes it.',
  },
  afterNight: {
    label: 'After this night',
    choices: { nothing: 'Stay on', quit: 'Quit Nocturne', sleep: 'Sleep', shutdown: 'Shut down' },
    isOver: 'The night is over',
    callOff: 'Call it off',
  },
  engine: {
    starting: 'The engine is starting',
    restarted: 'The engine was restarted',
    readOnly: 'Batches can be viewed; nothing is sent',
    failed: 'The engine has stopped; nothing is sent',
    openLogs: 'Open logs',
    tryAgain: 'Try again',
  },
  /** Shown where a part of the window itself could not be loaded. */
  notLoaded: 'A part of this window could not be loaded. Your batches continue.',
  dismiss: 'Dismiss',
  notice: 'Notice',
  notices: 'Notices',
  newNotices: 'New notices',
  /** The button that opens them; `working`: how much is under way. */
  bell: (unread: number, working: number): string => {
    const facts = [working > 0 && `${working} under way`, unread > 0 && `${countText(unread)} unread`].filter(Boolean);
    return facts.length === 0 ? 'Notices' : `Notices: ${facts.join(', ')}`;
  },
  /** What takes longer than a moment. */
  works: {
    underWay: 'Under way',
    beforeFirst: 'Your batches are shown as soon as this is done.',
    /** For the screen reader, once. */
    begun: (name: string): string => `Under way: ${name}. `,
    cancel: (name: string): string => `Cancel: ${name}`,
    cancelling: 'Cancelling…',
    more: (n: number): string => `and ${n} more`,
    names: {
      'batch.cancel': 'Cancelling takes',
      'batch.cancelRows': 'Cancelling takes',
      'batch.configure': 'Changing the batch',
      'batch.create': 'Importing the sheet',
      'batch.deliver': 'Delivering',
      'batch.export': 'Writing the gallery page',
      'batch.localFiles': 'Looking at your files',
      'batch.new': 'Making the batch',
      'batch.release': 'Running changed rows',
      'batch.retry': 'Retrying takes',
      'batch.turn': 'Changing the turn of rows',
      'evidence.write': 'Exporting the evidence',
      'files.delete': 'Deleting rejected files',
      'gates.preview': 'Looking at the files',
      'results.write': 'Writing the results',
      'sheet.apply': 'Applying the changes',
      'sheet.compare': 'Comparing with the file',
      'sheet.copy': 'Copying cells',
      'sheet.edit': 'Editing the sheet',
      'sheet.find': 'Searching the sheet',
      'sheet.paste': 'Pasting',
      'sheet.redo': 'Redoing',
      'sheet.undo': 'Undoing',
      'store.backup': 'Backing up the store',
    },
  },
  /** Before an unread one, for the screen reader. */
  unread: 'Unread: ',
  clearNotices: 'Clear all',
  noNotices: 'Nothing to tell you yet.',
  showBatch: 'Show the batch',
  levels: { info: 'Notice', warning: 'Warning', error: 'Error' },
  /** What a notice's button does, read together with the notice. */
  noticeAction: (action: string, title: string): string => `${action}: ${title}`,
  drop: 'Drop your sheet',
  dropHint: 'CSV, TSV, XLSX or ODS. It is read and checked; nothing is sent.',
  appearance: 'Appearance',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },

  palette: {
    title: 'Find a command, a batch, a setting or a row',
    commands: 'Commands',
    nothing: 'Nothing is called that, and no row contains it.',
    results: (n: number): string => countOf(n, 'result'),
    searching: 'Looking through all rows…',
    /** There are more rows than are shown. */
    moreRows: (n: number, rows: number): string =>
      `${countOf(n, 'result')}, with the first ${commonWords.rows(rows)}. Type more to narrow them down.`,
    /** Beside a row: its id, its batch, how the row stands, and where the batch was put. */
    row: (row: string, batch: string, status: string, shelf: 'archived' | 'deleted' | undefined): string =>
      `${row} in ${batch}${shelf === undefined ? '' : ` (${shelf})`} · ${status}`,
    /** Beside a batch: how it stands, where it was put, and its tags. */
    batch: (standing: string, shelf: 'archived' | 'deleted' | undefined, tags: readonly string[]): string =>
      [shelf === undefined ? standing : `${standing}, ${shelf}`, ...tags].join(' · '),
    shortcuts: 'Keyboard shortcuts',
    shortcutList: 'Shortcuts',
  },
  /** Words that find a line of the palette besides its title, by the line; each between spaces. */
  alsoFinds: {
    run: 'rehearsal send',
    limits: 'spending money budget cap',
    'settings gateways': 'key address connection price account',
    'settings night': 'sleep login',
    'settings spending': 'limit money budget cap cost month monthly',
    'settings appearance': 'language theme dark light colours 语言 中文',
    'settings store': 'database server workers',
    'settings data': 'backup log',
    'settings updates': 'version',
    'help words': 'rehearsal take draft',
  },
  /** Where a command stands in the palette. */
  places: {
    screen: 'This screen',
    batch: 'This batch',
    begin: 'Begin',
    batches: 'Batches',
    goTo: 'Go to',
    settings: 'Settings',
    help: 'Help',
    window: 'Window',
    rows: 'Rows',
  },
  commands: {
    run: 'Start or resume',
    pause: 'Pause',
    retry: 'Retry',
    gallery: 'Gallery: all files at a glance',
    review: 'Review: look, listen, keep or reject',
    find: 'Find and replace',
    problems: 'Problems of the sheet',
    edited: 'Show only edited rows',
    folder: 'Open the folder',
    deliver: 'Deliver: copies for others',
    when: 'Change when it runs',
    limits: 'Change its limits',
    gates: 'Change its gates',
    filesPlace: 'Where files on this computer are put',
    cancel: 'Cancel the remaining takes',
    playThrough: 'Play through',
    browser: 'Open the gallery in the browser',
    batchLedger: 'Ledger of this batch',
    rename: 'Rename the batch…',
    tags: 'Tags of the batch…',
    reimport: 'Re-import the file of the sheet…',
    compare: 'Compare with another file…',
    watch: 'Watch the file of the sheet for changes',
    unwatch: 'Stop watching the file of the sheet',
    resultsCopy: 'Write the results to a copy next to the file',
    resultsFile: 'Write the results to the file itself…',
    results: 'Write the results to a file of your choice…',
    duplicate: 'Duplicate the batch',
    archive: 'Archive the batch',
    bringBack: 'Bring the batch back',
    delete: 'Delete the batch…',
    import: 'Import a sheet…',
    template: 'New sheet from a template',
    paste: 'Open the table on the clipboard',
    home: 'Welcome',
    openSheet: 'The sheet that is being imported',
    ledger: 'Ledger',
    settings: 'Settings',
    help: 'Help',
    pauseAll: 'Pause all batches',
    backUp: 'Back up the store…',
    notices: 'Notices',
    palette: 'Find a command, a batch, a setting or a row',
    shortcuts: 'Keyboard shortcuts',
    batchByKey: 'Go to the first batch of the side bar',
    nextPart: 'Go to the next part of the window',
    renameByKey: 'Rename the batch that has the focus in the side bar',
    leave: 'Close what is open; leave the grid',
    documentation: 'Documentation',
  },
  /** More about a command in the list of shortcuts. */
  commandNotes: {
    /** `control`: how the key Ctrl is written here. */
    gallery: (control: string): string =>
      `K keeps a file, X rejects it and 0–5 rate it; U undoes the last of these, here and in the review. Enter reviews it, T plays all from there on, O shows it in its folder, Escape goes back. ${control} or Shift with a click selects several; drag them into other programs`,
    review: 'Starts at the row with the cursor',
    outsideFields: 'Outside the grid and input fields',
    batchByKey: '2 to 9 go to the next ones',
    nextPart: 'Shift F6 goes back',
    notices: 'All of this session, what is under way, and what is unread',
  },
  commandWithNote: (command: string, note: string): string => `${command}. ${note}`,

  dialog: {
    leave: 'Leave without saving?',
    discard: 'Discard the change',
    keepEditing: 'Keep editing',
  },
  list: {
    search: 'Search',
    searchFor: (label: string): string => `Search: ${label}`,
    /** Before what is chosen, for the screen reader: `Operation: Song`. */
    before: (label: string): string => `${label}: `,
    noMatch: 'No match.',
  },
  /** What a bar shows, for the screen reader: a number for each status. */
  bar: (label: string, shares: readonly { readonly count: number; readonly word: string }[]): string =>
    `${label}: ${shares.map(({ count, word }) => `${countText(count)} ${word.toLowerCase()}`).join(', ')}`,
  /** The statuses of rows. */
  statuses: {
    queued: { word: 'Queued', meaning: 'It is waiting for its turn to be sent.' },
    submitting: { word: 'Submitting', meaning: 'It is recorded and on its way to the gateway.' },
    'submit-unknown': {
      word: 'Unknown',
      meaning:
        'No clear answer came from the gateway: it may have been charged. It is never paid for again automatically.',
    },
    rendering: { word: 'Rendering', meaning: 'The gateway has accepted it and is working on it.' },
    downloading: { word: 'Downloading', meaning: 'It is rendered; its files are being fetched and verified.' },
    done: { word: 'Done', meaning: 'Its files are verified and in place.' },
    failed: { word: 'Failed', meaning: 'It has no verified file.' },
    cancelled: { word: 'Cancelled', meaning: 'You cancelled it. Retry it to render it.' },
    draft: { word: 'Draft', meaning: 'You added or changed it. Nothing is sent for it until you run it.' },
    invalid: { word: 'Invalid', meaning: 'Something in the sheet keeps it from running. Nothing was sent.' },
    skipped: { word: 'Skipped', meaning: 'The sheet says to leave it out.' },
  },
  /** A row that waits because the user holds it. */
  held: {
    word: 'Held',
    meaning: 'You hold it: nothing new is sent for it until you release it, not even by a retry.',
  },
};
export type ShellWords = typeof shellWords;
