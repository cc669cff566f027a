/** Accounts of a batch that no worker has, in a store that several workers share. */
import { domainWords } from '../../../words/domain-words.ts';
import { visibleLine } from '../../base/text.ts';

/** An account of a batch; without a name if it is the only one. */
interface AccountAt {
  readonly name?: string | undefined;
  /** Its origin. */
  readonly gateway: string;
}

/** The accounts of a batch at one gateway, if workers have fewer accounts there. */
export interface UnheldAccounts {
  readonly gateway: string;
  readonly names: readonly string[];
  /**
   * How many accounts workers have there: only they know the keys, so nobody else can tell which accounts these are.
   */
  readonly held: number;
}

/**
 * What is missing for a batch to go on with all of its accounts; `held` are the gateways of all accounts that workers
 * have.
 */
export function unheldAccounts(accounts: readonly AccountAt[], held: readonly string[]): readonly UnheldAccounts[] {
  return [...new Set(accounts.map(({ gateway }) => gateway))].flatMap((gateway) => {
    const there = accounts.filter((account) => account.gateway === gateway);
    const count = held.filter((one) => one === gateway).length;
    return count >= there.length ? [] : [{ gateway, names: there.flatMap(({ name }) => name ?? []), held: count }];
  });
}

/** The same in words, without what to do: `No worker has the key of the account main at https://api.example.com`. */
export function unheldText({ gateway, names, held }: UnheldAccounts): string {
  const list = names.map((name) => visibleLine(name, 60));
  return domainWords.nights.accounts.unheld(list, visibleLine(gateway, 200), held);
}

/** The gateway of an account as leases name it. */
export function gatewayOfLease(account: string): string {
  return account.slice(0, Math.max(0, account.lastIndexOf(' ')));
}

/** The name of the worker that has a lease: what follows it distinguishes one start of a worker from another. */
export function workerOfLease(holder: string): string {
  return holder.includes(' ') ? holder.slice(0, holder.lastIndexOf(' ')) : holder;
}
