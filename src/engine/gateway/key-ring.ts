import { KeyFinder, plainForms } from '../../shared/domain/base/key-finder.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { fingerprintOf } from './key-seal.ts';

/** The keys of gateways, each for one origin, only in memory. */
export class KeyRing {
  readonly #keys = new Map<string, string>();
  /** Kept by profile, because it is needed for each request. */
  readonly #originOf = new WeakMap<Profile, string>();
  readonly #fingerprintOf = new Map<string, string>();
  readonly #beforeSent = new Map<string, () => void>();
  readonly #rehearsalKeys = new Map<string, string>();
  /** Every key that was ever given here: a gateway may still repeat one that was replaced. */
  readonly #secrets = new Set<string>();
  #finder = new KeyFinder([]);
  #plainForms: readonly Buffer[] = [];

  /**
   * Sets or forgets the key for one origin. It goes to no other origin.
   * @param beforeSent Called once, right before the key leaves for the first time; if it throws, the key stays here.
   */
  set(origin: string, key: string | undefined, beforeSent?: () => void): void {
    if (beforeSent === undefined) this.#beforeSent.delete(origin);
    else this.#beforeSent.set(origin, beforeSent);
    if (key === undefined) {
      this.#keys.delete(origin);
      return;
    }
    this.#keys.set(origin, key);
    if (this.#secrets.has(key)) return;
    this.#secrets.add(key);
    this.#finder = new KeyFinder(this.#secrets);
    this.#plainForms = [...this.#secrets].flatMap(plainForms).map((form) => Buffer.from(form, 'latin1'));
  }

  /** Sets the key of a built-in gateway, which is not secret: sheets may contain it. */
  setRehearsal(origin: string, key: string): void {
    this.#rehearsalKeys.set(origin, key);
  }

  /** The key for a profile's gateway; undefined if none is known. */
  of(profile: Profile): string | undefined {
    const known = this.#originOf.get(profile);
    if (known === undefined && !URL.canParse(profile.baseUrl)) return undefined;
    const origin = known ?? new URL(profile.baseUrl).origin;
    if (known === undefined) this.#originOf.set(profile, origin);
    return this.#keys.get(origin) ?? this.#rehearsalKeys.get(origin);
  }

  /** The key is about to be sent to a profile's gateway. Throws if that must not happen. */
  beforeSent({ baseUrl }: Profile): void {
    if (this.#beforeSent.size === 0) return;
    const { origin } = new URL(baseUrl);
    this.#beforeSent.get(origin)?.();
    this.#beforeSent.delete(origin);
  }

  /** Enough to tell two keys apart in the evidence, and nothing of the key. */
  fingerprintOf(profile: Profile): string | undefined {
    const key = this.of(profile);
    if (key === undefined) return undefined;
    const fingerprint = this.#fingerprintOf.get(key) ?? fingerprintOf(key);
    this.#fingerprintOf.set(key, fingerprint);
    return fingerprint;
  }

  /** True if bytes hold a known key, unless it is encoded: takes less time than hashing them. */
  isPlainlyIn(bytes: Buffer): boolean {
    return this.#plainForms.some((form) => bytes.includes(form));
  }

  /** How many keys were ever given here. */
  get known(): number {
    return this.#secrets.size;
  }

  /** Finds every known key in what comes from elsewhere and in what is sent on. */
  get finder(): KeyFinder {
    return this.#finder;
  }
}
