/** A forecast on the command line: as a document, and as lines with a small picture of the night. */
import { addMoney, amountsOf } from '../shared/domain/base/money.ts';
import { groupBy } from '../shared/domain/base/result.ts';
import { formatBytes, countText, localDate, localTime, visibleLine } from '../shared/domain/base/text.ts';
import { FAMILY_NAMES, operationOf } from '../shared/domain/operations/operations.ts';
import type { SheetProblem } from '../shared/domain/sheet/problems.ts';
import type { Forecast, ForecastKind } from '../shared/domain/task/forecast/forecast.ts';
import type { ForetoldPicture } from '../shared/domain/task/forecast/forecast-record.ts';
import {
  againWords,
  dearerWords,
  keptBackWords,
  moneyTogether,
  twiceWords,
  unpricedWords,
} from '../shared/domain/task/forecast/forecast-words.ts';
import { momentText } from '../shared/domain/task/schedule-text.ts';
import { count } from './describe.ts';

/** A foretold run, and where its files would go. */
export interface Planned {
  readonly title: string;
  readonly forecast: Forecast;
  readonly folder: string;
  /** Undefined if the disk does not say. */
  readonly freeBytes: number | undefined;
  /** One row of each kind goes first. */
  readonly isTried: boolean;
  readonly problems: readonly SheetProblem[];
  /** When the forecast was asked for, in milliseconds since the epoch: times on another day are shown with the day. */
  readonly now: number;
}

/** The document of `plan --json`; its fields are a contract. */
export function planDocument({ forecast, freeBytes, isTried, problems }: Planned) {
  const { rows, requests, cost, unpriced, diskBytes, begins, ends, windows, kinds, duplicates } = forecast;
  const { again, beyondLimit, stop, unsent, closed, held, dearer, invalidRows, source } = forecast;
  return {
    rows,
    requests,
    cost: cost[0] ?? null,
    unpriced,
    disk: { needed: Math.round(diskBytes), free: freeBytes ?? null },
    begins: isoTime(begins),
    ends: ends === undefined ? null : isoTime(ends.likely),
    windows: windows.map(({ from, to }) => ({ from: isoTime(from), to: isoTime(to) })),
    kinds,
    duplicates,
    problems,
    // Added to the contract later.
    again: again ?? null,
    costs: cost,
    endsBetween: ends === undefined ? null : [isoTime(ends.earliest), isoTime(ends.latest)],
    times: source,
    beyondLimit,
    limit: stop ?? null,
    unsent,
    closed: closed ?? null,
    held,
    dearer,
    invalidRows,
    canary: isTried,
  };
}

/** The same for people. */
export function planLines({ title, forecast, folder, freeBytes, isTried, now }: Planned): readonly string[] {
  const { rows, requests, beyondLimit, unsent, invalidRows, duplicates, kinds, picture } = forecast;
  const all = requests + beyondLimit + unsent;
  const dearer = dearerWords(forecast);
  const again = againWords(forecast, 'paid request');
  const said: readonly (readonly [string, string] | undefined)[] = [
    ['Cost', costWords(forecast)],
    ['Time', timeWords(forecast, now)],
    requests > 0 ? ['Disk', diskWords(forecast.diskBytes, freeBytes, folder)] : undefined,
    again === '' ? undefined : ['Again', again],
    isTried
      ? ['First', `one row of each of ${count(kinds.length, 'kind')}; the rest of a kind once its file is there`]
      : undefined,
    ...keptBackWords(forecast, 'paid request').map((words): readonly [string, string] => ['Not in', words]),
    dearer === '' ? undefined : ['Dearer', dearer],
    duplicates.rows > 0 ? ['Twice', twiceWords(duplicates, 'paid request')] : undefined,
    invalidRows > 0 ? ['Errors', `${count(invalidRows, 'row')} cannot run; see: nocturne check SHEET`] : undefined,
  ];
  return [
    `${visibleLine(title, 300)}: ${count(rows, 'row')}, ${requests < all ? `${countText(requests)} of ` : ''}${count(all, 'paid request')}`,
    ...said.flatMap((one) => (one === undefined ? [] : [`  ${one[0].padEnd(8)}${one[1]}`])),
    ...kindLines(forecast),
    ...(picture === undefined || requests === 0 ? [] : ['', ...pictureLines(picture, now)]),
  ];
}

function costWords(forecast: Forecast): string {
  const { cost, requests } = forecast;
  const missing = unpricedWords(forecast);
  if (requests === 0) return 'nothing';
  if (cost.length === 0) return `unknown: the profile has no price for ${missing}`;
  return `${moneyTogether(cost)} by the profile’s prices${missing === '' ? '' : `; no price for ${missing}`}`;
}

const SOURCE_WORDS = {
  learned: 'judging by earlier nights on this gateway',
  defaults: 'judging by what is usual: nothing is known of this gateway yet',
  both: 'judging in part by what is usual: not all of it was seen at this gateway yet',
} as const;

function timeWords({ begins, ends, source, requests }: Forecast, now: number): string {
  if (ends === undefined) return 'nothing to wait for';
  if (requests === 0) return `what is already at the gateway is done about ${timeText(ends.likely, now)}`;
  const { earliest, likely, latest } = ends;
  const then = (at: number): string => timeAfter(begins, at, now);
  return `${timeText(begins, now)} to about ${then(likely)} (${then(earliest)} to ${then(latest)}), ${SOURCE_WORDS[source]}`;
}

/** A time without the day if that has just been named. */
function timeAfter(begins: number, at: number, now: number): string {
  return localDate(at) === localDate(begins) ? localTime(at) : timeText(at, now);
}

/** `01:40`, by the clock of this machine; with the day if it could be mistaken for another day. */
function timeText(at: number, now: number): string {
  return momentText(at, Intl.DateTimeFormat().resolvedOptions().timeZone, now);
}

function diskWords(needed: number, free: number | undefined, folder: string): string {
  const have = free === undefined ? 'free room unknown' : `${formatBytes(free)} free`;
  const lacks = free !== undefined && needed > free ? ': not enough' : '';
  return `about ${formatBytes(needed)}, ${have} in ${visibleLine(folder, 200)}${lacks}`;
}

const KINDS_SHOWN = 8;

function kindLines({ kinds }: Forecast): readonly string[] {
  if (kinds.length < 2) return [];
  const nameOf = ({ operation, model }: ForecastKind): string =>
    `${operationOf(operation).short}${model === '' ? '' : ` ${visibleLine(model, 40)}`}`;
  // Kinds of one name differ in the columns that they use.
  const named = [...groupBy(kinds, nameOf)];
  const lines = named.slice(0, KINDS_SHOWN).map(([name, of]) => {
    const requests = of.reduce((sum, one) => sum + one.requests, 0);
    const sums = new Map<string, number>();
    for (const one of of) if (one.cost !== undefined) addMoney(sums, one.cost);
    const cost = moneyTogether(amountsOf(sums));
    const split = of.length > 1 ? `  in ${of.length} kinds, by the columns that they use` : '';
    return `    ${name.padEnd(24)} ${countText(requests).padStart(7)}${cost === '' ? '' : `  ${cost}`}${split}`;
  });
  const more = named.length - lines.length;
  const all = more > 0 ? [...lines, `    and ${more} more`] : lines;
  return ['  Paid requests:', ...all];
}

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/**
 * A line for each family: how much of its places is taken, from the beginning to the end; `·` where nothing is sent.
 */
function pictureLines({ from, to, open, families }: ForetoldPicture, now: number): readonly string[] {
  const width = Math.max(0, ...families.map(({ family }) => FAMILY_NAMES[family].length));
  const bars = families.map(({ family, busy }) => {
    const bar = busy.map((part, i) => (part < 0.01 ? (open[i] === true ? ' ' : '·') : levelOf(part))).join('');
    return `  ${FAMILY_NAMES[family].padEnd(width)} ${bar}`;
  });
  const [begins, ends] = [timeText(from, now), timeAfter(from, to, now)];
  const room = open.length - begins.length - ends.length;
  return [...bars, `  ${' '.repeat(width)} ${begins}${' '.repeat(Math.max(1, room))}${ends}`];
}

function levelOf(part: number): string {
  return LEVELS[Math.min(LEVELS.length - 1, Math.floor(part * LEVELS.length))] ?? '█';
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
