import { present } from '../../../shared/domain/base/result.ts';
import { priceOf } from '../../../shared/domain/sheet/row.ts';
import {
  atTodaysPrices,
  capReached,
  NOTHING_SPENT,
  priceUnknown,
  reservedFor,
  shortageOf,
  unpricedBy,
  withMore,
  type Cap,
  type Shortage,
  type Spending,
} from '../../../shared/domain/task/spending.ts';
import { PROBE_REQUESTS } from '../../../shared/domain/task/key-probe.ts';
import type { Money } from '../../../shared/domain/base/money.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { Failure } from '../../../shared/domain/base/failure.ts';
import type { NightAccount } from '../batches/night-account.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import type { Night } from '../night.ts';

/** What an account may take from the queue of a batch. */
export interface Room {
  /** How many requests, whatever they cost. */
  readonly requests: number;
  /** Operations that do not fit. */
  readonly dear: readonly OperationPath[];
  /** Why nothing at all may go, if nothing under way may change that. */
  readonly why?: Failure;
  /** The same for what is too dear, while the rest may go. */
  readonly whyDear?: Failure;
}

export const BOUNDLESS: Room = { requests: Number.POSITIVE_INFINITY, dear: [] };
const NO_ROOM: Room = { requests: 0, dear: [] };

/**
 * What the limits leave in one tick, for all batches. Counted from what is committed, and in addition from what was
 * chosen in this tick: the intents of a tick are committed together, and each counts towards the sum from then on,
 * whatever ends the process.
 *
 * Rows go in order. A row that costs more than is left stays where it is, and cheaper ones behind it go while they fit.
 * The batch pauses once nothing of it fits, and nothing of it is under way that may change that.
 */
export class Caps {
  readonly #night: Night;
  readonly #spending: Spending | undefined;
  /** Prices of requests that were chosen in this tick, by batch. */
  readonly #chosen: {
    readonly batch: NightBatch;
    readonly account: NightAccount;
    readonly operation: OperationPath;
    readonly price: Money | undefined;
    readonly charges: number;
  }[] = [];

  private constructor(night: Night, spending: Spending | undefined) {
    this.#night = night;
    this.#spending = spending;
  }

  /** Asks the store what these batches, this night and this month have spent. */
  static async read(night: Night, batches: readonly NightBatch[]): Promise<Caps> {
    if (batches.length === 0) return new Caps(night, undefined);
    const ids = batches.map(({ id }) => id);
    return new Caps(night, await night.store.spending(night.clock.now(), ids));
  }

  /** Whether the store was asked about a batch. */
  knows({ id }: NightBatch): boolean {
    return this.#spending?.batches.has(id) === true;
  }

  /** What a batch may take now with an account, judging by what is committed. */
  roomFor(batch: NightBatch, account: NightAccount): Room {
    if (!this.#night.limits.areFor(batch)) return BOUNDLESS;
    const queued = this.#spending?.batches.get(batch.id)?.queued;
    if (queued === undefined) return NO_ROOM;
    const caps = this.#capsOf(batch, account, false);
    const priceIn = (operation: OperationPath) => this.reservedFor(batch, account, operation);
    const [unheld] = queued.flatMap(({ operation }) => unpricedBy(caps, priceIn(operation)) ?? []);
    const unpriced = queued.filter(({ operation }) => unheld && unpricedBy([unheld], priceIn(operation)) !== undefined);
    // Of several accounts, another may have a price for an operation: what has no price here is left to that account.
    if (unheld !== undefined && (account.name === undefined || unpriced.length === queued.length)) {
      const names = unpriced.map(({ operation }) => operation);
      return { ...NO_ROOM, why: priceUnknown(unheld, names) };
    }
    const charges = this.chargesOf(batch, account);
    const short = queued.map(({ operation }) => shortageOf(caps, priceIn(operation), charges));
    const dear = queued.flatMap(({ operation }, i) => (short[i] === undefined ? [] : operation));
    const why = leastShort(short.flatMap((one) => one ?? []));
    const mayGo = queued.some(({ isStartable }, i) => isStartable && short[i] === undefined);
    const room = { requests: Math.floor(requestsLeft(caps) / charges), dear };
    if (why === undefined) return room;
    const mayFit = dear.length < queued.length;
    const isOpen = this.#mayChange(batch, why.cap, mayFit);
    if (mayGo && isOpen) return room;
    const dearPrices = dear.map(priceIn);
    const also = caps.flatMap((cap) => (cap === why.cap ? [] : (blockedBy(cap, dearPrices, charges) ?? [])));
    const reached = capReached(why, this.#dearer(batch, account), also);
    if (mayGo) return { ...room, whyDear: reached };
    return isOpen ? NO_ROOM : { ...NO_ROOM, why: reached };
  }

  /** What is under way may be refused and cost nothing, or free a waiting row that fits. */
  #mayChange({ id }: NightBatch, { of }: Cap, mayFit: boolean): boolean {
    const { active } = this.#night;
    if (mayFit && active.isBusy(id)) return true;
    return (of === 'batch' || of === 'account' ? active.ofBatch(id) : active.all()).some(
      ({ status }) => status === 'submitting',
    );
  }

  /** How often one request of a batch may be charged: a batch that tries the keys of a gateway sends it twice. */
  chargesOf(batch: NightBatch, account: NightAccount): number {
    return this.#night.keyTrust.isProbing(batch, account) ? PROBE_REQUESTS : 1;
  }

  /** The most that a request of a batch may cost each time, by an account's price and by what its gateway has said. */
  reservedFor({ id }: NightBatch, { name, profile }: NightAccount, operation: OperationPath): Money | undefined {
    const known = this.#spending?.batches.get(id);
    const stated =
      name === undefined
        ? known?.queued.find((one) => one.operation === operation)?.stated
        : known?.accounts?.get(name)?.stated.flatMap((one) => (one.operation === operation ? one.cost : []));
    return reservedFor(priceOf(profile.prices, operation), stated);
  }

  /** An operation of a batch that costs more than its price. */
  #dearer(batch: NightBatch, account: NightAccount): Parameters<typeof capReached>[1] {
    const queued = this.#spending?.batches.get(batch.id)?.queued ?? [];
    return queued
      .flatMap(({ operation }) => {
        const cost = this.reservedFor(batch, account, operation);
        const price = priceOf(account.profile.prices, operation);
        return cost !== undefined && price !== undefined && cost.amount > price.amount ? { operation, cost } : [];
      })
      .at(0);
  }

  /** Takes room for one more request; false if there is none beside what was chosen in this tick. */
  take(batch: NightBatch, account: NightAccount, operation: OperationPath): boolean {
    if (!this.#night.limits.areFor(batch)) return true;
    const price = this.reservedFor(batch, account, operation);
    const charges = this.chargesOf(batch, account);
    if (!this.knows(batch) || shortageOf(this.#capsOf(batch, account, true), price, charges) !== undefined)
      return false;
    this.#chosen.push({ batch, account, operation, price, charges });
    return true;
  }

  /** The limits as they are now: the user may change them while the store is asked. */
  #capsOf(batch: NightBatch, account: NightAccount, withChosen: boolean): readonly Cap[] {
    const { maxSubmits: requests, maxCost: cost, rehearsal, ceiling: ofDoor } = batch.record.settings;
    const { ceiling } = this.#night.limits;
    const { night, month } = this.#night.limits.current;
    const known = this.#spending?.batches.get(batch.id);
    const own = known?.spent ?? NOTHING_SPENT;
    const spentOf = (
      spent: Cap['spent'],
      isOf: (other: NightBatch, otherAccount: NightAccount) => boolean,
    ): Cap['spent'] =>
      withChosen
        ? this.#chosen.reduce(
            (sum, one) => (isOf(one.batch, one.account) ? withMore(sum, one.operation, one.price, one.charges) : sum),
            spent,
          )
        : spent;
    const isPaid = ({ record }: NightBatch): boolean => !record.settings.rehearsal;
    const caps: Cap[] = [
      { of: 'batch', limit: { ...present({ requests, cost }) }, spent: spentOf(own, (of) => of === batch) },
    ];
    const ofAccount = account.account.limit;
    if (ofAccount !== undefined) {
      const spent = known?.accounts?.get(account.account.name)?.spent ?? NOTHING_SPENT;
      caps.unshift({
        of: 'account',
        account: account.account.name,
        limit: ofAccount,
        spent: spentOf(spent, (_, one) => one === account),
      });
    }
    if (rehearsal) return this.#priced(batch, account, caps);
    const { night: inNight = NOTHING_SPENT, month: inMonth = NOTHING_SPENT } = this.#spending ?? {};
    for (const limit of [ceiling, ofDoor, night])
      if (limit !== undefined) caps.push({ of: 'night', limit, spent: spentOf(inNight, isPaid) });
    if (month !== undefined) caps.push({ of: 'month', limit: month, spent: spentOf(inMonth, isPaid) });
    return this.#priced(batch, account, caps);
  }

  #priced(batch: NightBatch, account: NightAccount, caps: readonly Cap[]): readonly Cap[] {
    return caps.map((cap) => {
      const { cost } = cap.limit;
      if (cost === undefined || cap.spent.unpriced === 0) return cap;
      return {
        ...cap,
        spent: atTodaysPrices(cap.spent, cost, (operation) => this.reservedFor(batch, account, operation)),
      };
    });
  }
}

function requestsLeft(caps: readonly Cap[]): number {
  return Math.min(
    ...caps.map(({ limit: { requests = Number.POSITIVE_INFINITY }, spent }) => requests - spent.requests),
  );
}

/** What a limit alone lacks for any of these prices; undefined if one of them fits, or cannot be compared with it. */
function blockedBy(cap: Cap, prices: readonly (Money | undefined)[], charges: number): Shortage | undefined {
  const short = prices.map((price) => shortageOf([cap], price, charges));
  if (short.some((one) => one === undefined || one.lacks === 'price')) return undefined;
  return leastShort(short.flatMap((one) => one ?? []));
}

/** The first, or what the same limit lacks for the cheapest request. */
function leastShort(short: readonly Shortage[]): Shortage | undefined {
  const [first, ...others] = short;
  const same = others.filter(({ cap, lacks }) => cap === first?.cap && lacks === first.lacks);
  return same.reduce((least, one) => ((one.price?.amount ?? 0) < (least?.price?.amount ?? 0) ? one : least), first);
}
