/** The workers on a shared store, in words. */
import type { Fleet } from '../../engine/index.ts';
import { localDate, localTime, visibleLine } from '../../shared/domain/base/text.ts';
import { present } from '../../shared/domain/base/result.ts';
import { accountsOf } from '../../shared/domain/task/accounts/account.ts';
import {
  gatewayOfLease,
  unheldAccounts,
  unheldText,
  workerOfLease,
  type UnheldAccounts,
} from '../../shared/domain/task/accounts/unheld-accounts.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { count } from '../describe.ts';

/** A live worker; times are in milliseconds since the epoch, by the store's clock. */
export interface WorkerView {
  readonly name: string;
  readonly since: number;
  readonly seen: number;
  /** The accounts that it holds, see {@link leaseNames}. */
  readonly accounts: readonly string[];
  /** By how many milliseconds its clock is ahead of the store's, if that keeps it from taking accounts. */
  readonly clockAheadMs?: number | undefined;
}

export function workersOf({ workers, leases }: Fleet, batches: readonly BatchRecord[]): readonly WorkerView[] {
  const shown = leaseNames(batches);
  return workers.map(({ holder, since, seen, clockAheadMs }) => {
    const held = leases.filter((lease) => lease.holder === holder);
    return {
      since,
      seen,
      clockAheadMs,
      name: workerOfLease(holder),
      accounts: held.map(({ account }) => shown(account)),
    };
  });
}

/**
 * What to call the account of a lease: its name if the batches know only one name at its gateway, otherwise what the
 * lease says.
 */
export function leaseNames(batches: Iterable<BatchRecord>): (account: string) => string {
  const namesAt = namesByOrigin(batches);
  return (account) => {
    const names = namesAt.get(gatewayOfLease(account)) ?? new Set();
    const [only] = names;
    return only !== undefined && names.size === 1 ? only : account;
  };
}

function namesByOrigin(batches: Iterable<BatchRecord>): ReadonlyMap<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const { name, profile } of [...batches].flatMap(({ settings }) => accountsOf(settings))) {
    if (!URL.canParse(profile.baseUrl)) continue;
    const { origin } = new URL(profile.baseUrl);
    names.set(origin, (names.get(origin) ?? new Set()).add(name));
  }
  return names;
}

/** What a running batch lacks to go on with all of its accounts; nothing if no worker is at work at all. */
export function unheldOf({ workers, leases }: Fleet, { state, settings }: BatchRecord): readonly UnheldAccounts[] {
  const able = workers.filter(({ clockAheadMs }) => clockAheadMs === undefined);
  if (able.length === 0 || state !== 'running' || settings.rehearsal) return [];
  const accounts = accountsOf(settings).flatMap(({ name, profile: { baseUrl } }) =>
    URL.canParse(baseUrl)
      ? [{ gateway: new URL(baseUrl).origin, ...present({ name: settings.accounts && name }) }]
      : [],
  );
  return unheldAccounts(
    accounts,
    leases.map(({ account }) => gatewayOfLease(account)),
  );
}

/** The same as a line: accounts may just be moving from one worker to another. */
export function unheldLine(unheld: UnheldAccounts): string {
  const [name] = unheld.names;
  const key = name === undefined ? '--key-file FILE' : `--account-key "${visibleLine(name, 60)}=FILE"`;
  return `${unheldText(unheld)}, or none has taken it yet. It goes on by itself with: nocturne worker --store URL ${key}`;
}

/** A line for each worker, or one that says that there is none although something waits for one. */
export function workerLines(
  workers: readonly WorkerView[],
  at: number,
  batches: readonly BatchRecord[],
): readonly string[] {
  if (workers.length === 0) {
    const waiting = batches.filter(({ state, settings }) => state === 'running' && !settings.rehearsal).length;
    if (waiting === 0) return ['No worker is running on this store.'];
    const what = `${count(waiting, 'batch', 'batches')} ${waiting === 1 ? 'waits' : 'wait'} for one`;
    return [
      `No worker is running on this store, and ${what}. Start one with: nocturne worker --store URL --key-file FILE`,
    ];
  }
  return workers.map(({ name, since, seen, accounts, clockAheadMs }) => {
    const holds =
      accounts.length === 0 ? 'holds no account' : `holds ${accounts.map((one) => visibleLine(one, 60)).join(', ')}`;
    const clock =
      clockAheadMs === undefined
        ? ''
        : ` · takes nothing: its clock is off by ${Math.round(Math.abs(clockAheadMs) / 1000)} s`;
    const heard = Math.max(0, Math.round((at - seen) / 1000));
    return `worker ${visibleLine(name, 60)}: since ${localDate(since)} ${localTime(since)}, heard of ${heard} s ago · ${holds}${clock}`;
  });
}
