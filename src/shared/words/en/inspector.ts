import { countOf, countText } from '../../domain/base/text.ts';
import { commonWords } from './common.ts';

/** What is shown about one row beside the grid. */
export const inspectorWords = {
  label: (row: string): string => `Row ${row}`,
  rowAbove: 'Row above',
  rowBelow: 'Row below',
  close: 'Close the inspector',
  unreadable: 'This row could not be read',
  retry: 'Retry row',
  oneMoreTake: 'One more take',
  oneMoreTakeHint: 'Ctrl+Shift+A in the grid',
  renderAgain: 'Render again',
  renderAgainHint: 'Ctrl+Shift+R in the grid; its files stay as earlier versions',
  keepEarlier: 'Keep the earlier files',
  keepEarlierHint: 'They count as the row’s files again, and nothing is rendered in their place',
  cancel: 'Cancel row',
  take: (n: number): string => `Take ${n}`,
  taskCode: <T>(code: T): readonly (string | T)[] => ['Task code ', code],
  gatewayCost: (money: string): string => `Cost according to the gateway: ${money}.`,
  lastResponse: 'Last response',
  request: 'The request',

  files: {
    now: (n: number): string => (n === 1 ? 'File' : 'Files'),
    earlier: (n: number): string => (n === 1 ? 'Earlier version' : 'Earlier versions'),
    look: (name: string): string => `Look at ${name}`,
    showInFolder: (name: string): string => `Show ${name} in its folder`,
  },

  status: {
    youHold: 'You hold the row: nothing new is sent for it.',
    nobodyAsks: 'While the batch is paused, Nocturne does not ask the gateway how this row is doing.',
    isAgain: 'This row is to be rendered again. Nothing is sent for it until you run it.',
    isSent: 'Its request has been sent and cannot be taken back; the earlier files stay.',
    /** About a row that waits for the user to pick a file. */
    isMadeOfThat: 'This row is rendered from that file.',
    inferred: 'Nocturne inferred this; it keeps checking.',
    earlierWatched:
      'The request for the earlier version seems to have failed. The gateway is still asked about it: a file that arrives late is kept among the earlier versions.',
    itsFiles: 'Its files',
    inSheet: 'In the sheet',
    inColumn: (column: string): string => `In the sheet, column ${column}`,
    ended: (time: string, length: string): string => `${time} after ${length}`,
    triesAgain: (time: string): string => `trying again at ${time}`,
    nextIn: (length: string): string => `next in ${length}`,
    submitted: (time: string): string => `submitted ${time}`,
  },

  /** What was sent before the row was changed. */
  earlier: {
    title: 'Earlier attempts',
    about: (paidRequests: number): string =>
      `Sent before the row was changed${paidRequests > 0 ? `: ${commonWords.paidRequests(paidRequests)} in all` : ''}.`,
    more: (n: number): string => `And ${countText(n)} more. Export the evidence to see all of them.`,
    failed: (title: string, message: string): string => `${title}: ${message}`,
    files: (names: readonly string[]): string => `${names.length === 1 ? 'File' : 'Files'} ${names.join(', ')}`,
  },

  evidence: {
    title: 'Evidence',
    /** `day` is a date and a time of day, `exact` the same to the millisecond. */
    sent: <T>(take: number, origin: T, day: T, exact: T): readonly (string | T)[] => [
      `Take ${take} was sent to `,
      origin,
      ' on ',
      day,
      ' (',
      exact,
      ').',
    ],
    body: 'Sent',
    key: <T>(key: T): readonly (string | T)[] => ['Under the key ', key],
    noResponse: 'No response had come when Nocturne was closed.',
    noResponseUntil: (time: string): string => `No response came until ${time}.`,
    response: (httpStatus: number): string => `Response: HTTP ${httpStatus}`,
    responseBody: 'Response body',
    responseBodyCut: 'Response body (cut off)',
    bytes: 'Bytes',
    cut: '… Export the evidence to see the rest.',
  },

  history: {
    title: 'History',
    about: (events: number): string => `${countOf(events, 'event')}, with every request and answer`,
    ofTake: (take: number, text: string): string => `Take ${take}: ${text}`,
    requestOf: (take: number, answer: string): string => `Request of take ${take}: ${answer}`,
    /** `outcome`: what the answer was judged to be, as it is recorded (`accepted`); absent while that is not known. */
    answer: (httpStatus: number, outcome: string | undefined): string =>
      `HTTP ${httpStatus}${outcome === undefined ? '' : `, ${outcome}`}`,
    noAnswer: (outcome: string | undefined): string => `no answer${outcome === undefined ? '' : `, ${outcome}`}`,
    noAnswerYet: 'no answer yet',
  },

  /** What was edited in the row since the import. Times are times of day, with the day if it is not today. */
  edits: {
    title: 'Edits',
    added: (time: string): string => `Added at ${time}.`,
    at: (time: string): string => `Edited at ${time}.`,
    /** The row is queued or a draft. */
    waits: (time: string): string => `Edited at ${time}; applies when this row is rendered.`,
    waitsForRun: (time: string): string => `Edited at ${time}; applies once you run this row.`,
    about: (changes: number): string => `${countOf(changes, 'change')} since the import`,
    reimport: 'Re-imported',
    /** The text that took the place of the one above. */
    after: <T>(text: T): readonly (string | T)[] => ['→ ', text],
    again: 'Use this text again',
    /** Distinguishes buttons with the same words; the text is cut. */
    againOf: (header: string, text: string): string => `Use this text again in “${header}”: ${text}`,
  },

  tasks: {
    ofOne: 'What happened',
    ofSeveral: 'What happened to each take',
  },

  preview: {
    willBeSent: 'What will be sent',
    newTake: 'What a new take would send',
    asWritten: 'As written',
    filledIn: 'What was filled in',
    waits: (rows: readonly string[]): string =>
      rows.length === 1
        ? `It is sent once ${rows.join('')} is done, with the result of that row filled in.`
        : `It is sent once ${rows.join(', ')} are done, with the results of those rows filled in.`,
    row: 'The row in the sheet',
  },

  unknown: {
    label: 'Resolve the unknown outcome',
    adoptCode: 'Adopt its task code',
    adoptPlaceholder: 'From the gateway’s own page',
    adoptHint: 'The surest way: look at the gateway’s own list of tasks. Nothing is paid again.',
    adopt: 'Adopt',
    resubmit: 'Resubmit…',
    writeOff: 'Write off…',
  },
};
export type InspectorWords = typeof inspectorWords;
