import type { Task } from '../../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../../shared/domain/task/task-event.ts';
import type { AttemptIntent } from '../../ports/task-change.ts';
import type { MediaGateway } from '../../ports/media-gateway.ts';

/** Counts what a process does; told at once, and never about what others do. */
export interface NightWatch {
  /**
   * A change of a task was committed.
   * @param intent What is committed before a paid request leaves.
   */
  readonly onCommitted: (task: Task, event: TaskEvent, intent?: AttemptIntent) => void;
  /** A request to a gateway has ended. */
  readonly onRequest: (request: CountedRequest) => void;
}

/** A request that has ended, reduced to what counting needs. */
export interface CountedRequest {
  /** As leases name it (see `laneName`). */
  readonly account: string;
  readonly kind: 'submit' | 'poll' | 'balance';
  /** How the request ended, in a word of this program. */
  readonly outcome: string;
}

/** The same gateway; calls `ended` for each request of a night that has ended. */
export function watchedGateway(
  gateway: MediaGateway,
  ended: (kind: CountedRequest['kind'], outcome: string) => void,
): MediaGateway {
  return {
    origin: gateway.origin,
    async submit(call, signal) {
      const report = await gateway.submit(call, signal);
      ended('submit', report.outcome.kind);
      return report;
    },
    async poll(operation, taskCode, signal, mayLeave) {
      const report = await gateway.poll(operation, taskCode, signal, mayLeave);
      ended('poll', report.answer.kind);
      return report;
    },
    async balance(signal) {
      const seen = await gateway.balance(signal);
      ended('balance', seen.balance === undefined ? 'error' : 'answered');
      return seen;
    },
    resultOf: (answer) => gateway.resultOf(answer),
    close: () => gateway.close(),
  };
}
