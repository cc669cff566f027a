/**
 * The profiles that the settings keep by name: one of them is the present one, with which batches start. And the accounts
 * that the user makes of them for a batch.
 */
import { err, ok, present, type Result } from '../../shared/domain/base/result.ts';
import { freeName } from '../../shared/domain/base/text.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { accountsProblem, type Account } from '../../shared/domain/task/accounts/account.ts';
import type { BatchSettings } from '../../shared/domain/task/batch.ts';
import type { AccountsChoice, ChosenAccount } from '../../shared/ipc/accounts.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import { profileRemovalQuestion } from '../shell/profile-question.ts';
import type { AppSettings, SettingsFile } from './app-settings.ts';
import type { KeyVault } from './key-vault.ts';
import type { Question } from '../shell/desktop.ts';
import { words } from '../../shared/words/words.ts';

/** More would make a list that nobody looks through. */
const MOST = 50;

export interface KeptProfilesOptions {
  readonly settings: SettingsFile;
  /** Asks the user in a way that no page can answer. */
  readonly confirm: (question: Question) => Promise<boolean>;
  /** Called after every change. */
  readonly onChanged: () => void;
}

/** Chooses among the profiles of the settings, and adds and removes some. What a profile says is for `GatewaySettings`. */
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
    if (wanted === undefined) return refuse('not-found', words.desktop.profile.gone);
    return this.#change(wanted, [...otherProfiles.filter((other) => other !== wanted), profile]);
  }

  /** Copies the present profile under a name of its own, and makes the copy the present one. */
  duplicate(): Reply<undefined> {
    const { profile, otherProfiles } = this.#settings;
    if (otherProfiles.length + 1 >= MOST) return refuse('refused', words.desktop.profile.most(MOST));
    const names = [profile, ...otherProfiles].map((one) => one.name);
    return this.#change({ ...profile, name: freeName(words.desktop.copyOf(profile.name), names) }, [
      ...otherProfiles,
      profile,
    ]);
  }

  rename(name: string): Reply<undefined> {
    const { profile, otherProfiles } = this.#settings;
    const trimmed = name.trim();
    if (trimmed === '') return refuse('invalid-input', words.desktop.profile.needsName);
    if (otherProfiles.some((other) => other.name === trimmed)) return refuse('refused', nameTaken(trimmed));
    return this.#change({ ...profile, name: trimmed }, otherProfiles);
  }

  /** Removes the present profile after asking; the one that was used before it becomes the present one. */
  async remove(): Promise<Reply<{ readonly applied: boolean }>> {
    const { profile } = this.#settings;
    if (this.#settings.otherProfiles.length === 0) return refuse('refused', words.desktop.profile.noOther);
    if (this.#isAsking) return refuse('refused', words.desktop.answerFirst);
    this.#isAsking = true;
    const isAgreed = await this.#options.confirm(profileRemovalQuestion(profile)).finally(() => {
      this.#isAsking = false;
    });
    if (!isAgreed) return ok({ applied: false });
    const { otherProfiles } = this.#settings;
    const next = otherProfiles.at(-1);
    if (this.#settings.profile !== profile || next === undefined) {
      return refuse('refused', words.desktop.profile.allChanged);
    }
    this.#change(next, otherProfiles.slice(0, -1));
    return ok({ applied: true });
  }

  get #settings(): SettingsFile['current'] {
    return this.#options.settings.current;
  }

  #change(profile: Profile, otherProfiles: readonly Profile[]): Reply<undefined> {
    this.#options.settings.update({ profile, otherProfiles: [...otherProfiles] });
    this.#options.onChanged();
    return ok(undefined);
  }
}

/** Every profile that is kept, the present one first. */
export function profilesOf({ profile, otherProfiles }: AppSettings): AppSettings['otherProfiles'] {
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
  const profile = profilesOf(settings).find((one) => one.name === name);
  if (profile === undefined) return err(words.desktop.profile.goneByName(name));
  if (!URL.canParse(profile.baseUrl)) return err(words.desktop.profile.noBaseUrl(name));
  return ok({ profile, ...present({ keyName }) });
}

/** What a batch with these accounts is made with; the error says in words why none is. */
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
 * Why nothing may be sent with these accounts yet: one has no key, or two are one to their gateway, so that what one of them
 * must not send any more would go with the other.
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
