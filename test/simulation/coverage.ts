/** What nights have reached, counted, and what they never did. */
import { FAILURE_CODES, pauseOf } from '../../src/shared/domain/base/failure.ts';
import type { BatchRecord } from '../../src/shared/domain/task/batch.ts';
import type { TaskEvent } from '../../src/shared/domain/task/task-event.ts';
import { TASK_STATUSES, type Task } from '../../src/shared/domain/task/task.ts';
import { FILE_FAULTS, POLL_FAULTS, SUBMIT_FAULTS, type RequestFault } from './plan.ts';

/** Never reached on purpose: nothing in a simulated night gives it. */
const ELSEWHERE: ReadonlySet<string> = new Set(['INTERNAL', 'STORE_RESTORED', 'PROFILE_INVALID', 'KEY_MISSING']);

export class Coverage {
  readonly #counts = new Map<string, number>();

  task({ status, failure }: Task, { kind }: TaskEvent): void {
    this.#count(`event ${kind} → ${status}`);
    this.#count(`status ${status}`);
    if (failure !== undefined) this.#count(`failure ${failure.code}`);
  }

  batch({ state, pause }: BatchRecord): void {
    if (state === 'paused') this.#count(`pause ${pause?.by === 'failure' ? pause.failure.code : 'by the user'}`);
  }

  fault(at: RequestFault['at'], does: RequestFault['does']): void {
    this.#count(`fault ${at} ${does}`);
  }

  add({ counts }: Pick<Coverage, 'counts'>): void {
    for (const [what, count] of counts) this.#count(what, count);
  }

  /** The rarest last. */
  get counts(): readonly (readonly [string, number])[] {
    return [...this.#counts].toSorted((a, b) => b[1] - a[1]);
  }

  /** What could have been reached. */
  get missing(): readonly string[] {
    const codes = FAILURE_CODES.filter((code) => !ELSEWHERE.has(code));
    const all = [
      ...TASK_STATUSES.map((status) => `status ${status}`),
      ...codes.map((code) => `${pauseOf(code) === undefined ? 'failure' : 'pause'} ${code}`),
      'pause by the user',
      ...SUBMIT_FAULTS.map((does) => `fault submit ${does}`),
      ...POLL_FAULTS.map((does) => `fault poll ${does}`),
      ...FILE_FAULTS.map((does) => `fault file ${does}`),
    ];
    return all.filter((what) => !this.#counts.has(what));
  }

  #count(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by);
  }
}
