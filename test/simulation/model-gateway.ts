/** A gateway with a ledger of its own: it answers as bytes over HTTP, and knows what was charged for which row. */
import { assertNever, present } from '../../src/shared/domain/base/result.ts';
import {
  acceptedAnswer,
  type Charge,
  EMPTY_RECORD,
  EPOCH_MS,
  failureAnswer,
  recordAnswer,
  slowDownAnswer,
  WEB_PAGE,
  type HttpAnswer,
} from './gateway-bodies.ts';
import type { Law, NightPlan, RequestFault } from './plan.ts';
import { Stream } from './random.ts';

/** A request as it reaches the gateway. */
export interface Asked {
  readonly account: number;
  readonly key: string;
  /** The key of a paid request, if its profile says that such keys are kept. */
  readonly requestKey: string | undefined;
  /** The row that a submit is for, or whose task a poll is about; undefined for a code that nothing has. */
  readonly row: string | undefined;
  readonly fault: RequestFault['does'] | undefined;
  readonly content:
    | { readonly kind: 'submit'; readonly operation: string; readonly body: string }
    | { readonly kind: 'poll'; readonly code: string };
}

/** What comes back: an answer after a while, a broken connection, or nothing at all. */
export type Came =
  | { readonly kind: 'answer'; readonly afterMs: number; readonly answer: HttpAnswer }
  | { readonly kind: 'reset' }
  | { readonly kind: 'nothing' };

const HOUR_MS = 3_600_000;
/** The share of its files that nobody wants. */
const BLACK = 1 / 3;

export class ModelGateway {
  readonly charges: Charge[] = [];
  /** Called with each charge when it is made. */
  onCharge: (charge: Charge) => void = () => undefined;
  /** How often each task was asked about. */
  readonly polls = new Map<string, number>();
  readonly #plan: NightPlan;
  readonly #nowMs: () => number;
  readonly #isSpell: (kind: 'rate' | 'balance' | 'refused') => boolean;
  readonly #byCode = new Map<string, Charge>();
  /** When each place of a queue is free. */
  readonly #placesFreeAt: number[] = [];
  readonly #taken = new Map<string, number>();
  /** What was charged under a key, by account and key. */
  readonly #byRequestKey = new Map<string, Charge>();

  constructor(plan: NightPlan, nowMs: () => number, isSpell: (kind: 'rate' | 'balance' | 'refused') => boolean) {
    this.#plan = plan;
    this.#nowMs = nowMs;
    this.#isSpell = isSpell;
  }

  chargeOf(code: string): Charge | undefined {
    return this.#byCode.get(code);
  }

  /** Carries out a request that has arrived. */
  answer(asked: Asked): Came {
    return asked.content.kind === 'submit'
      ? this.#submit(asked, asked.content.operation, asked.content.body)
      : this.#poll(asked, asked.content.code);
  }

  #submit(asked: Asked, operation: string, body: string): Came {
    const soon = (answer: HttpAnswer, afterMs = 80): Came => ({ kind: 'answer', afterMs, answer });
    if (this.#isSpell('rate')) return soon(failureAnswer(429, 429, 'too many requests'));
    if (this.#isSpell('balance')) return soon(failureAnswer(402, 402, 'insufficient balance'));
    if (this.#isSpell('refused')) return soon(failureAnswer(401, 401, 'invalid key'));
    const fault = asked.fault as Extract<RequestFault, { at: 'submit' }>['does'] | undefined;
    switch (fault) {
      case 'lost-before':
        return { kind: 'reset' };
      case 'rate':
        return soon(failureAnswer(429, 429, 'too many requests'));
      case 'rate-after':
        return soon(slowDownAnswer('40'));
      case 'rate-date':
        return soon(slowDownAnswer(new Date(EPOCH_MS + this.#nowMs() + 90_000).toUTCString()));
      case 'rate-words':
        return soon(failureAnswer(200, 500, 'too many requests'));
      case 'unavailable':
        return soon(failureAnswer(503, 503, 'service unavailable'));
      default:
    }
    const known = this.#knownUnder(asked);
    // The key is looked at before the request: what was accepted once is not refused.
    if (known === undefined && fault === 'invalid') return soon(failureAnswer(400, 400, 'invalid parameter'));
    if (known === undefined && fault === 'moderated') return soon(failureAnswer(400, 400, 'content policy violation'));
    const charge = known ?? this.#take(asked, operation, body);
    const good = acceptedAnswer(charge.code);
    switch (fault) {
      case undefined:
      case 'unreachable':
      case 'invalid':
      case 'moderated':
        return soon(good);
      case 'lost-after':
        return { kind: 'reset' };
      case 'silent':
        return { kind: 'nothing' };
      case 'late':
        return soon(good, 20_000);
      case 'html':
        return soon(WEB_PAGE);
      case 'conflict':
        return soon(failureAnswer(409, 409, 'already in progress'));
      case 'moved':
        return soon({ status: 302, headers: { location: 'https://elsewhere.example/' }, body: '' });
      case 'half':
        return soon({ ...good, body: good.body.slice(0, -24) });
      case 'other-code':
        return soon(acceptedAnswer(this.charges[0]?.code ?? charge.code));
      default:
        return assertNever(fault);
    }
  }

  /** The earlier charge for the key of a request; undefined if the gateway does not know one. */
  #knownUnder({ account, requestKey, row = '' }: Asked): Charge | undefined {
    const known = this.#byRequestKey.get(`${account} ${requestKey}`);
    const keys = this.#plan.batches.find(({ rows }) => rows.some(({ id }) => id === row))?.keys;
    const isKept = keys === 'kept' || (keys === 'forgotten' && this.#nowMs() - (known?.atMs ?? 0) < HOUR_MS);
    return isKept ? known : undefined;
  }

  #take({ account, key, requestKey, row = '' }: Asked, operation: string, body: string): Charge {
    const nth = (this.#taken.get(row) ?? 0) + 1;
    this.#taken.set(row, nth);
    const random = new Stream(this.#plan.seed, `rendering ${row} ${nth}`);
    const atMs = this.#nowMs();
    const isData = operation.includes('lyrics');
    const isImage = operation.includes('image');
    const charge: Charge = {
      ...present({ requestKey }),
      code: `${account + 1}${String(this.charges.length + 1).padStart(6, '0')}`,
      row,
      body,
      account,
      key,
      isData,
      isImage,
      atMs,
      ...this.#times(this.#plan.law, atMs, random),
      hasFailed: this.#plan.batches.some(({ rows }) => rows.some(({ id, fails }) => id === row && fails === true)),
      files: isData ? 0 : 1 + random.below(2),
      isBlack: random.chance(BLACK),
    };
    this.charges.push(charge);
    if (requestKey !== undefined) this.#byRequestKey.set(`${account} ${requestKey}`, charge);
    this.#byCode.set(charge.code, charge);
    this.onCharge(charge);
    return charge;
  }

  #times(law: Law, atMs: number, random: Stream): Pick<Charge, 'startsAtMs' | 'endsAtMs'> {
    switch (law.kind) {
      case 'fixed':
        return { startsAtMs: atMs, endsAtMs: atMs + law.ms };
      case 'lognormal':
        return { startsAtMs: atMs, endsAtMs: atMs + law.ms * Math.exp(law.spread * random.normal()) };
      case 'heavy':
        return { startsAtMs: atMs, endsAtMs: atMs + law.ms * Math.min(40, (1 - random.next()) ** -0.7) };
      case 'batches':
        return { startsAtMs: atMs, endsAtMs: (Math.floor(atMs / law.ms) + 1) * law.ms };
      case 'queue': {
        const free = this.#placesFreeAt;
        const place = free.length < law.places ? free.length : free.indexOf(Math.min(...free));
        const startsAtMs = Math.max(atMs, free[place] ?? 0);
        free[place] = startsAtMs + law.ms;
        return { startsAtMs, endsAtMs: startsAtMs + law.ms };
      }
      default:
        return assertNever(law);
    }
  }

  #poll(asked: Asked, code: string): Came {
    const soon = (answer: HttpAnswer, afterMs = 60): Came => ({ kind: 'answer', afterMs, answer });
    this.polls.set(code, (this.polls.get(code) ?? 0) + 1);
    if (this.#isSpell('rate')) return soon(failureAnswer(429, 429, 'too many requests'));
    // The same refusal in other words.
    if (this.#isSpell('refused')) return soon(failureAnswer(403, 403, 'this key may not be used'));
    const charge = this.#byCode.get(code);
    if (charge?.account !== asked.account) return soon(failureAnswer(404, 404, 'task not found'));
    const fault = asked.fault as Extract<RequestFault, { at: 'poll' }>['does'] | undefined;
    const nowMs = this.#nowMs();
    const { shape } = this.#plan;
    switch (fault) {
      case undefined:
        return soon(recordAnswer(charge, nowMs, shape));
      case 'lost':
        return { kind: 'reset' };
      case 'silent':
        return { kind: 'nothing' };
      case 'html':
        return soon(WEB_PAGE);
      case 'unavailable':
        return soon(failureAnswer(503, 503, 'service unavailable'));
      case 'late':
        return soon(recordAnswer(charge, nowMs, shape), 9000);
      case 'rate':
        return soon(failureAnswer(429, 429, 'too many requests'));
      case 'rate-after':
        return soon(slowDownAnswer('40'));
      case 'empty':
        return soon(EMPTY_RECORD);
      case 'of-another':
        return soon(recordAnswer(this.charges[0] ?? charge, nowMs, shape));
      case 'not-found':
        return soon(failureAnswer(404, 404, 'task not found'));
      case 'running-again':
        return soon(recordAnswer(charge, Math.min(nowMs, charge.endsAtMs - 1), shape));
      default:
        return assertNever(fault);
    }
  }
}
