/** One notification for each event worth getting up for: a night pauses, finishes, or needs a decision. */
import { countText } from '../../shared/domain/base/text.ts';
import { FAILURE_POLICIES } from '../../shared/domain/base/failure.ts';
import type { TaskStatus } from '../../shared/domain/task/task.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';

/** The text of a notification: the batch's name and counts, never a prompt, an answer or a key. */
export interface NightNotice {
  readonly title: string;
  readonly body: string;
}

const NAME_CHARACTERS = 80;

/** Compares each view of a batch with the one before. */
export class NightNotifier {
  readonly #notify: (notice: NightNotice) => void;
  readonly #known = new Map<string, BatchView>();
  #hasBegun = false;

  constructor(notify: (notice: NightNotice) => void) {
    this.#notify = notify;
  }

  /** Takes the present batches when the application starts to watch: only later changes are reported. */
  begin(batches: readonly BatchView[]): void {
    for (const batch of batches) if (!this.#known.has(batch.id)) this.#known.set(batch.id, batch);
    this.#hasBegun = true;
  }

  /** Takes the newest view of a batch. A batch that was not there at the start is new, with all its news. */
  note(batch: BatchView): void {
    const before = this.#known.get(batch.id);
    this.#known.set(batch.id, batch);
    const notice = before === undefined && !this.#hasBegun ? undefined : noticeOf(before, batch);
    if (notice !== undefined) this.#notify(notice);
  }
}

function noticeOf(before: BatchView | undefined, now: BatchView): NightNotice | undefined {
  const name = now.name.slice(0, NAME_CHARACTERS);
  const unknown = tasksWith(now, 'submit-unknown');
  const asks = unknown === 0 ? '' : ` ${counted(unknown, 'take waits', 'takes wait')} for your decision.`;
  if (now.state === 'finished' && before?.state !== 'finished') {
    const failed = tasksWith(now, 'failed');
    const cancelled = tasksWith(now, 'cancelled');
    const fell = `${failed === 0 ? '' : ` ${countText(failed)} failed.`}${cancelled === 0 ? '' : ` ${countText(cancelled)} cancelled.`}`;
    return {
      title: `“${name}” is finished`,
      body: `${countText(tasksWith(now, 'done'))} of ${countText(now.taskCount)} takes are done.${fell}${asks}`,
    };
  }
  if (now.pause?.by === 'failure' && before?.pause?.by !== 'failure') {
    const { title, remedy } = FAILURE_POLICIES[now.pause.failure.code];
    return { title: `“${name}” is paused`, body: `${title}. ${remedy}` };
  }
  if (now.pause?.disk !== undefined && before?.pause?.disk === undefined) {
    const { title, remedy } = FAILURE_POLICIES[now.pause.disk.code];
    return { title: `“${name}” fetches no files`, body: `${title}. ${remedy}` };
  }
  if (unknown > 0 && (before === undefined || tasksWith(before, 'submit-unknown') === 0)) {
    return { title: `“${name}” needs your decision`, body: `The gateway’s answer to a paid request was lost.${asks}` };
  }
  return undefined;
}

function tasksWith(batch: BatchView, status: TaskStatus): number {
  return Object.values(batch.counts).reduce((sum, counts) => sum + counts[status], 0);
}

function counted(count: number, one: string, many: string): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}
