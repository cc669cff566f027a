/** A ledger in words, before it becomes lines of a terminal, a note, or a page. */
import { FAILURE_POLICIES } from '../../shared/domain/base/failure.ts';
import { amountText, moneyText } from '../../shared/domain/base/money.ts';
import { assertNever } from '../../shared/domain/base/result.ts';
import { countText, localDate, localTime, visibleLine } from '../../shared/domain/base/text.ts';
import { fallenAfter } from '../../shared/domain/ledger/ledger-figures.ts';
import { countedWords, GROUP_WORDS } from '../../shared/domain/ledger/ledger-groups.ts';
import { CHARGES, type CostLine, type MoneyOf, type Spent } from '../../shared/domain/ledger/ledger-money.ts';
import type { Ledger, LedgerBatchView, LedgerRow, Timeline } from '../../shared/domain/ledger/ledger-view.ts';
import { STAGES, type TakeFacts } from '../../shared/domain/ledger/take-stage.ts';
import { count } from '../describe.ts';
import { waysPast } from '../options/spending-options.ts';

/** A group with its rows. */
export type GroupWithRows = Ledger['groups'][number] & { readonly rows: readonly LedgerRow[] };

/** All texts are one line each, and safe to print. */
export interface LedgerPaper {
  readonly title: string;
  readonly about: readonly string[];
  /** Each figure, with what fell out on the way to it. */
  readonly stages: readonly { readonly name: string; readonly takes: string; readonly lost: string }[];
  readonly groups: readonly PaperGroup[];
  readonly money: readonly string[];
  readonly costs: readonly { readonly of: string; readonly requests: string; readonly money: string }[];
  readonly timeline: Timeline | undefined;
  readonly pauses: readonly string[];
}

export interface PaperGroup {
  readonly needsYou: boolean;
  /** `3 takes of songs: may have been charged` */
  readonly head: string;
  readonly do: string;
  /** What is typed to do it; each command is one way. */
  readonly commands: readonly string[];
  readonly rows: string;
}

/** A person reads no more ids of one group than this; `--json` has all. */
const ROWS_NAMED = 12;
/** Enough takes of a group to name that many rows. */
export const TAKES_READ = 100;
const NAME_LENGTH = 60;

/** @param now Milliseconds since the epoch: the end of what still runs. */
export function ledgerPaper(ledger: Ledger, groups: readonly GroupWithRows[], now: number): LedgerPaper {
  const names = new Map(ledger.batches.map(({ id, name }) => [id, visibleLine(name, NAME_LENGTH)]));
  const rehearsals = new Set(ledger.batches.filter(({ rehearsal }) => rehearsal).map(({ id }) => id));
  const { timeline } = ledger;
  return {
    title: titleOf(ledger, now),
    about: ledger.batches.flatMap((batch) => {
      const name = `${names.get(batch.id)} (${batch.id})${batch.rehearsal ? ', a rehearsal: nothing was paid' : ''}`;
      return [name, ...foretoldLines(batch)];
    }),
    stages: STAGES.map((name, index) => {
      const before = STAGES[index - 1];
      const fallen = before === undefined ? [] : fallenAfter(ledger, before);
      const lost = fallen.map(({ group, takes }) => `${countText(takes)} ${GROUP_WORDS[group].what.toLowerCase()}`);
      return { name, takes: countText(ledger.stages[name]), lost: lost.join(', ') };
    }),
    groups: groups.map((group) => paperGroup(group, names, waysOf(group, groups, rehearsals))),
    money: moneyLines(ledger),
    costs: [
      ...ledger.money.byOperation.map((line) => costLine(line, SPENT)),
      // What is planned has no day yet.
      ...ledger.money.byAccount.map((line) => costLine(line, CHARGES)),
      ...ledger.money.byDay.map((line) => costLine(line, CHARGES)),
    ],
    timeline,
    pauses: (timeline?.pauses ?? []).map(({ batchId, from, to, code }) => {
      const why = code === undefined ? 'paused by you' : FAILURE_POLICIES[code].title;
      const until = to === undefined ? 'still so' : `until ${clock(to)}`;
      return `${clock(from)} ${names.get(batchId) ?? batchId}: ${why}, ${until}`;
    }),
  };
}

/** What was foretold, beside what came of it. */
function foretoldLines({ foretold, rehearsal }: LedgerBatchView): readonly string[] {
  if (foretold === undefined) return [];
  const { ends, came } = foretold;
  const sumOf = ({ requests, cost }: Pick<typeof came, 'requests' | 'cost'>): string =>
    [count(requests, rehearsal ? 'request' : 'paid request'), ...(rehearsal ? [] : cost.map(moneyText))].join(', ');
  const end = ends === undefined ? '' : `, to end about ${clock(ends)}`;
  const was = came.ended === undefined ? 'not ended' : `ended ${clock(came.ended)}`;
  const earlier = came.earlier === undefined ? '' : `, ${came.earlier} of them for earlier versions`;
  const { requests, cost } = foretold.limit ?? {};
  const allowed = [...(requests === undefined ? [] : [count(requests, 'request')]), ...(cost ? [moneyText(cost)] : [])];
  const within = allowed.length === 0 ? '' : `, within ${allowed.join(' and ')}`;
  return [`forecast: ${sumOf(foretold)}${within}${end}`, `it came to: ${sumOf(came)}${earlier}, ${was}`];
}

function titleOf({ night, batches, timeline }: Ledger, now: number): string {
  if (night !== undefined) {
    const { id, beganAt, endedAt, interruptedAt } = night;
    const to = endedAt ?? interruptedAt;
    const until = to !== undefined && localDate(to) === localDate(beganAt) ? localTime(to) : clock(to ?? now);
    const end =
      endedAt !== undefined ? `until ${until}` : to === undefined ? 'still running' : `interrupted, last at ${until}`;
    return `Night ${id}: ${clock(beganAt)}, ${end} (${duration((to ?? now) - beganAt)})`;
  }
  if (timeline !== undefined) return `Ledger, ${clock(timeline.from)} until ${clock(timeline.to)}`;
  return `Ledger of ${count(batches.length, 'batch', 'batches')}: nothing has been sent yet`;
}

function paperGroup(
  shownGroup: GroupWithRows,
  names: ReadonlyMap<string, string>,
  commands: readonly string[],
): PaperGroup {
  const { batchId, what, do: deed, needsYou, takes, waitsUntil, rows } = shownGroup;
  const ids = [...new Set(rows.map(({ row }) => row))];
  const shown = ids.slice(0, ROWS_NAMED).map((id) => visibleLine(id, NAME_LENGTH));
  const more = ids.length > ROWS_NAMED || rows.length < takes ? ', …' : '';
  return {
    needsYou,
    head: `${count(takes, 'take')} of ${names.get(batchId) ?? batchId}: ${what}${waitsUntil === undefined ? '' : `, until ${clock(waitsUntil)}`}`,
    do: deed,
    commands,
    rows: shown.join(', ') + more,
  };
}

/** What a command to resume also needs, by what ends the pause. */
const RESUME_WITH: Readonly<Partial<Record<GroupWithRows['group'], string>>> = {
  'enter-key': ' --key-file FILE',
  'change-time': ' --finish-by TIME',
};

/** What the user types to settle a group. */
function waysOf(
  shown: GroupWithRows,
  groups: readonly GroupWithRows[],
  rehearsals: ReadonlySet<string>,
): readonly string[] {
  // A rehearsal’s gateway ended with its process: the command line cannot continue it.
  if (rehearsals.has(shown.batchId)) return [];
  const ids = [...new Set(shown.rows.map(({ row }) => row))];
  const failed = groups.filter((group) => group.batchId === shown.batchId && group.facts.some(hasFailed));
  const areAllFailed = failed.length === 1 && failed[0] === shown && shown.facts.every(hasFailed);
  const ways = commandsOf(shown, ids, areAllFailed);
  return shown.areInferred === true ? [...ways, 'nocturne profile seen'] : ways;
}

function hasFailed({ status }: TakeFacts): boolean {
  return status === 'failed';
}

/** @param areAllFailed The group is all that has failed in its batch. */
function commandsOf(
  { group, batchId, limit }: GroupWithRows,
  rows: readonly string[],
  areAllFailed: boolean,
): readonly string[] {
  const { command } = GROUP_WORDS[group];
  const [only] = rows;
  const row = rows.length === 1 && only !== undefined && /^[\w.-]+$/u.test(only) ? only : 'ROW';
  switch (command) {
    case undefined:
      return [];
    case 'retry':
      return [`nocturne retry ${batchId} ${rows.length > 1 && areAllFailed ? '--failed' : `--row ${row}`}`];
    case 'release':
      return [`nocturne release ${batchId} --row ${row}`];
    case 'review':
      return [`nocturne review ${batchId} --row OTHER-ROW --take N --pick`, `nocturne resume ${batchId}`];
    case 'resolve':
      return [`nocturne resolve ${batchId} --row ${row} (--adopt TASKCODE | --resubmit | --write-off)`];
    case 'resume':
      if (limit !== undefined) return waysPast(limit, batchId);
      return [`nocturne resume ${batchId}${RESUME_WITH[group] ?? ''}`];
    case 'update':
      return [`nocturne update ${batchId}`];
    default:
      return assertNever(command);
  }
}

function moneyLines({ money: { money, requests, unpriced, counted }, batches, isPart }: Ledger): readonly string[] {
  if (batches.every(({ rehearsal }) => rehearsal)) return ['Nothing was paid.'];
  const without = unpriced.planned + unpriced.reserved + unpriced.spent + unpriced.unknown;
  return [
    ...money.map((of) => amountsText(of, SPENT)),
    ...(isPart ? ['“Planned” counts whole batches; the other figures count only this time.'] : []),
    `${money.length === 0 ? 'No price is known. Paid requests' : 'Paid requests'}: ${spentText(requests)}`,
    ...(money.length > 0 && without > 0 ? [`Without a price: ${spentText(unpriced)}`] : []),
    ...(counted.length > 0 ? [countedWords(counted)] : []),
  ];
}

function costLine({ of, requests, money }: CostLine, names: readonly (keyof Spent)[]): LedgerPaper['costs'][number] {
  const texts = money.map((amounts) => amountsText(amounts, names));
  return { of, requests: spentText(requests, names), money: texts.join(' and ') };
}

function amountsText({ currency, ...amounts }: MoneyOf, names: readonly (keyof Spent)[]): string {
  return `${names.map((name) => `${name} ${amountText({ amount: amounts[name], currency })}`).join(' · ')} ${currency}`;
}

function spentText(spent: Spent, names: readonly (keyof Spent)[] = SPENT): string {
  return names.map((name) => `${name} ${countText(spent[name])}`).join(' · ');
}

const SPENT = ['planned', ...CHARGES] as const;

/** `2026-11-21 22:04`, in the machine’s zone. */
function clock(at: number): string {
  return `${localDate(at)} ${localTime(at)}`;
}

function duration(lengthMs: number): string {
  const minutes = Math.max(0, Math.round(lengthMs / 60_000));
  if (minutes === 0) return 'less than a minute';
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
