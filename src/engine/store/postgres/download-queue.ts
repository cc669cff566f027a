/** Offers of downloads among the workers of a store, through pg-boss: jobs in tables beside the store's own. */
import type { PgBoss } from 'pg-boss';
import type { DownloadQueue } from '../../ports/fleet.ts';
import type { StoreAddress } from './store-address.ts';

const QUEUE = 'downloads';
/** The server does not allow it to this user (SQLSTATE insufficient_privilege). */
const REFUSED = '42501';
/** One for queries, and one for pg-boss's own housekeeping. */
const CONNECTIONS = 2;
/** A connection that has not answered for this long is given up, even if nothing reports that the other end is gone. */
const LONGEST_ANSWER_MS = 15_000;
/** An offer that nobody has received for this long has been made again, or is no longer needed. */
const OFFERED_S = 900;
/** How long an offer is kept for a worker that received it but ended before removing it. */
const RECEIVED_S = 60;

/**
 * Jobs contain only task numbers, at most one job for each task at a time, and are removed when received: they do not
 * decide whether a worker may fetch anything. pg-boss is loaded when the queue is opened.
 * @param onProblem Called with the reason why the queue does not work, once until it works again.
 */
export function downloadQueue(address: StoreAddress, onProblem: (message: string) => void): DownloadQueue {
  let boss: PgBoss | undefined;
  let isTold = false;
  const tell = (error: unknown): void => {
    if (!isTold) onProblem(wordsOf(error, address));
    isTold = true;
  };

  async function start(createSchema: boolean): Promise<PgBoss> {
    const { PgBoss: Boss } = await import('pg-boss');
    // An option of the driver that pg-boss's types leave out.
    const pool = { query_timeout: LONGEST_ANSWER_MS };
    const starting = new Boss({
      ...pool,
      connectionString: address.connection,
      schema: jobSchemaOf(address),
      application_name: 'nocturne downloads',
      max: CONNECTIONS,
      schedule: false,
      createSchema,
    });
    starting.on('error', tell);
    try {
      await starting.start();
      await starting.createQueue(QUEUE, {
        policy: 'short',
        retryLimit: 1,
        expireInSeconds: RECEIVED_S,
        retentionSeconds: OFFERED_S,
        deleteAfterSeconds: RECEIVED_S,
      });
      return starting;
    } catch (error) {
      await starting.stop({ graceful: false }).catch(() => undefined);
      throw error;
    }
  }

  return {
    async open() {
      try {
        boss = await start(true).catch((error: unknown) => {
          // A user who may not create schemas may have been given one.
          if (codeOf(error) !== REFUSED) throw error;
          return start(false).catch(() => Promise.reject(error));
        });
      } catch (error) {
        tell(error);
      }
      return boss !== undefined;
    },
    async offer(taskIds) {
      const jobs = taskIds.map((task) => ({ data: { task }, singletonKey: String(task) }));
      await boss?.insert(QUEUE, jobs).then(() => (isTold = false), tell);
    },
    async receive(limit) {
      if (boss === undefined) return [];
      try {
        const jobs = await boss.fetch<{ readonly task: unknown }>(QUEUE, { batchSize: limit });
        const ids = jobs.map(({ id }) => id);
        if (ids.length > 0) await boss.deleteJob(QUEUE, ids);
        isTold = false;
        return jobs.map(({ data }) => Number(data.task)).filter((id) => Number.isSafeInteger(id));
      } catch (error) {
        tell(error);
        return [];
      }
    },
    async close() {
      const closing = boss;
      boss = undefined;
      await closing?.stop({ graceful: false }).catch(tell);
    },
  };
}

/**
 * The schema of a store's jobs: its own, because pg-boss keeps one version of its tables in each, and others may use
 * it, too.
 */
export function jobSchemaOf({ schema }: Pick<StoreAddress, 'schema'>): string {
  return `${schema}_jobs`;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function wordsOf(error: unknown, address: StoreAddress): string {
  // What the library reports is not always an Error: its message counts.
  const said = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  const message = typeof said === 'string' ? said : JSON.stringify(said);
  if (codeOf(error) !== REFUSED) return message;
  const schema = jobSchemaOf(address);
  const user = /^[^:/?#]+:\/\/(?<user>[^:@/]+)/u.exec(address.shown)?.groups?.['user'] ?? 'USER';
  return `${message}. Somebody who may has to run: CREATE SCHEMA ${schema} AUTHORIZATION ${user};`;
}
