/** The words of a message about a night: counts and what to do; names of batches only if the user wants them in it. */
import { domainWords } from '../../words/domain-words.ts';
import { undecidedIn } from '../task/batch-standing.ts';
import { FAILURE_POLICIES, type FailureCode } from '../base/failure.ts';
import { visibleLine } from '../base/text.ts';
import type { TaskStatus } from '../task/task.ts';
import type { BatchFacts, Need, NightNews } from './night-news.ts';

/** A message as every way sends it. Never a prompt, an answer, a path or a key. */
export interface NightMessage {
  readonly kind: NightNews['kind'] | 'test';
  readonly title: string;
  readonly body: string;
  /** The same as data, for programs. */
  readonly data: {
    readonly batches: number;
    readonly takes: Readonly<Record<'all' | 'done' | 'failed' | 'cancelled' | 'unknown', number>>;
    readonly needs: readonly FailureCode[];
    /** Only if names are wanted. */
    readonly names?: readonly string[];
  };
}

const NAME_CHARACTERS = 80;
/** Batches that are named one by one. */
const NAMED = 5;

/** What "Send a test" sends. */
export const TEST_MESSAGE: NightMessage = {
  kind: 'test',
  get title() {
    return domainWords.nights.told.test.title;
  },
  get body() {
    return domainWords.nights.told.test.body;
  },
  data: { batches: 0, takes: { all: 0, done: 0, failed: 0, cancelled: 0, unknown: 0 }, needs: [] },
};

/** Puts news into words. */
export function messageOf({ kind, batches, needs }: NightNews, withNames: boolean): NightMessage {
  const takes = {
    all: batches.reduce((sum, batch) => sum + Object.values(batch.takes).reduce((of, count) => of + count, 0), 0),
    done: takesIn(batches, 'done'),
    failed: takesIn(batches, 'failed'),
    cancelled: takesIn(batches, 'cancelled'),
    unknown: undecidedTakes(batches),
  };
  const [only] = batches;
  const text =
    only !== undefined && batches.length === 1
      ? aboutOne(kind, only, takes, needs, withNames)
      : aboutSeveral(kind, takes, needs, withNames);
  return {
    kind,
    ...text,
    data: {
      batches: batches.length,
      takes,
      needs: needs.map(({ code }) => code),
      ...(withNames ? { names: batches.map(({ name }) => name) } : {}),
    },
  };
}

interface Text {
  readonly title: string;
  readonly body: string;
}
type Takes = NightMessage['data']['takes'];

function aboutOne(
  kind: NightNews['kind'],
  batch: BatchFacts,
  takes: Takes,
  needs: readonly Need[],
  withNames: boolean,
): Text {
  const { titleOfOne, outcome, lost } = domainWords.nights.told;
  const subject = withNames ? quoted(batch) : undefined;
  if (kind === 'ended') {
    const title = titleOfOne(subject, batch.waits === true ? 'waits' : 'finished');
    return { title, body: outcome(takes) };
  }
  const code = needs[0]?.code ?? 'SUBMIT_OUTCOME_UNKNOWN';
  if (code === 'SUBMIT_OUTCOME_UNKNOWN') {
    return { title: titleOfOne(subject, 'undecided'), body: lost(takes.unknown) };
  }
  const isPause = batch.pause?.by === 'failure' && batch.pause.failure.code === code;
  return { title: titleOfOne(subject, isPause ? 'paused' : 'fetches-nothing'), body: reason(code) };
}

function aboutSeveral(kind: NightNews['kind'], takes: Takes, needs: readonly Need[], withNames: boolean): Text {
  const { titles, outcome, ofSome, lostOfSome } = domainWords.nights.told;
  const lines = needs.map(({ code, batches }) => {
    const which = withNames ? names(batches) : domainWords.common.batches(batches.length);
    return code === 'SUBMIT_OUTCOME_UNKNOWN' ? lostOfSome(which, undecidedTakes(batches)) : ofSome(which, reason(code));
  });
  if (kind === 'needs-you') return { title: titles.needsYou, body: lines.join('\n') };
  // What waits for a decision is counted in the first line.
  const pauses = lines.filter((_, index) => needs[index]?.code !== 'SUBMIT_OUTCOME_UNKNOWN');
  const title = needs.length === 0 ? titles.finished : titles.endedNeedsYou;
  return { title, body: [outcome(takes), ...pauses].join('\n') };
}

function reason(code: FailureCode): string {
  const { title, remedy } = FAILURE_POLICIES[code];
  return domainWords.nights.told.reason(title, remedy);
}

function names(batches: readonly BatchFacts[]): string {
  const more = batches.length - NAMED;
  return domainWords.nights.told.names(batches.slice(0, NAMED).map(quoted), more);
}

function quoted({ name }: BatchFacts): string {
  return `“${visibleLine(name, NAME_CHARACTERS)}”`;
}

function takesIn(batches: readonly BatchFacts[], status: TaskStatus): number {
  return batches.reduce((sum, { takes }) => sum + takes[status], 0);
}

function undecidedTakes(batches: readonly BatchFacts[]): number {
  return batches.reduce((sum, batch) => sum + undecidedIn(batch), 0);
}
