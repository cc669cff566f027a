/**
 * The profiles that the settings keep by name: one of them is the present one, with which batches start. Also the
 * accounts that the user makes from them for a batch.
 */
import { err, ok, present, type Result } from '../../shared/domain/base/result.ts';
import { freeName } from '../../shared/domain/base/text.ts';
import { DEFAULT_PROFILE, type Profile } from '../../shared/domain/gateway/profile.ts';
import { profileChanges } from '../../shared/domain/gateway/profile-difference.ts';
import { accountsProblem, type Account } from '../../shared/domain/task/accounts/account.ts';
import type { BatchSettings } from '../../shared/domain/task/batch.ts';
import type { AccountsChoice, ChosenAccount } from '../../shared/ipc/accounts.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import { words } from '../../shared/words/words.ts';
import { gatewayRemovalQuestion } from '../shell/profile-question.ts';
import type { AppSettings, SettingsFile } from './app-settings.ts';
import type { KeyVault } from './key-vault.ts';
import type { Question } from '../shell/desktop.ts';

/** A longer list would be one that nobody looks through. */
const MOST = 50;

export interface KeptProfilesOptions {
  readonly settings: SettingsFile;
  /** Asks the user in a way that no page can answer. */
  readonly confirm: (question: Question) => Promise<boolean>;
  /** Called after every change. */
  readonly onChanged: () => void;
}

/**
 * Chooses, adds and removes gateways of the settings; each is known by the name of its profile. What a profile says is
 * up to `GatewaySettings`.
 */
export class KeptProfiles {
  readonly #options: KeptProfilesOptions;
  #isAsking = false;

  constructor(options: KeptProfilesOptions) {
    this.#options = options;
  }

  /** Makes another profile the present one. */
  use(name: string): Reply<undefined> {
    const { profile, otherProfiles } = this.#settings;
    const wanted = otherProfiles.find((other) => other.name === name);
    if (profile.name === name) return ok(undefined);
    if (wanted === undefined) return noSuchGateway(name);
    return this.#change({
      profile: wanted,
      otherProfiles: [...otherProfiles.filter((other) => other !== wanted), profile],
    });
  }

  /** Adds a gateway that leads nowhere yet, and returns its name. */
  create(): Reply<string> {
    return this.#add(DEFAULT_PROFILE, words.settings.gateways.newName);
  }

  /** Copies a gateway under a name of its own, and returns that name. */
  duplicate(name: string): Reply<string> {
    const profile = profileNamed(this.#settings, name);
    return profile === undefined ? noSuchGateway(name) : this.#add(profile, words.desktop.copyOf(name));
  }

  rename(name: string, wanted: string): Reply<undefined> {
    const to = wanted.trim();
    const profile = profileNamed(this.#settings, name);
    if (profile === undefined) return noSuchGateway(name);
    if (to === '') return refuse('invalid-input', words.desktop.profile.needsName, 'name');
    if (to !== name && profileNamed(this.#settings, to) !== undefined) return refuse('refused', nameTaken(to), 'name');
    return this.#change(withProfile(this.#settings, name, { ...profile, name: to }));
  }

  /**
   * Removes a gateway after asking. If new batches use it, they then use the one that was used before it.
   * @param batches All batches.
   */
  async remove(name: string, batches: readonly PlacedBatch[]): Promise<Reply<{ readonly applied: boolean }>> {
    const before = this.#removal(name);
    if (!before.ok) return before;
    if (this.#isAsking) return refuse('refused', words.desktop.answerFirst);
    this.#isAsking = true;
    const { profile, next } = before.value;
    const left = batchesOf(profile, batches, profilesOf(this.#settings));
    const isAgreed = await this.#options.confirm(gatewayRemovalQuestion(profile, next?.name, left)).finally(() => {
      this.#isAsking = false;
    });
    if (!isAgreed) return ok({ applied: false });
    const after = this.#removal(name);
    if (!after.ok) return after;
    const { rest } = after.value;
    if (profileChanges(profile, after.value.profile).length > 0 || after.value.next?.name !== next?.name) {
      return refuse('refused', words.desktop.profile.allChanged);
    }
    this.#change(rest);
    return ok({ applied: true });
  }

  /** What removing a gateway means now: which ones are left, and which one new batches then use, if that changes. */
  #removal(
    name: string,
  ): Reply<{ readonly profile: Profile; readonly next: Profile | undefined; readonly rest: Kept }> {
    const { profile: current, otherProfiles } = this.#settings;
    const profile = profileNamed(this.#settings, name);
    if (profile === undefined) return noSuchGateway(name);
    if (profile !== current) {
      const rest = { profile: current, otherProfiles: otherProfiles.filter((other) => other !== profile) };
      return ok({ profile, next: undefined, rest });
    }
    const next = otherProfiles.at(-1);
    if (next === undefined) return refuse('refused', words.desktop.profile.noOther);
    return ok({ profile, next, rest: { profile: next, otherProfiles: otherProfiles.slice(0, -1) } });
  }

  #add(profile: Profile, wanted: string): Reply<string> {
    const problem = tooManyProfiles(this.#settings);
    if (problem !== undefined) return refuse('refused', problem);
    const names = profilesOf(this.#settings).map((one) => one.name);
    const name = freeName(wanted, names);
    this.#change(withAnother(this.#settings, { ...profile, name }));
    return ok(name);
  }

  get #settings(): SettingsFile['current'] {
    return this.#options.settings.current;
  }

  #change(kept: Kept): Reply<undefined> {
    this.#options.settings.update(kept);
    this.#options.onChanged();
    return ok(undefined);
  }
}

/** The profiles as the settings keep them. */
export type Kept = Pick<AppSettings, 'profile' | 'otherProfiles'>;

/** The profile with this name or, without a name, the present one; undefined if there is none any more. */
export function profileNamed(kept: Kept, name: string | undefined): Profile | undefined {
  return name === undefined ? kept.profile : profilesOf(kept).find((one) => one.name === name);
}

/** The same with another profile in place of the one with this name. */
export function withProfile({ profile, otherProfiles }: Kept, name: string, next: Profile): Kept {
  const nextOf = (one: Profile): Profile => (one.name === name ? next : one);
  return { profile: nextOf(profile), otherProfiles: otherProfiles.map(nextOf) };
}

/**
 * The same with one more profile: new batches use the same one as before, and the new one counts as used least
 * recently.
 */
export function withAnother({ profile, otherProfiles }: Kept, another: Profile): Kept {
  return { profile, otherProfiles: [another, ...otherProfiles] };
}

/** Why there may not be one more profile; undefined if there may. */
export function tooManyProfiles({ otherProfiles }: Kept): string | undefined {
  return otherProfiles.length + 1 < MOST ? undefined : words.desktop.profile.most(MOST);
}

/** The gateway was deleted, or now has another name. */
export function noSuchGateway(name: string): Reply<never> {
  return refuse('not-found', words.settings.gateways.gone(name));
}

/** Where a batch is rendered, or is to be rendered. */
type PlacedBatch = Pick<BatchView, 'state' | 'rehearsal' | 'shelf' | 'gateway' | 'profile' | 'accounts'>;

/**
 * How many batches of a gateway are under way, and how many were never started. A gateway is known by its address,
 * whatever its name was when a batch was made; the name only distinguishes it from others that are kept with the same
 * address.
 */
function batchesOf(
  profile: Profile,
  batches: readonly PlacedBatch[],
  kept: readonly Profile[],
): { readonly underWay: number; readonly ready: number } {
  const originOf = ({ baseUrl }: Profile): string => (URL.canParse(baseUrl) ? new URL(baseUrl).origin : '');
  const isOf = ({ accounts, ...alone }: PlacedBatch): boolean =>
    (accounts ?? [alone]).some(({ gateway, profile: name }) => {
      const there = kept.filter((one) => originOf(one) === gateway);
      const sameName = there.find((one) => one.name === name);
      return sameName === undefined ? there.includes(profile) : sameName === profile;
    });
  const own = batches.filter((batch) => !batch.rehearsal && batch.shelf?.is !== 'deleted' && isOf(batch));
  const count = (...states: readonly PlacedBatch['state'][]): number =>
    own.filter(({ state }) => states.includes(state)).length;
  return { underWay: count('running', 'paused'), ready: count('ready') };
}

/** Every profile that is kept, the present one first. */
export function profilesOf({ profile, otherProfiles }: Kept): AppSettings['otherProfiles'] {
  return [profile, ...otherProfiles];
}

/** Why a profile may not have this name. */
export function nameTaken(name: string): string {
  return words.desktop.profile.nameTaken(name);
}

/** A gateway, and which of its keys: the error says in words why there is none. */
export function chosenAccess(
  { profile: name, keyName }: Pick<ChosenAccount, 'profile' | 'keyName'>,
  settings: AppSettings,
): Result<Pick<Account, 'profile' | 'keyName'>, string> {
  const profile = profileNamed(settings, name);
  if (profile === undefined) return err(words.desktop.profile.goneByName(name));
  if (!URL.canParse(profile.baseUrl)) return err(words.desktop.profile.noBaseUrl(name));
  return ok({ profile, ...present({ keyName }) });
}

/** What a batch with these accounts is made with; the error says in words why it cannot be made. */
export function chosenAccounts(
  { list, isCheapestFirst }: AccountsChoice,
  settings: AppSettings,
): Result<Required<Pick<BatchSettings, 'profile' | 'accounts'>>, string> {
  const accounts: Account[] = [];
  for (const { limit, name, ...chosen } of list) {
    const access = chosenAccess(chosen, settings);
    if (!access.ok) return err(words.desktop.profile.accountUnusable(name, access.error));
    const { requests, cost } = limit;
    const isLimited = requests !== undefined || cost !== undefined;
    accounts.push({ name, ...access.value, ...(isLimited ? { limit: present({ requests, cost }) } : {}) });
  }
  const problem = accountsProblem(accounts);
  if (problem !== undefined) return err(problem);
  const [first, ...others] = accounts;
  if (first === undefined) return err(words.desktop.batch.needsAccount);
  const { profile, ...terms } = first;
  const choice = isCheapestFirst === true ? { choice: 'cheapest' as const } : {};
  return ok({ profile, accounts: { first: terms, others, ...choice } });
}

/**
 * Why nothing may be sent with these accounts yet: one has no key, or two are the same to their gateway, so that what
 * one of them must no longer send would go out with the other.
 */
export function keysProblem(
  accounts: readonly (Pick<Account, 'name'> & {
    readonly keyName?: string | undefined;
    readonly profile: Pick<Profile, 'baseUrl'>;
  })[],
  vault: Pick<KeyVault, 'of'>,
): string | undefined {
  const seen = new Map<string, string>();
  for (const { name, profile, keyName } of accounts) {
    const { origin } = new URL(profile.baseUrl);
    const key = vault.of(origin, keyName);
    if (key === undefined) return words.desktop.profile.accountWithoutKey(name);
    const other = seen.get(`${origin} ${key}`);
    if (other !== undefined) {
      return words.desktop.profile.accountsAreOne(other, name);
    }
    seen.set(`${origin} ${key}`, name);
  }
  return undefined;
}
