import type { Failure } from '../../shared/domain/task/failure.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import type { Clock, MediaGateway } from '../ports.ts';
import { RequestBudget } from './request-budget.ts';

/**
 * One account at one gateway, by the origin and the key: its limits and its pace are the gateway's, so every batch that
 * goes there shares them, whatever else their profiles say.
 */
export interface Lane {
  readonly budget: RequestBudget;
  /** Why the gateway does not answer at the moment; nothing while it does. */
  trouble: Failure | undefined;
  /** Until when the gateway asked to be left alone, in milliseconds since the epoch; it may be past. */
  heldUntil: number | undefined;
}

export interface LanesOptions {
  readonly clock: Clock;
  readonly gatewayFor: (profile: Profile) => MediaGateway;
  /** A short one-way fingerprint of the key for a profile; undefined when no key was given. */
  readonly keyFingerprint: (profile: Profile) => string | undefined;
}

/** The gateways of a night and the lanes to them, made when they are first asked for. */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane>();
  /** By what the profile says: paths, status values and deadlines are its own. */
  readonly #gateways = new Map<string, MediaGateway>();
  readonly #gatewayOf = new WeakMap<Profile, MediaGateway>();

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  /** The gateway that a profile describes. */
  gatewayOf(profile: Profile): MediaGateway {
    const known = this.#gatewayOf.get(profile);
    if (known !== undefined) return known;
    const text = JSON.stringify(profile);
    const gateway = this.#gateways.get(text) ?? this.#options.gatewayFor(profile);
    this.#gateways.set(text, gateway);
    this.#gatewayOf.set(profile, gateway);
    return gateway;
  }

  /** The lane that a profile's requests go by, with the key as it is now. */
  laneOf(profile: Profile): Lane {
    const { clock, keyFingerprint } = this.#options;
    const name = JSON.stringify([this.gatewayOf(profile).origin, keyFingerprint(profile) ?? null]);
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const budget = new RequestBudget(profile.limits.requestsPerSecond, clock.monotonic());
    const lane: Lane = { budget, trouble: undefined, heldUntil: undefined };
    this.#lanes.set(name, lane);
    return lane;
  }

  /**
   * Sets the pace of every lane to what the profiles that use it allow: of several, the most careful one is right about
   * the gateway.
   */
  keepPaces(profiles: Iterable<Profile>): void {
    const paces = new Map<Lane, number>();
    for (const profile of profiles) {
      const lane = this.laneOf(profile);
      paces.set(lane, Math.min(paces.get(lane) ?? Number.POSITIVE_INFINITY, profile.limits.requestsPerSecond));
    }
    for (const [lane, perSecond] of paces) lane.budget.allow(perSecond, this.#options.clock.monotonic());
  }

  async close(): Promise<void> {
    await Promise.all([...this.#gateways.values()].map((gateway) => gateway.close()));
  }
}
