import { FRESH_POLL_MEMORY } from '../../src/shared/domain/gateway/poll-answer.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';

/** A queued task of a music row, with the differences that a test needs. */
export function makeTask(different: Partial<Task> = {}): Task {
  return {
    id: 1,
    batchId: 'batch',
    rowId: 'r1',
    position: 2,
    take: 1,
    operation: 'musicgen/music/generate',
    family: 'musicgen',
    kind: 'music',
    model: '',
    requestKind: 1,
    priority: 0,
    status: 'queued',
    revision: 0,
    dueAt: 0,
    cancelWanted: false,
    attempts: 0,
    setbacks: 0,
    poll: FRESH_POLL_MEMORY,
    provisional: false,
    outputs: [],
    ...different,
  };
}
