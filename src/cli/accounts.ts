/** Reads the options for the accounts of a batch, and gives the engine their keys. */
import { KeyFinder } from '../shared/domain/base/key-finder.ts';
import { present } from '../shared/domain/base/result.ts';
import { quoteCell } from '../shared/domain/cells/cell-value.ts';
import type { Profile } from '../shared/domain/gateway/profile.ts';
import { visibleLine } from '../shared/domain/base/text.ts';
import { operationOf, type OperationPath } from '../shared/domain/operations/operations.ts';
import { accountsOf, accountsProblem, withLimitsByName, type Account } from '../shared/domain/task/accounts/account.ts';
import type { Money } from '../shared/domain/base/money.ts';
import type { BatchRecord, BatchSettings } from '../shared/domain/task/batch.ts';
import { withLimits } from '../shared/domain/task/spending.ts';
import type { Console } from './console.ts';
import { wrongUsage } from './ending.ts';
import { giveKey, isKeyFor, requireKey } from './gateway-key.ts';
import { profileOf, readKey, readProfile } from './given.ts';
import { serverOf } from './with-store.ts';
import type { AccountLimitOptions, AccountOptions, KeyOptions } from './options/common-options.ts';
import { givenAmount, givenRequests, refuseUnpriced } from './options/spending-options.ts';

/** The gateway that a batch is rendered with, or several of them. */
export type Gateways = Pick<BatchSettings, 'profile' | 'accounts'>;

/** The profile that the options give, or the accounts. Throws {@link CommandFailure}. */
export function gatewaysOf(options: AccountOptions): Gateways {
  const { account: named = [], profile, baseUrl, cheapest } = options;
  if (named.length === 0) {
    refuseLone('--cheapest', cheapest);
    refuseLone('--account-max-requests', options.accountMaxRequests);
    refuseLone('--account-max-cost', options.accountMaxCost);
    return { profile: profileOf(options) };
  }
  if (profile !== undefined || baseUrl !== undefined) {
    throw wrongUsage('--account names a profile itself.', 'Give every gateway with --account, or one with --profile.');
  }
  const accounts = named.map((text): Account => {
    const [name, file] = nameAndValue('--account', text);
    return { name, profile: readProfile(file) };
  });
  const problem = accountsProblem(accounts);
  if (problem !== undefined) throw wrongUsage(problem, 'Give each account a name of its own.');
  const [first, ...others] = accounts.map((account) => withKeyName(account, accounts));
  if (first === undefined || others.length === 0) {
    throw wrongUsage('A batch with one account needs no --account.', 'Give its profile with --profile.');
  }
  const unplaced = accounts.find((account) => account.profile.baseUrl === '');
  if (unplaced !== undefined) {
    throw wrongUsage(
      `The profile of the account ${quoteCell(unplaced.name)} has no baseUrl.`,
      'Write it into the profile.',
    );
  }
  const { profile: _, ...terms } = first;
  return withAccountLimitsOf(
    {
      profile: first.profile,
      accounts: { first: terms, others, ...(cheapest === true ? { choice: 'cheapest' as const } : {}) },
    },
    options,
  );
}

/** The account with a name for its key if its origin has several keys. */
function withKeyName(account: Account, all: readonly Account[]): Account {
  const origin = originIn(account);
  const isOneOfKeys = all.some((other) => other !== account && originIn(other) === origin);
  return isOneOfKeys ? { ...account, keyName: account.name } : account;
}

function originIn({ profile: { baseUrl } }: Account): string | undefined {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : undefined;
}

function refuseLone(option: string, value: unknown): void {
  if (value === undefined) return;
  throw wrongUsage(`${option} is for a batch with several accounts.`, 'Name them with --account NAME=PROFILE.');
}

/** The same with the limits of accounts that the options give. Throws {@link CommandFailure}. */
export function withAccountLimitsOf<S extends Gateways>(settings: S, options: AccountLimitOptions): S {
  const requests = valuesByName('--account-max-requests', options.accountMaxRequests, settings);
  const costs = valuesByName('--account-max-cost', options.accountMaxCost, settings);
  const limits = accountsOf(settings).map(({ name, limit: before, profile }) => {
    const { night: limit } = withLimits(present({ night: before }), {
      night: {
        requests: givenRequests('--account-max-requests', requests.get(name)),
        cost: givenAmount('--account-max-cost', costs.get(name), profile.prices),
      },
    });
    return [name, limit] as const;
  });
  return withLimitsByName(settings, new Map(limits));
}

/** Ends a command whose spending limit no account can hold, before anything is sent. */
export function refuseUnpricedAt(
  gateways: Gateways,
  cost: Money | null | undefined,
  operations: Iterable<OperationPath>,
): void {
  const accounts = accountsOf(gateways);
  const hasPrice = (operation: OperationPath): boolean =>
    accounts.some(({ profile }) => profile.prices[operation]?.currency === cost?.currency);
  refuseUnpriced(
    cost,
    [...operations].filter((operation) => !hasPrice(operation)),
    {},
  );
}

/** Says which accounts a limit in money leaves out, because they have no price by which it can be held. */
export function warnOfUnpriced(
  console: Console,
  gateways: Gateways,
  cost: Money | null | undefined,
  operations: Iterable<OperationPath>,
): void {
  if (gateways.accounts === undefined) return;
  for (const { name, profile, limit } of accountsOf(gateways)) {
    const [currency] = [cost, limit?.cost].flatMap((one) => one?.currency ?? []);
    if (currency === undefined) continue;
    const lacking = [...new Set(operations)].filter((operation) => profile.prices[operation]?.currency !== currency);
    if (lacking.length === 0) continue;
    console.problem(
      `warning: the account ${quoteCell(name)} has no price in ${currency} for ${lacking.map((one) => operationOf(one).title).join(', ')}: under the limit, none of these goes to it.\n    → Add the price to its profile.`,
    );
  }
}

/** The prices by which amounts are read: for each operation, those of the first account that has one. */
export function pricesOf(gateways: Gateways): Profile['prices'] {
  return Object.assign(
    {},
    ...accountsOf(gateways)
      .map(({ profile }) => profile.prices)
      .toReversed(),
  ) as Profile['prices'];
}

/** The names of the accounts, if there are several. */
export function namesOf({ accounts, profile }: Gateways): { readonly accounts: readonly string[] } {
  return { accounts: accountsOf({ profile, accounts }).map(({ name }) => name) };
}

/**
 * The keys for these accounts, by name: each account's own from --account-key, or the one from --key-file or the
 * environment. In a batch with one account, the key has the name of that account. Throws {@link CommandFailure}.
 */
export function keysFor(gateways: Gateways, options: KeyOptions): ReadonlyMap<string, string> {
  const files = valuesByName('--account-key', options.accountKey, gateways);
  const keys = accountsOf(gateways).flatMap(({ name }) => {
    const key = readKey(files.get(name) ?? options.keyFile);
    return key === undefined ? [] : [[name, key] as const];
  });
  return new Map(keys);
}

/** The same for a command that sends something; on a server, only workers send. */
export function requireKeys(gateways: Gateways, options: KeyOptions): ReadonlyMap<string, string> {
  const keys = keysFor(gateways, options);
  if (keys.size > 0 || serverOf(options) !== undefined) return keys;
  if (gateways.accounts === undefined) {
    requireKey(options);
    return keys;
  }
  throw wrongUsage(
    'No key given for any account.',
    `Name a file that holds the key of each: ${accountKeyOptions(gateways)}`,
  );
}

/** The options with which each account is given its own key. */
export function accountKeyOptions(gateways: Gateways): string {
  return accountsOf(gateways)
    .map(({ name }) => `--account-key "${visibleLine(name, 60)}=FILE"`)
    .join(' ');
}

/** Finds every one of these keys. */
export function finderOf(keys: ReadonlyMap<string, string>): KeyFinder {
  return new KeyFinder([...keys.values()]);
}

/**
 * Gives the engine the keys of accounts, and says where each goes. Throws {@link CommandFailure} for another origin.
 * @param isUnused Nothing is sent: the keys are only kept out of what is read.
 */
export async function giveKeys(
  console: Console,
  engine: Parameters<typeof giveKey>[1],
  gateways: Gateways,
  keys: ReadonlyMap<string, string>,
  options: KeyOptions,
  isUnused = false,
): Promise<void> {
  console.hideKeys(finderOf(keys));
  const accounts = accountsOf(gateways);
  const isSeveral = accounts.length > 1;
  const used = new Map<string, string>();
  const firstOrigin = new Map<string, string>();
  const isWanted = accounts.some((account) => isKeyFor(account.profile, options));
  for (const account of accounts) {
    const { name, profile } = account;
    const key = keys.get(name);
    if (key === undefined) {
      if (isSeveral && keys.size > 0) {
        console.problem(
          `warning: the account ${quoteCell(name)} has no key: nothing is sent with it.\n    → Give it with --account-key "${name}=FILE".`,
        );
      }
      continue;
    }
    const same = `${new URL(profile.baseUrl).origin} ${key}`;
    const other = used.get(same);
    if (other !== undefined) {
      throw wrongUsage(
        `The accounts ${quoteCell(other)} and ${quoteCell(name)} are one: the same gateway with the same key.`,
        'Leave one of them out, or give each its own key with --account-key NAME=FILE. Nothing was sent.',
      );
    }
    used.set(same, name);
    const { sendKeyTo: _, ...others } = options;
    const place = { ...account, name: isSeveral ? name : undefined, sentTo: firstOrigin.get(key), isUnused };
    await giveKey(console, engine, place, key, isWanted && !isKeyFor(profile, options) ? others : options);
    firstOrigin.set(key, firstOrigin.get(key) ?? new URL(profile.baseUrl).origin);
  }
}

/** `name=value` of an option that can be repeated, by name. Throws {@link CommandFailure} for an unknown account. */
function valuesByName(
  option: string,
  texts: readonly string[] | undefined,
  gateways: Gateways,
): ReadonlyMap<string, string> {
  const names = gateways.accounts === undefined ? [] : accountsOf(gateways).map(({ name }) => name);
  return new Map(
    (texts ?? []).map((text) => {
      const [name, value] = nameAndValue(option, text);
      if (names.includes(name)) return [name, value];
      const known =
        names.length === 0 ? 'The batch has one account.' : `The accounts are ${names.map(quoteCell).join(', ')}.`;
      throw wrongUsage(`${option} ${text}: there is no account ${quoteCell(name)}.`, known);
    }),
  );
}

/** Which of the accounts that stand still a batch is resumed with. Throws {@link CommandFailure} for others. */
export function accountsToResume(
  { stops = {}, state }: BatchRecord,
  names: readonly string[] | undefined,
): readonly string[] | undefined {
  const known = Object.keys(stops);
  const wrong = names?.find((name) => !known.includes(name));
  if (wrong === undefined) return names;
  throw wrongUsage(
    `The account ${quoteCell(wrong)} does not stand still.`,
    known.length === 0
      ? `No account of this batch does${state === 'paused' ? ': all of it is paused' : ''}. Leave --account out.`
      : `Of this batch, these do: ${known.map(quoteCell).join(', ')}.`,
  );
}

/** The two halves of `name=value`. Throws {@link CommandFailure} if one is missing. */
export function nameAndValue(option: string, text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
  throw wrongUsage(
    `${option} ${text}: not a name and a value`,
    `Write the account’s name first, such as ${option} main=…`,
  );
}
