import type { Fence, Fleet, Lease, LeaseStore } from '../../fleet-ports.ts';
import type { AtOnce } from '../../ports.ts';
import type { Database } from '../open/database.ts';
import type { BatchRecords } from '../tasks/batch-records.ts';

/**
 * Who has which account, and which workers live. A lease that ended is not deleted: its epoch is what the next one is
 * counted from.
 * @param now The one clock of the store, in milliseconds since the epoch.
 */
export function openLeaseRecords(db: Database, now: () => number) {
  const selectEpoch = db.prepare<Pick<Lease, 'epoch' | 'until'>>('SELECT epoch, until FROM leases WHERE account = ?');
  const selectLeases = db.prepare<Lease>(`
    SELECT account, holder, epoch, until FROM leases WHERE until > ? ORDER BY account`);
  const selectWorkers = db.prepare<{ readonly holder: string; readonly wishes: string }>(`
    SELECT holder, wishes FROM workers WHERE until > ? ORDER BY holder`);
  const take = db.prepare(`
    INSERT INTO leases (account, holder, epoch, until) VALUES (?, ?, 1, ?)
    ON CONFLICT (account) DO UPDATE SET holder = excluded.holder, epoch = leases.epoch + 1, until = excluded.until
      WHERE leases.until <= ? OR leases.holder = excluded.holder`);
  // One that has ended stays ended, even if nobody has taken it: its holder may have been believed dead.
  const renew = db.prepare('UPDATE leases SET until = ? WHERE account = ? AND epoch = ? AND holder = ? AND until > ?');
  const release = db.prepare('UPDATE leases SET until = 0 WHERE account = ? AND epoch = ? AND holder = ?');
  const beat = db.prepare('INSERT INTO workers (holder, until, wishes) VALUES (?, ?, ?)');
  const forgetWorkers = db.prepare('DELETE FROM workers WHERE until <= ? OR holder = ?');

  function fleetAt(at: number): Fleet {
    return {
      at,
      workers: selectWorkers
        .all(at)
        .map(({ holder, wishes }) => ({ holder, wishes: JSON.parse(wishes) as readonly string[] })),
      leases: selectLeases.all(at).map(({ account, holder, epoch, until }) => ({ account, holder, epoch, until })),
    };
  }

  return {
    now,
    fleet: () => fleetAt(now()),
    renew(holder: string, held: readonly Fence[], forMs: number, wishes: readonly string[]): Fleet {
      const at = now();
      forgetWorkers.run(at, holder);
      beat.run(holder, at + forMs, JSON.stringify(wishes));
      for (const { account, epoch } of held) renew.run(at + forMs, account, epoch, holder, at);
      return fleetAt(at);
    },
    take(holder: string, account: string, forMs: number): Fence | undefined {
      const at = now();
      if (take.run(account, holder, at + forMs, at) !== 1) return undefined;
      const taken = selectEpoch.get(account);
      return taken && { account, epoch: taken.epoch };
    },
    release(holder: string, held: readonly Fence[]) {
      for (const { account, epoch } of held) release.run(account, epoch, holder);
    },
    leave: (holder: string) => void forgetWorkers.run(now(), holder),
    /** Whether nobody has taken the account since. Asked inside the transaction of the write that it is for. */
    isCurrent: ({ account, epoch }: Fence) => selectEpoch.get(account)?.epoch === epoch,
    /** The same, and the lease has not ended either. */
    isHeld({ account, epoch }: Fence) {
      const lease = selectEpoch.get(account);
      return lease !== undefined && lease.epoch === epoch && lease.until > now();
    },
  };
}

interface LeaseParts {
  readonly db: Database;
  readonly leaseRecords: ReturnType<typeof openLeaseRecords>;
  readonly batchRecords: Pick<BatchRecords, 'all'>;
  readonly writing: <T>(write: () => T) => T;
}

/** The leases of a store, each question in a transaction of its own. */
export function leaseStore({ db, leaseRecords, batchRecords, writing }: LeaseParts): AtOnce<LeaseStore> {
  const selectLast = db.prepareColumn<number>('SELECT coalesce(max(seq), 0) FROM events');
  const selectTasks = db.prepareColumn<number>('SELECT DISTINCT task FROM events WHERE seq > ? AND seq <= ?');
  const written = <T>(write: () => T): T => writing(() => db.transaction(write));
  return {
    fleet: () => leaseRecords.fleet(),
    renew: (holder, held, forMs, wishes = []) => written(() => leaseRecords.renew(holder, held, forMs, wishes)),
    take: (holder, account, forMs) => written(() => leaseRecords.take(holder, account, forMs)),
    release: (holder, held) => written(() => leaseRecords.release(holder, held)),
    leave: (holder) => written(() => leaseRecords.leave(holder)),
    changesSince(seen) {
      const last = selectLast()[0] ?? 0;
      return {
        seen: last,
        taskIds: seen === undefined || seen >= last ? [] : selectTasks(seen, last),
        revisions: new Map(batchRecords.all().map(({ record }) => [record.id, record.revision])),
      };
    },
  };
}
