/**
 * What a profile could say, given what nights have shown about its gateway: each proposal is a single setting, with its
 * evidence in words. Nothing is proposed that a night has contradicted.
 */
import { domainWords } from '../../../words/domain-words.ts';
import { MOST_A_REQUEST } from '../../base/money.ts';
import type { Json } from '../../base/json.ts';
import { err, type Result } from '../../base/result.ts';
import { FAMILIES, FAMILY_NAMES, operationOf, type OperationPath } from '../../operations/operations.ts';
import { parseProfile, profileSchema, type Profile, type StatusMeaning } from '../profile.ts';
import type { ProfileProblem } from '../profile-problem.ts';
import { statusQuestions, type CountedStatus } from '../seen-status.ts';
import { statusMeaning } from '../status-meaning.ts';
import { isBalance, type AnswerEnd } from './answer-look.ts';
import type { Learned, MeasureCount } from './learned.ts';

/** One setting of a profile that could have another value. */
export interface ProfileProposal {
  /** The keys that lead to it. */
  readonly path: readonly string[];
  readonly value: Json;
  /** Why, in a sentence or two. */
  readonly evidence: string;
}

/** Fewer answers prove nothing. */
const FEW = 3;
const MANY = 10;
const HOUR_MS = 3_600_000;

/** Everything that could be taken into the profile. `learned` and `statuses` are those of the profile's gateway. */
export function proposalsFor(
  profile: Profile,
  learned: Learned,
  statuses: readonly CountedStatus[],
): readonly ProfileProposal[] {
  return [
    ...statusProposals(profile, statuses),
    ...taskCodeProposals(profile, learned),
    ...okCodeProposals(profile, learned),
    ...limitProposals(profile, learned),
    ...deadlineProposals(profile, learned),
    ...costProposals(profile, learned),
  ];
}

/** The profile with a proposal taken; the problems if it would not be valid. */
export function withProposal(
  profile: Profile,
  { path, value }: Pick<ProfileProposal, 'path' | 'value'>,
): Result<Profile, ProfileProblem[]> {
  const [key] = path;
  if (key === undefined || !Object.hasOwn(profileSchema.shape, key)) {
    return err([{ path: path.join('.'), ...domainWords.operations.proposals.noSetting }]);
  }
  return parseProfile(placed(profile, path, value));
}

function placed(within: unknown, [key, ...rest]: readonly string[], value: Json): unknown {
  if (key === undefined) return value;
  const record = typeof within === 'object' && within !== null && !Array.isArray(within) ? within : {};
  const before: unknown = Object.hasOwn(record, key) ? (record as Readonly<Record<string, unknown>>)[key] : undefined;
  return { ...record, [key]: placed(before, rest, value) };
}

/** Failed: the status only ever ended tasks without a file. Succeeded: it only came with files. */
function statusProposals(profile: Profile, statuses: readonly CountedStatus[]): readonly ProfileProposal[] {
  const failed = statusQuestions(statuses, profile).map(({ family, status, tasks }) => ({
    path: ['status', family, status],
    value: 'failed' satisfies StatusMeaning,
    evidence: domainWords.operations.proposals.failed(tasks, FAMILY_NAMES[family], status),
  }));
  const succeeded = FAMILIES.flatMap((family) => {
    const own = statuses.filter(({ operation }) => operationOf(operation).family === family);
    return [...new Set(own.map(({ status }) => status))].flatMap((status): ProfileProposal[] => {
      const alike = own.filter((one) => one.status === status);
      const isOpen = alike.every(
        ({ operation }) => statusMeaning(profile, operationOf(operation), status) === undefined,
      );
      const tasks = sum(alike.map((one) => one.tasks));
      const isSure = status !== '' && tasks >= FEW && alike.every((one) => one.became === 'result');
      if (!isOpen || !isSure) return [];
      return [
        {
          path: ['status', family, status],
          value: 'succeeded' satisfies StatusMeaning,
          evidence: domainWords.operations.proposals.succeeded(tasks, FAMILY_NAMES[family], status),
        },
      ];
    });
  });
  return [...failed, ...succeeded];
}

const RECORDS: ReadonlySet<AnswerEnd> = new Set<AnswerEnd>(['running', 'rendered', 'data', 'failed']);
const REFUSALS: ReadonlySet<AnswerEnd> = new Set<AnswerEnd>([
  'rate-limited',
  'held',
  'rejected',
  'poll-error',
  'pause',
]);

/**
 * "detect" tries several ways whenever an answer is missing: with a fixed way, the one that works need not be found
 * again each night.
 */
function taskCodeProposals(profile: Profile, { shapes }: Learned): readonly ProfileProposal[] {
  if (profile.taskCode.in !== 'detect') return [];
  const working = shapes.filter(({ shape }) => shape.call === 'poll' && RECORDS.has(shape.became));
  const ways = [...new Set(working.map(({ shape }) => shape.way))];
  const [way] = ways;
  if (ways.length !== 1 || way === undefined || way === '') return [];
  const answers = sum(working.map((one) => one.answers));
  const value = way === '/' ? { ...profile.taskCode, in: 'path' } : { in: 'query', name: way };
  return [
    {
      path: ['taskCode'],
      value,
      evidence: domainWords.operations.proposals.taskCode(answers, way === '/' ? undefined : way),
    },
  ];
}

/** Codes that only came with success, where others only came with refusals. */
function okCodeProposals(profile: Profile, { shapes }: Learned): readonly ProfileProposal[] {
  if (profile.envelope.okCodes.length > 0) return [];
  const good = shapes.filter(({ shape }) => shape.became === 'accepted' || RECORDS.has(shape.became));
  const bad = shapes.filter(({ shape }) => REFUSALS.has(shape.became) && shape.httpStatus < 300);
  const codes = [...new Set(good.map(({ shape }) => shape.code))];
  const badCodes = new Set(bad.map(({ shape }) => shape.code));
  const answers = sum(good.map((one) => one.answers));
  const isPlain = codes.every((code) => code !== '' && !code.startsWith('('));
  // A missing code would turn a success into a refusal: every one must have been seen often.
  const isSure = answers >= MANY && codes.length <= 2 && isPlain && !codes.some((code) => badCodes.has(code));
  if (!isSure || badCodes.size === 0) return [];
  const value = codes.map((code) => (/^-?\d+$/u.test(code) ? Number(code) : code));
  const others = [...badCodes].filter((code) => code !== '');
  const evidence = domainWords.operations.proposals.okCodes(answers, codes, others);
  return [{ path: ['envelope', 'okCodes'], value, evidence }];
}

function limitProposals(profile: Profile, { measures }: Learned): readonly ProfileProposal[] {
  const { limits } = profile;
  const rates = measures.filter(({ kind }) => kind === 'rate-per-second');
  const rate = Math.max(0.01, Math.floor(Math.min(...rates.map(({ least }) => least)) * 100) / 100);
  const isOtherRate = rates.length > 0 && Math.abs(rate - limits.requestsPerSecond) > limits.requestsPerSecond * 0.05;
  const byRate: readonly ProfileProposal[] = isOtherRate
    ? [
        {
          path: ['limits', 'requestsPerSecond'],
          value: Math.min(rate, 10_000),
          evidence: domainWords.operations.proposals.rate([...new Set(rates.map(({ at }) => at))], counts(rates)),
        },
      ]
    : [];
  const byActive = FAMILIES.flatMap((family): ProfileProposal[] => {
    const own = measures.filter(({ operation }) => operationOf(operation).family === family);
    const taken = own.filter(({ kind }) => kind === 'accepted-active');
    const refused = own.filter(({ kind }) => kind === 'refused-active');
    const most = Math.max(0, ...taken.map((one) => one.most));
    const least = Math.min(...refused.map((one) => one.least));
    // Refusals with fewer tasks than the gateway once accepted are about the pace of requests.
    const isSure = counts(refused) >= FEW && most >= 1 && most < least && most < limits.activePerFamily[family];
    if (!isSure) return [];
    const evidence = domainWords.operations.proposals.active(counts(refused), FAMILY_NAMES[family], least, most);
    return [{ path: ['limits', 'activePerFamily', family], value: most, evidence }];
  });
  return [...byRate, ...byActive];
}

/**
 * Deadlines that the gateway has come close to: what is given up too early was waited for in vain, or is paid for
 * twice.
 */
function deadlineProposals(profile: Profile, { measures, durations }: Learned): readonly ProfileProposal[] {
  const { submitSeconds, taskHours } = profile.deadlines;
  const slowest = Math.max(0, ...measures.filter(({ kind }) => kind === 'submit-seconds').map(({ most }) => most));
  const longestHours = Math.max(0, ...durations.flatMap(({ times }) => times)) / HOUR_MS;
  const bySubmits: readonly ProfileProposal[] =
    slowest > submitSeconds * 0.6 && submitSeconds < 3600
      ? [
          {
            path: ['deadlines', 'submitSeconds'],
            value: Math.min(3600, Math.ceil((slowest * 2) / 10) * 10),
            evidence: domainWords.operations.proposals.slowSubmit(shown(slowest), shown(submitSeconds)),
          },
        ]
      : [];
  const byTasks: readonly ProfileProposal[] =
    longestHours > taskHours * 0.8 && taskHours < 8760
      ? [
          {
            path: ['deadlines', 'taskHours'],
            value: Math.min(8760, Math.ceil(longestHours * 2)),
            evidence: domainWords.operations.proposals.longTask(shown(longestHours), shown(taskHours)),
          },
        ]
      : [];
  return [...bySubmits, ...byTasks];
}

/** Where its answers say what a call cost; and, once that is believed, the prices that were seen there. */
function costProposals(profile: Profile, { measures }: Learned): readonly ProfileProposal[] {
  // What was counted by an earlier version may be a balance, or more than a request can cost.
  const costs = measures.filter(
    ({ kind, at, most }) => kind === 'cost' && !isBalance(at) && most > 0 && most <= MOST_A_REQUEST,
  );
  const known = profile.cost;
  if (known === undefined) {
    const often = [...new Set(costs.map(({ at }) => at))]
      .map((at) => ({ at, answers: counts(costs.filter((one) => one.at === at)) }))
      .toSorted((a, b) => b.answers - a.answers)[0];
    if (often === undefined || often.answers < FEW) return [];
    const evidence = domainWords.operations.proposals.costAt(often.answers, often.at);
    return [{ path: ['cost'], value: { in: 'body', path: often.at, currency: 'credits' }, evidence }];
  }
  const place = known.in === 'body' ? known.path : known.name;
  return costs.flatMap((one): ProfileProposal[] => {
    const { operation, at, most, count } = one;
    const price = profile.prices[operation];
    if (at !== place || count < FEW || (price !== undefined && price.amount >= most)) return [];
    const currency = price?.currency ?? priceCurrency(known.currency);
    const evidence = domainWords.operations.proposals.price(count, rangeOf(one));
    return [{ path: ['prices', operation], value: { amount: most, currency }, evidence }];
  });
}

/** As prices write a currency: three to ten capital letters. */
function priceCurrency(unit: string): string {
  const letters = unit
    .toUpperCase()
    .replaceAll(/[^A-Z]/gu, '')
    .slice(0, 10);
  return letters.length < 3 ? 'CREDITS' : letters;
}

function rangeOf({ least, most }: MeasureCount): string {
  return least === most ? shown(most) : domainWords.operations.proposals.range(shown(least), shown(most));
}

function counts(measures: readonly MeasureCount[]): number {
  return sum(measures.map(({ count }) => count));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function shown(number: number): string {
  return String(Math.round(number * 100) / 100);
}

/** A measure in words, as a line of a table: what it is, and between which bounds. */
export function measureWords(measure: MeasureCount): string {
  const tell: (range: string, at: string) => string = domainWords.operations.measures[measure.kind];
  return tell(rangeOf(measure), measure.at);
}

/** How long renderings of an operation took, over its models. */
export interface TypicalTime {
  readonly operation: OperationPath;
  readonly tasks: number;
  /** Seconds. */
  readonly median: number;
  readonly longest: number;
}

/** The typical times of each operation that was rendered. */
export function typicalTimes({ durations }: Learned): readonly TypicalTime[] {
  return [...new Set(durations.map(({ operation }) => operation))].map((operation) => {
    const own = durations.filter((one) => one.operation === operation);
    const times = own.flatMap((one) => one.times).toSorted((a, b) => a - b);
    const median = times[Math.floor((times.length - 1) / 2)] ?? 0;
    return { operation, tasks: times.length, median: median / 1000, longest: (times.at(-1) ?? 0) / 1000 };
  });
}
