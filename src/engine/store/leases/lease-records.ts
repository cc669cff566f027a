import { present } from '../../../shared/domain/base/result.ts';
import type {
  DownloadClaim,
  Fence,
  Fleet,
  Lease,
  LeaseStore,
  AskingPace,
  PacedFence,
  Worker,
  WorkerWord,
} from '../../ports/fleet.ts';
import type { AtOnce } from '../../ports/base.ts';
import type { Database } from '../open/database.ts';
import type { BatchRecords } from '../tasks/batch-records.ts';
import type { openTaskRecords } from '../tasks/task-records.ts';

/** The leases of downloads are stored beside those of accounts, whose names begin with an origin. */
const DOWNLOAD = 'download ';

interface WorkerRow extends Pick<Worker, 'holder' | 'since' | 'seen'> {
  readonly wishes: string;
  readonly clock_ahead: number | null;
}

/**
 * Who has which account, and which workers are alive. A lease that has ended is not deleted: its epoch is what the next
 * one counts on from. The lease of a download is deleted once nothing is left to fetch, because there are as many as
 * tasks; the next one's epoch begins with the time, so that no epoch comes twice.
 * @param now The store's only clock, in milliseconds since the epoch.
 */
export function openLeaseRecords(db: Database, now: () => number) {
  const selectEpoch = db.prepare<LeaseColumns>('SELECT epoch, until, free_at, pace FROM leases WHERE account = ?');
  const selectLeases = db.prepare<Lease>(`
    SELECT account, holder, epoch, until FROM leases WHERE until > ? AND account NOT LIKE '${DOWNLOAD}%'
    ORDER BY account`);
  const selectWorkers = db.prepare<WorkerRow>(`
    SELECT holder, wishes, since, seen, clock_ahead FROM workers WHERE until > ? ORDER BY holder`);
  const take = db.prepare(`
    INSERT INTO leases (account, holder, epoch, until) VALUES (?, ?, 1, ?)
    ON CONFLICT (account) DO UPDATE SET holder = excluded.holder, epoch = leases.epoch + 1, until = excluded.until
      WHERE leases.until <= ? OR leases.holder = excluded.holder`);
  const takeDownload = db.prepare(`
    INSERT INTO leases (account, holder, epoch, until) VALUES (?, ?, ?, ?)
    ON CONFLICT (account) DO UPDATE SET holder = excluded.holder, epoch = leases.epoch + 1, until = excluded.until
      WHERE leases.until <= ?`);
  const isLeft = `SELECT '${DOWNLOAD}' || id FROM tasks WHERE status = 'downloading'`;
  const forgetDownload = db.prepare(`
    DELETE FROM leases WHERE account = ? AND epoch = ? AND holder = ? AND account NOT IN (${isLeft} AND id = ?)`);
  /** Leases left by workers that ended without a word. */
  const forgetDownloads = db.prepare(`
    DELETE FROM leases WHERE until <= ? AND account LIKE '${DOWNLOAD}%' AND account NOT IN (${isLeft})`);
  // A lease that has ended stays ended, even if nobody has taken it: its holder may have been presumed dead.
  const renew = db.prepare('UPDATE leases SET until = ? WHERE account = ? AND epoch = ? AND holder = ? AND until > ?');
  const release = db.prepare('UPDATE leases SET until = 0 WHERE account = ? AND epoch = ? AND holder = ?');
  const writePace = db.prepare(
    'UPDATE leases SET free_at = ?, pace = ? WHERE account = ? AND epoch = ? AND holder = ?',
  );
  const beat = db.prepare(`
    INSERT INTO workers (holder, until, wishes, since, seen, clock_ahead) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (holder) DO UPDATE SET until = excluded.until, wishes = excluded.wishes, seen = excluded.seen,
      clock_ahead = excluded.clock_ahead`);
  const forgetOthers = db.prepare('DELETE FROM workers WHERE until <= ? AND holder <> ?');
  const forget = db.prepare('DELETE FROM workers WHERE holder = ?');

  function fleetAt(at: number): Fleet {
    return {
      at,
      workers: selectWorkers.all(at).map(({ holder, wishes, since, seen, clock_ahead: ahead }) => ({
        holder,
        wishes: JSON.parse(wishes) as readonly string[],
        since,
        seen,
        ...(ahead === null ? {} : { clockAheadMs: ahead }),
      })),
      leases: selectLeases.all(at).map(({ account, holder, epoch, until }) => ({ account, holder, epoch, until })),
    };
  }

  /** Called before the lease is written: a worker must not change the pace of an account that it has lost. */
  function keepPace(holder: string, { account, epoch, pace }: PacedFence, at: number): void {
    if (pace !== undefined) writePace.run(at + pace.waitMs, pace.share, account, epoch, holder);
  }

  return {
    now,
    fleet: () => fleetAt(now()),
    renew(
      holder: string,
      held: readonly PacedFence[],
      forMs: number,
      { wishes = [], clockAheadMs }: WorkerWord,
    ): Fleet {
      const at = now();
      forgetOthers.run(at, holder);
      beat.run(holder, at + forMs, JSON.stringify(wishes), at, at, clockAheadMs ?? null);
      for (const one of held) {
        keepPace(holder, one, at);
        renew.run(at + forMs, one.account, one.epoch, holder, at);
      }
      return fleetAt(at);
    },
    take(holder: string, account: string, forMs: number): PacedFence | undefined {
      const at = now();
      if (take.run(account, holder, at + forMs, at) !== 1) return undefined;
      const taken = selectEpoch.get(account);
      return taken && { account, epoch: taken.epoch, ...present({ pace: paceOf(taken, at) }) };
    },
    release(holder: string, held: readonly PacedFence[]) {
      const at = now();
      for (const one of held) {
        keepPace(holder, one, at);
        release.run(one.account, one.epoch, holder);
      }
    },
    takeDownload(holder: string, taskId: number, forMs: number): Fence | undefined {
      const [at, account] = [now(), `${DOWNLOAD}${taskId}`];
      if (takeDownload.run(account, holder, Math.floor(at), at + forMs, at) !== 1) return undefined;
      const taken = selectEpoch.get(account);
      return taken && { account, epoch: taken.epoch };
    },
    renewDownloads(holder: string, held: readonly Fence[], forMs: number): readonly Fence[] {
      const at = now();
      return held.filter(({ account, epoch }) => renew.run(at + forMs, account, epoch, holder, at) === 1);
    },
    releaseDownloads(holder: string, held: readonly Fence[]) {
      for (const { account, epoch } of held) {
        forgetDownload.run(account, epoch, holder, Number(account.slice(DOWNLOAD.length)));
        release.run(account, epoch, holder);
      }
    },
    leave(holder: string) {
      forget.run(holder);
      forgetDownloads.run(now());
    },
    /** Whether nobody has taken the account since. Checked inside the transaction of the write that relies on it. */
    isCurrent: ({ account, epoch }: Fence) => selectEpoch.get(account)?.epoch === epoch,
    /** The same, and the lease has not ended either. */
    isHeld({ account, epoch }: Fence) {
      const lease = selectEpoch.get(account);
      return lease !== undefined && lease.epoch === epoch && lease.until > now();
    },
  };
}

interface LeaseColumns extends Pick<Lease, 'epoch' | 'until'> {
  readonly free_at: number;
  readonly pace: number;
}

/** Undefined if the account may be used at the full rate of its profile. */
function paceOf({ free_at: freeAt, pace: share }: LeaseColumns, at: number): AskingPace | undefined {
  const waitMs = Math.max(0, freeAt - at);
  return waitMs === 0 && share === 1 ? undefined : { waitMs, share };
}

interface LeaseParts {
  readonly db: Database;
  readonly leaseRecords: ReturnType<typeof openLeaseRecords>;
  readonly batchRecords: Pick<BatchRecords, 'all'>;
  readonly taskRecords: Pick<ReturnType<typeof openTaskRecords>, 'task'>;
  readonly writing: <T>(write: () => T) => T;
}

/** The leases of a store, each call in its own transaction. */
export function leaseStore({ db, leaseRecords, batchRecords, taskRecords, writing }: LeaseParts): AtOnce<LeaseStore> {
  const selectLast = db.prepareColumn<number>('SELECT coalesce(max(seq), 0) FROM events');
  const selectTasks = db.prepareColumn<number>('SELECT DISTINCT task FROM events WHERE seq > ? AND seq <= ?');
  const written = <T>(write: () => T): T => writing(() => db.transaction(write));
  return {
    fleet: () => leaseRecords.fleet(),
    renew: (holder, held, forMs, word = {}) => written(() => leaseRecords.renew(holder, held, forMs, word)),
    take: (holder, account, forMs) => written(() => leaseRecords.take(holder, account, forMs)),
    release: (holder, held) => written(() => leaseRecords.release(holder, held)),
    takeDownload: (holder, taskId, forMs) =>
      written((): DownloadClaim | undefined => {
        const fence = leaseRecords.takeDownload(holder, taskId, forMs);
        if (fence === undefined) return undefined;
        const task = taskRecords.task(taskId);
        if (task?.status === 'downloading') return { fence, task };
        leaseRecords.releaseDownloads(holder, [fence]);
        return undefined;
      }),
    renewDownloads: (holder, held, forMs) => written(() => leaseRecords.renewDownloads(holder, held, forMs)),
    releaseDownloads: (holder, held) => written(() => leaseRecords.releaseDownloads(holder, held)),
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
