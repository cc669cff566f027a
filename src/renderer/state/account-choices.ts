import { moneyText } from '../../shared/domain/base/money.ts';
import { freeName } from '../../shared/domain/base/text.ts';
import { present } from '../../shared/domain/base/result.ts';
import { accountsProblem } from '../../shared/domain/task/accounts/account.ts';
import type { AccountsChoice, ChosenAccount } from '../../shared/ipc/accounts.ts';
import type { KeyStatus, SettingsView } from '../../shared/ipc/app.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { words } from '../../shared/words/words.ts';
import { originOf } from './app-state.ts';

/** The account that a batch has if the user chooses none, as the first of several. */
export function firstAccount(profileName: string): ChosenAccount {
  return { name: profileName, profile: profileName, limit: {} };
}

/** The accounts that a batch has now, as a choice; undefined if it has only one. */
export function accountsOfBatch({ accounts, isCheapestFirst }: BatchView): AccountsChoice | undefined {
  if (accounts === undefined) return undefined;
  const list = accounts.map(({ name, profile, keyName, limit }) => ({
    name,
    profile,
    ...present({ keyName }),
    limit: present(limit),
  }));
  return { list, ...present({ isCheapestFirst }) };
}

/**
 * What to change a batch's accounts to; undefined if it has the chosen ones already, null for the settings' gateway.
 */
export function otherAccounts(batch: BatchView, chosen: AccountsChoice | undefined): AccountsChoice | null | undefined {
  const own = accountsOfBatch(batch);
  return JSON.stringify(own) === JSON.stringify(chosen) ? undefined : (chosen ?? null);
}

/** The accounts with one more, or with one in the place of another. */
export function withAccount(accounts: AccountsChoice, account: ChosenAccount, instead?: string): AccountsChoice {
  const { list } = accounts;
  if (instead === undefined) return { ...accounts, list: [...list, account] };
  return { ...accounts, list: list.map((one) => (one.name === instead ? account : one)) };
}

/** The accounts without one; undefined if no choice is left: the rows go to the settings' gateway again. */
export function withoutAccount(accounts: AccountsChoice, name: string): AccountsChoice | undefined {
  const list = accounts.list.filter((one) => one.name !== name);
  return list.length < 2 ? undefined : { ...accounts, list };
}

/** A list with one item moved to another place. */
export function placed<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const [moved] = list.slice(from, from + 1);
  return moved === undefined ? list : list.toSpliced(from, 1).toSpliced(to, 0, moved);
}

/** What the cells of a sheet are checked against, and its costs depend on: a limit of an account changes neither. */
export function checkedFor(accounts: AccountsChoice | undefined): string {
  return JSON.stringify((accounts?.list ?? []).map(({ name, profile }) => [name, profile]));
}

/** Where a profile leads, and the currencies of its prices; undefined for one that is not kept any more. */
export function gatewayOf(settings: SettingsView | undefined, profile: string) {
  const found = settings?.gateways.find((one) => one.profile === profile);
  return found && { ...found, origin: originOf(found.baseUrl) };
}

/** The currencies that limits of a batch can be held in: of all prices of its accounts, or of the settings' gateway. */
export function currenciesFor(settings: SettingsView | undefined, accounts: AccountsChoice | undefined): string[] {
  if (accounts === undefined) return [...(settings?.currencies ?? [])];
  return [...new Set(accounts.list.flatMap(({ profile }) => gatewayOf(settings, profile)?.currencies ?? []))];
}

/**
 * An account in a line: `https://one.example · key ends in 12ab · at most 40 requests`.
 * @param own Where it leads in a batch that already has it, whatever has become of its profile since.
 */
export function accountWords(
  account: ChosenAccount,
  settings: SettingsView | undefined,
  key: KeyStatus | undefined,
  own?: string,
): string {
  const origin = own ?? gatewayOf(settings, account.profile)?.origin;
  if (origin === undefined) return words.costs.account.gone(account.profile);
  const kept = key?.kept.find((one) => one.origin === origin && one.name === account.keyName);
  return [
    origin,
    kept === undefined ? words.costs.account.noKey : keptWords(kept.last4),
    ...limitWords(account.limit),
  ].join(' · ');
}

/** Whether an account leads to the gateway that its profile names now, the one that is asked for the balance. */
export function leadsThere(account: ChosenAccount, settings: SettingsView | undefined, own?: string): boolean {
  return own === undefined || own === gatewayOf(settings, account.profile)?.origin;
}

function keptWords(last4: string): string {
  return last4 === '' ? words.costs.account.keyStored : words.costs.account.keyEnds(last4);
}

/** `at most 40 requests`, `at most 5 USD`. */
export function limitWords({ requests, cost }: ChosenAccount['limit']): readonly string[] {
  const { atMost } = words.costs.account;
  return [
    ...(requests === undefined ? [] : [atMost(words.common.requests(requests))]),
    ...(cost === undefined ? [] : [atMost(moneyText(cost))]),
  ];
}

/** One of the keys of a gateway that an account may have; without a name, the one key of that gateway. */
export interface KeyChoice {
  readonly name?: string;
  /** Undefined: the key is still to be entered. */
  readonly last4: string | undefined;
}

/** The keys of a gateway that none of the other accounts has, and one that is not stored yet. */
export function keyChoices(
  origin: string,
  key: Pick<KeyStatus, 'kept'> | undefined,
  settings: SettingsView | undefined,
  others: readonly ChosenAccount[],
): readonly KeyChoice[] {
  const there = others.filter(({ profile }) => gatewayOf(settings, profile)?.origin === origin);
  const isFree = ({ name }: KeyChoice): boolean => there.every(({ keyName }) => keyName !== name);
  const kept = (key?.kept ?? []).filter((one) => one.origin === origin);
  const own = kept.find(({ name }) => name === undefined);
  const named = kept
    .filter(({ name }) => name !== undefined)
    .map(({ name, last4 }) => ({ ...(name === undefined ? {} : { name }), last4 }));
  const all: readonly KeyChoice[] = [{ last4: own?.last4 }, ...named];
  return all.filter(isFree);
}

/** A name for a new key, other than all that are stored or chosen: it replaces none of them. */
export function newKeyName(
  wanted: string,
  key: Pick<KeyStatus, 'kept'> | undefined,
  others: readonly ChosenAccount[],
): string {
  const taken = [...(key?.kept ?? []).map(({ name }) => name), ...others.map(({ keyName }) => keyName)];
  return freeName(
    wanted.trim(),
    taken.flatMap((name) => name ?? []),
  );
}

/** What is wrong with the name of an account beside these; undefined if nothing is. */
export function nameProblem(name: string, others: readonly ChosenAccount[]): string | undefined {
  return accountsProblem([...others, { name }]);
}
