import { countOf, countText } from '../../domain/base/text.ts';

/** A stretch of the night: how many takes moved where, and what held them. */
interface StretchFacts {
  /** When it begins. */
  readonly at: string;
  readonly submitted: number;
  readonly verified: number;
  readonly failed: number;
  readonly active: number;
  /** Answers by which the gateway asked to slow down. */
  readonly limited: number;
  /** What `paused` says about each pause in it. */
  readonly pauses: readonly string[];
}

/** The ledger of the night. */
export const ledgerWords = {
  title: 'Ledger',
  parts: 'Parts of the ledger',
  openBatch: 'Open the batch',
  figures: 'From plan to file',
  figuresInTakes: 'From plan to file, in takes',
  needsYou: 'What needs you',
  rest: 'The rest',
  night: 'The night',
  nothingYet: 'Nothing has run yet',
  nothingYetAbout: 'A night is shown here while it runs and after it ends.',
  nothingSoFar: 'Nothing so far. Everything under way continues automatically.',
  allVerified: 'Every take is verified and in its folder',
  allSettled: 'Nothing: everything is settled.',

  /** The line under the title. */
  about: {
    /** How long it took, or has taken until now. `from`: a day and a time; `for`: a length of time. */
    time: (how: 'ended' | 'running' | 'interrupted', from: string, length: string): string => {
      const words = { ended: 'for', running: 'still running after', interrupted: 'interrupted after' };
      return `${from}, ${words[how]} ${length}`;
    },
    nothingSent: 'Nothing has been sent yet',
    ofNight: (id: number, time: string): string => `Night ${id}: ${time}`,
    rehearsal: (batch: string): string => `${batch} (rehearsal)`,
    batches: (names: readonly string[]): string => names.join(', '),
  },

  /** How far takes have come. */
  stages: {
    planned: 'planned',
    submitted: 'submitted',
    accepted: 'accepted',
    rendered: 'rendered',
    downloaded: 'downloaded',
    verified: 'verified',
  },
  /** `what`: the title of a group. */
  lostIn: (takes: number, what: string): string => `${countText(takes)} ${what.toLowerCase()}`,
  without: (takes: number, groups: readonly string[]): string =>
    `Without ${countOf(takes, 'take')}: ${groups.join(', ')}`,

  /** Takes that need the same from the user. */
  group: {
    title: (takes: number, batch: string | undefined, what: string, until: string | undefined): string =>
      `${countOf(takes, 'take')}${batch === undefined ? '' : ` of ${batch}`}: ${what}${until === undefined ? '' : `, until ${until}`}`,
    showRows: 'Show rows',
    hideRows: 'Hide rows',
    andMore: (takes: number): string => `and ${countOf(takes, 'take')} more`,
    openRow: (row: string): string => `Open row ${row} in the sheet`,
    rowAndTake: (row: string, take: number): string => `${row}, take ${take}`,
    tryAgain: (takes: number): string => `Try ${countOf(takes, 'take')} again…`,
    retry: 'Retry…',
    resume: 'Resume',
    resumeDownloads: (takes: number): string => `Resume ${countOf(takes, 'download')}`,
    release: (takes: number): string => `Release ${countOf(takes, 'take')}`,
    showFailed: 'Show what failed',
    correct: 'Correct in the sheet',
    pick: 'Pick a file',
    adopt: 'Adopt a code',
    /** `what`: such as “3 takes”; undefined until it is known. */
    writeOff: (what: string | undefined): string => (what === undefined ? 'Write off…' : `Write off ${what}…`),
    resubmit: (what: string | undefined): string => (what === undefined ? 'Resubmit…' : `Resubmit ${what}…`),
  },

  /** What was foretold, and what came of it. */
  foretold: {
    of: 'of',
    requests: 'requests',
    paidRequests: 'paid requests',
    cost: 'cost',
    end: 'end',
    /** `limits`: those of the batch by then. */
    within: (limits: readonly string[]): string =>
      limits.length === 0 ? 'forecast' : `forecast within ${limits.join(' and ')}`,
    cameTo: 'actual',
    cameToWithLater: 'actual, with what ran later',
    ofBatch: (batch: string, line: string): string => `${batch}: ${line}`,
    endUnknown: 'unknown',
    aboutTime: (time: string): string => `about ${time}`,
    notEnded: 'not ended',
    /** `earlier`: so many of them were for takes that a later one has replaced, or whose row is gone. */
    withEarlier: (requests: number, earlier: number): string =>
      `${countText(requests)}${earlier === 0 ? '' : `, ${countText(earlier)} for earlier versions`}`,
  },

  money: {
    title: 'Money',
    rehearsal: 'A rehearsal: nothing was paid.',
    noPrices: 'The profile has no prices: these are paid requests. Enter prices in the settings to see amounts.',
    of: 'of',
    all: 'All',
    columns: { planned: 'planned', reserved: 'reserved', spent: 'spent', unknown: 'unknown' },
    columnsMean: {
      planned: 'By the prices of the profile',
      reserved: 'Sent, and not answered yet',
      spent: 'Accepted by the gateway',
      unknown: 'May have been charged',
    },
    amounts: (sums: readonly string[]): string => sums.join(', '),
    isPart: '“Planned” counts whole batches; the other figures count only this time.',
    /** Each column, with how many of its requests have no price. */
    withoutPrice: (columns: readonly (readonly [column: string, requests: number])[]): string =>
      `Without a price: ${columns.map(([column, requests]) => `${column} ${countText(requests)}`).join(', ')}.`,
  },

  timeline: {
    label: 'The night over time',
    hint: 'Point at the picture, or move the slider.',
    /** The highest values in a stretch, beside the picture. */
    mostEnded: (takes: number): string => `${countText(takes)} ended`,
    mostActive: (takes: number): string => `${countText(takes)} under way`,
    verified: 'verified',
    failed: 'failed',
    active: 'under way',
    paused: 'paused',
    stretch: ({ at, submitted, verified, failed, active, limited, pauses }: StretchFacts): string => {
      const counts = [
        `${countText(submitted)} submitted`,
        `${countText(verified)} verified`,
        `${countText(failed)} failed`,
        `${countText(active)} under way`,
        ...(limited > 0 ? [`${countText(limited)} asked to slow down`] : []),
      ];
      return [`${at}: ${counts.join(', ')}`, ...pauses].join('. ');
    },
    /** `batch`: only if there are several. `why`: the title of a failure; undefined: the user has paused it. */
    pausedFor: (why: string | undefined, batch: string | undefined): string =>
      `${batch === undefined ? '' : `${batch}: `}${why === undefined ? 'Paused by you' : `Paused: ${why}`}`,
    /** `to`: undefined while it lasts. */
    pauseLine: (from: string, to: string | undefined, words: string): string => `${from} – ${to ?? 'now'}: ${words}`,
    asTable: 'As a table',
    columns: {
      from: 'from',
      submitted: 'submitted',
      verified: 'verified',
      failed: 'failed',
      active: 'under way at its end',
      limited: 'asked to slow down',
    },
  },

  nights: {
    title: 'Nights',
    running: 'still running',
    interrupted: (after: string): string => `interrupted after ${after}`,
    /** `from`: a time of day; `length`: how long it took, or what `running` and `interrupted` say. */
    from: (id: number, from: string, length: string): string => `Night ${id}, from ${from}, ${length}:`,
    about: (id: number, from: string, length: string, verified: number, cost: string): string =>
      `Night ${id}, from ${from}, ${length}: ${countOf(verified, 'take')} verified, ${cost}`,
    verified: <T>(takes: T): readonly (string | T)[] => [takes, ' verified'],
    rehearsal: 'rehearsal',
  },
};
export type LedgerWords = typeof ledgerWords;
