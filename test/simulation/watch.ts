/** What must hold at each moment of a night: looked at whenever a request leaves, and once a simulated minute. */
import type { Database } from '../../src/engine/store/open/database.ts';
import { EPOCH_MS } from './gateway-bodies.ts';
import type { Money } from '../../src/shared/domain/base/money.ts';
import type { BatchRecord } from '../../src/shared/domain/task/batch.ts';
import type { Limit as SpendingLimit } from '../../src/shared/domain/task/spending.ts';
import type { Schedule } from '../../src/shared/domain/task/schedule.ts';
import type { Choice, Limit } from './limit.ts';
import type { Machine } from './machine.ts';
import type { ModelGateway } from './model-gateway.ts';
import { DiskWatch } from './disk-watch.ts';
import { FinishWatch } from './finish-watch.ts';
import { Neglect } from './neglect.ts';
import { SpendingWatch } from './spending-watch.ts';
import { QueueWatch } from './queue-watch.ts';
import { FormerIds, nameOf } from './row-names.ts';
import type { Shelved } from './shelf-watch.ts';
import { nameOfAccount } from './sim-sheet.ts';
import { isOpenAt } from './windows.ts';
import type { NightPlan } from './plan.ts';

/** Which promise was broken, and what was seen. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

/** What the user asked for, as far as it binds the night: the watch knows it only from the user. */
export interface BatchWord {
  readonly id: string;
  /** The first one first. */
  readonly accounts: readonly number[];
  readonly cap: Limit;
  readonly maxCost: Choice<Money | undefined>;
  /** Of each of its accounts. */
  readonly accountLimits: ReadonlyMap<number, Choice<SpendingLimit>>;
  readonly schedule: Choice<Schedule | undefined>;
  readonly places: Limit;
  readonly perSecond: Limit;
  readonly canary: Choice<boolean>;
  /** The user has sent the rest of a kind, whatever happened to its first row. */
  hasReleasedKinds: boolean;
  /** How often a take may be rendered again because of a gate. */
  readonly again: number;
  /** The user has paused it, knows that, and has not let it go on since. */
  isHeld: boolean;
  /** How often the user has let it go on. */
  starts: number;
  /** How many paid requests the user has seen and let run, in all. */
  agreed: number;
  /** Where the user knows it to be; undefined as long as that may be changing. */
  shelf: Shelved | undefined;
}

/** The committed intent of a paid request. */
export interface SeenAttempt {
  readonly id: number;
  readonly task: number;
  readonly batch: string;
  /** It is sent again under its key. */
  readonly isAgain: 0 | 1;
}

/** A task that has been sent, and the name of its account in a batch with several. */
interface SentTask {
  readonly batch: string;
  readonly account: string | null;
}

/** What an account may still ask at once. */
interface Rights {
  readonly left: number;
  readonly atMs: number;
  /** The most that may come together by the limits before they were changed, until that time. */
  readonly spare?: { readonly burst: number; readonly untilMs: number };
}

/** Requests that had their right before the gateway asked for a wait have left within this time. */
const RIGHT_USED_MS = 20_000;
/** An intent is sent within this time. */
const SENT_MS = 60_000;
/** As many as the sheets of a night use, each with its own places. */
const FAMILIES = 2;
const POLLS_BASE = 100;
/** The schedule aims at 2 s between an end and the poll that finds it, so at one poll in 4 s, */
const POLLS_A_MINUTE = 16;
/** and for tasks that take longer than this, at a part of that time: 6 s if others took a quarter of an hour. */
const LONG_MINUTES = 30;
const POLLS_A_LONG_MINUTE = 12;
const CALM_MS = 40 * 60_000;
const FEW_ROWS = 20;
const MINUTE_MS = 60_000;
const SECOND_MS = 1000;

export class Watch {
  readonly violations: Violation[] = [];
  readonly batches: BatchWord[] = [];
  /** Whether each row is held back by the user, by its key. */
  readonly held = new Map<number, Choice<boolean>>();
  readonly ids: FormerIds;
  readonly spending: SpendingWatch;
  readonly finish: FinishWatch;
  readonly #disk: DiskWatch;
  /** What the user is doing, and when something last began or ended. */
  readonly doing = { deeds: 0, atMs: 0 };
  readonly #db: Database;
  readonly #machine: Machine;
  readonly #gateway: ModelGateway;
  readonly #sent = new Set<number>();
  readonly #rights = new Map<number, Rights>();
  /** From when until when the gateway wants nothing from an account, by the monotonic clock. */
  readonly #waits = new Map<number, { readonly fromMs: number; readonly untilMs: number }>();
  /** How many requests outside of every schedule are still to come. */
  readonly #asides = new Map<number, number>();
  readonly #isSmall: boolean;
  /** Rows that others wait for until one of their files is picked. */
  readonly #picked: ReadonlySet<string>;
  /** The ids that rows refer to. */
  readonly #sources: ReadonlyMap<string, string>;
  readonly #isRenamed: boolean;
  readonly #neglect: Neglect;
  readonly queue: QueueWatch;
  /** Accounts whose key the user has removed. */
  readonly #keyless = new Set<number>();
  #lookedAtMs = 0;
  /** Called when a batch is removed that was deleted; `isPaidFor`: what it has paid is still known. */
  onRemoved: (batchId: string, isPaidFor: boolean) => void = () => undefined;
  /** No request may leave any more: the night has ended. */
  hasEnded = false;

  constructor(db: Database, machine: Machine, gateway: ModelGateway, plan: NightPlan) {
    this.#db = db;
    this.#machine = machine;
    this.#gateway = gateway;
    this.#neglect = new Neglect(db, machine, gateway);
    this.spending = new SpendingWatch(db, (rule, detail) => this.report(rule, detail));
    this.finish = new FinishWatch(db, machine, (rule, detail) => this.report(rule, detail));
    this.#disk = new DiskWatch(db, machine, (rule, detail) => this.report(rule, detail));
    this.queue = new QueueWatch(db, machine, this);
    gateway.onCharge = (charge) => this.spending.onCharge(charge, this.batches);
    const rows = plan.batches.flatMap((batch) => batch.rows);
    this.#picked = new Set(rows.flatMap(({ id, pick }) => (pick === true ? id : [])));
    this.#sources = new Map(rows.flatMap(({ id, after }) => (after === undefined ? [] : [[id, after]])));
    this.#isRenamed = plan.deeds.some(({ deed }) => deed.kind === 'rename');
    this.ids = new FormerIds(db);
    this.#isSmall = rows.length <= FEW_ROWS;
  }

  report(rule: string, detail: string): void {
    this.violations.push({ rule, detail });
  }

  /** A new process knows nothing about the pace of the previous one. */
  processBegan(): void {
    this.#rights.clear();
    this.#waits.clear();
    this.#asides.clear();
    this.#machine.disturbedAtMs = this.#machine.agenda.nowMs;
  }

  /** Another key is another lane to the gateway: nothing has used it yet. Without one, nothing can be asked. */
  keyChanged(account: number, isThere: boolean): void {
    this.#rights.delete(account);
    this.#waits.delete(account);
    if (isThere) this.#keyless.delete(account);
    else this.#keyless.add(account);
  }

  /** The user asks for a poll outside of every schedule. */
  allowOneMore(account: number): void {
    this.#waits.delete(account);
    this.#asides.set(account, (this.#asides.get(account) ?? 0) + 1);
  }

  /** The gateway asks for a wait. */
  onAskedToWait(account: number, forMs: number): void {
    const atMs = this.#machine.clock.monotonic();
    this.#waits.set(account, { fromMs: atMs + RIGHT_USED_MS, untilMs: atMs + forMs });
  }

  /** A request is handed to the network. */
  onRequest(account: number): void {
    const atMs = this.#machine.clock.monotonic();
    const wait = this.#waits.get(account);
    if (wait !== undefined && atMs >= wait.fromMs && atMs < wait.untilMs) {
      this.report(
        'wait',
        `account ${account} is asked ${Math.round((wait.untilMs - atMs) / SECOND_MS)} s before it may`,
      );
    }
    const asides = this.#asides.get(account) ?? 0;
    if (asides > 0) {
      this.#asides.set(account, asides - 1);
      return;
    }
    const rights = this.#rightsNow(account);
    const left = rights.left - 1;
    this.#rights.set(account, { ...rights, left });
    if (left < -0.001) {
      const { perSecond } = this.#pace(account);
      this.report('pace', `account ${account} is asked more than ${perSecond} times a second`);
    }
  }

  /** From now on other limits apply to these accounts: their rights until now came from the previous ones. */
  limitsChange(accounts: readonly number[], change: () => void): void {
    for (const account of accounts) {
      const rights = this.#rightsNow(account);
      // A request that has its right may take a moment to leave.
      const spare = { burst: this.#pace(account).burst, untilMs: rights.atMs + SECOND_MS };
      this.#rights.set(account, { ...rights, spare });
    }
    change();
  }

  #rightsNow(account: number): Rights {
    const { perSecond, burst } = this.#pace(account);
    const atMs = this.#machine.clock.monotonic();
    const before = this.#rights.get(account) ?? { left: burst, atMs };
    const { spare } = before;
    const most = spare === undefined || atMs > spare.untilMs ? burst : Math.max(burst, spare.burst);
    const left = Math.min(most, before.left + ((atMs - before.atMs) / SECOND_MS) * perSecond);
    return { ...before, left, atMs };
  }

  #pace(account: number): { readonly perSecond: number; readonly burst: number } {
    const all = this.batches.filter(({ accounts }) => accounts.includes(account));
    const perSecond = Math.max(...all.map((batch) => batch.perSecond.most));
    // A request that waits for the commit of its intent already has its right.
    const burst = Math.max(1, perSecond) + all.reduce((sum, { places }) => sum + FAMILIES * places.most, 0);
    return { perSecond, burst };
  }

  onPoll(code: string): void {
    const charge = this.#gateway.chargeOf(code);
    const polls = this.#gateway.polls.get(code) ?? 0;
    this.#neglect.asked(code);
    if (this.hasEnded) this.report('end', `task ${code} was asked about after the end`);
    if (charge === undefined) return;
    const minutes = (this.#machine.agenda.nowMs - charge.atMs) / MINUTE_MS;
    const longMinutes = Math.max(0, minutes - LONG_MINUTES);
    const most = POLLS_BASE + (minutes - longMinutes) * POLLS_A_MINUTE + longMinutes * POLLS_A_LONG_MINUTE;
    if (polls > most) {
      this.report('polls', `${charge.row} was asked about ${polls} times in ${Math.round(minutes)} min`);
    }
  }

  /**
   * A paid request is handed to the network, which may take a while to connect: a pause and lower limits hold back all
   * requests except these.
   */
  onHandOver(body: string): void {
    this.#neglect.stirred();
    const attempt = this.#attemptOf(body);
    const word = this.#wordOf(attempt?.batch);
    if (attempt === undefined || word === undefined) return;
    // A batch that had already stopped for another reason is not paused by the user, and may ask what became of its
    // requests.
    const asksOnly = attempt.isAgain === 1 && this.#isStopped(word.id);
    if (word.isHeld && !asksOnly) this.report('pause', `sent behind the user’s pause: ${body}`);
    if (this.#isHeldRow(attempt.task)) this.report('hold', `sent behind the user’s hold: ${body}`);
    // Sent again under its key, it already counts, and is paid for at most once.
    if (attempt.isAgain === 1) return;
    if (word.shelf === 'archived' || word.shelf === 'deleted')
      this.report('shelf', `sent although its batch is ${word.shelf}: ${body}`);
    this.queue.onHandOver(word, attempt, body);
    this.spending.onHandOver(word, body);
    this.#checkCap(word);
    if (!this.#isOpen(word)) this.report('window', `sent at ${this.#timeText()}, outside of its windows: ${body}`);
    this.finish.onHandOver(word, attempt.task, body);
    this.#disk.onHandOver(word.id, body);
    this.#checkPlaces(word, attempt);
    this.#checkCanary(word, attempt, body);
  }

  onBatch(record: BatchRecord): void {
    this.finish.onBatch(record, this.#wordOf(record.id), this.doing);
  }

  /** Right before the first byte of a paid request. */
  onSubmit(body: string): void {
    const attempt = this.#attemptOf(body);
    if (attempt === undefined) {
      this.report('intent', `sent twice, or without a committed intent: ${body}`);
      return;
    }
    this.#sent.add(attempt.id);
    this.#checkWord(attempt.task, body);
    this.#checkContent(attempt.task, body);
    const [, row = '', code = ''] = /"prompt":"(\S+) v\d+ after ([^"\\]*)/u.exec(body) ?? [];
    const source = this.#sources.get(row);
    if (source !== undefined) this.#checkSource(attempt, source, code, body);
    if (this.hasEnded) this.report('end', `sent after the end: ${body}`);
  }

  /** Whether the schedule of a batch lets it submit at this moment, by the clock that the user sees. */
  #isOpen({ schedule }: BatchWord): boolean {
    return schedule.allowed.some((one) => isOpenAt(one, this.#machine.clock.now()));
  }

  #timeText(): string {
    return new Date(this.#machine.clock.now()).toISOString();
  }

  #wordOf(batchId: string | undefined): BatchWord | undefined {
    return this.batches.find(({ id }) => id === batchId);
  }

  /**
   * The committed intent of a paid request that has not been sent. Takes of a row ask for the same: which of them has
   * left shows only in the answers, and an attempt that was answered but not seen to leave was taken for one still
   * open.
   */
  #attemptOf(body: string): SeenAttempt | undefined {
    const all = this.#db
      .prepare<SeenAttempt & { readonly isOpen: 0 | 1 }>(
        `SELECT a.id, a.task, a.answered_at IS NULL AS isOpen, b.id AS batch, EXISTS (SELECT 1 FROM attempts WHERE task = a.task AND id < a.id
         AND idempotency_key = a.idempotency_key) AS isAgain FROM attempts a JOIN tasks t ON t.id = a.task JOIN batches b ON b.seq = t.batch
         WHERE a.body = ? AND a.outcome IS NOT 'not-sent' ORDER BY a.id`,
      )
      .all(Buffer.from(body));
    const open = all.filter(({ isOpen }) => isOpen === 1);
    const unseen = all.filter(({ id }) => !this.#sent.has(id));
    const [either] = open;
    return open.find((one) => unseen.includes(one)) ?? (either && unseen[0] && { ...either, id: unseen[0].id });
  }

  /** Each further request after one that may have been charged needs the user's word. */
  #checkWord(task: number, body: string): void {
    const row = this.#db
      .prepare<{ readonly doubts: number; readonly words: number }>(
        `SELECT (SELECT count(DISTINCT coalesce(idempotency_key, id)) FROM attempts WHERE task = ?1
         AND outcome IN ('unknown', 'interrupted', 'accepted') AND idempotency_key IS NOT
         (SELECT idempotency_key FROM attempts WHERE task = ?1 AND answered_at IS NULL AND idempotency_key IS NOT NULL)) AS doubts,
         (SELECT count(*) FROM events WHERE task = ?1
          AND json_extract(event, '$.kind') IN ('user-resubmit', 'user-retry')) AS words`,
      )
      .get(task);
    if (row !== undefined && row.doubts > row.words) {
      this.report(
        'word',
        `${row.doubts} requests in doubt, ${row.words} words of the user, and one more is sent: ${body}`,
      );
    }
  }

  /** What is sent is what the row asks for: no edit changes a row that is on its way. */
  #checkContent(task: number, body: string): void {
    const row = this.#db
      .prepare<{ readonly body: Uint8Array }>(
        'SELECT body FROM row_contents WHERE row = (SELECT row FROM tasks WHERE id = ?)',
      )
      .get(task);
    const asked = row === undefined ? '' : Buffer.from(row.body).toString();
    if (versionOf(asked) !== versionOf(body))
      this.report('content', `the row asks for ${asked}, and this is sent: ${body}`);
  }

  /** Until one of its kind is verified, no other of that kind is at the gateway. */
  #checkCanary({ canary, hasReleasedKinds }: BatchWord, attempt: { readonly task: number }, body: string): void {
    if (hasReleasedKinds || !canary.allowed.every(Boolean)) return;
    const others = this.#db
      .prepare<{ readonly row_id: string; readonly status: string }>(
        `SELECT t.row_id, t.status FROM tasks t JOIN tasks own ON own.id = ?1
         WHERE t.batch = own.batch AND t.request_kind = own.request_kind AND t.id <> own.id
         AND t.account IS own.account AND (t.status = 'done' OR (t.superseded = 0 AND t.status IN ('submitting', 'rendering', 'downloading')))`,
      )
      .all(attempt.task);
    if (others.some(({ status }) => status === 'done') || others.length === 0) return;
    const words = others.map(({ row_id: row, status }) => `${row} is ${status}`).join(', ');
    this.report('canary', `sent beside the first of its kind: ${body}, while ${words}`);
  }

  /** What is sent names a task of the row that it refers to: the one that has that id. */
  #checkSource({ task, isAgain }: SeenAttempt, source: string, code: string, body: string): void {
    const owners = this.#db
      .prepare<{ readonly row: number }>(
        'SELECT row FROM tasks WHERE task_code = ? AND batch = (SELECT batch FROM tasks WHERE id = ?)',
      )
      .all(code, task)
      .map(({ row }) => row);
    const sinceMs = this.#machine.agenda.nowMs - SENT_MS;
    if (isAgain === 0 && owners.length > 0 && !owners.some((row) => this.ids.has(row, source, sinceMs)))
      this.report('source', `${owners.map((row) => nameOf(this.#db, row)).join()} is not ${source}: ${body}`);
    const picked = owners.filter((row) => this.#picked.has(nameOf(this.#db, row) ?? ''));
    for (const row of picked) this.#checkPick(task, row, code, body);
  }

  /**
   * If a row waits for a pick, what is sent names the task one of whose files was last picked when the intent was
   * committed.
   */
  #checkPick(task: number, source: number, code: string, body: string): void {
    const said = this.#db
      .prepare<{ readonly task: number; readonly place: number; readonly pickedAt: number | null }>(
        `SELECT e.task, e.event ->> '$.index' AS place, e.event ->> '$.change.pickedAt' AS pickedAt
         FROM events e JOIN tasks t ON t.id = e.task
         WHERE t.row = ?1 AND t.superseded = 0 AND json_type(e.event, '$.change.pickedAt') IS NOT NULL
         AND e.seq < (SELECT max(seq) FROM events WHERE task = ?2 AND event ->> '$.kind' = 'submit-started')
         ORDER BY e.seq`,
      )
      .all(source, task);
    const picks = new Map(said.map((one) => [`${one.task} ${one.place}`, one]));
    const latest = [...picks.values()]
      .filter(({ pickedAt }) => pickedAt !== null)
      .reduce<{ task: number; pickedAt: number } | undefined>((last, { task: id, pickedAt }) => {
        const at = pickedAt ?? 0;
        return last === undefined || at > last.pickedAt ? { task: id, pickedAt: at } : last;
      }, undefined);
    // Two gateways may have given two takes the same code.
    const sent = this.#db
      .prepare<{ readonly id: number; readonly superseded: number }>(
        'SELECT id, superseded FROM tasks WHERE row = ? AND task_code = ?',
      )
      .all(source, code);
    // If it was edited since, the row has another version, and the picks of this one are gone.
    if (sent.some(({ id, superseded }) => superseded === 1 || id === latest?.task)) return;
    const says = latest === undefined ? 'nothing' : 'another take';
    this.report('pick', `${says} of ${nameOf(this.#db, source)} is picked: ${body}`);
  }

  /** How many paid requests of a batch may have been charged. */
  usedBy(batchId: string): number {
    return this.#count(
      `SELECT count(DISTINCT coalesce(idempotency_key, a.id)) AS n FROM attempts a JOIN batches b ON b.seq = a.batch
       WHERE b.id = ? AND (outcome IS NULL OR outcome IN ('accepted', 'unknown', 'interrupted'))`,
      batchId,
    );
  }

  #checkCap({ id, cap, agreed, again }: BatchWord): void {
    const used = this.usedBy(id);
    const most = agreed * (1 + again);
    if (used > most) this.report('agreed', `${used} paid requests in ${id}, where the user let ${most} run`);
    if (used > cap.most) this.report('cap', `${used} paid requests in ${id}, where ${cap.most} are allowed`);
  }

  /**
   * Its account must have a place for it in its family, by its own batch's limits, besides what was sent before it.
   * What the user has brought back to the gateway, what is sent again under its key, and what was wrongly taken for
   * finished takes a place without waiting for one.
   */
  #checkPlaces({ places }: BatchWord, attempt: { readonly id: number; readonly task: number }): void {
    const others = this.#db
      .prepare<SentTask>(
        `SELECT b.id AS batch, t.account FROM tasks t JOIN batches b ON b.seq = t.batch
         WHERE t.superseded = 0 AND t.status IN ('submitting', 'rendering') AND t.family = (SELECT family FROM tasks WHERE id = ?2)
         AND (SELECT max(id) FROM attempts WHERE task = t.id) < ?1 AND NOT EXISTS
         (SELECT 1 FROM events WHERE task = t.id AND json_extract(event, '$.kind') IN ('adopted', 'user-retry', 'asked-again', 'rendered'))`,
      )
      .all(attempt.id, attempt.task);
    const own = this.#db
      .prepare<SentTask>(
        'SELECT b.id AS batch, t.account FROM tasks t JOIN batches b ON b.seq = t.batch WHERE t.id = ?',
      )
      .get(attempt.task);
    const account = own === undefined ? undefined : this.#accountOf(own);
    const active = others.filter((other) => this.#accountOf(other) === account).length + 1;
    if (active > places.most) {
      this.report('places', `${active} tasks at account ${account}, where ${places.most} are allowed`);
    }
  }

  /** Whether a batch is paused by a failure, as by a limit that is reached. */
  #isStopped(batchId: string): boolean {
    const statement = this.#db.prepare<{ readonly by: string | null }>(
      "SELECT pause ->> '$.by' AS by FROM batches WHERE id = ?",
    );
    return statement.get(batchId)?.by === 'failure';
  }

  /** Whether the user knows that the row of a task is held back. */
  #isHeldRow(task: number): boolean {
    const found = this.#db.prepare<{ readonly row: number }>('SELECT row FROM tasks WHERE id = ?').get(task);
    return found !== undefined && this.held.get(found.row)?.allowed.every(Boolean) === true;
  }

  /** The account that a task was sent with. */
  #accountOf({ batch, account }: SentTask): number | undefined {
    const [first, ...others] = this.#wordOf(batch)?.accounts ?? [];
    return others.find((one) => nameOfAccount(one) === account) ?? first;
  }

  /** After each turn; once a minute, what is due is looked after. */
  look(): void {
    const { nowMs } = this.#machine.agenda;
    if (this.#isRenamed) this.ids.look(nowMs);
    if (nowMs - this.#lookedAtMs < MINUTE_MS) return;
    this.#lookedAtMs = nowMs;
    this.finish.look(this.batches);
    this.#disk.look();
    const isCalm = this.#keyless.size === 0 && nowMs - this.#machine.disturbedAtMs >= CALM_MS;
    if (!this.#isSmall || !isCalm) {
      this.#neglect.stirred();
      return;
    }
    // A kill may have ended a change of the schedule: then only the store knows which one applies.
    const isSurelyOpen = ({ schedule }: BatchWord): boolean =>
      schedule.allowed.every((one) => isOpenAt(one, this.#machine.clock.now()));
    const neglected = this.#neglect.find((id) => this.batches.some((word) => word.id === id && isSurelyOpen(word)));
    if (neglected !== undefined) this.report('due', `${neglected}, ${nowMs + EPOCH_MS}`);
  }

  #count(sql: string, batchId: string): number {
    return this.#db.prepare<{ readonly n: number }>(sql).get(batchId)?.n ?? 0;
  }
}

/** The words of a prompt that say its row and version. */
export function versionOf(body: string): string | undefined {
  return /"prompt":"(\S+ v\d+)/u.exec(body)?.[1];
}
