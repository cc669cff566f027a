/** Sends a message by every way that the user has set, and reports the outcome of each. */
import { createHmac, randomUUID } from 'node:crypto';
import { reason, say, type Reason } from '../../shared/domain/base/reason.ts';
import { assertNever } from '../../shared/domain/base/result.ts';
import type { NightMessage } from '../../shared/domain/telling/night-message.ts';
import { WAY_NAMES, type TellingSecrets, type TellingWays, type WayName } from '../../shared/domain/telling/ways.ts';
import type { Clock } from '../ports/base.ts';
import { post, type Post } from './post-message.ts';
import { runProgramWith } from './run-command.ts';

/** Waits before another try, in milliseconds: a restarting server is back by then. */
const RETRY_DELAYS_MS: readonly number[] = [5_000, 30_000, 120_000];

/** The outcome of one way; `text` is for the user, in the language of this process: `refused with HTTP 403`. */
export interface WayOutcome {
  readonly way: WayName;
  readonly isOk: boolean;
  readonly text: string;
}

export interface TellingOptions {
  readonly ways: TellingWays;
  readonly secrets: TellingSecrets;
  readonly clock: Clock;
  /** Only this way; by default all that are set. */
  readonly only?: WayName;
  /** For a test of the settings: the answer now, without another attempt. */
  readonly isOnce?: boolean;
}

/** Sends the message by all ways at once. Never rejects. */
export function tellByWays(message: NightMessage, options: TellingOptions): Promise<readonly WayOutcome[]> {
  const { ways, only, clock, isOnce = false } = options;
  const id = `msg_${randomUUID()}`;
  const wanted = WAY_NAMES.filter((way) => ways[way] !== undefined && (only === undefined || only === way));
  return Promise.all(
    wanted.map(async (way) => {
      const delays = isOnce || way === 'command' ? [] : RETRY_DELAYS_MS;
      for (let tries = 0; ; tries += 1) {
        const { isOk, said, isPassing } = await tellOnce(way, message, id, options);
        const delay = delays[tries];
        if (isOk || !isPassing || delay === undefined) {
          return { way, isOk, text: say(tries === 0 ? said : reason('told.atAttempt', said, tries + 1)) };
        }
        await new Promise<void>((resolve) => clock.setTimer(delay, resolve));
      }
    }),
  );
}

interface Try {
  readonly isOk: boolean;
  readonly said: Reason;
  readonly isPassing: boolean;
}

async function tellOnce(
  way: WayName,
  message: NightMessage,
  id: string,
  { ways, secrets, clock }: TellingOptions,
): Promise<Try> {
  const document = messageDocument(message, clock.now());
  switch (way) {
    case 'ntfy':
      return ways.ntfy === undefined ? NOT_SET : posted(ntfyPost(message, ways.ntfy, secrets.ntfy), clock);
    case 'webhook':
      if (ways.webhook === undefined) return NOT_SET;
      if (secrets.webhook === undefined) return NO_SECRET;
      return posted(webhookPost(document, id, ways.webhook, secrets.webhook, clock.now()), clock);
    case 'command': {
      if (ways.command === undefined) return NOT_SET;
      const { kind, title, body } = message;
      const env = { NOCTURNE_EVENT: typeOf(kind), NOCTURNE_TITLE: title, NOCTURNE_BODY: body };
      const ended = await runProgramWith({ argv: ways.command.argv, env, input: `${document}\n` }, clock);
      return { ...ended, isPassing: false };
    }
    default:
      return assertNever(way);
  }
}

const NOT_SET: Try = { isOk: false, isPassing: false, said: reason('told.notSet') };
const NO_SECRET: Try = { isOk: false, isPassing: false, said: reason('told.noSecret') };

async function posted(one: Post, clock: Clock): Promise<Try> {
  return { isPassing: false, ...(await post(one, clock)) };
}

/** A message as a JSON document, in the form that the Standard Webhooks specification suggests. */
export function messageDocument({ kind, title, body, data }: NightMessage, now: number): string {
  return JSON.stringify({
    type: typeOf(kind),
    timestamp: new Date(now).toISOString(),
    data: { title, message: body, ...data },
  });
}

function typeOf(kind: NightMessage['kind']): string {
  return kind === 'test' ? 'test' : `night.${kind}`;
}

function ntfyPost(
  { kind, title, body }: NightMessage,
  { url, allowPlainHttp }: NonNullable<TellingWays['ntfy']>,
  token: string | undefined,
): Post {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    title: headerText(title),
    priority: kind === 'needs-you' ? 'high' : 'default',
    tags: kind === 'needs-you' ? 'warning' : 'crescent_moon',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return { url, allowPlainHttp, headers, body };
}

/** Headers are ASCII: other text is encoded as in email (RFC 2047), which ntfy decodes. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/u.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
}

/** Signed as the Standard Webhooks specification requires; `id` stays the same when the message is sent again. */
function webhookPost(
  document: string,
  id: string,
  { url, allowPlainHttp }: NonNullable<TellingWays['webhook']>,
  secret: string,
  now: number,
): Post {
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/u, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${document}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  return { url, allowPlainHttp, headers, body: document };
}
