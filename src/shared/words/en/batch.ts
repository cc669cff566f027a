import { countOf, countText } from '../../domain/base/text.ts';
import { commonWords } from './common.ts';

/** What is settled or cancelled is passed in as `3 rows` or `2 takes`, in the same language. */
export const batchWords = {
  isGone: 'This batch no longer exists.',
  goToWelcome: 'Go to Welcome',
  /** Names of accounts, gateways, files, rows. */
  list: (items: readonly string[]): string => items.join(', '),
  /** A name or a heading, and what is said about it. */
  titled: (name: string, text: string): string => `${name}: ${text}`,
  /** `3 of 20` */
  partOf: (part: string, all: string): string => `${part} of ${all}`,
  /** A sentence and the one that follows it, if the first is an element of its own. */
  followedBy: <T>(first: T, next: string): readonly (string | T)[] => [first, ' ', next],

  columns: {
    mapping: (header: string): string => `Mapping of “${header}”`,
    mappingHint: 'Its cells are sent as the field that you choose. The ids of the rows stay those of their import.',
    thisColumn: 'This column',
    notSent: 'Not sent',
    ownColumn: 'A column of your own.',
    similarName: 'Similar name.',
    add: 'Add a column',
    addHint: 'A field of an operation, or any name for a column of your own, such as a variable.',
    own: 'Your own',
    /** `{…}` is how a cell refers to it. */
    ownHint: 'Not sent; cells can use it as {…}.',
  },

  balance: {
    unknown: 'not known',
    /** What an account had, and at what time of day. */
    at: (balance: string, time: string): string => `${balance} at ${time}`,
    accountUnknown: 'Its balance is not known.',
    accountHas: (balance: string): string => `Has ${balance}`,
    isUnknown: 'The balance is not known.',
    youHave: (balance: string): string => `Your account has ${balance}.`,
    isLow: (balance: string, cost: string): string =>
      `Your account has ${balance}, less than the ${cost} that this may cost`,
    isLowText: 'The night pauses when the gateway says that the balance is used up.',
  },

  actions: {
    gallery: 'Gallery',
    galleryHint: 'All files at a glance (F7)',
    folder: 'Open folder',
    folderHint: 'Open the folder',
    review: 'Review',
    reviewHint: 'Look, listen, keep or reject (F8)',
    deliver: 'Deliver',
    deliverHint: 'Copies for others',
    ledger: 'Ledger',
    ledgerHint: 'What became of each row, and what to do',
    when: 'When it runs…',
    limits: 'Limits…',
    gates: 'Gates…',
    filesPlace: 'Files place…',
    cancelRest: 'Cancel the remaining takes…',
    start: 'Start…',
    pause: 'Pause',
    resume: 'Resume',
    raiseLimit: 'Raise limit…',
  },
  cancelRest: {
    title: 'Cancel the remaining takes?',
    confirm: (takes: number): string => `Cancel ${commonWords.takes(takes)}`,
    decline: 'Keep',
    text: (takes: number): string =>
      `${commonWords.takes(takes)} will not be rendered. What the gateway has already accepted may still be charged. Files in the folder stay there.`,
  },

  head: {
    rehearsal: 'Rehearsal',
    takes: 'Takes',
    fold: 'Hide details',
    unfold: 'Show details',
    ifResumed: 'If you resume now',
    notKnownYet: 'Not known yet.',
    takesDone: 'Takes done',
    ended: 'Ended',
    finishes: 'Finishes',
    requests: 'Requests',
    paidRequests: 'Paid requests',
    wouldBeSpent: 'Would be spent',
    spent: 'Spent at most',
    sends: 'Sends',
    forecast: 'Forecast',
    forecastOfLast: 'Forecast of the latest run',
    inFolder: 'In the folder',
    balance: 'Balance',
    balances: 'Balances',
    gateway: 'Gateway',
    accounts: 'Accounts',
    /** The gateway of a rehearsal. */
    builtIn: 'Built-in',
    gatewayWaits: 'The gateway asks us to wait',
    waitForFirst: (row: string): string => `Other rows wait for row ${row}, the first of its kind`,
    nextAt: (time: string): string => `next at ${time}`,
    files: (count: number, size: string): string => `${commonWords.files(count)}, ${size}`,
    /** Nothing of a limit has been spent. */
    ofLimit: (limit: string): string => `of ${limit}`,
    withoutPrice: (requests: number): string => `${commonWords.paidRequests(requests)} without a price`,
    spentAndUnpriced: (spent: string, requests: number): string =>
      `${spent}, and ${commonWords.paidRequests(requests)} without a price`,
    /** When it was to end, and what it was to cost; `end` undefined: unknown. `limits`: those of then, if they were others. */
    foretold: (end: string | undefined, sum: string, limits: readonly string[]): string =>
      `${end ?? 'end unknown'}, ${sum}${limits.length === 0 ? '' : ` within ${limits.join(' and ')}`}`,
  },
  end: {
    nothingLeft: 'nothing left to do',
    at: (time: string, length: string): string => `${time}, after ${length}`,
    notWhilePaused: 'not while it is paused',
    waitsUntil: (time: string): string => `waits until ${time}`,
    estimating: 'estimating…',
    /** `end`: `about 03:40`, `in about a minute`. */
    pausesAtLimit: (end: string): string => `pauses at the limit ${end}`,
  },

  limit: {
    remove: 'Remove limit…',
    /** `limit`: which one, as `limitForm` names it. */
    removeTitle: (limit: string): string => `Remove the ${limit}?`,
    removeConfirm: 'Remove and resume',
    removeDecline: 'Keep',
    removeText: (takes: number): string =>
      `${commonWords.takes(takes)} of this batch may then be sent, whatever the cost.`,
    ofBatch: 'Limits of this batch',
    ofAccount: (name: string): string => `Account “${name}”`,
    requests: 'Request limit',
    spending: 'Spending limit',
    none: 'No limit',
    sent: (requests: number): string => `${countText(requests)} sent so far.`,
    sentOfBatch: (requests: number): string => `${countText(requests)} sent so far. The batch pauses at this number.`,
    pausesBefore: 'The batch pauses before more is spent.',
    spentSoFar: (money: string): string => `At most ${money} spent so far.`,
    spent: (money: string): string => `At most ${money} spent.`,
  },

  edit: {
    toolbar: 'Edit the sheet',
    nothingToUndo: 'Nothing to undo',
    nothingToRedo: 'Nothing to redo',
    undo: (what: string): string => `Undo: ${what} (Ctrl+Z)`,
    redo: (what: string): string => `Redo: ${what} (Ctrl+Y)`,
    insertRows: 'Insert rows above (Ctrl++)',
    duplicateRows: 'Duplicate rows',
    deleteRows: 'Delete rows (Ctrl+−)',
    column: 'Column',
    addColumn: 'Add column…',
    find: 'Find and replace',
  },
  /** New and changed rows, or takes added to running rows, that run once the user says so. */
  drafts: {
    run: (n: number, of: 'rows' | 'takes'): string => `Run ${draftsOf(n, of)}`,
    title: (n: number, of: 'rows' | 'takes'): string => `Run ${draftsOf(n, of)}?`,
    confirm: (n: number, of: 'rows' | 'takes'): string =>
      `Run ${of === 'rows' ? commonWords.rows(n) : draftsOf(n, of)}`,
    decline: 'Not yet',
    wait: (takes: number): string => `${commonWords.takes(takes)} ${takes === 1 ? 'waits' : 'wait'} to be rendered`,
  },

  missingFiles: (files: number): string =>
    `${commonWords.files(files)} of this batch ${files === 1 ? 'is' : 'are'} not in its folder`,
  missingFilesText: 'Another folder has replaced its own. Copy them from the old one; nocturne verify names them.',
  pause: {
    byUser: 'Paused by you',
    /** `isDiskFull`: the disk has no room for files at the moment. */
    byUserText: (isDiskFull: boolean): string =>
      `Nothing new is sent. What the gateway has already accepted is ${isDiskFull ? 'fetched once the disk takes files again' : 'still fetched'}. Resume to send the rest.`,
    waitsText: 'Nothing to do: Nocturne waits and continues automatically. Nothing is sent twice.',
    byFailure: (title: string): string => `Paused: ${title}`,
    account: (name: string, title: string): string => `The account “${name}” is paused: ${title}`,
    resumeAccount: 'Resume this account',
    enterKey: 'Enter the key',
    keyStored: 'The key is stored',
    keyStoredText: 'Nothing is sent, and the gateway is not asked about rows under way, until you resume.',
    hasRoom: 'There is room within the limit again',
    hasRoomText: 'Nothing is sent until you resume.',
    changeItsLimit: 'Change its limit…',
    changeWhen: 'Change when it runs…',
    changeLimit: { night: 'Change the limit for a night', month: 'Change the limit for a month' },
    prices: 'Prices',
    correctProfile: 'Correct the profile',
    sendAnyway: 'Send the rest anyway',
    unknown: (takes: number): string => `${commonWords.takes(takes)} with an unknown outcome`,
    show: 'Show',
    showAll: 'Show all rows',
  },

  /** The meaning of a status that the gateway's interface does not name. */
  status: {
    title: (family: string, status: string): string => `${family}: does status “${status}” mean failed?`,
    yes: 'Yes, failed…',
    text: (account: string | undefined, takes: number): string =>
      `${account === undefined ? 'Your gateway' : `The gateway of “${account}”`} ended ${commonWords.takes(takes)} with this status and gave no file. If you say yes, rows with this status fail at once from now on.`,
  },

  when: {
    title: 'When it runs',
    saveAndResume: 'Save and resume',
  },

  turn: {
    hold: (rows: string): string => `Hold ${rows}`,
    release: (rows: string): string => `Release ${rows}`,
    next: (rows: string): string => `Run ${rows} next`,
  },
  /** One row, in `turn` and `cancel`. */
  row: 'row',
  cancel: {
    title: (rows: string): string => `Cancel ${rows}?`,
    confirm: (rows: string): string => `Cancel ${rows}`,
    decline: 'Keep',
    text: 'What the gateway has already accepted may still be charged. If the gateway has a result, “Retry” can fetch it later, free of charge.',
  },

  retry: {
    title: 'Retry?',
    confirm: (takes: number): string => `Retry ${commonWords.takes(takes)}`,
    decline: 'Not now',
    refused: (takes: number): string =>
      `The gateway refused ${commonWords.takes(takes)} because of what ${takes === 1 ? 'it asks' : 'they ask'} for. Without a change in the sheet, it would refuse ${takes === 1 ? 'it' : 'them'} again.`,
    refusedAsWell: (takes: number): string => `Retry ${takes === 1 ? 'it' : 'them'} as well`,
  },

  settle: {
    label: 'Resolve unknown outcomes',
    summary: (rows: number, takes: number): string =>
      `${commonWords.rows(rows)} with an unknown outcome, ${commonWords.takes(takes)}.`,
    writeOff: (what: string): string => `Write off ${what}`,
    writeOffAsks: (what: string): string => `Write off ${what}…`,
    writeOffTitle: (what: string): string => `Write off ${what}?`,
    writeOffText:
      'What is written off counts as failed. If the gateway did accept it, it was paid for, and its files are not fetched.',
    resubmit: (what: string): string => `Resubmit ${what}`,
    resubmitAsks: (what: string): string => `Resubmit ${what}…`,
    resubmitTitle: 'Resubmit, and maybe pay twice?',
    lookFirst: 'Look at the gateway’s own list of tasks first.',
    decline: 'Leave it unknown',
    exportEvidence: 'Export evidence…',
  },

  line: {
    working: 'Working…',
    pressPlus: 'Press + above to add a column.',
    filledIn: 'Nocturne fills in this column.',
    notSent: 'This column is not sent.',
    file: (name: string, type: string, size: string): string => `${name} (${type}, ${size})`,
    selected: (rows: number, cells: number): string =>
      rows === 1 || cells === 1
        ? `${commonWords.cells(rows * cells)} selected`
        : `${countText(rows)} × ${commonWords.cells(cells)} selected`,
  },
};
export type BatchWords = typeof batchWords;

function draftsOf(n: number, of: 'rows' | 'takes'): string {
  return countOf(n, of === 'rows' ? 'changed row' : 'more take');
}
