import { createHash } from 'node:crypto';
import type { Profile } from '../shared/domain/profile.ts';

/** The keys of gateways, each for one origin and in memory alone. */
export class KeyRing {
  readonly #keys = new Map<string, string>();
  readonly #rehearsalKeys = new Map<string, string>();

  /** Takes the key for one origin in, or forgets it. It goes to no other origin. */
  set(origin: string, key: string | undefined): void {
    if (key === undefined) this.#keys.delete(origin);
    else this.#keys.set(origin, key);
  }

  /** Takes in the key of a built-in gateway, which is no secret: sheets may hold it. */
  setRehearsal(origin: string, key: string): void {
    this.#rehearsalKeys.set(origin, key);
  }

  /** The key that goes to a profile's gateway; undefined where none is known. */
  of({ baseUrl }: Profile): string | undefined {
    if (baseUrl === '') return undefined;
    const { origin } = new URL(baseUrl);
    return this.#keys.get(origin) ?? this.#rehearsalKeys.get(origin);
  }

  /** Enough to tell two keys apart in the evidence, and nothing of the key. */
  fingerprintOf(profile: Profile): string | undefined {
    const key = this.of(profile);
    return key === undefined
      ? undefined
      : createHash('sha256').update(`nocturne key ${key}`).digest('hex').slice(0, 12);
  }

  /** Every key that no sheet may hold and no request may send on. */
  get secrets(): readonly string[] {
    return [...this.#keys.values()];
  }

  /** What a sheet's cells are checked against: the key that was given last, as an option to spread. */
  get secretOfSheets(): { readonly key?: string } {
    const key = this.secrets.at(-1);
    return key === undefined ? {} : { key };
  }
}
