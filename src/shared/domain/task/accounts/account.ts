/**
 * The accounts that the rows of a batch go to: each is a gateway, by its profile, and a key. Most batches have one. A
 * take stays with the account that it was first sent with: nothing is ever sent again with another one.
 */
import { domainWords } from '../../../words/domain-words.ts';
import { failure, type Failure } from '../../base/failure.ts';
import { reason } from '../../base/reason.ts';
import { microsOf, type Money } from '../../base/money.ts';
import { present } from '../../base/result.ts';
import type { Profile } from '../../gateway/profile.ts';
import { OPERATION_PATHS } from '../../operations/operations.ts';
import type { Limit } from '../spending.ts';
import type { Task } from '../task.ts';

/** What the user says about an account, besides how its gateway behaves. */
export interface AccountTerms {
  /** Unique in its batch. What was sent with the account is known by it, so it never changes. */
  readonly name: string;
  /** The name under which its key was given, where its origin has several; by default the origin's only one. */
  readonly keyName?: string;
  /** The most that its batch sends and spends with it. */
  readonly limit?: Limit;
}

export interface Account extends AccountTerms {
  readonly profile: Profile;
}

/** The accounts of a batch with several, in the user's order. */
export interface BatchAccounts {
  /** The profile of the first is that of the batch. */
  readonly first: AccountTerms;
  readonly others: readonly Account[];
  /** Of the accounts with room, a row goes to the one where it costs least; by default to the first. */
  readonly choice?: 'cheapest';
}

interface WithAccounts {
  readonly profile: Profile;
  readonly accounts?: BatchAccounts | undefined;
}

/**
 * The accounts of a batch, the first one first. The only account of a batch is named nowhere, so its name is its
 * profile's.
 */
export function accountsOf({ profile, accounts }: WithAccounts): readonly [Account, ...Account[]] {
  if (accounts === undefined) return [{ name: profile.name, profile }];
  return [{ ...accounts.first, profile }, ...accounts.others];
}

/** The account with a name; the first one, which in most batches is the only one, for tasks that name none. */
export function accountNamed(settings: WithAccounts, name: string | undefined): Account {
  const [first, ...others] = accountsOf(settings);
  return others.find((account) => account.name === name) ?? first;
}

/**
 * The failure of an account without a key. `data` says which origin the key is for and, in a batch with several
 * accounts, which account lacks it.
 */
export function keyMissing(
  origin: string,
  { keyName, name = keyName }: { readonly name?: string | undefined; readonly keyName?: string | undefined },
): Failure {
  const facts = { origin, ...present({ keyName, account: name }) };
  return failure('KEY_MISSING', reason(keyName === undefined ? 'noKey' : 'noOwnKey', origin, name ?? ''), facts);
}

/** The same settings with other profiles: `change` gives the profile of an account, or the one that it has. */
export function withProfiles<S extends WithAccounts>(settings: S, change: (account: Account) => Profile): S {
  const [first] = accountsOf(settings);
  const { accounts } = settings;
  const changed = { ...settings, profile: change(first) };
  if (accounts === undefined) return changed;
  return {
    ...changed,
    accounts: { ...accounts, others: accounts.others.map((one) => ({ ...one, profile: change(one) })) },
  };
}

/** The same settings with other limits of some accounts, by their names; undefined for one without a limit. */
export function withLimitsByName<S extends WithAccounts>(
  settings: S,
  limits: ReadonlyMap<string, Limit | undefined>,
): S {
  const { accounts } = settings;
  if (accounts === undefined) return settings;
  const limited = <T extends AccountTerms>({ limit: before, ...terms }: T) => {
    const limit = limits.has(terms.name) ? limits.get(terms.name) : before;
    return { ...terms, ...present({ limit }) };
  };
  return {
    ...settings,
    accounts: { ...accounts, first: limited(accounts.first), others: accounts.others.map(limited) },
  };
}

/**
 * The most that a request of each operation may cost, wherever it goes. An operation has no price if some account has
 * none for it, or has one in another currency.
 */
export function dearestPrices([first, ...others]: readonly [Account, ...Account[]]): Profile['prices'] {
  if (others.length === 0) return first.profile.prices;
  const most = OPERATION_PATHS.flatMap((operation) => {
    const prices = [first, ...others].map(({ profile }) => profile.prices[operation]);
    const [price] = prices;
    if (price === undefined || prices.some((other) => other?.currency !== price.currency)) return [];
    return [[operation, { ...price, amount: Math.max(...prices.map((other) => other?.amount ?? 0)) }] as const];
  });
  return Object.fromEntries(most);
}

/** Why these cannot be the accounts of a batch, for its user; undefined if they can. */
export function accountsProblem(accounts: readonly Pick<Account, 'name'>[]): string | undefined {
  if (accounts.length > MOST_ACCOUNTS) return domainWords.nights.accounts.tooMany(accounts.length, MOST_ACCOUNTS);
  const seen = new Set<string>();
  for (const { name } of accounts) {
    if (name.trim() !== name || name === '' || name.length > LONGEST_ACCOUNT_NAME) {
      return domainWords.nights.accounts.noName(name, LONGEST_ACCOUNT_NAME);
    }
    if (seen.has(name)) return domainWords.nights.accounts.twice(name);
    seen.add(name);
  }
  return undefined;
}

export const MOST_ACCOUNTS = 100;
export const LONGEST_ACCOUNT_NAME = 100;

/**
 * The account that a task may be sent with, if that is settled: the one that it was sent with before, or else the one
 * that its row names. Undefined: any.
 */
export function boundTo({ account, pin }: Pick<Task, 'account' | 'pin'>): string | undefined {
  return account ?? pin;
}

/** An account that could take a request, with what the request would cost there; undefined if nobody knows. */
export interface AccountOffer<A> {
  readonly account: A;
  readonly price: Money | undefined;
}

/**
 * The accounts that could take a request, the best first. Prices are only compared in one currency: if currencies
 * differ, or a price is not known, the user's order decides.
 * @param offers In the user's order.
 */
export function inOrderOfChoice<A>(offers: readonly AccountOffer<A>[], choice: BatchAccounts['choice']): readonly A[] {
  const currency = offers[0]?.price?.currency;
  const isComparable = currency !== undefined && offers.every(({ price }) => price?.currency === currency);
  const ordered =
    choice === 'cheapest' && isComparable
      ? offers.toSorted((a, b) => microsOf(a.price?.amount ?? 0) - microsOf(b.price?.amount ?? 0))
      : offers;
  return ordered.map(({ account }) => account);
}
