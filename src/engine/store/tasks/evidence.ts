import type { Failure } from '../../../shared/domain/base/failure.ts';
import type { Money } from '../../../shared/domain/base/money.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { Task, TaskStatus } from '../../../shared/domain/task/task.ts';
import { present, listOf } from '../../../shared/domain/base/result.ts';
import type { Attempt } from '../../ports/task-change.ts';
import type { RawAnswer } from '../../ports/media-gateway.ts';
import type { TaskReader } from '../../ports/task-store.ts';

/** The bytes as they were, and as text if they are UTF-8. */
export interface EvidenceBytes {
  readonly base64: string;
  readonly text?: string;
}

/** An HTTP answer, byte for byte. */
export interface EvidenceAnswer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: EvidenceBytes;
  /** True if the gateway sent more than Nocturne kept. */
  readonly truncated: boolean;
}

/** One submit: when and where it was sent, with what, and what came back. Times are ISO 8601, UTC. */
export interface EvidenceAttempt {
  readonly startedAt: string;
  readonly origin: string;
  /** A one-way fingerprint: it distinguishes keys and reveals nothing else. */
  readonly keyFingerprint: string;
  readonly body: EvidenceBytes;
  readonly bodySha256: string;
  readonly answeredAt?: string;
  readonly outcome?: string;
  readonly answer?: EvidenceAnswer;
  /** The key under which it was sent, and its header. */
  readonly idempotency?: Attempt['idempotency'];
  /** What the gateway said that it cost. */
  readonly cost?: Money;
}

/** Everything known about one take: what a user needs to settle it with the gateway. */
export interface Evidence {
  readonly row: string;
  readonly take: number;
  readonly operation: OperationPath;
  readonly status: TaskStatus;
  /** The take was made for an earlier request of the row. */
  readonly superseded?: true;
  readonly taskCode?: string;
  readonly failure?: Failure;
  readonly attempts: readonly EvidenceAttempt[];
  readonly lastPoll?: EvidenceAnswer;
  readonly events: readonly { readonly at: string; readonly event: string }[];
}

/** The evidence of these tasks of a batch, or of all with an unknown outcome. It never contains the key. */
export async function gatherEvidence(
  store: TaskReader,
  batchId: string,
  taskIds?: readonly number[],
): Promise<readonly Evidence[]> {
  const tasks =
    taskIds === undefined
      ? await listOf(store.tasksByStatus(['submit-unknown'], batchId))
      : await Promise.all(taskIds.map((id) => store.task(id)));
  return Promise.all(tasks.filter((task) => task !== undefined).map((task) => evidenceOf(store, task)));
}

async function evidenceOf(store: TaskReader, task: Task): Promise<Evidence> {
  const poll = await store.pollAnswer(task.id);
  return {
    row: task.rowId,
    take: task.take,
    operation: task.operation,
    status: task.status,
    ...(task.superseded === true ? { superseded: true } : {}),
    ...present({ taskCode: task.taskCode, failure: task.failure }),
    attempts: (await store.attempts(task.id)).map(attemptEvidence),
    ...(poll === undefined ? {} : { lastPoll: answerEvidence(poll) }),
    events: (await store.events(task.id)).map(({ at, event }) => ({ at: iso(at), event: event.kind })),
  };
}

function attemptEvidence(attempt: Attempt): EvidenceAttempt {
  const { startedAt, origin, keyFingerprint, body, bodySha256, answeredAt, outcome, raw, idempotency, cost } = attempt;
  return {
    startedAt: iso(startedAt),
    origin,
    keyFingerprint,
    body: bytesEvidence(body),
    bodySha256,
    ...(answeredAt === undefined ? {} : { answeredAt: iso(answeredAt) }),
    ...present({ outcome }),
    ...(raw === undefined ? {} : { answer: answerEvidence(raw) }),
    ...present({ idempotency, cost }),
  };
}

function answerEvidence({ httpStatus, headers, body, truncated }: RawAnswer): EvidenceAnswer {
  return { httpStatus, headers, body: bytesEvidence(body), truncated };
}

function bytesEvidence(bytes: Uint8Array): EvidenceBytes {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  try {
    return { base64, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64 };
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
