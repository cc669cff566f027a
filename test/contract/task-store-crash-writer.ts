/** Commits changes to a store for ever and says after each which tasks it has committed: to be killed in the middle. */
import { writeSync } from 'node:fs';
import type { AttemptIntent, TaskChange } from '../../src/engine/ports/task-change.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import type { StoreAddress } from '../../src/engine/store/postgres/store-address.ts';
import { openedStore } from './opened-store.ts';
import { makeRow, newBatch, only, seededRandom } from './task-store-fixtures.ts';

const TASKS = 40;
const GROUP = 7;

const [dir, server] = process.argv.slice(2);
const onServer =
  server === undefined
    ? undefined
    : openStore(only(dir), { random: seededRandom(), server: JSON.parse(server) as StoreAddress });
if (onServer?.ok === false) throw new Error(onServer.error.message);
const { store } = onServer?.value ?? openedStore(only(dir));
if (store.batches().length === 0) {
  store.createBatch(newBatch({ rows: Array.from({ length: TASKS }, (_, i) => makeRow(i + 2)) }));
}

function nextChange(task: Task): TaskChange {
  const body = new TextEncoder().encode('x'.repeat(5_000));
  const intent: AttemptIntent = { startedAt: 1, origin: 'o', keyFingerprint: 'k', body, bodySha256: 'h' };
  const at = task.revision + 1;
  const isOpen = task.status === 'submitting';
  return {
    expectedRevision: task.revision,
    next: { ...task, revision: at, status: isOpen ? 'queued' : 'submitting' },
    event: { kind: 'submit-started' },
    at,
    ...(isOpen ? { closeAttempt: { answeredAt: at, outcome: 'not-sent' } } : { openAttempt: intent }),
  };
}

/** Says all of it before anything else is done; whoever listens may be busy for a while, and the pipe full. */
function say(line: string): void {
  let left = Buffer.from(line);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

for (let round = 0; ; round += 1) {
  const ids = Array.from({ length: GROUP }, (_, i) => ((round * GROUP + i) % TASKS) + 1);
  const changes = await Promise.all(ids.map(async (id) => nextChange(only(store.task(id)))));
  const outcomes = store.commit(changes);
  if (outcomes.some((outcome) => outcome !== 'committed')) throw new Error(outcomes.join());
  say(`${JSON.stringify(changes.map(({ next }) => [next.id, next.revision]))}\n`);
}
