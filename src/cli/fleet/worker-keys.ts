/** The keys of a worker, given to the accounts of the batches that it finds. */
import type { Engine } from '../../engine/index.ts';
import { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import { accountsOf, type Account } from '../../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { nameAndValue } from '../accounts.ts';
import type { Console } from '../console.ts';
import { CommandFailure } from '../ending.ts';
import { giveKey, isKeyFor, requireKey } from '../gateway-key.ts';
import { readKey } from '../given.ts';
import type { KeyOptions } from '../options/common-options.ts';

/** Which key goes to which account: the one with the account's name, or else the one for all others. */
export class WorkerKeys {
  readonly #console: Console;
  readonly #options: KeyOptions;
  readonly #byName: ReadonlyMap<string, string>;
  readonly #other: string | undefined;
  /** Accounts that have their key or cannot have it, by gateway and name of the key. */
  readonly #settled = new Set<string>();
  /** Gateways with the keys that they were given, and the first gateway of each key. */
  readonly #given = new Set<string>();
  readonly #firstOrigin = new Map<string, string>();

  /** Throws {@link CommandFailure} if there is no key, or one cannot be read. */
  constructor(console: Console, options: KeyOptions) {
    this.#console = console;
    this.#options = options;
    const named = (options.accountKey ?? []).map((text) => nameAndValue('--account-key', text));
    this.#byName = new Map(named.map(([name, file]) => [name, readKey(file) ?? '']));
    this.#other = this.#byName.size === 0 ? requireKey(options) : readKey(options.keyFile);
    console.hideKeys(new KeyFinder([...this.#byName.values(), ...(this.#other === undefined ? [] : [this.#other])]));
  }

  /** Gives the accounts of a batch their keys, as far as there are any; says once why a key is not given. */
  async giveTo(engine: Engine, { settings }: BatchRecord): Promise<void> {
    // Its gateway belongs to another process, and no secret goes there.
    if (settings.rehearsal) return;
    for (const account of accountsOf(settings)) await this.#give(engine, account);
  }

  async #give(engine: Engine, account: Account): Promise<void> {
    const { profile, keyName = '', name } = account;
    const key = this.#byName.get(name) ?? this.#other;
    if (key === undefined || !URL.canParse(profile.baseUrl)) return;
    const { origin } = new URL(profile.baseUrl);
    const place = `${origin} ${keyName}`;
    if (this.#settled.has(place)) return;
    this.#settled.add(place);
    if (this.#given.has(`${origin} ${key}`)) {
      const words = `The account ${visibleLine(name, 60)} has the key of another one at ${origin}: nothing is sent with it.`;
      this.#console.problem(
        `warning: ${words}\n    → Give it its own with --account-key "${visibleLine(name, 60)}=FILE".`,
      );
      return;
    }
    const { sendKeyTo: _, ...others } = this.#options;
    const options = isKeyFor(profile, this.#options) ? this.#options : others;
    try {
      await giveKey(this.#console, engine, { ...account, sentTo: this.#firstOrigin.get(key) }, key, options);
      this.#given.add(`${origin} ${key}`);
      this.#firstOrigin.set(key, this.#firstOrigin.get(key) ?? origin);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      // The others go on: this account is for a worker that has its key.
      this.#console.event('problem', { account: name, message: error.message });
      this.#console.problem(`warning: ${error.message}\n    → ${error.remedy}`);
    }
  }
}
