import type { SeenBalance } from '../../../shared/domain/gateway/charges/stated-amount.ts';
import type { MediaGateway } from '../../ports/media-gateway.ts';
import type { NightAccount } from '../batches/night-account.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import type { AccountPlace } from '../batches/night-batches.ts';
import type { Lane } from '../lanes.ts';
import type { Night } from '../night.ts';

/** How often, at most, to ask for a balance during a night. */
const EVERY_MS = 5 * 60_000;
/** A balance heard this recently is not asked for again, however often a form is opened. */
const FRESH_MS = 5_000;

interface Watched {
  /** By the monotonic clock. */
  readonly askedAt: number;
  readonly asking: Promise<void>;
  seen?: SeenBalance;
}

/**
 * The balances of a night's accounts, if their gateways state them: asked for before the night, every few minutes
 * during it, and after it, each like a poll and within the same budget. An unknown balance stops nothing.
 */
export class Balances {
  readonly #night: Night;
  readonly #told: (lane: Lane) => void;
  readonly #accounts = new Map<Lane, Watched>();
  /** Accounts to look at once more when their batch has come to rest. */
  readonly #atWork = new Set<NightAccount>();

  /** @param told Called when something was heard about the account of a lane. */
  constructor(night: Night, told: (lane: Lane) => void) {
    this.#night = night;
    this.#told = told;
  }

  /** What was last heard about the account of a lane. */
  of(lane: Lane): SeenBalance | undefined {
    return this.#accounts.get(lane)?.seen;
  }

  /** Asks, unless the balance was just heard or the budget has no room; resolves to what is known then. */
  async ask(place: AccountPlace): Promise<SeenBalance | undefined> {
    this.#start(place, FRESH_MS);
    await this.#accounts.get(place.lane)?.asking;
    return this.of(place.lane);
  }

  /** Looks after the accounts of batches that are at work, or have just come to rest. */
  watch(batches: Iterable<NightBatch>): void {
    for (const batch of batches) for (const account of batch.accounts) this.#watch(batch, account);
  }

  #watch(batch: NightBatch, account: NightAccount): void {
    if (account.profile.balance === undefined) return;
    const isAtWork = batch.allowedAt(account).submit;
    if (isAtWork) this.#atWork.add(account);
    else if (!this.#atWork.has(account)) return;
    const isAsked = this.#start(account, isAtWork ? EVERY_MS : FRESH_MS);
    if (!isAtWork && isAsked) this.#atWork.delete(account);
  }

  /**
   * False if the budget has no room. Nothing is asked for if what is known is younger than `youngMs`, or is on its way.
   */
  #start({ account, lane, gateway }: AccountPlace, youngMs: number): boolean {
    const now = this.#night.clock.monotonic();
    const known = this.#accounts.get(lane);
    if (account.profile.balance === undefined || (known !== undefined && now - known.askedAt < youngMs)) return true;
    if (this.#night.keyFingerprint(account) === undefined || !lane.budget.tryTake(now)) return false;
    const asking = this.#ask(lane, gateway);
    this.#accounts.set(lane, { ...known, askedAt: now, asking });
    return true;
  }

  async #ask(lane: Lane, gateway: MediaGateway): Promise<void> {
    let heard: Omit<SeenBalance, 'at'>;
    try {
      heard = await gateway.balance(this.#night.ending);
    } catch (error) {
      heard = { problem: String(error) };
    }
    const account = this.#accounts.get(lane);
    if (account === undefined || this.#night.ending.aborted) return;
    account.seen = { at: this.#night.clock.now(), ...heard };
    this.#told(lane);
  }
}
