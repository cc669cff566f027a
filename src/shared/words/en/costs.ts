import { countOf, countText } from '../../domain/base/text.ts';

const requests = (n: number, isPaid: boolean): string => countOf(n, isPaid ? 'paid request' : 'request');
const every = (items: readonly string[]): string => items.join(' and ');

/**
 * What something costs, or may cost; limits; and what is asked before a start. A `sum` is an amount with its currency;
 * `sums` are several, each in a different currency. `isPaid` is false where requests cost nothing.
 */
export const costsWords = {
  /** `6.40 USD and 3.00 EUR` */
  together: (sums: readonly string[]): string => every(sums),
  /** `4.20 of 10.00 USD`: how much of a limit is used. */
  spentOf: (spent: string, limit: string): string => `${spent} of ${limit}`,
  requests,
  /** Some of these requests: `20 of 54 paid requests`. */
  someOf: (some: number, all: number, isPaid: boolean): string => `${countText(some)} of ${requests(all, isPaid)}`,

  /** The currency of examples where none is known. */
  usualCurrency: 'EUR',
  /** What somebody typed as an amount; an example of the currency follows. */
  enterAmount: (currency: string): string => `Enter an amount, such as 12.50 ${currency}.`,
  /** `whole` and `decimal`: the two amounts that the text may mean. */
  eitherAmount: (text: string, whole: string, decimal: string): string =>
    `“${text}” can mean two amounts. Enter ${whole} or ${decimal}.`,
  enterCurrency: (amount: string, currency: string): string =>
    `Enter the currency as well, such as ${amount} ${currency}.`,
  atMost: (most: number): string => `Enter at most ${countText(most)}.`,

  rehearsalIsFree: 'This is a rehearsal: nothing is paid.',
  aRehearsal: 'a rehearsal',

  /** About takes whose outcome is unknown. */
  unknown: {
    mayBeCharged: (takes: number): string => `${takes === 1 ? 'It' : 'They'} may have been charged.`,
    untilYouDecide: 'Nothing is paid for again until you decide.',
    payAgain: 'A resubmit is a new paid request; no price is set. If the first one went through, you pay again.',
    /** A resubmit; `unpriced` more takes have no price. */
    newRequest: (sums: readonly string[], unpriced: number): string =>
      `A new paid request costs ${every(sums)}${unpriced === 0 ? '' : `, and ${countOf(unpriced, 'more take')} without a price`}. If the first one went through, you pay again.`,
    /** @param takes By their numbers; undefined for the only one. */
    asksAgain: (
      takes: readonly number[] | undefined,
      when: { readonly at: string } | 'now' | 'once-resumed',
    ): string => {
      const soon = when === 'now' ? 'now' : when === 'once-resumed' ? '' : `at ${when.at}`;
      const begin = when === 'once-resumed' ? 'Once the batch is resumed,' : `Nothing to do: ${soon}`;
      const of = takes === undefined ? '' : ` of ${every(takes.map((take) => `take ${countText(take)}`))}`;
      return `${begin} Nocturne sends the request${of} again under its key, and the answer settles it without a second charge. A resubmit would be a new request, and you would pay again.`;
    },
  },

  /** The words after `12 paid requests from 9 rows`: what they cost. */
  sum: {
    nothing: '.',
    free: ', free of charge.',
    mayBeCharged: (requested: number): string =>
      requested === 1 ? ', which may be charged.' : ', each of which may be charged.',
    /** `unpriced` requests more have no price. */
    byPrices: (sums: readonly string[], unpriced: number): string =>
      `: ${every(sums)} by the profile’s prices${unpriced === 0 ? '' : `, and ${countOf(unpriced, 'more paid request')} without a price`}.`,
  },

  /** @param sum The end of the sentence: one of {@link costsWords.sum}. */
  makes: (n: number, isPaid: boolean, sum: string): string => `This makes ${requests(n, isPaid)}${sum}`,
  /** Running some rows resumes their batch, in which takes wait. */
  resumesToo: (waiting: number, n: number, isPaid: boolean, sum: string): string =>
    `This also resumes the batch: ${countOf(waiting, 'take')} ${waiting === 1 ? 'is' : 'are'} waiting, so it makes up to ${requests(n, isPaid)}${sum}`,
  /** So many of these requests are not of the rows that are run. */
  followingToo: (n: number): string =>
    `${countText(n)} of them ${n === 1 ? 'is for a take that' : 'are for takes that'} failed only because of these rows.`,
  chargesEarlier: 'The gateway charges for each one that it accepts, including for rows that were rendered before.',
  chargesEach: 'The gateway charges for each one that it accepts.',
  /** @param sum The end of the sentence: one of {@link costsWords.sum}. */
  retryMakes: (n: number, isUpTo: boolean, sum: string): string =>
    `This makes ${isUpTo ? 'up to ' : ''}${countOf(n, 'paid request')}${sum}`,
  /** The retried takes whose failure is inferred: this many of them, or all. */
  onlyAsked: (takes: number, areAll: boolean): string =>
    areAll ? 'Nothing is paid for.' : `Nothing is paid for ${countOf(takes, 'take')}.`,
  neverAccepted: 'Nothing was accepted for them before.',
  fetchedAgain: 'If the gateway still has a result, Nocturne fetches it again free of charge.',
  /** This many of the takes are held; `isAll`: all of them. */
  held: (held: number, isAll: boolean): string => {
    const which = isAll
      ? held === 1
        ? 'It is'
        : 'All of them are'
      : `${countOf(held, 'take')} ${held === 1 ? 'is' : 'are'}`;
    return `${which} held by you: nothing new is sent for ${held === 1 ? 'it' : 'them'} before you release ${held === 1 ? 'the row' : 'the rows'}.`;
  },
  notResumed: 'The batch is paused: nothing is sent before you resume it.',
  notStarted: 'The batch has not been started: nothing is sent before you start it.',
  limitUsed: (used: number, limit: number): string =>
    used >= limit
      ? `All ${countOf(limit, 'paid request')} of its limit are used: nothing is sent before you raise it.`
      : `${countText(used)} of ${countOf(limit, 'paid request')} ${used === 1 ? 'is' : 'are'} used; the batch pauses at that limit.`,

  /** What was sent for a take or a row. */
  nothingSent: 'nothing sent',
  refused: (n: number): string => countOf(n, 'refused request'),
  sentAndRefused: (n: number, isPaid: boolean, refused: number): string =>
    `${requests(n, isPaid)}, and ${countText(refused)} that ${refused === 1 ? 'was' : 'were'} refused`,
  soFar: (n: number): string => `${countOf(n, 'paid request')} so far.`,
  nothingPaidForVersion: 'Nothing has been paid for this version.',
  nothingPaid: 'Nothing has been paid.',

  /** Under the field for the request limit. */
  pausesAfter: (limit: number, left: number): string =>
    `Rendering pauses after ${countText(limit)}; ${countText(left)} ${left === 1 ? 'waits' : 'wait'} until you raise the limit.`,
  pausesAtLimit: 'Rendering pauses at this number. Retries count.',

  /** On the button that starts. `withAgain`: the most that is paid if flagged files are rendered again. */
  nothingToStart: 'There is nothing to start yet.',
  startRehearsal: 'Start rehearsal',
  start: (
    what: { readonly requests: string } | { readonly upTo: number } | undefined,
    withAgain: number | undefined,
  ): string => {
    const of =
      what === undefined ? '' : 'upTo' in what ? ` (up to ${countOf(what.upTo, 'paid request')})` : ` ${what.requests}`;
    return `Start${of}${withAgain === undefined ? '' : `, up to ${countText(withAgain)} with files rendered again`}`;
  },

  /** What a forecast says: sentences without their full stop. */
  forecast: {
    /** Whose limit it is. */
    of: {
      /** A forecast does not say to which of several accounts a row goes: it is about all of them. */
      account: 'its accounts together',
      batch: 'this batch',
      night: 'one night',
      month: 'one month',
    },
    /** `allowed`: a number of requests, or a sum. */
    beyondLimit: (n: number, isPaid: boolean, allowed: string, whose: string): string =>
      `${countOf(n, isPaid ? 'more paid request' : 'more request')} ${n === 1 ? 'does' : 'do'} not fit within the limit of ${allowed} for ${whose}`,
    noRoom: (n: number, isPaid: boolean, allowed: string, whose: string): string =>
      `Nothing can be sent: the limit of ${allowed} for ${whose} leaves no room for ${countOf(n, isPaid ? 'more paid request' : 'more request')}`,
    priceUnknown: (allowed: string, whose: string, currency: string, operations: readonly string[]): string =>
      `Nothing is sent: ${allowed} for ${whose} cannot be held without a price in ${currency} for ${operations.join(', ')}`,
    passed: 'The time to finish by has passed: nothing will be sent',
    never: 'Its hours open only after the time to finish by: nothing will be sent',
    unsent: (n: number, isPaid: boolean): string => `${requests(n, isPaid)} will still be unsent when its hours end`,
    held: (rows: number): string =>
      `${countOf(rows, 'row')} ${rows === 1 ? 'is' : 'are'} not included: held, or waiting for a held row, a draft or a pick`,
    /** What is added if every file is flagged this many times. */
    again: (n: number, isPaid: boolean, sums: readonly string[], times: number): string =>
      `up to ${countOf(n, isPaid ? 'more paid request' : 'more request')}${sums.length === 0 ? '' : ` for ${every(sums)}`}, if every file ${times === 1 ? 'is flagged' : `is flagged ${times} times`}; the limits apply to them, too`,
    /** @param short Its short name. */
    operation: (short: string): string => short,
    /** Requests for an operation: `30 image`. */
    ofOperation: (n: number, operation: string): string => `${countText(n)} ${operation}`,
    listed: (operations: readonly string[]): string => operations.join(', '),
    dearer: (each: readonly { readonly sum: string; readonly operation: string }[]): string =>
      `The gateway charges up to ${each.map(({ sum, operation }) => `${sum} for ${operation}`).join(', ')}, more than the profile’s price`,
    /** `together`: what the rows cost, or how many requests they are. */
    twice: (rows: number, together: string): string =>
      `${countOf(rows, 'row')} ${rows === 1 ? 'repeats another row' : 'repeat other rows'}: ${together}`,
  },

  /**
   * What must be corrected before a start. The first sentence names the answer, the next says what is wrong with it.
   */
  correct: {
    name: 'Give the batch a name first.',
    requestLimit: 'Correct the request limit first.',
    spendingLimit: 'Correct the spending limit first.',
    fuse: 'Correct the fuse first.',
    when: 'Correct “When” first.',
    again: 'Correct how often a flagged file is rendered again.',
    gate: (gate: string): string => `Correct the gate “${gate}”.`,
  },
  enterLimit: 'Enter a whole number from 1 to 1,000,000, or leave it empty.',
  enterFuse: 'Enter a whole number; 0 switches it off.',
  enterUpTo: (most: number): string => `Enter a whole number up to ${most}, or leave it empty.`,
  chooseGate: 'Choose a gate, or switch gates off.',
  /** @param known The currencies in which prices are known. */
  unheld: (currency: string, known: readonly string[]): string =>
    `No price is known in ${currency}${known.length === 0 ? '' : `, only in ${every(known)}`}: the limit cannot be held, and nothing would be sent.`,

  /** The gates of a batch, in a few words. */
  gates: {
    off: 'off',
    wrong: 'to be corrected',
    usual: 'usual',
    some: (n: number): string => countOf(n, 'gate'),
    withAgain: (which: string, times: number): string =>
      `${which}, flagged files rendered again up to ${countOf(times, 'time')}`,
  },

  /** When a batch may submit. */
  when: {
    over: 'The time to finish by comes before anything could be sent.',
    bothTimes: 'Enter both times, such as 22:00 and 06:00.',
    oneDay: 'Choose at least one day.',
    enterTime: 'Enter a time, such as 22:00.',
    nothingMore: 'Nothing more is sent.',
    beginsAt: (time: string): string => `Begins at ${time}.`,
    atOnce: 'Begins at once.',
    atOnceUntil: (time: string): string => `Begins at once, until ${time}.`,
    from: (time: string): string => `from ${time}`,
    doneBy: (time: string): string => `done by ${time}`,
    hours: (windows: readonly string[]): string => every(windows),
  },

  /** An account in one line. */
  account: {
    gone: (profile: string): string => `The profile “${profile}” is gone. Choose another one.`,
    noKey: 'no key yet',
    keyStored: 'key stored',
    keyEnds: (end: string): string => `key ends in ${end}`,
    atMost: (what: string): string => `at most ${what}`,
  },

  /** The limit that holds a batch up, and how it is changed there. */
  limit: {
    requests: 'request limit',
    cost: 'spending limit',
    costLabel: 'Spending limit',
    moreThan: (sum: string): string => `more than ${sum}`,
    otherThan: (sum: string): string => `other than ${sum}`,
    requestLabel: (all: number): string => `Request limit, ${countText(all)} for all rows`,
    forAll: (all: number): string => `${countText(all)} for all`,
    /** Why nothing more would be sent with the limit that somebody typed. */
    used: (n: number): string => `Enter more than ${countText(n)}: so many are used.`,
    notMore: (sum: string): string => `Enter more than ${sum}, which is the limit now.`,
    atLeast: (sum: string, spent: string, next: string): string =>
      `Enter at least ${sum}: ${spent} is spent, and the next request costs ${next}.`,
    raise: 'Raise and resume',
    change: 'Change and resume',
  },
};
export type CostsWords = typeof costsWords;
