/** What must hold once a night is over: the store, the gateway’s ledger and the media folder tell the same story. */
import { isDeepStrictEqual } from 'node:util';
import { ledgerFigures } from '../../src/shared/domain/ledger/ledger-figures.ts';
import { ledgerMoney } from '../../src/shared/domain/ledger/ledger-money.ts';
import { fingerprintOf } from '../../src/engine/gateway/key-seal.ts';
import { isRejectedPath } from '../../src/shared/domain/review/verdict.ts';
import { foldRowId } from '../../src/shared/domain/sheet/sheet-row-ids.ts';
import type { Life } from './life.ts';
import type { ModelGateway } from './model-gateway.ts';
import type { NightPlan } from './plan.ts';
import type { SimDisk } from './sim-disk.ts';
import { nameOf, nameSent } from './row-names.ts';
import { rowOf } from './sim-network.ts';
import type { PlacedFiles } from './sim-folder.ts';
import type { User } from './user.ts';
import type { Watch } from './watch.ts';

/** Well within the six hours that a profile here allows a task. */
const TOO_LONG_MS = 5 * 3_600_000;
/** By a clock that leapt ahead, the six hours have passed, and the night asks for an hour more. */
const TOO_LONG_AHEAD_MS = 50 * 60_000;

export interface NightBooks {
  readonly plan: NightPlan;
  readonly disk: SimDisk;
  readonly life: Life;
  readonly gateway: ModelGateway;
  readonly files: PlacedFiles;
  readonly user: User;
  readonly watch: Watch;
  /** Rows for which the gateway names another row’s code: nobody can tell what they then have. */
  readonly misled: ReadonlySet<string>;
}

export function audit(books: NightBooks): void {
  auditCounters(books);
  auditLedger(books);
  auditCharges(books);
  auditCodes(books);
  auditChains(books);
  auditFiles(books);
  auditNames(books);
  auditEnds(books);
}

/** What the store counts as it goes must equal a recount. */
function auditCounters({ disk, life, watch }: NightBooks): void {
  const recount = disk.open();
  for (const { id } of watch.batches) {
    if (life.now.store.batch(id) === undefined) continue;
    const [kept, counted] = [life.now, recount].map(({ store, views }) => ({
      counts: store.counts(id),
      used: store.submitsUsed(id),
      summary: views.batchSummary(id),
    }));
    if (!isDeepStrictEqual(kept, counted)) {
      watch.report('counters', `${id}: ${JSON.stringify(kept)} kept, ${JSON.stringify(counted)} counted`);
    }
  }
}

/** The ledger must add up: every take is in one place, what is verified is done, and no paid request is left out. */
function auditLedger({ disk, watch }: NightBooks): void {
  const { store, views, ledger } = disk.open();
  const takesWithoutTask = disk.db.prepare<{ readonly n: number }>(
    'SELECT takes - (SELECT count(*) FROM tasks WHERE row = rows.seq AND superseded = 0 AND take <= takes) AS n FROM rows WHERE seq = ?',
  );
  for (const { id } of watch.batches) {
    const batch = store.batch(id);
    const summary = views.batchSummary(id);
    if (batch === undefined || summary === undefined) continue;
    const { prices } = batch.settings.profile;
    const takes = ledger.takes([id]);
    const { stages, fallen, groups } = ledgerFigures([{ ...batch, isAtWork: false, rehearsal: false, prices }], takes);
    const tasks = Object.values(summary.tasks).reduce((sum, counts) => sum + Object.values(counts).reduce(add, 0), 0);
    const done = Object.values(summary.tasks).reduce((sum, counts) => sum + counts.done, 0);
    const idle = takes.filter(({ status }) => status === 'invalid' || status === 'skipped').map((take) => take.takes);
    const { requests } = ledgerMoney([{ ...batch, isAtWork: false, rehearsal: false, prices }], takes, [
      ...ledger.requests({ batchIds: [id] }),
    ]);
    const found = {
      planned: stages.planned - idle.reduce(add, 0),
      verified: stages.verified,
      fallen: fallen.map((lost) => lost.takes).reduce(add, 0),
      // A row without tasks is listed once, for all of its takes.
      listed: groups
        .flatMap(({ facts }) => ledger.rows(id, facts, ALL_TAKES))
        .map((row) => (row.id === 0 ? (takesWithoutTask.get(row.key)?.n ?? 0) : 1))
        .reduce(add, 0),
      paid: requests.reserved + requests.spent + requests.unknown,
    };
    const lost = stages.planned - done;
    const planned = tasks + summary.draftSubmits;
    const expected = { planned, verified: done, fallen: lost, listed: lost, paid: summary.submitsUsed };
    if (!isDeepStrictEqual(found, expected)) {
      watch.report('ledger', `${id}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
    }
  }
}

const ALL_TAKES = 100_000;

function add(sum: number, number: number): number {
  return sum + number;
}

interface AttemptsOfBody {
  readonly key: string;
  readonly body: Uint8Array;
  readonly accepted: number;
  readonly possible: number;
  /** How often it was sent, if the gateway charges once for one key. */
  readonly sent: number;
}

function auditCharges(books: NightBooks): void {
  const { plan, disk, gateway, user, watch } = books;
  const attempts = disk.db
    .prepare<AttemptsOfBody>(
      `WITH requests AS (SELECT key_fingerprint AS key, body, max(outcome IS 'accepted') AS accepted,
       max(outcome IS NULL OR outcome IN ('accepted', 'unknown', 'interrupted')) AS possible,
       count(*) AS sent FROM attempts WHERE batch NOT IN (${REMOVED})
       GROUP BY key_fingerprint, body, coalesce(idempotency_key, id))
       SELECT key, body, sum(accepted) AS accepted, sum(possible) AS possible, sum(sent) AS sent FROM requests
       GROUP BY key, body`,
    )
    .all();
  const charged = new Map<string, number>();
  const removed = removedRows(books);
  auditRemoved(books, removed);
  const byVersion = new Map<string, number>();
  for (const { key, body, row } of gateway.charges) {
    if (removed.has(row)) continue;
    const paid = `${fingerprintOf(key)} ${body}`;
    charged.set(paid, (charged.get(paid) ?? 0) + 1);
    const version = `${row} ${/ (v\d+)/u.exec(body)?.[1]}`;
    byVersion.set(version, (byVersion.get(version) ?? 0) + 1);
  }
  // A gateway that breaks its word may charge each time, until it is found out.
  const isIgnored = (row: string): boolean =>
    plan.batches.some(({ rows, keys }) => keys === 'ignored' && rows.some(({ id }) => id === row));
  for (const { key, body, accepted, possible: once, sent } of attempts) {
    const words = Buffer.from(body).toString();
    const text = `${key} ${words}`;
    const possible = isIgnored(rowOf(words)) ? sent : once;
    const charges = charged.get(text) ?? 0;
    charged.delete(text);
    if (charges < accepted || charges > possible) {
      watch.report('ledger', `${charges} charges, ${accepted} accepted and ${possible} possible attempts of ${text}`);
    }
  }
  for (const body of charged.keys()) watch.report('ledger', `charged without an attempt: ${body}`);
  for (const [version, charges] of byVersion) {
    const row = version.split(' ')[0] ?? '';
    const word = user.rows.of(row);
    const most = user.rows.mostPaid(row);
    const again = plan.batches.find(({ rows }) => rows.some(({ id }) => id === row))?.again ?? 0;
    if (isIgnored(row)) continue;
    if (word !== undefined && charges > most * (1 + again)) {
      const { takes, rows, again: more } = word;
      watch.report(
        'charges',
        `${version} was charged ${charges} times, for ${takes} takes of ${rows} and ${more} more`,
      );
    }
  }
}

/** Batches of which only what they have paid is left. */
const REMOVED = "SELECT seq FROM batches WHERE settings ->> '$.shelf.is' = 'removed'";

/** The rows of batches that are removed. */
function removedRows({ plan, disk, watch }: Pick<NightBooks, 'plan' | 'disk' | 'watch'>): ReadonlySet<string> {
  const ids = disk.db.prepare<{ readonly id: string }>(`SELECT id FROM batches WHERE seq IN (${REMOVED})`).all();
  const removed = new Set(ids.map(({ id }) => id));
  return new Set(
    plan.batches.flatMap(({ rows }, i) => (removed.has(watch.batches[i]?.id ?? '') ? rows.map(({ id }) => id) : [])),
  );
}

/** Bodies of what was removed are no longer there, but each of its charges is. */
function auditRemoved({ disk, gateway, plan, watch }: NightBooks, rows: ReadonlySet<string>): void {
  const count = disk.db.prepare<{ readonly accepted: number; readonly possible: number; readonly sent: number }>(
    `WITH requests AS (SELECT max(outcome IS 'accepted') AS accepted, count(*) AS sent,
     max(outcome IS NULL OR outcome IN ('accepted', 'unknown', 'interrupted')) AS possible FROM attempts
     WHERE batch = (SELECT seq FROM batches WHERE id = ?) GROUP BY coalesce(idempotency_key, id))
     SELECT coalesce(sum(accepted), 0) AS accepted, coalesce(sum(possible), 0) AS possible, coalesce(sum(sent), 0) AS sent
     FROM requests`,
  );
  for (const [i, batch] of plan.batches.entries()) {
    const { id } = watch.batches[i] ?? {};
    const known = id === undefined || !batch.rows.some((row) => rows.has(row.id)) ? undefined : count.get(id);
    if (known === undefined) continue;
    const charges = gateway.charges.filter(({ row }) => batch.rows.some((one) => one.id === row)).length;
    const possible = batch.keys === 'ignored' ? known.sent : known.possible;
    if (charges < known.accepted || charges > possible)
      watch.report('removed', `${charges} charges of ${id}, ${JSON.stringify(known)} attempts are left`);
  }
}

/** A task code belongs to one task, whatever the gateway said. */
function auditCodes({ disk, watch }: NightBooks): void {
  const shared = disk.db
    .prepare<{ readonly task_code: string; readonly rows: string }>(
      `SELECT task_code, group_concat(row_id) AS rows FROM tasks WHERE task_code IS NOT NULL
       AND batch NOT IN (${REMOVED}) GROUP BY code_gateway, task_code HAVING count(*) > 1`,
    )
    .all();
  for (const { task_code: code, rows } of shared) watch.report('codes', `${code} belongs to the tasks of ${rows}`);
}

/**
 * What was sent from another row is what that row has given: that row is done, and the code is its own. A row one of
 * whose files was picked may be cancelled later, while its other files are fetched.
 */
function auditChains({ plan, disk, gateway, watch, misled }: NightBooks): void {
  const removed = removedRows({ plan, disk, watch });
  const sources = disk.db.prepare<{ readonly row: number; readonly status: string; readonly files: number }>(
    `SELECT row, status, (SELECT count(*) FROM outputs WHERE task = tasks.id AND state = 'verified') AS files
     FROM tasks WHERE task_code = ?`,
  );
  const before = new Map(plan.batches.flatMap(({ rows }) => rows.map(({ id, after }) => [id, after] as const)));
  for (const { row, body } of gateway.charges) {
    const after = before.get(row);
    const [, code = ''] = / after ([^"\\]*)/u.exec(body) ?? [];
    if (after === undefined || misled.has(after) || removed.has(after)) continue;
    const owners = sources.all(code);
    // A code belongs to one task of a gateway, and a path of its own is another gateway.
    const found = owners.find((one) => watch.ids.has(one.row, after)) ?? owners[0];
    const name = found === undefined ? undefined : nameOf(disk.db, found.row);
    if (name !== undefined && misled.has(name)) continue;
    const hasGiven = found?.status === 'done' || (found?.status === 'cancelled' && found.files > 0);
    if (found === undefined || !watch.ids.has(found.row, after) || !hasGiven) {
      watch.report('chain', `${row} was sent ${code} of ${after}, which is ${found?.status} and of ${name}`);
    }
  }
}

interface StoredOutput {
  readonly task: number;
  readonly position: number;
  readonly row: number;
  readonly row_id: string;
  readonly task_code: string | null;
  readonly status: string;
  readonly state: string;
  readonly path: string | null;
  readonly sha256: string | null;
  readonly isRejected: 0 | 1;
}

function auditFiles({ plan, disk, gateway, files, watch, misled }: NightBooks): void {
  const outputs = disk.db
    .prepare<StoredOutput>(
      `SELECT o.task, o.position, t.row, t.row_id, t.task_code, t.status, o.state, o.path, o.sha256,
       o.rest ->> '$.verdict.kept' IS 0 AS isRejected
       FROM outputs o JOIN tasks t ON t.id = o.task`,
    )
    .all();
  const owned = new Set<string>();
  const isReviewed = plan.deeds.some(({ deed }) => deed.kind === 'review');
  for (const { task, row: key, row_id: id, task_code: code, status, state, path, sha256, isRejected } of outputs) {
    const charge = gateway.chargeOf(code ?? '');
    const row = nameSent(disk.db, task) ?? id;
    if (charge?.row !== row && !misled.has(row))
      watch.report('owner', `${row} has the outputs of ${charge?.row} (${code})`);
    if (status === 'done' && state !== 'verified') watch.report('files', `${row} is done with an output ${state}`);
    if (state !== 'verified' || path === null) continue;
    if (isReviewed && (isRejected === 1) !== isRejectedPath(path))
      watch.report('filed', `${path} of ${row} is not where the user’s word says`);
    if (owned.has(path)) watch.report('files', `${path} belongs to several outputs`);
    owned.add(path);
    const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
    const ids = watch.ids.of(key);
    if (!ids.some((one) => name.startsWith(`${one}-`)))
      watch.report('files', `${path} is of ${row}, which was ${ids.join()}`);
    const file = files.get(path);
    if (file === undefined || file.sha256 !== sha256 || !file.outputId.startsWith(`${task}-`)) {
      watch.report('files', `${path} of ${row} is not the file that was verified`);
    }
  }
}

/** Whatever was made of a row is under its present id. */
function auditNames({ disk, watch }: NightBooks): void {
  const wrong = disk.db
    .prepare<{ readonly task: number; readonly was: string; readonly id: string }>(
      `SELECT t.id AS task, t.row_id AS was, r.row_id AS id FROM tasks t JOIN rows r ON r.seq = t.row
       WHERE t.row_id <> r.row_id`,
    )
    .all();
  for (const { task, was, id } of wrong) watch.report('names', `task ${task} is of ${was}, and its row is ${id}`);
}

interface EndedTask {
  readonly task: number;
  readonly key: number;
  readonly status: string;
  readonly superseded: number;
  readonly task_code: string | null;
  readonly failure: string | null;
  readonly verified: number;
}

/** Everything that nothing spoilt is rendered and fetched, and nothing is done without a file. */
function auditEnds(books: NightBooks): void {
  const { disk, gateway, watch } = books;
  const spoilt = spoiltRows(books);
  const tasks = disk.db
    .prepare<EndedTask>(
      `SELECT t.id AS task, t.row AS key, t.status, t.superseded, t.task_code, json_extract(t.state, '$.failure') AS failure,
       (SELECT count(*) FROM outputs WHERE task = t.id AND state = 'verified') AS verified FROM tasks t
       WHERE t.batch NOT IN (${REMOVED})`,
    )
    .all();
  for (const { task, key, status, superseded, task_code: code, failure, verified } of tasks) {
    const row = nameSent(disk.db, task) ?? nameOf(disk.db, key) ?? '';
    if (status === 'done' && verified === 0) watch.report('done', `${row} is done without an output`);
    if (superseded === 1 || spoilt.has(row)) continue;
    const charge = gateway.chargeOf(code ?? '');
    const given = charge?.isData === true ? 1 : charge?.files;
    if (status !== 'done' || verified !== given) {
      watch.report(
        'done',
        `${row} is ${status} with ${verified} outputs of ${given}, and nothing spoilt it: ${failure}`,
      );
    }
  }
}

/** Rows that need not be done: something of the plan or the user spoilt them, or a row that they refer to. */
function spoiltRows({ plan, gateway, user, misled }: NightBooks): ReadonlySet<string> {
  // A file is asked for again, for free, more often than a plan spoils it.
  const spoilt = new Set(plan.faults.flatMap(({ at, row }) => (at === 'file' ? [] : [row])));
  // The code of another row that it is given is that of the first charge.
  const [first] = gateway.charges;
  if (misled.size > 0 && first !== undefined) spoilt.add(first.row);
  const aheadMs = plan.deeds.reduce((sum, { deed }) => sum + (deed.kind === 'leap' ? Math.max(0, deed.byMs) : 0), 0);
  const tooLongMs = aheadMs > 3_600_000 ? TOO_LONG_AHEAD_MS : TOO_LONG_MS;
  for (const { row, atMs, endsAtMs } of gateway.charges) if (endsAtMs - atMs > tooLongMs) spoilt.add(row);
  // The row that they refer to is another one for a while, or none.
  const renamed = new Set(
    plan.deeds.flatMap(({ deed }) =>
      deed.kind === 'rename' && foldRowId(deed.id) !== deed.row ? [deed.row, foldRowId(deed.id)] : [],
    ),
  );
  for (const row of plan.batches.flatMap(({ rows }) => rows)) {
    const isLost = row.after !== undefined && renamed.has(row.after);
    const isLeft = row.fails === true || isLost || user.rows.of(row.id)?.isGivenUp === true;
    // A row refers to an earlier one.
    if (isLeft || (row.after !== undefined && spoilt.has(row.after))) spoilt.add(row.id);
  }
  return spoilt;
}
