/**
 * A paid request whose outcome is unknown, at a gateway that does not charge twice for one key: when it is sent once
 * more, with the same bytes under the same key, and what the answer proves about the first time.
 */
import { errorMeaning } from '../error-meaning.ts';
import { backoffMs } from '../retry.ts';
import { statedRefusal } from '../stated-refusal.ts';
import { SEARCHED_LENGTH } from '../status-meaning.ts';
import type { SubmitAnswer, SubmitOutcome } from '../submit-outcome.ts';
import type { Profile } from '../profile.ts';

/** A paid request that Nocturne sends again under its key until an answer settles it. */
export interface AskingAgain {
  /** How often it was sent again. */
  readonly asks: number;
  /** The gateway no longer knows the key from then on, in milliseconds since the epoch: never sent again after it. */
  readonly until: number;
  /** The gateway refused it as a duplicate and named a task code: a poll has to prove that. */
  readonly isTaken?: true;
  /** The gateway accepted it, under the task's code: it is sent once more only to try its keys. */
  readonly isAccepted?: true;
  /** How often in succession it could not leave at all: that says nothing about the gateway. */
  readonly unsent?: number;
}

/** The same, with the time when it is due next. */
export interface NextAsk extends AskingAgain {
  readonly dueAt: number;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The pause before each time, then every hour: a lost answer is soon settled, and a gateway that is down is left alone.
 */
const WAITS_MS = [30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS] as const;

/** No key is used again this close to its end: clocks may differ, or be set, by this much without anybody noticing. */
const LONGEST_MARGIN_MS = 10 * MINUTE_MS;

/** The same for a gateway that keeps keys for this many hours. */
export function marginMs(keepHours: number): number {
  return Math.min(LONGEST_MARGIN_MS, (keepHours * HOUR_MS) / 10);
}

/** Until when the key of a request that was first sent at `firstSentAt` may be used again. */
export function keptUntil(firstSentAt: number, keepHours: number): number {
  return firstSentAt + keepHours * HOUR_MS - marginMs(keepHours);
}

/**
 * When to send it again after `asks` times in vain; undefined if the gateway would no longer know the key by then.
 * @param random In [0, 1): requests that were lost together do not come back together.
 * @param retryAfterMs The least wait that the gateway asked for.
 */
export function nextAsk(
  { asks, until }: AskingAgain,
  now: number,
  random: number,
  retryAfterMs = 0,
): NextAsk | undefined {
  const step = WAITS_MS[asks] ?? HOUR_MS;
  const dueAt = now + Math.max(Math.round(step * (1 + random / 20)), retryAfterMs);
  return dueAt < until ? { asks, until, dueAt } : undefined;
}

/** When to try again what could not leave: as soon as any other request, because nothing was asked in vain. */
export function nextTry(asking: AskingAgain, now: number, random: number): NextAsk | undefined {
  const unsent = (asking.unsent ?? 0) + 1;
  const dueAt = now + backoffMs(unsent, random);
  return dueAt < asking.until ? { ...asking, dueAt, unsent } : undefined;
}

/**
 * What the answer to a request that was sent again says about the first time. `settles`: its outcome is that of both.
 * `duplicate`: refused because the gateway has taken the first. `nothing`: the first may or may not have been taken; a
 * refused key, an empty balance or a full queue is met before a gateway looks for the key of the request.
 */
export type AgainMeaning = 'settles' | 'duplicate' | 'nothing';

export function meaningOfAgain(answer: SubmitAnswer, outcome: SubmitOutcome, profile: Profile): AgainMeaning {
  if (outcome.kind === 'accepted') return 'settles';
  if (outcome.kind !== 'rejected' && outcome.kind !== 'unknown') return 'nothing';
  if (namesDuplicate(answer, profile)) return 'duplicate';
  return outcome.kind === 'rejected' && refusesTheBytes(answer, profile) ? 'settles' : 'nothing';
}

/**
 * The first request was taken. The words must call the request a duplicate: a tag, a name or a file may be one, too.
 */
const DUPLICATES: readonly RegExp[] = [
  /duplicat\p{L}*[\s_-]*(?:request|submission|submit|task|job|order|call|key)/iu,
  /(?:request|submission|task|job|order|call|key|\bid)[\s_-]+(?:(?:is|was|has|been|a)\s+){0,3}duplicat\p{L}*(?!\p{L}|\s+\p{L})/iu,
  /(?:request|submission|task|job|order|call|key|\bid)\s+(?:(?:is|was|has|been)\s+){0,2}already\s+(?:been\s+)?(?:used|exist|created|seen)/iu,
  /already (?:been )?(?:submitted|processed|received|accepted)/iu,
  /^\W*duplicated?\W*$/iu,
  /(?:重复|重複)的?(?:请求|請求|提交|任务|任務|订单|訂單)|(?:请求|請求|提交|任务|任務|订单|訂單)(?:重复|重複)/u,
  /已(?:经|經)?(?:提交|处理|處理)|(?:请求|請求|任务|任務|订单|訂單)已(?:经|經)?(?:存在|使用)/u,
];
/** Words that say that the first request is still being handled: it may yet be refused. */
const NOT_YET = /in progress|processing|pending|concurrent|处理中|處理中|进行中|進行中/iu;
/** About the key itself. */
const KEY = /idempot|幂等|冪等/iu;
const KEY_FAULT =
  /required|missing|invalid|malformed|unsupported|not supported|too (?:long|short)|differ|mismatch|expired/iu;

/** Words about the key or its header say nothing about what the request holds. */
function isAboutKey(words: string, { idempotency }: Profile): boolean {
  const header = plain(idempotency?.header.replace(/^x-/iu, '') ?? '');
  return KEY.test(words) || (header.length >= SHORTEST_NAME && plain(words).includes(header));
}

/** In lower case and without separators, so that `Request-Id`, `request id` and `requestId` are the same. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** A shorter name occurs in other words by chance. */
const SHORTEST_NAME = 3;

function namesDuplicate({ httpStatus, envelope }: SubmitAnswer, profile: Profile): boolean {
  if (envelope === undefined || envelope.success === true || httpStatus >= 500) return false;
  const isRefusal = envelope.failure === true || httpStatus >= 400;
  const words = envelope.words.slice(0, SEARCHED_LENGTH);
  const isOfKey = isAboutKey(words, profile);
  if (!isRefusal || NOT_YET.test(words) || (isOfKey && KEY_FAULT.test(words))) return false;
  return DUPLICATES.some((pattern) => pattern.test(words)) || (isOfKey && (httpStatus === 409 || httpStatus === 422));
}

/** HTTP statuses that are about the request as it was sent. */
const OF_THE_BYTES: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/**
 * The same bytes were refused for what they hold: so were they the first time, or a gateway that knows the key would
 * have given the first answer.
 */
function refusesTheBytes({ httpStatus, envelope }: SubmitAnswer, profile: Profile): boolean {
  if (httpStatus === 413 || httpStatus === 415) return true;
  if (envelope === undefined || httpStatus >= 500 || isAboutKey(envelope.words, profile)) return false;
  const { code, words } = envelope;
  const stated = OF_THE_BYTES.has(httpStatus)
    ? errorMeaning(profile, code, words)
    : statedRefusal(profile, code, words);
  return stated === 'invalid' || stated === 'moderation';
}
