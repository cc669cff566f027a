import { type Dispatcher, Pool } from 'undici';
import type { ConnectionReport, ConnectionResult } from '../../shared/domain/gateway/learned/connection.ts';
import { inEnglish, reason, say } from '../../shared/domain/base/reason.ts';
import { unreachableReason } from '../../shared/domain/gateway/learned/connection.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { resultPathFor } from '../../shared/domain/gateway/profile.ts';
import { gatewaySays } from '../../shared/domain/gateway/submit-outcome.ts';
import { FAMILIES, type Operation, OPERATIONS } from '../../shared/domain/operations/operations.ts';
import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { trimEnd } from '../../shared/domain/base/text.ts';
import type { Clock } from '../ports/base.ts';
import { memberOf, type ReadBody, readEnvelope, type UnreadBody } from './envelope.ts';
import { exchange, gatewayConnector } from './exchange.ts';
import { inflateAnswer, withoutKey } from './inflate-answer.ts';
import { readPollAnswer } from './read-answer.ts';
import { pollTarget } from './task-codes.ts';

/** No gateway has ever issued it. */
const MADE_UP_CODE = 'nocturne-connection-test';
/** Somebody is waiting at the screen. */
const LONGEST_MS = 20_000;
const BODY_SHOWN = 400;

export interface ConnectionTest {
  /** Must have a base URL. */
  readonly profile: Profile;
  /** The key for the profile's origin; without one, the requests carry none. */
  readonly key: string | undefined;
  /** Called right before the key leaves; if it throws, nothing is sent. */
  readonly beforeKeyIsSent?: () => void;
  readonly keyFinder: KeyFinder;
  readonly clock: Clock;
}

/**
 * Asks a gateway about a task that does not exist, once for each of its result operations, until one answers as a
 * gateway does. Only GETs: whatever is there, nothing is paid for. Follows no redirect and never rejects.
 */
export async function testConnection(test: ConnectionTest): Promise<ConnectionReport> {
  const { origin } = new URL(test.profile.baseUrl);
  const pool = new Pool(origin, { connections: 1, allowH2: false, connect: gatewayConnector(test.profile) });
  try {
    let best: ConnectionReport | undefined;
    const asked = new Set<string>();
    for (const operation of FIRST_OPERATIONS) {
      const path = resultPathFor(test.profile, operation);
      if (asked.has(path)) continue;
      asked.add(path);
      const report = await askOnce(test, pool, operation, path);
      if (best === undefined || RANK[report.result] > RANK[best.result]) best = report;
      // Another path would be refused as well, or not reached either.
      if (RANK[report.result] >= RANK['key-rejected'] || report.result === 'unreachable') break;
    }
    if (best === undefined) throw new Error('No result operation was asked.');
    return best;
  } finally {
    await pool.destroy();
  }
}

/** One submit operation of each family: their result operations are asked. */
const FIRST_OPERATIONS: readonly Operation[] = FAMILIES.flatMap((family) =>
  OPERATIONS.filter((operation) => operation.family === family).slice(0, 1),
);

/** Higher for a result that says more about the gateway. */
const RANK: Readonly<Record<ConnectionResult, number>> = {
  unreachable: 0,
  'not-a-gateway': 1,
  'wrong-path': 2,
  unclear: 3,
  'path-unclear': 4,
  'key-rejected': 5,
  'key-missing': 6,
  works: 7,
};

async function askOnce(
  { profile, key, beforeKeyIsSent, keyFinder, clock }: ConnectionTest,
  dispatcher: Dispatcher,
  operation: Operation,
  resultPath: string,
): Promise<ConnectionReport> {
  const { in: place, name } = profile.taskCode;
  const way = place === 'path' ? ({ in: 'path' } as const) : ({ in: 'query', name } as const);
  const target = pollTarget(resultPath, way, MADE_UP_CODE) ?? resultPath;
  const { origin, pathname } = new URL(profile.baseUrl);
  const path = `${trimEnd(pathname, (char) => char === '/')}${target}`;
  const asked = `${origin}${path}`;
  const headers = ['Accept', 'application/json, */*', 'User-Agent', profile.userAgent];
  const came = await exchange(
    { method: 'GET', path, headers: key === undefined ? headers : ['aiKey', key, ...headers] },
    {
      dispatcher,
      clock,
      deadlineMs: Math.min(profile.deadlines.pollSeconds * 1000, LONGEST_MS),
      signal: undefined,
      beforeSent: key === undefined ? () => undefined : (beforeKeyIsSent ?? (() => undefined)),
    },
  );
  if (came.kind === 'unanswered') {
    const why = came.wasSent ? 'no-answer' : unreachableReason(inEnglish(came.reason));
    return { result: 'unreachable', reason: why, asked, came: say(came.reason) };
  }
  const inflated = await inflateAnswer(came.raw);
  const raw = withoutKey(inflated.raw, keyFinder);
  const body = readEnvelope(raw.body, raw.truncated);
  const envelope = 'envelope' in body ? body.envelope : undefined;
  const says = gatewaySays({
    httpStatus: raw.httpStatus,
    envelope,
    bodyIs: 'bodyIs' in body ? body.bodyIs : '',
  });
  return {
    result: resultOf(raw.httpStatus, body, operation, profile, key !== undefined),
    asked,
    came:
      raw.httpStatus >= 300 && raw.httpStatus < 400
        ? say(reason('both', says, reason('redirectsElsewhere')))
        : say(says),
    body: new TextDecoder().decode(raw.body).slice(0, BODY_SHOWN),
  };
}

function resultOf(
  httpStatus: number,
  body: ReadBody | UnreadBody,
  operation: Operation,
  profile: Profile,
  hasKey: boolean,
): ConnectionResult {
  const refusesKey = hasKey ? 'key-rejected' : 'key-missing';
  if (httpStatus === 401) return refusesKey;
  if (httpStatus === 408 || httpStatus === 429 || httpStatus >= 500) return 'unclear';
  if (!('envelope' in body) || !isEnvelope(body)) return 'not-a-gateway';
  const answer = readPollAnswer({ httpStatus, body, retryAfterMs: undefined }, operation, profile);
  if (answer.kind === 'error') return 'not-a-gateway';
  if (answer.kind === 'refused' && answer.means === 'auth') return refusesKey;
  if (answer.kind === 'refused' && answer.means === 'rate') return 'unclear';
  const { code, words } = body.envelope;
  const knows = httpStatus === 404 || code === '404' ? knowsPath(words) : true;
  if (knows === false) return 'wrong-path';
  if (!hasKey) return 'key-missing';
  return knows ? 'works' : 'path-unclear';
}

/** Whether a 404 is about the made-up task, and not about the path; undefined if its words may mean either. */
function knowsPath(words: string): boolean | undefined {
  if (/\b(?:path|route|url|uri|endpoint|cannot get)\b|路径|路由|接口|网址/iu.test(words)) return false;
  return /task|record|job|任务|记录/iu.test(words) ? true : undefined;
}

/** Any server may answer with some JSON: two fields of the interface's envelope are no coincidence. */
function isEnvelope({ whole }: ReadBody): boolean {
  const fields = ['code', 'info', 'result', 'success', 'failure'].filter((name) => memberOf(whole, name) !== undefined);
  return fields.length >= 2;
}
