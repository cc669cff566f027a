import { KeyFinder, plainForms } from '../../shared/domain/base/key-finder.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { fingerprintOf } from './key-seal.ts';

/** The keys of gateways, each for one origin and in memory alone. */
export class KeyRing {
  readonly #keys = new Map<string, string>();
  readonly #beforeSent = new Map<string, () => void>();
  readonly #rehearsalKeys = new Map<string, string>();
  /** Every key that was ever given here: a gateway may still repeat one that was replaced. */
  readonly #secrets = new Set<string>();
  #finder = new KeyFinder([]);
  #plainForms: readonly Buffer[] = [];

  /**
   * Takes the key for one origin in, or forgets it. It goes to no other origin.
   * @param beforeSent Called once, right before the key leaves for the first time; where it throws, it stays here.
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

  /** Takes in the key of a built-in gateway, which is no secret: sheets may hold it. */
  setRehearsal(origin: string, key: string): void {
    this.#rehearsalKeys.set(origin, key);
  }

  /** The key that goes to a profile's gateway; undefined where none is known. */
  of({ baseUrl }: Profile): string | undefined {
    if (!URL.canParse(baseUrl)) return undefined;
    const { origin } = new URL(baseUrl);
    return this.#keys.get(origin) ?? this.#rehearsalKeys.get(origin);
  }

  /** The key is about to be sent to a profile's gateway. Throws where that must not happen. */
  beforeSent({ baseUrl }: Profile): void {
    const { origin } = new URL(baseUrl);
    this.#beforeSent.get(origin)?.();
    this.#beforeSent.delete(origin);
  }

  /** Enough to tell two keys apart in the evidence, and nothing of the key. */
  fingerprintOf(profile: Profile): string | undefined {
    const key = this.of(profile);
    return key === undefined ? undefined : fingerprintOf(key);
  }

  /** True where bytes hold a key that was given, unless it is encoded: takes less time than to hash them. */
  isPlainlyIn(bytes: Buffer): boolean {
    return this.#plainForms.some((form) => bytes.includes(form));
  }

  /** Finds every key that was given, in what comes from elsewhere and in what is sent on. */
  get finder(): KeyFinder {
    return this.#finder;
  }
}
