import { countOf, countText } from '../../domain/base/text.ts';
import { commonWords } from './common.ts';

interface Takes {
  readonly all: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
  /** They wait for the user’s decision. */
  readonly unknown: number;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const decisions = (unknown: number): string =>
  unknown === 0 ? '' : ` ${countOf(unknown, 'take waits', 'takes wait')} for your decision.`;

const spendingLimit = (of: 'night' | 'month'): string => `the limit for a ${of} under “Spending” in the settings`;

/** Takes, failures, pauses, forecasts, schedules and deliveries. */
export const nightsWords = {
  whatIsNight: 'A night is everything that runs from noon to noon; one still running at noon lasts until nothing runs.',

  /**
   * By their codes: a few words for a list, what the user can do, and what to do while Nocturne tries again by itself.
   */
  failures: {
    INPUT_INVALID: {
      title: 'Refused by the gateway',
      remedy: 'Read the gateway’s message, correct the row in the sheet, then retry it.',
    },
    DEPENDENCY_FAILED: {
      title: 'A row that it refers to did not give what it needs',
      remedy:
        'Retry the row that it refers to, or change that row if it is done: this row then continues automatically. If the reference itself is wrong, correct it in the sheet.',
    },
    LOCAL_FILE: {
      title: 'A file on this computer could not be put where the gateway can read it',
      remedy:
        'Nothing was sent for the row. Fix what the message says about the file or its place, then retry the row.',
      whileRetried: 'Nothing to do: Nocturne tries again automatically.',
    },
    REMOTE_FAILED: {
      title: 'The gateway could not render it',
      remedy: 'Retry the row. That is a new paid request, unless the gateway still has the result.',
    },
    MODERATED: {
      title: 'Refused by moderation',
      remedy: 'Change the prompt: the gateway would refuse the same words again.',
    },
    NETWORK_NOT_SENT: {
      title: 'Not sent',
      remedy: 'Nothing to do: Nocturne sends it as soon as the gateway can be reached.',
    },
    GATEWAY_UNAVAILABLE: {
      title: 'The gateway did not answer',
      remedy: 'Nothing to do: Nocturne asks again automatically.',
    },
    DOWNLOAD_CORRUPT: {
      title: 'A download was incomplete',
      remedy: 'Retry the row: the file is downloaded again, not rendered again.',
    },
    RESULT_EXPIRED: {
      title: 'The file’s address has expired',
      remedy: 'Retry the row: Nocturne asks the gateway for a fresh address.',
      whileRetried: 'Nothing to do: Nocturne asks the gateway for a fresh address automatically.',
    },
    RATE_LIMITED: {
      title: 'The gateway asks to slow down',
      remedy:
        'Nothing to do: Nocturne waits as long as the gateway asked, or briefly if it named no time, then continues.',
    },
    AUTH_REJECTED: { title: 'The key was rejected', remedy: 'Check the key and the base URL, then resume.' },
    KEY_MISSING: { title: 'No key for this gateway', remedy: 'Enter the key for this gateway, then resume.' },
    BALANCE_EXHAUSTED: { title: 'The balance is used up', remedy: 'Top up your account at the gateway, then resume.' },
    CAP_REACHED: {
      title: 'A limit is reached',
      remedy: 'Raise the limit and resume, or leave the rest for another night.',
    },
    PRICE_UNKNOWN: {
      title: 'A limit in money cannot be held without a price',
      remedy:
        'Add the price to this gateway’s profile in the settings, or remove the limit in money, then resume. On the command line: nocturne resume BATCH --profile FILE, or with --max-cost off; the limits of nights and months are lifted by nocturne limits.',
    },
    FUSE_BLOWN: {
      title: 'Too many requests went wrong one after another',
      remedy: 'Look at the rows that went wrong, then resume.',
    },
    CANARY_FAILED: {
      title: 'The first row of a kind was not verified',
      remedy:
        'Correct the rows or the profile, then resume: one row of that kind goes first again. Or send the rest anyway; on the command line: nocturne resume BATCH --no-canary.',
    },
    FINISH_BY: {
      title: 'Not everything could be done by the time to finish by',
      remedy:
        'Change when it runs, then resume. On the command line: nocturne resume BATCH --finish-by TIME. Nothing that was submitted is lost.',
    },
    GATEWAY_PROTOCOL: {
      title: 'Nocturne does not understand the gateway’s answers',
      remedy: 'Compare the raw answer with the profile, correct the profile, then resume.',
    },
    PROFILE_INVALID: {
      title: 'The profile of this batch is no longer valid',
      remedy:
        'Nocturne sends nothing with it. Correct this gateway’s profile in the settings, then resume: the batch then uses that one. On the command line: nocturne resume BATCH --profile FILE.',
    },
    STORE_RESTORED: {
      title: 'The store is an older copy',
      remedy:
        'It does not know about the paid requests made since that copy. Compare its rows with the gateway before you start or resume: rows submitted since then would be paid for again. What was paid since then counts towards no limit of this night or month.',
    },
    DISK_FULL: {
      title: 'The disk is full',
      remedy: 'Free some space, then resume. Nothing that was rendered is lost.',
    },
    DISK_DENIED: {
      title: 'Nocturne cannot write to the folder',
      remedy: 'Put right what is wrong with the folder, then resume.',
    },
    SUBMIT_OUTCOME_UNKNOWN: {
      title: 'Nocturne does not know whether the gateway accepted it',
      remedy:
        'If the gateway shows a task code for it, adopt that code; otherwise resubmit it (you may pay twice) or write it off.',
    },
    OUTPUT_UNVERIFIABLE: {
      title: 'The file could not be verified',
      remedy:
        'Check the file if one was kept aside, or retry the row to download it again. Nothing is rendered or paid for again.',
      whileRetried:
        'Nocturne keeps trying to download the file, at no charge. If the message says what to change in the profile, change it, then pause and resume the batch.',
    },
    OVERDUE: {
      title: 'Not finished before the deadline',
      remedy: 'Retry the row: Nocturne asks the gateway again. Nothing is paid for again.',
    },
    WRITTEN_OFF: {
      title: 'Written off',
      remedy: 'Retry the row to render it with a new paid request. The first request may have been charged as well.',
    },
    INTERNAL: { title: 'A bug in Nocturne', remedy: 'Please report it and include the message.' },
  },
  /** What the user does about a failure whose take Nocturne tries again by itself, by the status of the take. */
  retried: {
    downloading: 'Nothing to do: Nocturne keeps trying to download the file through the night, at no charge.',
    rendering: 'Nothing to do: Nocturne tries again automatically.',
  },
  /** What a batch waits for meanwhile. */
  trouble: {
    noFiles: 'No files are arriving',
    noAnswer: 'The gateway does not answer',
    errors: 'The gateway answers with an error',
  },
  /** What a failure leads to, before its remedy. */
  follows: {
    fail: 'The row fails.',
    retry: 'It is retried automatically.',
    'retry-then-fail': 'It is retried automatically. If no retry succeeds, the row fails.',
    pause: 'The batch pauses; nothing is lost.',
    ask: 'It waits for your decision.',
    bug: 'The batch pauses.',
  },
  /** @param message A sentence; it may be somebody else’s. */
  failureText: (title: string, message: string, remedy: string): string => `${title}: ${message} ${remedy}`,
  /** What to do about a pause, by whose limit it is. */
  limitRemedy: {
    reached: {
      account: 'Raise the limit of this account or remove it, and resume.',
      batch: 'Raise the limit of this batch or remove it, and resume.',
      night: `Raise ${spendingLimit('night')} and resume, or resume in another night.`,
      month: `Raise ${spendingLimit('month')} and resume, or resume in another month.`,
    },
    noPrice: {
      account: 'Add the price to the profile of this account, then resume.',
      batch: 'Add the price to this gateway’s profile, or remove the limit of this batch, then resume.',
      night: `Add the price to this gateway’s profile, or change ${spendingLimit('night')}, then resume.`,
      month: `Add the price to this gateway’s profile, or change ${spendingLimit('month')}, then resume.`,
    },
  },

  /** Takes that are not verified, by the groups of the ledger: what became of them, and what to do. */
  groups: {
    correct: {
      what: 'Refused by the gateway',
      do: 'Correct the prompt, or the row, and retry: the same words would be refused again.',
    },
    retry: {
      what: 'Failed at the gateway',
      do: 'Try again: a new paid request each, unless the gateway still has the result.',
    },
    download: { what: 'Paid for, but the file is not here', do: 'Resume the downloads: nothing is paid again.' },
    'check-charge': {
      what: 'May have been charged',
      do: 'Check the charge at the gateway: adopt the task code, resubmit, or write off.',
    },
    'raise-limit': { what: 'Stopped by a limit', do: 'Raise the limit and resume, or leave them for another night.' },
    'enter-key': { what: 'Stopped because of the key', do: 'Enter the key of the gateway, then resume.' },
    'top-up': {
      what: 'Stopped because the balance is used up',
      do: 'Top up your account at the gateway, then resume.',
    },
    'change-time': { what: 'Stopped by the schedule', do: 'Change when the batch runs, then resume.' },
    'free-disk': {
      what: 'Stopped by the disk',
      do: 'Free some space on the disk, or put right what is wrong with the folder, then resume.',
    },
    'check-settings': { what: 'Stopped by the profile', do: 'Correct the profile of the gateway, then resume.' },
    look: { what: 'Stopped because something went wrong', do: 'Look at what went wrong, then resume.' },
    resume: { what: 'Stopped', do: 'Resume the batch.' },
    start: { what: 'Not started', do: 'Start the batch.' },
    held: { what: 'Held by you', do: 'Release the rows, or leave them.' },
    pick: {
      what: 'Waiting for your pick',
      do: 'Pick a file of the row that they refer to: they are rendered from it.',
    },
    drafts: { what: 'New or changed', do: 'Let them run, or leave them.' },
    invalid: { what: 'Wrong in the sheet', do: 'Correct what is wrong in each row.' },
    'settle-other-row': {
      what: 'Waiting for another row',
      do: 'Settle the row that they refer to: they then continue automatically.',
    },
    'wait-hours': {
      what: 'Waiting for their hours',
      do: 'Nothing to do: they run automatically when the schedule lets them.',
    },
    wait: { what: 'Under way', do: 'Nothing to do: they continue automatically when their turn or their time comes.' },
    'written-off': { what: 'Written off by you', do: 'Nothing to do. A retry is a new paid request.' },
    deleted: {
      what: 'Deleted with their batch',
      do: 'Nothing to do. For a day after it was deleted, you can bring the batch back.',
    },
    cancelled: { what: 'Cancelled by you', do: 'Nothing to do. Retry them if you want them after all.' },
    skipped: { what: 'Skipped in the sheet', do: 'Nothing to do.' },
  },
  addPrice: 'Add the price to the profile of the gateway, or remove the limit in money, then resume.',
  /** Some failures were stated, others only inferred. */
  retrySomeInferred:
    'Try again: a new paid request each, unless the gateway still has the result. Those that ended with no file and no status that is known to mean failed are only asked for once more, for free.',
  retryInferred:
    'The gateway gave no file and no status that is known to mean failed. Trying again asks it once more, for free. Once you say that its status means failed, trying again is a new paid request.',
  limitsCount: (sums: readonly string[]): string =>
    `Limits count ${sums.join(' and ')}: the most that each request may have cost.`,

  /** How a batch stands, in a few words. */
  standing: {
    ready: 'Ready',
    running: 'Running',
    paused: 'Paused',
    finished: 'Finished',
    waitsUntil: (when: string): string => `Waits until ${when}`,
    needsYou: (standing: string): string => `${standing} – needs you`,
    /** Numbers of takes; 0 is left out. */
    finishedWith: (failed: number, cancelled: number): string =>
      `Finished${failed === 0 ? '' : `, ${countText(failed)} failed`}${cancelled === 0 ? '' : `, ${countText(cancelled)} cancelled`}`,
    finishedInvalid: (rows: number): string => `Finished, ${countText(rows)} invalid`,
    /** Drafts run only once the user says so. */
    withDrafts: (standing: string, rows: number): string => `${standing}, ${countOf(rows, 'changed row')} to run`,
  },
  /** Why a batch cannot be put away. */
  shelf: {
    isRunning: 'It is running: pause it first.',
    goesOn: 'It resumes automatically once its folder takes files: pause it first.',
    unknown: (n: number): string => `The outcome of ${countOf(n, 'paid request')} is not known: resolve that first.`,
    atGateway: (n: number): string =>
      `${countOf(n, 'take')} ${n === 1 ? 'is' : 'are'} still at the gateway: let them finish, or cancel them.`,
    isWatched:
      'Nocturne still asks the gateway about earlier takes of this batch, which may have been paid for. Archive the batch instead, and delete it once that has ended.',
  },
  /** Why a row cannot be edited, by the status of its take. */
  locked: {
    submitting: 'It is being submitted: edit it when it is done, or duplicate it.',
    'submit-unknown': 'The outcome of its request is unknown: decide about that first, or duplicate the row.',
    rendering: 'It is being rendered: edit it when it is done, or duplicate it.',
    downloading: 'Its files are being fetched: edit it when it is done, or duplicate it.',
  },
  /** What to do about a warning of a row. */
  rowWarnings: {
    sharedAddress:
      'Look or listen to find which of the two rows it belongs to, and ask the gateway for the other file.',
    sameContent: 'Look or listen: if they should differ, ask the gateway for the missing file.',
    mostOutputs: 'Look at what the gateway shows for this task, and get the other files from there.',
  },

  /** Times and windows of time, without quotation marks. */
  schedule: {
    noWindow: (text: string): string =>
      `“${text}” is not a window of time. Write it as 22:00-06:00, or as 22:00-06:00 Mon-Fri.`,
    noDays: (text: string): string => `“${text}” names no days. Write them as Mon-Fri, or as Sat,Sun.`,
    noMoment: (text: string): string =>
      `“${text}” is not a time. Write it as 22:00, tomorrow 22:00, in 2h or 2026-11-24 22:00.`,
    dayNames: { Mon: 'Mon', Tue: 'Tue', Wed: 'Wed', Thu: 'Thu', Fri: 'Fri', Sat: 'Sat', Sun: 'Sun' },
    /** Each run has all its days: `Mon–Fri`, `Mon, Wed, Sat–Sun`. */
    runsOfDays: (runs: readonly (readonly string[])[]): string =>
      runs.map((run) => (run.length > 1 ? `${run[0]}–${run.at(-1)}` : run[0])).join(', '),
    /** `Fri 27 Nov, 22:00` @param month From 1. */
    moment: (weekday: string, month: number, day: number, clock: string): string =>
      `${weekday} ${day} ${MONTHS[month - 1]}, ${clock}`,
  },

  accounts: {
    tooMany: (n: number, most: number): string => `There are ${n} accounts; a batch has at most ${most}.`,
    noName: (name: string, most: number): string =>
      `“${name}” is not the name of an account: 1 to ${most} characters, without spaces around them.`,
    twice: (name: string): string => `Two accounts are called “${name}”.`,
    /**
     * Accounts of a batch at a gateway, of which workers have only this many; without names, the batch has only one.
     */
    unheld: (names: readonly string[], gateway: string, held: number): string => {
      if (held > 0) return `Workers have only ${held} of the keys of the accounts ${names.join(', ')} at ${gateway}`;
      if (names.length === 0) return `No worker has the key for ${gateway}`;
      return names.length === 1
        ? `No worker has the key of the account ${names.join(', ')} at ${gateway}`
        : `No worker has a key of the accounts ${names.join(', ')} at ${gateway}`;
    },
  },

  /** Trying whether a gateway charges only once for two requests with the same key in a header. */
  probe: {
    /** @param prices Those of one request and of two. */
    price: (operation: string, header: string, prices: readonly [string, string] | undefined): string =>
      `This sends one paid request (${operation}) twice under one ${header}. A gateway that keeps its word charges ${prices?.[0] ?? 'one request'}, any other ${prices?.[1] ?? 'two; the profile has no price for it'}.`,
    verdict: {
      passed: (header: string): string =>
        `The second request was the same task: this gateway charges only once for one ${header}. From now on, Nocturne relies on that.`,
      refuted: (header: string): string =>
        `The second request was another task: this gateway charges twice for one ${header}. Nothing is sent again there under a key, whatever the profile says.`,
      none: (header: string): string => `No answer has shown whether this gateway charges only once for one ${header}.`,
    },
    chargedTwice: (header: string): string =>
      `This gateway charged twice for one ${header}: nothing is sent again there, whatever the profile says.`,
    untried: (header: string): string =>
      `Nobody has tried whether this gateway charges only once for one ${header}, as the profile says.`,
  },

  /** What somebody who is not there is told about a night. */
  told: {
    test: { title: 'Nocturne: a test', body: 'Messages about your nights will come this way.' },
    warning: {
      quit: (seconds: number): string => `Nocturne quits in ${countOf(seconds, 'second')}.`,
      sleep: (seconds: number): string => `Nocturne puts this computer to sleep in ${countOf(seconds, 'second')}.`,
      shutdown: (seconds: number): string => `Nocturne shuts this computer down in ${countOf(seconds, 'second')}.`,
    },
    /** About one batch; its name is in quotation marks, if it may be mentioned. */
    titleOfOne: (
      name: string | undefined,
      is: 'waits' | 'finished' | 'undecided' | 'paused' | 'fetches-nothing',
    ): string => {
      const what = {
        waits: 'waits for its next hours',
        finished: 'is finished',
        undecided: 'needs your decision',
        paused: 'is paused',
        'fetches-nothing': 'is not fetching files',
      }[is];
      return `${name ?? 'A batch'} ${what}`;
    },
    titles: {
      needsYou: 'The night needs you',
      finished: 'The night is finished',
      endedNeedsYou: 'The night has ended and needs you',
    },
    outcome: ({ all, done, failed, cancelled, unknown }: Takes): string =>
      `${countText(done)} of ${countText(all)} takes are done.${failed === 0 ? '' : ` ${countText(failed)} failed.`}${cancelled === 0 ? '' : ` ${countText(cancelled)} cancelled.`}${decisions(unknown)}`,
    lost: (unknown: number): string => `The gateway gave no clear answer to a paid request.${decisions(unknown)}`,
    lostOfSome: (which: string, unknown: number): string =>
      `${which}: the gateway gave no clear answer to a paid request.${decisions(unknown)}`,
    ofSome: (which: string, sentences: string): string => `${which}: ${sentences}`,
    reason: (title: string, remedy: string): string => `${title}. ${remedy}`,
    /** Names in quotation marks; `more` is how many are not named. */
    names: (named: readonly string[], more: number): string =>
      [...named, ...(more > 0 ? [`${countText(more)} more`] : [])].join(', '),
  },

  /** What a delivery came to. Paths are without quotation marks. */
  delivery: {
    /** @param bytes Sizes, as they are shown. */
    progress: (step: 'copying' | 'packing', files: number, ofFiles: number, bytes: string, ofBytes: string): string =>
      `${step === 'packing' ? 'Packing the ZIP: ' : ''}${countText(files)} of ${commonWords.files(ofFiles)}, ${bytes} of ${ofBytes}`,
    nothing: 'Nothing was delivered: this batch has no verified file yet.',
    added: (files: number, bytes: string, before: number): string =>
      `${countOf(files, 'new file')} (${bytes})${before === 0 ? '' : `; ${countText(before)} delivered before`}`,
    nothingKept: (files: number, where: 'terminal' | 'window'): string =>
      `Nothing was delivered: ${files === 1 ? 'the one file' : `none of the ${countText(files)} files`} of this batch is ${files === 1 ? 'not ' : ''}kept. ${where === 'window' ? 'Keep what you want in the review (F8), or choose “Every file” and deliver again.' : 'Keep what you want with nocturne review or in the window (F8), or deliver every file.'}`,
    cancelled: (left: number): string =>
      `${commonWords.files(left)} not delivered: the delivery was cancelled. Deliver again to continue.`,
    noTimeline: 'No timeline was written: the delivery was cancelled. Deliver again to write it.',
    unkept: (files: number): string =>
      `${commonWords.files(files)} not delivered: you have not kept ${files === 1 ? 'it' : 'them'}.`,
    gone: (files: number): string =>
      `${commonWords.files(files)} not delivered: ${files === 1 ? 'it was' : 'they were'} deleted or rendered again in the meantime.`,
    sidecars: (files: number): string => `${countOf(files, 'XMP file')} written beside what was delivered before.`,
    tagless: (files: number): string =>
      `${commonWords.files(files)} delivered before ${files === 1 ? 'stays' : 'stay'} without tags: nothing is replaced. For tags, deliver to another folder, or delete ${files === 1 ? 'it' : 'them'} here first.`,
    noSidecar: (path: string): string => `${path}: no XMP file, because another file has its name.`,
    changed: (path: string): string => `${path}: changed since then, so it is left as it is.`,
    /** @param why It follows the path in a sentence. */
    untagged: (path: string, why: string): string => `${path} ${why}.`,
    hasCredentials: (path: string): string => `${path}: carries content credentials, so it is copied byte for byte.`,
    notInTimeline: (path: string): string => `${path}: not in the timeline, because its length cannot be read.`,
    timeline: (path: string, clips: number): string => `${path}: ${countOf(clips, 'clip')}`,
    andMore: (n: number): string => `… and ${countText(n)} more.`,
  },
};
export type NightsWords = typeof nightsWords;
