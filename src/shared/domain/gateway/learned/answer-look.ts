/**
 * What an answer from a gateway looks like: counted, so that a profile can be learned, and without anything that it
 * says.
 */
import { domainWords } from '../../../words/domain-words.ts';
import type { OperationPath } from '../../operations/operations.ts';
import type { Json } from '../../base/json.ts';
import { MOST_A_REQUEST } from '../../base/money.ts';
import { retryAfterMs } from '../gateway-time.ts';

/** How an answer looks, whatever came of it. Every text is from a fixed vocabulary or from the user's profile. */
export interface AnswerLook {
  readonly content: 'json' | 'html' | 'text' | 'other' | 'none';
  /** The envelope's code if it is a short number or a word for success or failure, else what kind of value it is. */
  readonly code: string;
  /** The fields of the interface that were there, each with what it held: `result.taskCode:text`. */
  readonly fields: string;
  /** Where a media address or a task code was found, if not where the interface puts it: `data.url`. */
  readonly found: string;
  /** How a poll passed the task code: `taskCode` for that name in the query, `/` for a path; empty for a submit. */
  readonly way: string;
}

/** What came of an answer: the outcome of a submit, or the verdict of a poll. */
export const ANSWER_ENDS = [
  'accepted',
  'rate-limited',
  'held',
  'rejected',
  'unknown',
  'running',
  'rendered',
  'data',
  'failed',
  'poll-error',
  'pause',
] as const;
export type AnswerEnd = (typeof ANSWER_ENDS)[number];

export interface AnswerShape extends AnswerLook {
  readonly call: 'submit' | 'poll';
  readonly operation: OperationPath;
  readonly httpStatus: number;
  readonly became: AnswerEnd;
}

/**
 * Numbers that come with answers. `rate-per-second`: requests that a header allows, if it says for how long;
 * `rate-limit`: the same without that. `accepted-active`: the fewest tasks of the family that the gateway had when it
 * accepted a submit, including this one; `refused-active`: the most that it had when it refused one because of the
 * rate. `submit-seconds`: how long the answer to a submit took.
 */
export const MEASURE_KINDS = [
  'retry-after',
  'rate-limit',
  'rate-per-second',
  'accepted-active',
  'refused-active',
  'submit-seconds',
  'cost',
  'balance',
] as const;
export type MeasureKind = (typeof MEASURE_KINDS)[number];

export interface Measure {
  readonly kind: MeasureKind;
  /** The header or the field that held it, from a fixed vocabulary; empty if Nocturne measured it itself. */
  readonly at: string;
  readonly value: number;
}

/** Looks at an answer. `whole` is its JSON, undefined if it has none; header names are in lower case. */
export function lookOf(headers: Readonly<Record<string, string>>, whole: Json | undefined, way: string): AnswerLook {
  const envelope = recordOf(whole) ?? {};
  const result = recordIn(envelope['result']);
  const fields = [
    ...ENVELOPE_FIELDS.flatMap((name) => fieldText(name, own(envelope, name))),
    ...RESULT_FIELDS.flatMap((name) => fieldText(`result.${name}`, own(result, name))),
  ];
  const hasUsual = fields.some((field) => /^result\.(?:taskCode|videoUrl|musicUrl):(?:text|number|list)$/u.test(field));
  return {
    content: contentOf(headers['content-type'] ?? ''),
    code: codeText(own(envelope, 'code')),
    fields: fields.join(' '),
    found: hasUsual || whole === undefined ? '' : (placesOf(whole, isTelling)[0]?.at ?? ''),
    way,
  };
}

/** The numbers that an answer names. `now`: milliseconds since the epoch. */
export function measuresIn(
  headers: Readonly<Record<string, string>>,
  whole: Json | undefined,
  now: number,
): readonly Measure[] {
  const measures: Measure[] = [];
  const waitMs = retryAfterMs(headers['retry-after'], now);
  if (waitMs !== undefined) measures.push({ kind: 'retry-after', at: 'Retry-After', value: waitMs / 1000 });
  for (const [name, shown] of RATE_HEADERS) {
    const text = headers[name];
    if (text !== undefined) measures.push(...ratesIn(text, shown));
  }
  if (whole === undefined) return measures;
  for (const { at, name, value } of placesOf(whole, isMoney)) {
    const amount = typeof value === 'string' ? Number(value) : value;
    const kind = isBalance(name) ? 'balance' : 'cost';
    const most = kind === 'balance' ? MOST_A_BALANCE : MOST_A_REQUEST;
    if (typeof amount === 'number' && amount >= 0 && amount <= most) measures.push({ kind, at, value: amount });
  }
  return measures;
}

const ENVELOPE_FIELDS = ['code', 'info', 'result', 'success', 'failure', 'data', 'message', 'msg', 'error'] as const;
const RESULT_FIELDS = [
  'taskCode',
  'taskId',
  'status',
  'message',
  'videoUrl',
  'musicUrl',
  'addTime',
  'endTime',
] as const;

function contentOf(header: string): AnswerLook['content'] {
  const [type = ''] = header.toLowerCase().split(';', 1);
  if (type.trim() === '') return 'none';
  if (/json/u.test(type)) return 'json';
  if (/html/u.test(type)) return 'html';
  return type.startsWith('text/') ? 'text' : 'other';
}

const CODE_WORDS: ReadonlySet<string> = new Set(['success', 'succeed', 'succeeded', 'ok', 'error', 'fail', 'failed']);

/** A raw code may hold anything: only what cannot be a secret or a prompt is kept. */
function codeText(value: Json | undefined): string {
  if (value === undefined || value === '') return '';
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (/^-?\d{1,6}$/u.test(text) || CODE_WORDS.has(text.toLowerCase())) return text;
  return `(${kindOf(value)})`;
}

function fieldText(name: string, value: Json | undefined): readonly string[] {
  return value === undefined ? [] : [`${name}:${kindOf(value)}`];
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return value.trim() === '' ? 'empty' : 'text';
  if (typeof value === 'number') return 'number';
  return Array.isArray(value) ? 'list' : 'object';
}

/** Names under which gateways wrap their answers: only these become part of a path. */
const WRAPPERS: ReadonlySet<string> = new Set(['result', 'data', 'output', 'response', 'task', 'usage', 'billing']);
const MOST_PLACES = 4;

/** A `name` from the interface, or one that others use in its place. */
function isTelling(name: string, value: Json): boolean {
  return (
    /^(?:task_?(?:code|id)|(?:video|music|audio|image|media|file)?_?urls?)$/iu.test(name) && kindOf(value) !== 'empty'
  );
}

const MOST_A_BALANCE = 1e9;

/**
 * What an account has left or may use, not what a request cost. `at`: the name of a field, or a path that ends in it.
 */
export function isBalance(at: string): boolean {
  return /balance|remaining|left|quota/iu.test(at.slice(at.lastIndexOf('.') + 1));
}

function isMoney(name: string, value: Json): boolean {
  if (kindOf(value) !== 'number' && !(typeof value === 'string' && /^\d{1,9}(?:\.\d{1,6})?$/u.test(value)))
    return false;
  return /^(?:(?:used|total|consumed|remaining)_?)?(?:credits?|costs?|prices?|balance|charged?|quota)(?:_?(?:used|cost|consumed|charged|left|remaining))?$/iu.test(
    name,
  );
}

interface Place {
  readonly at: string;
  readonly name: string;
  readonly value: Json;
}

/** Fields that are looked for, at the top and inside the usual wrappers, with their path. */
function placesOf(whole: Json, isWanted: (name: string, value: Json) => boolean): readonly Place[] {
  const found: Place[] = [];
  const look = (value: Json | undefined, path: string, levels: number): void => {
    const record = recordIn(value);
    if (record === undefined || levels < 0) return;
    // Whatever a gateway sends, only this many of its fields are looked at.
    for (const name of Object.keys(record).slice(0, 100)) {
      const inner = record[name];
      if (inner === undefined || found.length >= MOST_PLACES) return;
      if (isWanted(name, inner)) found.push({ at: `${path}${name}`, name, value: inner });
      else if (WRAPPERS.has(name)) look(inner, `${path}${name}.`, levels - 1);
    }
  };
  look(whole, '', 2);
  return found;
}

/** Some gateways give a list with one item. */
function recordIn(value: Json | undefined): Readonly<Record<string, Json>> | undefined {
  return recordOf(Array.isArray(value) ? (value as readonly Json[])[0] : value);
}

function recordOf(value: Json | undefined): Readonly<Record<string, Json>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, Json>>;
}

function own(record: Readonly<Record<string, Json>> | undefined, name: string): Json | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Headers that say how many requests are allowed, and how a person knows them. */
const RATE_HEADERS: readonly (readonly [header: string, shown: string])[] = [
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-Rate-Limit-Limit',
  'X-RateLimit-Limit-Second',
  'X-RateLimit-Limit-Minute',
  'X-RateLimit-Limit-Hour',
  'X-RateLimit-Limit-Requests',
].map((shown) => [shown.toLowerCase(), shown]);

const WINDOW_SECONDS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600 };

/** `100;w=60`, `"burst";q=10;w=1`, `limit=100, remaining=3`, `100`; several of them separated by commas. */
function ratesIn(text: string, at: string): readonly Measure[] {
  const named = WINDOW_SECONDS[at.split('-').at(-1)?.toLowerCase() ?? ''];
  return text
    .slice(0, 200)
    .split(',')
    .slice(0, MOST_PLACES)
    .flatMap((part): Measure[] => {
      const limit = Number(/(?:\bq=|\blimit=|^\s*)(\d{1,9})\b/iu.exec(part)?.[1]);
      const seconds = Number(/\bw=(\d{1,9})\b/iu.exec(part)?.[1] ?? named);
      if (!(limit > 0)) return [];
      return seconds > 0
        ? [{ kind: 'rate-per-second', at, value: limit / seconds }]
        : [{ kind: 'rate-limit', at, value: limit }];
    });
}

/** A shape in one line: `submit, HTTP 200, code 200: accepted`. */
export function shapeWords({ call, httpStatus, content, code, found, way, became }: AnswerShape): string {
  const told = domainWords.operations.answers;
  const parts = [
    call === 'submit' ? told.submit : told.poll(way === '/' ? undefined : way),
    `HTTP ${httpStatus}`,
    ...(content === 'json' ? [] : [content === 'none' ? told.noContentType : content]),
    ...(code === '' ? [] : [told.code(code)]),
    ...(found === '' ? [] : [told.foundAt(found)]),
  ];
  return told.line(parts, told.ends[became]);
}
