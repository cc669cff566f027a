/**
 * What was or may have been charged, summed up by quarters of an hour: limits are checked against these sums, which are
 * written in the transactions of the requests that they count. A store with a million requests has a few thousand sums.
 */
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { Database } from '../open/database.ts';
import { IN_LIST } from '../open/database.ts';
import { UNCHARGED } from './evidence-records.ts';

/** Nights and months of every zone in use today begin with one of these. */
export const SLOT_MS = 15 * 60_000;

const MAY_BE_CHARGED = `coalesce(attempts.outcome, '') NOT IN (${[...UNCHARGED].map((outcome) => `'${outcome}'`).join(', ')})`;

/**
 * The millionths in an amount, rounded up like `microsOf`, in SQL: whole numbers, so that sums are exact, but of type
 * REAL, because a gateway may state so much that a sum of integers overflows.
 */
export function microsIn(amount: string): string {
  return `trunc(1000000.0 * (${amount}) + 0.999)`;
}

/** What limits count for one charge of a request, in millionths, as in `chargeOf`. */
export const COUNTED = microsIn(`max(coalesce(price, 0),
  CASE WHEN cost_currency = coalesce(currency, cost_currency) THEN cost ELSE 0 END)`);
export const RESERVED_CHARGES = 'coalesce(charges, 1)';

/** The key of a sum: '' stands for no account (the batch has only one), or for no currency; 0 stands for no night. */
interface ChargeKey {
  readonly batch: number;
  readonly account: string;
  readonly night: number;
  readonly slot: number;
  readonly operation: OperationPath;
  readonly currency: string;
  readonly cost_currency: string;
}

interface Charges extends ChargeKey {
  readonly requests: number;
  readonly charges: number;
  readonly micros: number;
  /** The highest cost that the gateway stated for one request. */
  readonly most: number | null;
}

/** The highest cost that a gateway has now stated for one of these requests. */
export interface StatedNow extends Pick<Charges, 'batch' | 'account' | 'operation' | 'cost_currency' | 'most'> {
  /** It was higher before, and that was taken back. */
  readonly isLess: boolean;
}

/** What has changed in the sums. */
interface KeptChange {
  /** How many more requests each batch has. */
  readonly more: ReadonlyMap<number, number>;
  readonly stated: readonly StatedNow[];
}

const KEY = 'batch, account, night, slot, operation, currency, cost_currency';
const COLUMNS = `${KEY}, requests, charges, micros, most`;

/** The same columns, computed from requests. */
function chargesOf(where: string): string {
  return `
    SELECT attempts.batch AS batch, coalesce(attempts.account, '') AS account, coalesce(night, 0) AS night,
      CAST(trunc(started_at / ${SLOT_MS}.0) AS BIGINT) AS slot, tasks.operation AS operation,
      coalesce(currency, '') AS currency, coalesce(cost_currency, '') AS cost_currency, count(*) AS requests,
      sum(${RESERVED_CHARGES}) AS charges, sum(${RESERVED_CHARGES} * ${COUNTED}) AS micros, max(cost) AS most
    FROM attempts JOIN tasks ON tasks.id = attempts.task
    WHERE ${where} AND ${MAY_BE_CHARGED} GROUP BY 1, 2, 3, 4, 5, 6, 7`;
}

/** Used in place of the table, if there is none. */
export const CHARGES_OF_REQUESTS = `(${chargesOf('1 = 1')}) AS kept_charges`;

const FILL_ALL = `INSERT INTO kept_charges (${COLUMNS}) ${chargesOf('1 = 1')}`;

/** Above this, sums and differences are no longer exact: the quarter of an hour is then summed up again. */
const EXACT_MICROS = 2 ** 40;

/** The sums of requests, kept with the requests. */
export function openKeptCharges(db: Database) {
  const select = db.prepare<Charges>(chargesOf(`attempts.task ${IN_LIST}`));
  const add = db.prepare(`
    INSERT INTO kept_charges (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (${KEY}) DO UPDATE SET requests = kept_charges.requests + excluded.requests,
      charges = kept_charges.charges + excluded.charges, micros = kept_charges.micros + excluded.micros,
      most = CASE WHEN kept_charges.most >= coalesce(excluded.most, kept_charges.most) THEN kept_charges.most ELSE excluded.most END`);
  const removeEmpty = db.prepare(
    `DELETE FROM kept_charges WHERE ${KEY.replaceAll(/\w+/gu, '$& = ?').replaceAll(',', ' AND')} AND requests = 0`,
  );
  const removeSlot = db.prepare('DELETE FROM kept_charges WHERE batch = ? AND slot = ?');
  const fillSlot = db.prepare(`
    INSERT INTO kept_charges (${COLUMNS}) ${chargesOf(`attempts.batch = ?1 AND started_at >= ?2 AND started_at < ?3
      AND CAST(trunc(started_at / ${SLOT_MS}.0) AS BIGINT) = ?4`)}`);
  const removeAll = db.prepare('DELETE FROM kept_charges');
  const fill = db.prepare(FILL_ALL);
  const selectKept = db.prepare<Charges>(`SELECT ${COLUMNS} FROM kept_charges ORDER BY ${KEY}`);
  const selectAll = db.prepare<Charges>(`${chargesOf('1 = 1')} ORDER BY 1, 2, 3, 4, 5, 6, 7`);

  function sumAnew({ batch, slot }: ChargeKey): void {
    removeSlot.run(batch, slot);
    // A millisecond more on either side: the division decides which slot a time belongs to.
    fillSlot.run(batch, slot * SLOT_MS - 1, (slot + 1) * SLOT_MS + 1, slot);
  }

  return {
    /**
     * Follows requests of these tasks, inside a transaction that changes no others. The returned function writes and
     * returns what has changed since it was last called.
     */
    follow(taskIds: readonly number[]): () => KeptChange {
      if (taskIds.length === 0) return () => ({ more: new Map(), stated: [] });
      const ids = JSON.stringify(taskIds);
      let before = select.all(ids);
      return () => {
        const after = select.all(ids);
        const { added, anew, stated } = differenceOf(before, after);
        const more = new Map<number, number>();
        for (const { batch, requests } of after) more.set(batch, (more.get(batch) ?? 0) + requests);
        for (const { batch, requests } of before) more.set(batch, (more.get(batch) ?? 0) - requests);
        before = after;
        for (const one of added) {
          const { batch, account, night, slot, operation, currency, cost_currency: stated } = one;
          const key = [batch, account, night, slot, operation, currency, stated] as const;
          add.run(...key, one.requests, one.charges, one.micros, one.most);
          if (one.requests < 0) removeEmpty.run(...key);
        }
        for (const one of anew) sumAnew(one);
        return { more, stated };
      };
    },
    /** Computes all sums again, in a transaction that changes requests of any task. */
    sumAllAnew() {
      removeAll.run();
      fill.run();
    },
    /** Sums that differ from those of the requests, as text. */
    differences(): readonly string[] {
      const byKey = (all: readonly Charges[]) => new Map(all.map((one) => [keyOf(one), valuesText(one)]));
      const [kept, counted] = [byKey(selectKept.all()), byKey(selectAll.all())];
      return [...new Set([...kept.keys(), ...counted.keys()])].flatMap((key) => {
        const [ours = 'nothing', theirs = 'nothing'] = [kept.get(key), counted.get(key)];
        return ours === theirs ? [] : [`Charges of ${key}: ${ours} are kept, the requests come to ${theirs}`];
      });
    },
  };
}

/** What is added to the sums, and which quarters of an hour must be summed up again, each once. */
function differenceOf(before: readonly Charges[], after: readonly Charges[]) {
  const had = new Map(before.map((one) => [keyOf(one), one]));
  const has = new Map(after.map((one) => [keyOf(one), one]));
  const added: Charges[] = [];
  const stated: StatedNow[] = [];
  const anew = new Map<string, ChargeKey>();
  for (const key of new Set([...had.keys(), ...has.keys()])) {
    const [was, is] = [had.get(key), has.get(key)];
    const one = is ?? was;
    if (one === undefined || (was !== undefined && is !== undefined && isSame(was, is))) continue;
    const isLess = (is?.most ?? -1) < (was?.most ?? -1);
    if (isLess || (is?.most ?? -1) > (was?.most ?? -1)) stated.push({ ...one, most: is?.most ?? null, isLess });
    const isLarge = (is?.micros ?? 0) > EXACT_MICROS || (was?.micros ?? 0) > EXACT_MICROS;
    if (isLess || isLarge) anew.set(`${one.batch} ${one.slot}`, one);
    else {
      added.push({
        ...one,
        requests: (is?.requests ?? 0) - (was?.requests ?? 0),
        charges: (is?.charges ?? 0) - (was?.charges ?? 0),
        micros: (is?.micros ?? 0) - (was?.micros ?? 0),
        most: is?.most ?? null,
      });
    }
  }
  return { added, anew: anew.values(), stated };
}

function keyOf(one: ChargeKey): string {
  return JSON.stringify([one.batch, one.account, one.night, one.slot, one.operation, one.currency, one.cost_currency]);
}

function isSame(one: Charges, other: Charges): boolean {
  return valuesText(one) === valuesText(other);
}

function valuesText({ requests, charges, micros, most }: Charges): string {
  return JSON.stringify([requests, charges, micros, most]);
}
