import { KeyFinder, plainForms } from '../../shared/domain/base/key-finder.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { fingerprintOf } from './key-seal.ts';

/** A gateway, and the name of its key if there are several for its origin. */
interface Access {
  readonly profile: Profile;
  readonly keyName?: string;
}

/** The keys of gateways, each for one origin, only in memory. */
export class KeyRing {
  readonly #keys = new Map<string, string>();
  /** Kept by profile, because it is needed for each request. */
  readonly #originOf = new WeakMap<Profile, string>();
  readonly #fingerprintOf = new Map<string, string>();
  readonly #beforeSent = new Map<string, () => void>();
  readonly #rehearsalKeys = new Map<string, string>();
  /** Every key that was ever set here: a gateway may still repeat one that was replaced. */
  readonly #secrets = new Set<string>();
  #finder = new KeyFinder([]);
  #plainForms: readonly Buffer[] = [];

  /**
   * Sets or forgets the key for one origin. It goes to no other origin.
   * @param beforeSent Called once, right before the key leaves for the first time; if it throws, the key stays here.
   * @param name Distinguishes it from the other keys for the origin.
   */
  set(origin: string, key: string | undefined, beforeSent?: () => void, name?: string): void {
    const place = placeOf(origin, name);
    if (beforeSent === undefined) this.#beforeSent.delete(place);
    else this.#beforeSent.set(place, beforeSent);
    if (key === undefined) {
      this.#keys.delete(place);
      return;
    }
    this.#keys.set(place, key);
    this.keepOut(key);
  }

  /** Keeps a key out of everything, although it goes nowhere. */
  keepOut(key: string): void {
    if (this.#secrets.has(key)) return;
    this.#secrets.add(key);
    this.#finder = new KeyFinder(this.#secrets);
    this.#plainForms = [...this.#secrets].flatMap(plainForms).map((form) => Buffer.from(form, 'latin1'));
  }

  /** Sets the key of a built-in gateway, which is not secret: sheets may contain it. */
  setRehearsal(origin: string, key: string): void {
    this.#rehearsalKeys.set(origin, key);
  }

  /**
   * The key for a gateway; undefined if none is known. If there are several keys for an origin, none replaces one that
   * is missing: to the gateway, another key is another account, which knows nothing of what was sent.
   */
  of({ profile, keyName }: Access): string | undefined {
    const known = this.#originOf.get(profile);
    if (known === undefined && !URL.canParse(profile.baseUrl)) return undefined;
    const origin = known ?? new URL(profile.baseUrl).origin;
    if (known === undefined) this.#originOf.set(profile, origin);
    return this.#keys.get(placeOf(origin, keyName)) ?? this.#rehearsalKeys.get(origin);
  }

  /** The key is about to be sent to a gateway. Throws if that must not happen. */
  beforeSent({ profile, keyName }: Access): void {
    if (this.#beforeSent.size === 0) return;
    const { origin } = new URL(profile.baseUrl);
    const place = placeOf(origin, keyName);
    this.#beforeSent.get(place)?.();
    this.#beforeSent.delete(place);
  }

  /** Enough to distinguish two keys in the evidence; reveals nothing else about the key. */
  fingerprintOf(access: Access): string | undefined {
    const key = this.of(access);
    if (key === undefined) return undefined;
    const fingerprint = this.#fingerprintOf.get(key) ?? fingerprintOf(key);
    this.#fingerprintOf.set(key, fingerprint);
    return fingerprint;
  }

  /** True if bytes contain a known key that is not encoded: takes less time than hashing them. */
  isPlainlyIn(bytes: Buffer): boolean {
    return this.#plainForms.some((form) => bytes.includes(form));
  }

  /** How many keys were ever set here. */
  get known(): number {
    return this.#secrets.size;
  }

  /** Finds every known key in what comes from elsewhere and in what is sent on. */
  get finder(): KeyFinder {
    return this.#finder;
  }
}

/** An origin contains no space. */
function placeOf(origin: string, name: string | undefined): string {
  return name === undefined ? origin : `${origin} ${name}`;
}
