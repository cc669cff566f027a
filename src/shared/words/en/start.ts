import { asSentence, countOf, countText } from '../../domain/base/text.ts';
import { commonWords } from './common.ts';

/** The form before the start of a batch. */
export const startWords = {
  title: 'Start',
  notYet: 'Not yet',
  folder: 'Folder',
  choose: 'Choose…',
  advanced: 'Advanced',
  noLimit: 'No limit',
  requestLimit: 'Request limit',
  spendingLimit: 'Spending limit',
  pricedLimitHint: 'By the profile’s prices. Rendering pauses before more is spent.',
  unpricedLimitHint: 'Such as 12.50 EUR. The profile has no prices yet, and without them a spending limit cannot hold.',
  /** About the field with that label. */
  currencyOf: (label: string): string => `${label}: currency`,
  fuse: 'Fuse',
  fuseHint:
    'Rendering pauses after this many failures of one kind in a row, or when more than half of the latest requests fail. 0 switches it off; after three unknown outcomes in a row it pauses all the same.',
  usualFuse: (n: number): string => `${n}, as usual`,
  canary: 'One row of each kind first; the rest once its file is there',
  picks: 'Rows that use a file of another row wait until you have picked it',
  ownFolder: 'Only this batch uses this folder.',
  newFolder: 'A new folder with the name above is created here.',
  importOnly: 'Import without starting',
  stillReading: 'The rows are still being read. Once all are read, you see here what they cost.',
  /** `requests`: such as `20 of 54 paid requests`; `rest` ends the sentence, with its punctuation. */
  sum: <T>(requests: T, rows: number, rest: string): readonly (string | T)[] => [
    requests,
    ` from ${commonWords.rows(rows)}${rest}`,
  ],
  invalidRows: (n: number): string => `${commonWords.rows(n)} with errors ${n === 1 ? 'does' : 'do'} not run.`,
  noneRuns: 'No row can run: see the errors.',
  noneRenders: 'No row asks for anything to be rendered.',
  noneRunsYet: 'No row can run yet. Fill in what to render, or look at the problems.',
  rechecked: 'With these accounts, different rows run',
  recheckedAbout: 'The cells of the column “account” were checked for them. Look at what is sent now, then start.',
  /** As a sentence with its full stop. */
  sentence: (text: string): string => asSentence(text),
  /** As the beginning of a line. */
  begun: (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`,

  longTexts: {
    title: 'Send very long texts?',
    about: (rows: number): string =>
      `${commonWords.rows(rows)} ${rows === 1 ? 'holds' : 'hold'} more than 100 kB of text. It is sent unchanged.`,
    start: 'Start',
  },

  gateway: {
    title: 'Gateway',
    rehearsal: 'Rehearsal',
    rehearsalAbout: 'On the built-in gateway. Nothing is paid.',
    rehearsalOnServer: 'Only in the store on this computer.',
    own: 'Your gateway',
    connect: 'Connect your gateway',
  },

  accounts: {
    title: 'Accounts',
    one: 'Several gateways or keys in one night: the rows are shared between them.',
    several: 'A row stays with the account that it was first sent with.',
    of: (name: string): string => `Account “${name}”`,
    edit: 'Edit…',
    moveUp: 'Move up',
    moveDown: 'Move down',
    cheapestFirst: 'Each row where it costs least, not in this order',
    add: 'Add account…',
  },

  account: {
    adding: 'Add account',
    editing: 'Edit account',
    about:
      'Rows are shared between the accounts. One that is out of credit, refused or at its limit stops; the others go on.',
    /** The name that is proposed for another account. */
    spare: 'spare',
    nameHint: 'A cell of the column “account” may name it.',
    gatewayHint: 'A profile from the settings. Import or duplicate one there for another gateway.',
    profile: (name: string, baseUrl: string): string => `${name}: ${baseUrl}`,
    whichKey: 'Which of its keys',
    /**
     * `name`: undefined for the gateway's key without a name. `last4`: undefined if the key is not stored, empty if its
     * end is not known.
     */
    key: (name: string | undefined, last4: string | undefined): string => {
      const which = name === undefined ? 'The key of this gateway' : `“${name}”`;
      if (last4 === undefined) return `${which}, not stored yet`;
      return last4 === '' ? which : `${which}, ends in ${last4}`;
    },
    anotherKey: 'Another key of this gateway',
    keyFor: (origin: string): string => `Key for ${origin}`,
    keyHint: 'It is sent only to this gateway.',
    stored: 'Stored. Enter another to replace it.',
    yourKey: 'Your aiKey',
    unencrypted: 'This connection is not encrypted',
    unencryptedAbout: 'Everybody on that network can read your key and every prompt.',
    test: 'Test connection',
    storeAndTest: 'Store the key and test',
    testHint: 'Asks the gateway about a task that does not exist. Nothing is paid.',
    limitsAbout: 'They apply to this batch, with this account alone.',
  },

  files: {
    place: 'Files place',
    about:
      'Files on this computer that cells name are put here before their rows are paid for, so that your gateway can read them. A JSON file describes the place: see “Files on this computer” in the documentation.',
    choose: 'Choose file…',
    named: 'Cells name files on this computer',
    namedAbout: 'Your gateway can read them once they are put on a place of your own.',
    choosePlace: 'Choose a files place…',
    found: (n: number, size: string): string =>
      `${countOf(n, 'local file')}, ${size}: each is put there once, before a row that names it is paid for.`,
    title: 'Files on this computer',
    looking: 'Looking at the files…',
    none: 'No cell names a file on this computer.',
    problems: (n: number): string =>
      `${commonWords.cells(n)} ${n === 1 ? 'names' : 'name'} files that cannot be put there`,
    moreProblems: (n: number): string => `And ${countText(n)} more.`,
    /** `written`: as its cell names it. */
    file: (written: string, mediaType: string, size: string): string => `${written} · ${mediaType}, ${size}`,
  },

  forecast: {
    title: 'Forecast',
    /** `requests`: such as `40 of 60 paid requests`. */
    count: (requests: string, rows: number): string => `${requests}, ${commonWords.rows(rows)}`,
    free: 'A rehearsal costs nothing',
    /** `operations`: such as `30 image, 2 music`. */
    costUnknown: (operations: string): string => `Cost unknown: no price for ${operations}`,
    /** `unpriced`: like `operations` above; empty if each has a price. */
    cost: (sum: string, unpriced: string): string =>
      `Costs ${sum}${unpriced === '' ? '' : `; no price for ${unpriced}`}`,
    /** Times of day; `begins` only if the run begins later. `source`: what the forecast is based on. */
    ends: ({ begins, likely, earliest, latest, source }: ForetoldEnd): string =>
      `${begins === undefined ? 'Ends' : `Begins ${begins}, ends`} about ${likely}${earliest === latest ? '' : ` (${earliest} to ${latest})`}, ${SOURCES[source]}`,
    /** `free`: undefined if that is not known. */
    disk: (needed: string, free: string | undefined, isEnough: boolean): string =>
      free === undefined
        ? `About ${needed} on the disk; free room unknown`
        : `About ${needed} on the disk, ${free} free${isEnough ? '' : ': not enough'}`,
    invalidRows: (n: number): string => `${commonWords.rows(n)} left out because of errors`,
  },

  gates: {
    title: 'Gates',
    /** `chosen`: in a few words. */
    summary: (chosen: string): string => `Gates: ${chosen}`,
    off: 'Off',
    offAbout: 'No gate looks at the files.',
    usual: 'Usual',
    usualAbout: 'Files that are black, silent, too short and the like are flagged.',
    chosen: 'Chosen',
    chosenAbout: 'These gates, with these values.',
    again: 'Render a flagged file again, at most this many times',
    never: 'Never',
    againHint: 'Each time is one more paid request, within all limits. The flagged file stays.',
    flagsIf: (rule: string): string => `It flags a file if ${rule}.`,
    valueOf: (gate: string): string => `${gate}: its value`,
    /** Beside its value: `s`, `bytes`, `%`, `LUFS`. */
    unit: (unit: string): string => unit,
    looking: 'Looking…',
    tryOn: (batch: string): string => `Try on the files of “${batch}”`,
    wouldFlag: (flagged: number, all: number): string => `${commonWords.files(flagged)} of ${all} would be flagged.`,
    /** `why`: such as `not checked: …`. */
    unchecked: (n: number, why: string): string => `${commonWords.files(n)} ${why}.`,
    flag: (gate: string, found: string): string => `${gate}: ${found}`,
    moreFiles: (n: number): string => `And ${countOf(n, 'more file')}.`,
    ofBatch: 'Gates of this batch',
    saveAndRun: 'Save and run',
    onceRun: 'They apply once the batch runs again, also to files already there and flagged.',
    runNow: 'Run it now to have its files looked at.',
    fromNow:
      'They apply to each file that has not been looked at. Files already flagged are rendered again, too, if you say so.',
  },

  when: {
    title: 'When',
    now: 'At once',
    nowAbout: 'As soon as you start it.',
    at: 'At a time',
    atAbout: 'Nothing is sent before.',
    within: 'Within certain hours',
    withinAbout: 'Outside them it waits, and fetches what is done.',
    notBefore: 'Not before',
    /** Each can be typed as it is written here. */
    timeExamples: '22:00, tomorrow 22:00, in 2h',
    timeHint: 'The next time the clock shows this. You can add a day: tomorrow 22:00, 2026-11-24 22:00.',
    optionalTimeHint: 'Leave it empty to begin with the next of these hours.',
    finishBy: 'Finish by',
    noFinish: 'No deadline',
    finishHint: 'For example 06:30, or in 8h.',
    doneBy: (time: string): string => `Nothing is sent that would not be done by ${time}.`,
    hours: 'Hours',
    numberedHours: (number: number): string => `Hours ${number}`,
    from: 'From',
    to: 'To',
    removeHours: 'Remove these hours',
    moreHours: 'More hours',
    nextMorning: 'They end on the next morning.',
    days: 'Days on which they begin',
    longDays: {
      Mon: 'Monday',
      Tue: 'Tuesday',
      Wed: 'Wednesday',
      Thu: 'Thursday',
      Fri: 'Friday',
      Sat: 'Saturday',
      Sun: 'Sunday',
    },
    shortDays: { Mon: 'Mon', Tue: 'Tue', Wed: 'Wed', Thu: 'Thu', Fri: 'Fri', Sat: 'Sat', Sun: 'Sun' },
  },
};
export type StartWords = typeof startWords;

interface ForetoldEnd {
  readonly begins: string | undefined;
  readonly likely: string;
  readonly earliest: string;
  readonly latest: string;
  readonly source: keyof typeof SOURCES;
}

const SOURCES = {
  learned: 'judging by earlier nights on this gateway',
  defaults: 'judging by what is usual: nothing is known of this gateway yet',
  both: 'judging in part by what is usual',
};
