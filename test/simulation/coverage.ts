/** What nights have reached, counted, and what they never did. */
import { FAILURE_CODES, pauseOf } from '../../src/shared/domain/base/failure.ts';
import type { BatchRecord } from '../../src/shared/domain/task/batch.ts';
import type { TaskEvent, TaskEventKind } from '../../src/shared/domain/task/task-event.ts';
import { TASK_STATUSES, type Task, type TaskStatus } from '../../src/shared/domain/task/task.ts';
import { FILE_FAULTS, POLL_FAULTS, SPELLS, SUBMIT_FAULTS, type Deed, type RequestFault, type Spell } from './plan.ts';

/** Never reached, on purpose: nothing in a simulated night gives these. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'INTERNAL',
  'STORE_RESTORED',
  'PROFILE_INVALID',
  'code-offered',
  'answered-late',
  'file-checked',
  'made-again',
]);
/** What happens to tasks; the compiler names a kind that is missing. */
const EVENTS: Readonly<Record<TaskEventKind, true>> = {
  'submit-started': true,
  accepted: true,
  'not-sent': true,
  'rate-limited': true,
  held: true,
  rejected: true,
  'outcome-unknown': true,
  'asked-again': true,
  'still-unknown': true,
  'code-offered': true,
  'answered-late': true,
  adopted: true,
  'user-resubmit': true,
  'written-off': true,
  'still-running': true,
  'poll-failed': true,
  rendered: true,
  'remote-failed': true,
  overdue: true,
  'output-started': true,
  'output-placing': true,
  'output-verified': true,
  'url-expired': true,
  'download-failed': true,
  unsound: true,
  'download-given-up': true,
  unverifiable: true,
  'download-held': true,
  'file-checked': true,
  'made-again': true,
  'user-retry': true,
  'cancel-requested': true,
  'put-on-hold': true,
  released: true,
  'put-first': true,
  blocked: true,
  unblocked: true,
  'blocked-row-failed': true,
  'reference-unresolved': true,
  reviewed: true,
  'file-moved': true,
  'file-deleted': true,
  'path-freed': true,
  'file-awaited': true,
};
/** What users do in some nights; the rest is done in nearly every night. */
const SOMETIMES = ['shelve', 'queue', 'review', 'rename', 'duplicate'] as const satisfies readonly Deed['kind'][];
/** Where a batch is once it is put away. */
const SHELVED = ['archived', 'deleted', 'removed'] as const;
/** A deed or a fault counts as recent for this long. */
const ABOUT_MS = 1000;
/** How many of the rarest pairs are named. */
const RAREST = 30;

type Class = 'transition' | 'status' | 'event' | 'failure' | 'pause' | 'batch' | 'fault' | 'deed' | 'pair';
/** All of these are listed; pairs are too many. */
const LISTED: readonly Class[] = ['status', 'event', 'transition', 'failure', 'pause', 'batch', 'fault', 'deed'];

export class Coverage {
  readonly #counts = new Map<string, number>();
  readonly #nowMs: () => number;
  readonly #spells: readonly Spell[];
  /** The status of each task of this night. */
  readonly #statuses = new Map<number, TaskStatus>();
  /** When each deed was last done, and each fault last met. */
  readonly #about = new Map<string, number>();

  /** The coverage of one night; without its clock, one to add others to. */
  constructor(nowMs: () => number = () => 0, spells: readonly Spell[] = []) {
    this.#nowMs = nowMs;
    this.#spells = spells;
    for (const { kind } of spells) this.#count(`fault spell ${kind}`);
  }

  task({ id, status, failure }: Task, { kind }: TaskEvent): void {
    const before = this.#statuses.get(id) ?? 'queued';
    this.#statuses.set(id, status);
    this.#count(`transition ${before} – ${kind} → ${status}`);
    this.#count(`status ${status}`);
    this.#count(`event ${kind}`);
    if (failure !== undefined) this.#count(`failure ${failure.code}`);
    for (const what of this.#whatIsAbout()) this.#count(`pair ${before} – ${kind} with ${what}`);
  }

  batch({ state, pause, settings }: BatchRecord): void {
    if (settings.shelf !== undefined) this.#count(`batch ${settings.shelf.is}`);
    if (state === 'paused') this.#count(`pause ${pause?.by === 'failure' ? pause.failure.code : 'by the user'}`);
  }

  /** A batch that was deleted is gone. */
  removed(): void {
    this.#count('batch removed');
  }

  fault(at: RequestFault['at'], does: RequestFault['does']): void {
    this.#count(`fault ${at} ${does}`);
    this.#about.set(`${at} ${does}`, this.#nowMs());
  }

  deed(kind: Deed['kind']): void {
    this.#count(`deed ${kind}`);
    for (const what of this.#whatIsAbout()) this.#count(`pair ${kind} with ${what}`);
    this.#about.set(kind, this.#nowMs());
  }

  add({ counts }: Pick<Coverage, 'counts'>): void {
    for (const [what, count] of counts) this.#count(what, count);
  }

  /** The rarest last. */
  get counts(): readonly (readonly [string, number])[] {
    return [...this.#counts].toSorted((a, b) => b[1] - a[1]);
  }

  /**
   * As text: how often each was reached, by class, the rarest last; then the rarest pairs, and what was never reached.
   */
  report(): readonly string[] {
    const { counts } = this;
    const of = (one: Class): readonly string[] =>
      counts
        .filter(([what]) => what.startsWith(`${one} `))
        .map(([what, count]) => `${String(count).padStart(9)}  ${what}`);
    const pairs = of('pair');
    return [
      ...LISTED.flatMap(of),
      `${String(pairs.length).padStart(9)}  pairs of a state, an event and what was about; the rarest:`,
      ...pairs.slice(-RAREST),
      ...this.missing.map((what) => `    never  ${what}`),
    ];
  }

  /** What could have been reached. */
  get missing(): readonly string[] {
    const codes = FAILURE_CODES.filter((code) => !ELSEWHERE.has(code));
    const all = [
      ...TASK_STATUSES.map((status) => `status ${status}`),
      ...Object.keys(EVENTS).flatMap((kind) => (ELSEWHERE.has(kind) ? [] : `event ${kind}`)),
      ...codes.map((code) => `${pauseOf(code) === undefined ? 'failure' : 'pause'} ${code}`),
      'pause by the user',
      ...SUBMIT_FAULTS.map((does) => `fault submit ${does}`),
      ...POLL_FAULTS.map((does) => `fault poll ${does}`),
      ...FILE_FAULTS.map((does) => `fault file ${does}`),
      ...[...SPELLS, 'denied'].map((kind) => `fault spell ${kind}`),
      ...SOMETIMES.map((kind) => `deed ${kind}`),
      ...SHELVED.map((is) => `batch ${is}`),
    ];
    return all.filter((what) => !this.#counts.has(what));
  }

  /** Spells that last, and what was done or went wrong just now. */
  #whatIsAbout(): readonly string[] {
    const nowMs = this.#nowMs();
    const spells = this.#spells.filter(({ fromMs, forMs }) => nowMs >= fromMs && nowMs < fromMs + forMs);
    const about = [...this.#about].filter(([, atMs]) => nowMs - atMs <= ABOUT_MS);
    return [...new Set([...spells.map(({ kind }) => `spell ${kind}`), ...about.map(([what]) => what)])];
  }

  #count(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by);
  }
}
