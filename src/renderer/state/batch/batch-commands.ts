/** What the user has done with a batch, its rows and the takes that they saw; and what they are told of it. */
import type { RowTurn } from '../../../shared/domain/task/task-event.ts';
import type { ShownTake } from '../../../shared/domain/task/task.ts';
import type { BatchView, ShownOutcome, ShownTakes } from '../../../shared/ipc/batches.ts';
import type { RouteInput } from '../../../shared/ipc/contract.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import type { IpcClient } from '../../ipc-client.ts';
import type { Notices } from '../notices-store.ts';

export interface BatchCommandsPorts {
  /** Asks, and shows a notice if it fails. */
  readonly ask: IpcClient['request'];
  /** Asks without a word if it fails. */
  readonly request: IpcClient['request'];
  readonly notices: Pick<Notices, 'show'>;
  readonly onBatch: (batch: BatchView) => void;
}

type BatchCommand = 'batch.start' | 'batch.pause' | 'batch.resume' | 'batch.cancel';

export class BatchCommands {
  readonly #ports: BatchCommandsPorts;

  constructor(ports: BatchCommandsPorts) {
    this.#ports = ports;
  }

  async command(route: BatchCommand, batchId: string): Promise<void> {
    const reply = await this.#ports.ask(route, { batchId });
    if (reply.ok) this.#ports.onBatch(reply.value);
  }

  /**
   * The failed and cancelled takes of the batch or of these rows. Shows a notice and returns undefined if there are
   * none.
   */
  async retryable(batchId: string, rows?: readonly number[]): Promise<ShownTakes | undefined> {
    const reply = await this.#ports.ask('batch.retryable', {
      batchId,
      ...(rows === undefined ? {} : { rows: [...rows] }),
    });
    if (!reply.ok) return undefined;
    if (reply.value.takes.length > 0) return reply.value.takes;
    this.#ports.notices.show({ level: 'info', title: words.notices.none.retried, message: '' });
    return undefined;
  }

  /** The takes of a group of the ledger as they are now. Shows a notice and returns undefined if none are left. */
  async takesOfGroup({ batchId, group }: RouteInput<'ledger.shown'>): Promise<ShownTakes | undefined> {
    const reply = await this.#ports.ask('ledger.shown', { batchId, group });
    if (!reply.ok) return undefined;
    if (reply.value.takes.length > 0) return reply.value.takes;
    this.#ports.notices.show({ level: 'info', title: words.notices.none.retried, message: '' });
    return undefined;
  }

  /** Retries these takes, the ones that the user saw; with `isFree` only those for which nothing is paid. */
  async retry(batchId: string, takes: ShownTakes, isFree?: true): Promise<void> {
    const reply = await this.#ports.ask('batch.retry', { batchId, takes, isFree });
    if (reply.ok) this.#tellOutcome(reply.value, 'retried');
  }

  /** Cancels everything that is not done yet in the rows with these keys. */
  async cancelRows(batchId: string, rows: readonly number[]): Promise<void> {
    const reply = await this.#ports.ask('batch.cancelRows', { batchId, rows: [...rows] });
    if (reply.ok) this.#tellTasks(reply.value.tasks, 'cancelled');
  }

  /** Holds the rows with these keys, or all of the batch; releases them, or has them run next. */
  async setTurn(batchId: string, rows: readonly number[] | undefined, turn: RowTurn): Promise<void> {
    const reply = await this.#ports.ask('batch.turn', {
      batchId,
      turn,
      ...(rows === undefined ? {} : { rows: [...rows] }),
    });
    if (reply.ok) this.#tellTasks(reply.value.tasks, turn);
  }

  /**
   * Gives a take the task code under which the gateway accepted it. Returns what is wrong with the code, for the field;
   * `row` is the row's id, for the notice.
   */
  async adopt(batchId: string, row: string, take: ShownTake, taskCode: string): Promise<string | undefined> {
    const reply = await this.#ports.request('batch.adopt', { batchId, take, taskCode });
    if (!reply.ok) return reply.error.message;
    this.#ports.notices.show({ level: 'info', title: words.notices.rowResolved(shownLine(row)), message: '' });
    return undefined;
  }

  /** Resubmits or writes off takes whose outcome was shown as unknown. */
  async settle(batchId: string, takes: ShownTakes, decision: RouteInput<'batch.settle'>['decision']): Promise<void> {
    const reply = await this.#ports.ask('batch.settle', { batchId, takes, decision });
    if (reply.ok) this.#tellOutcome(reply.value, 'resolved');
  }

  /** Says what a status of a batch's gateway means; a system dialog confirms the yes. */
  async answerStatus(input: RouteInput<'batch.answerStatus'>): Promise<void> {
    const reply = await this.#ports.ask('batch.answerStatus', input);
    if (!reply.ok || reply.value === undefined || input.answer !== 'failed') return;
    const title = words.notices.meansFailed(shownLine(input.question.status));
    const { tasks } = reply.value;
    const message = tasks === 0 ? '' : words.notices.countAsFailed(tasks);
    this.#ports.notices.show({ level: 'info', title, message });
  }

  /** Writes the evidence of these rows, or of all rows with an unknown outcome, to a file that the user chooses. */
  async exportEvidence(batchId: string, rows: readonly number[] | undefined): Promise<void> {
    const reply = await this.#ports.ask('evidence.export', {
      batchId,
      ...(rows === undefined ? {} : { rows: [...rows] }),
    });
    if (!reply.ok || reply.value === undefined) return;
    this.#ports.notices.show({ level: 'info', title: words.notices.evidenceExported, message: reply.value.file });
  }

  /** Says what happened to the takes that the user saw, including those that changed in the meantime. */
  #tellOutcome({ tasks, left }: ShownOutcome, what: DoneWithTakes): void {
    const message = left === 0 ? '' : words.notices.changedMeanwhile(left);
    this.#ports.notices.show({ level: left === 0 ? 'info' : 'warning', title: doneTitle(tasks, what), message });
  }

  #tellTasks(tasks: number, what: DoneWithTakes): void {
    this.#ports.notices.show({ level: 'info', title: doneTitle(tasks, what), message: '' });
  }
}

/** What was done with takes. */
type DoneWithTakes = RowTurn | 'retried' | 'cancelled' | 'resolved';

function doneTitle(takes: number, what: DoneWithTakes): string {
  const { done, none } = words.notices;
  return takes === 0 ? none[what] : done[what](takes);
}
