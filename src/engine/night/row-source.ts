import { failure, saidBy, type Failure } from '../../shared/domain/base/failure.ts';
import { inEnglish, reason, type Reason } from '../../shared/domain/base/reason.ts';
import {
  type Reference,
  type ReferenceSource,
  rowsReferredTo,
  type LinkedField,
} from '../../shared/domain/cells/reference.ts';
import { pickedOf } from '../../shared/domain/review/verdict.ts';
import { TERMINAL_STATUSES, type Output, type Task } from '../../shared/domain/task/task.ts';
import type { MediaGateway } from '../ports/media-gateway.ts';
import type { TaskReader } from '../ports/task-store.ts';
import type { TaskRevision } from '../ports/task-change.ts';
import type { LaneRight } from './lanes.ts';
import type { Night } from './night.ts';
import type { NightBatch } from './batches/night-batch.ts';

/** What a row can give to the rows that refer to it. */
export type RowSource =
  /**
   * The take whose file the user has picked; or else the first take, by number, that is done, if every earlier one has
   * ended.
   */
  | {
      readonly kind: 'done';
      readonly task: Task;
      /** The file of the take that the user has picked: its address takes the place of the first. */
      readonly picked?: number;
      /** Valid as long as these takes stay as they are. */ readonly basis: readonly TaskRevision[];
    }
  /**
   * Nothing yet: the row is running, or waits for the user's word or decision; `awaitsPick`: for the choice of a file.
   */
  | { readonly kind: 'coming'; readonly awaitsPick?: true }
  /** Nothing, unless the row is retried; with the failure for the rows that refer to it. */
  | { readonly kind: 'none'; readonly failure: Failure };

/**
 * What row `rowId` can give now. A suspected failure counts as an end, too: otherwise, a night would wait for its
 * deadline, a whole day. Nothing is lost: the rows that refer to this one were not paid for, and they continue by
 * themselves if a late success overturns the suspicion.
 */
export async function rowSource(
  store: TaskReader,
  batchId: string,
  rowId: string,
  isAwaited: Night['isAwaited'] = () => false,
): Promise<RowSource> {
  const tasks = await store.tasksOfRow(batchId, rowId);
  // All of them: a later one may be picked.
  const basis = tasks.map(({ id, revision }) => ({ id, revision }));
  const picked = pickedOf<Output, Task>(tasks);
  if (picked !== undefined) {
    return { kind: 'done', task: picked.take, picked: picked.output.index, basis };
  }
  if (tasks.some(({ status }) => status === 'done') && (await isPickWanted(store, batchId, rowId)))
    return { kind: 'coming', awaitsPick: true };
  for (const task of tasks) {
    if (task.status === 'done') return isAwaited(task) ? { kind: 'coming' } : { kind: 'done', task, basis };
    if (!TERMINAL_STATUSES.has(task.status)) return { kind: 'coming' };
  }
  // What the row lacks, such as a new rendering in place of an earlier one, comes once the user runs it.
  if (await store.isDraft(batchId, rowId)) return { kind: 'coming' };
  // The user may have run it in the meantime.
  const now = await store.tasksOfRow(batchId, rowId);
  if (now.some(({ id }) => basis.every((before) => before.id !== id))) return { kind: 'coming' };
  return { kind: 'none', failure: await whyNone(store, batchId, rowId, tasks) };
}

/**
 * Whether rows that refer to this one wait for the user to pick one of its files: because of the sheet, or of its
 * batch.
 */
async function isPickWanted(store: TaskReader, batchId: string, rowId: string): Promise<boolean> {
  if ((await store.row(batchId, rowId))?.pick === true) return true;
  return (await store.batch(batchId))?.settings.picks === true;
}

/** The values that a row's finished task gives. Its record comes from the latest poll answer, kept as evidence. */
export async function referenceSourceOf(
  store: TaskReader,
  gateway: Pick<MediaGateway, 'resultOf'>,
  task: Task,
): Promise<ReferenceSource> {
  const answer = await store.pollAnswer(task.id);
  return {
    taskCode: task.taskCode ?? '',
    result: answer === undefined ? undefined : gateway.resultOf(answer),
    outputUrls: task.outputs.flatMap(({ url }) => (url === undefined ? [] : [url])),
  };
}

/**
 * The output that a number means, among the row's outputs with addresses; 1 means the one that the user has picked, if
 * any.
 */
export function outputMeant(
  { outputs }: Pick<Task, 'outputs'>,
  index: number,
  picked: number | undefined,
): Output | undefined {
  const known = outputs.filter(({ url }) => url !== undefined);
  const chosen = index === 1 ? known.find((output) => output.index === picked) : undefined;
  return chosen ?? known[index - 1];
}

/**
 * What a row gives if one of its files is picked: the address of that file in place of the first, also wherever the
 * record names the first. Whatever another number names stays what it is.
 */
export function withPick(
  source: ReferenceSource,
  { outputs }: Pick<Task, 'outputs'>,
  picked: number | undefined,
): ReferenceSource {
  const known = outputs.filter(({ url }) => url !== undefined);
  const place = known.findIndex(({ index }) => index === picked);
  // A fresh record names the same files at other addresses, in the same order.
  const at = source.outputUrls.indexOf(known[place]?.url ?? '');
  const url = source.outputUrls[at === -1 ? place : at];
  const [first] = source.outputUrls;
  if (url === undefined || first === undefined || url === first) return source;
  return { ...source, outputUrls: [url, ...source.outputUrls.slice(1)], inPlaceOf: first };
}

/** Names the row and the reason; in a chain of rows of which each failed the next, the row where it began. */
async function whyNone(store: TaskReader, batchId: string, rowId: string, tasks: readonly Task[]): Promise<Failure> {
  const [first] = tasks;
  const why = first?.failure;
  const root = why?.code === 'DEPENDENCY_FAILED' ? why.data?.['root'] : undefined;
  const rootReason = why?.data?.['reason'];
  const rootSaid = why?.reason?.facts?.findLast((fact) => typeof fact === 'object');
  if (typeof root === 'string' && typeof rootReason === 'string') {
    const chain = reason('refersOn', rowId, root, rootSaid ?? rootReason);
    return failure('DEPENDENCY_FAILED', chain, { row: rowId, root, reason: rootReason });
  }
  const said = await whyNothing(store, batchId, rowId, first);
  const data = { row: rowId, root: rowId, reason: inEnglish(said) };
  return failure('DEPENDENCY_FAILED', reason('refersTo', rowId, said), data);
}

async function whyNothing(store: TaskReader, batchId: string, rowId: string, first: Task | undefined): Promise<Reason> {
  if (first?.status === 'cancelled') return reason('rowCancelled');
  if (first !== undefined)
    return first.failure === undefined ? reason('rowFailedSomehow') : reason('rowFailed', saidBy(first.failure));
  const row = await store.row(batchId, rowId);
  if (row === undefined) return reason('rowNotThere');
  return reason(row.skip ? 'rowSkipped' : 'rowNotRun');
}

/** Nocturne asks again for results older than this before sending them on: their addresses may have expired. */
const FRESH_MS = 15 * 60_000;

/**
 * What finished rows give, as the gateway states it now. A night may pause between a row and the one that refers to it;
 * an address that has expired in the meantime would be paid for and fail. If the gateway does not repeat the result,
 * its first version is sent.
 */
export class FreshSources {
  readonly #asked = new Map<number, { readonly at: number; readonly source: ReferenceSource | undefined }>();
  readonly #asking = new Set<number>();

  /** Undefined while Nocturne asks the gateway; the night wakes when it has answered. */
  async sourceOf(night: Night, batch: NightBatch, task: Task): Promise<ReferenceSource | undefined> {
    const now = night.clock.now();
    const asked = this.#asked.get(task.id);
    const { right } = batch.accountOf(task);
    // Only the process that holds an account asks with it.
    if (right === undefined) return referenceSourceOf(night.store, batch.accountOf(task).gateway, task);
    if (now - Math.max(task.finishedAt ?? now, asked?.at ?? 0) <= FRESH_MS) {
      return asked?.source ?? referenceSourceOf(night.store, batch.accountOf(task).gateway, task);
    }
    if (!this.#asking.has(task.id) && batch.accountOf(task).lane.budget.tryTake(night.clock.monotonic())) {
      this.#asking.add(task.id);
      night.track(batch, this.#ask(night, batch, task, right));
    }
    return undefined;
  }

  async #ask(night: Night, batch: NightBatch, task: Task, right: LaneRight): Promise<void> {
    const { gateway } = batch.accountOf(task);
    let known, report;
    try {
      known = await referenceSourceOf(night.store, gateway, task);
      report = await gateway.poll(task.operation, known.taskCode, night.ending, () => right.isHeld());
    } finally {
      this.#asking.delete(task.id);
    }
    // Whoever has the account now asks with it.
    if (!right.isHeld()) return;
    const { answer, raw } = report;
    const at = night.clock.now();
    for (const [id, other] of this.#asked) if (at - other.at > FRESH_MS) this.#asked.delete(id);
    const { urls } = answer.kind === 'record' ? answer.record : { urls: [] };
    // A record without its addresses says nothing new: some gateways forget them.
    const source =
      answer.kind === 'record' && raw !== undefined && urls.length >= known.outputUrls.length
        ? { ...known, result: gateway.resultOf(raw) ?? known.result, outputUrls: urls }
        : undefined;
    this.#asked.set(task.id, { at, source });
    night.wake();
  }
}

/**
 * The rows from which these fields take what may expire: neither the task code nor what is made from a file that is
 * here.
 */
export function rowsWithAddresses(links: readonly LinkedField[]): ReadonlySet<string> {
  const expiring = links.map((link): LinkedField => {
    const items = link.value.kind === 'text' ? [link.value.text] : link.value.items;
    const kept = items.map((text) => text.filter((part) => typeof part === 'object' && mayExpire(part)));
    return { ...link, value: { kind: 'list', items: kept } };
  });
  return new Set(rowsReferredTo(expiring));
}

function mayExpire({ path }: Reference): boolean {
  return path.kind !== 'task-code' && path.kind !== 'picture';
}
