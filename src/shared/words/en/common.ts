import { countOf } from '../../domain/base/text.ts';

/** A field of a form. */
const field = (label: string, hint: string): { readonly label: string; readonly hint: string } => ({ label, hint });

/** Words that several screens share. A count says its noun: `1 row`, `2,000 rows`. */
export const commonWords = {
  /** The language's own tag, for dates and numbers (BCP 47). */
  locale: 'en-GB',
  /** Whole sentences, one after the other. */
  sentences: (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' '),
  /** `a, b and c` */
  and: (items: readonly string[]): string => listed(items, 'and'),
  or: (items: readonly string[]): string => listed(items, 'or'),
  /** `a, b, c`: facts in a row, without “and” before the last. */
  list: (items: readonly string[]): string => items.filter((item) => item !== '').join(', '),
  /** What it is, and what is said about it. */
  titled: (title: string, text: string): string => `${title}: ${text}`,
  /** Between quotation marks: a name, or what somebody wrote. */
  quoted: (text: string): string => `“${text}”`,

  rows: (n: number): string => countOf(n, 'row'),
  takes: (n: number): string => countOf(n, 'take'),
  files: (n: number): string => countOf(n, 'file'),
  cells: (n: number): string => countOf(n, 'cell'),
  columns: (n: number): string => countOf(n, 'column'),
  batches: (n: number): string => countOf(n, 'batch', 'batches'),
  requests: (n: number): string => countOf(n, 'request'),
  paidRequests: (n: number): string => countOf(n, 'paid request'),
  errors: (n: number): string => countOf(n, 'error'),
  warnings: (n: number): string => countOf(n, 'warning'),
  problems: (n: number): string => countOf(n, 'problem'),
  times: (n: number): string => countOf(n, 'time'),
  take: (n: number): string => `take ${n}`,
  /** A place in a sheet: a line's number is a name, not a count. */
  line: (line: number): string => `Line ${line}`,
  lineOf: (operation: string, line: number): string => `${operation} · line ${line}`,

  /** Durations, in their two largest units; the smaller one has two digits. */
  seconds: (seconds: number): string => `${seconds} s`,
  minutes: (minutes: number, seconds: string): string => `${minutes} min ${seconds} s`,
  hours: (hours: number, minutes: string): string => `${hours} h ${minutes} min`,
  days: (days: number, hours: number): string => `${days} d ${hours} h`,
  /** When something is expected, at a time such as `03:40`. */
  about: (time: string): string => `about ${time}`,
  inAMinute: 'in about a minute',
  /** A time by the clock of a zone that is not this machine's. */
  inZone: (time: string, zone: string): string => `${time} (${zone})`,

  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  add: 'Add',
  remove: 'Remove',
  delete: 'Delete',
  rename: 'Rename',
  duplicate: 'Duplicate',
  open: 'Open',
  back: 'Back',
  retry: 'Retry',
  undo: 'Undo',
  undone: 'Undone',
  redo: 'Redo',
  copy: 'Copy',
  yes: 'Yes',
  no: 'No',
  none: 'None',
  name: 'Name',
  more: 'More',

  /** The parts of the settings, and of the help. */
  settingsParts: {
    gateways: 'Gateways',
    night: 'Night',
    notifications: 'Notifications',
    spending: 'Spending',
    appearance: 'Appearance',
    lists: 'Lists',
    store: 'Store',
    data: 'Your data',
    updates: 'Updates',
    about: 'About',
  },
  helpParts: {
    words: 'Words',
    language: 'The language of sheets',
    living: 'The living sheet',
    statuses: 'Statuses',
    night: 'At night',
    morning: 'In the morning',
    failures: 'What can go wrong',
    safety: 'Safety',
    keyboard: 'Keyboard',
    operations: 'Operations',
    support: 'Getting help',
  },

  /** What a column about the row itself is for. */
  aboutTheRow: 'About the row',
  rowColumns: {
    row: 'The row’s own id: other rows refer to it, and files are named after it.',
    operation: 'What to render, such as music, lyrics or image.',
    takes: 'How many paid renderings; 1 if blank.',
    priority: 'Rows with a higher number run earlier.',
    account: 'The account that renders it, in a batch with several; any of them if blank.',
    filename: 'The name of the row’s files, with {row}, {title} and the like.',
    pick: 'True: rows that refer to this one wait until you have picked one of its files.',
    skip: 'True leaves the row out.',
    seed: 'Decides what is drawn from the row’s choices and lists; if blank, the row’s id decides.',
    note: 'A note of your own; it is not sent.',
  },

  noProblems: 'No problems',
  /** Where a problem is, in few words. */
  problemAt: {
    line: (line: number): string => `line ${line}`,
    /** Some of the lines; `isAll`: they are all there are. */
    lines: (lines: readonly number[], isAll: boolean): string => `lines ${lines.join(', ')}${isAll ? '' : ' …'}`,
    wholeSheet: 'whole sheet',
    column: 'column',
  },
  /** Titles of the kinds of problems of a sheet, by their codes. */
  problemTitles: {
    unreadable: 'The sheet cannot be read',
    'too-large': 'The sheet is too large',
    encrypted: 'The sheet is encrypted',
    empty: 'The sheet is empty',
    'no-operation-column': 'There is no operation column',
    'duplicate-header': 'Two columns have the same header',
    'unknown-column': 'Unknown column',
    'unused-column': 'Value not used by this operation',
    'operation-missing': 'The operation is missing',
    'operation-unknown': 'The operation is not known',
    'row-id-duplicate': 'Two rows have the same id',
    'row-id-mangled': 'Row id that the spreadsheet may have changed',
    'value-type': 'Value of the wrong type',
    'value-range': 'Value out of range',
    'value-characters': 'Characters that cannot be sent',
    'value-formula': 'Formula without a value',
    'nothing-to-render': 'No prompt or source',
    'reference-invalid': 'Invalid reference',
    'reference-missing': 'Reference to a missing row',
    'reference-cycle': 'Rows that wait for each other in a circle',
    'reference-blocked': 'Reference to a row that cannot run',
    'variable-unknown': 'Unknown name in braces',
    'choice-invalid': 'Choice that does not work as written',
    'list-unknown': 'Unknown list',
    'mapping-unknown': 'Mapping that does not fit the sheet',
    'duplicate-request': 'Identical rows',
    'shared-address': 'Two rows with the same file address',
    'same-content': 'The same file twice',
    'most-outputs': 'More files than Nocturne fetches',
    flagged: 'Files that a gate flags',
    'reserved-value': 'Invalid value',
    'account-unknown': 'Unknown account',
    'contains-key': 'The gateway’s key is in the sheet',
    'hidden-rows': 'Hidden rows',
    'hidden-columns': 'Hidden columns',
    'external-link': 'Link to another workbook',
    'unsupported-format': 'Unsupported file format',
    'encoding-guessed': 'The encoding was guessed',
    'quotes-broken': 'Unclosed quote',
    'header-matched': 'Header that Nocturne mapped to a column',
    'header-missing': 'Column without a header',
    'lines-above': 'Lines above the header',
    'extra-cells': 'More cells than headers',
    'value-long': 'Very long value',
    'value-address': 'Invalid web address',
    'local-file': 'File on this computer',
    'number-imprecise': 'Number that lost digits',
    'other-sheets': 'Other sheets in the workbook',
  },

  /** The fields of a gateway's profile: what each is called, and what it means. */
  profile: {
    howMuch: 'How much at once',
    requestsPerSecond: field('Requests a second', 'All requests together: paid requests and questions.'),
    atOnce: (family: string) => field(`${family} at once`, 'Takes that may be at the gateway at the same time.'),
    downloads: field('Downloads at once', 'Files that are fetched at the same time.'),
    howLong: 'How long to wait',
    submitSeconds: field('For a paid request, in seconds', 'After that, the outcome is unknown.'),
    pollSeconds: field('For any other answer, in seconds', 'After that, Nocturne asks again.'),
    taskHours: field('For a rendering, in hours', 'After that, you are asked what to do.'),
    files: 'Files',
    allowHosts: field(
      'Private hosts that files may come from',
      'One in each line, such as 10.0.0.5 or media.example:8443. Public hosts need not be named.',
    ),
    maxBytes: field('Largest file, in bytes', 'A larger one is not fetched.'),
    howAsked: 'How the gateway is asked',
    taskCode: field('Name of the task code', 'The parameter in the query.'),
    userAgent: field('User agent', 'What requests say about who sends them.'),
    /** What a status of a gateway means. */
    meanings: {
      queued: 'Queued',
      running: 'Rendering',
      succeeded: 'Succeeded',
      failed: 'Failed',
      inferred: 'Not certain: inferred from the answer',
    },
    /** Tables of statuses to begin with, by their ids. */
    presets: {
      '0-running-1-succeeded': '0 running, 1 succeeded, 2 and 3 failed',
      '0-queued-1-succeeded-3-running': '0 queued, 1 succeeded, 2 failed, 3 running',
      '0-queued-1-running-2-succeeded': '0 queued, 1 running, 2 succeeded, 3 failed',
      words: 'words, such as queued, running, success, failed',
    },
    statusThere: 'This status is already in the table.',
    noStatusName: 'This cannot be the name of a status.',
    /** @param problem What the reader of JSON says, without a full stop. */
    notJson: (problem: string): string => `This is not JSON: ${problem}.`,
    unreadable: 'it cannot be read',
    correctThere: 'Correct the text at that place.',
  },
};
export type CommonWords = typeof commonWords;

/** `a, b and c`, with this word before the last. */
export function listed(items: readonly string[], word: string): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1) ?? ''}`;
}
