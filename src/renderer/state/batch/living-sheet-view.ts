/** A batch's file as the window knows it: how it differs from the batch, and whether it has changed. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { RouteInput } from '../../../shared/ipc/contract.ts';
import type { DifferenceView } from '../../../shared/ipc/living.ts';
import { words } from '../../../shared/words/words.ts';
import type { IpcClient } from '../../ipc-client.ts';
import type { Notices } from '../notices-store.ts';

export interface LivingSheetState {
  /** The difference to be applied or discarded, on screen with its batch. */
  readonly difference: DifferenceView | undefined;
  /** A file is being read, or a difference applied. */
  readonly isBusy: boolean;
  /** Names of watched files that have changed since the last comparison, by batch. */
  readonly changedFiles: Readonly<Record<string, string>>;
}

export interface LivingSheetPorts {
  /** Asks, and shows a notice if it fails. */
  readonly ask: IpcClient['request'];
  readonly notices: Pick<Notices, 'show'>;
  readonly onBatch: (batch: BatchView) => void;
}

/** The difference to show with a batch: a file that is long to read may be another batch's. */
export function shownDifference({ difference }: LivingSheetState, batchId: string): DifferenceView | undefined {
  return difference?.batchId === batchId ? difference : undefined;
}

type ApplyInput = Omit<RouteInput<'sheet.apply'>, 'differenceId'>;

export class LivingSheet {
  readonly store: StoreApi<LivingSheetState> = createStore(() => ({
    difference: undefined,
    isBusy: false,
    changedFiles: {},
  }));
  readonly #ports: LivingSheetPorts;

  constructor(ports: LivingSheetPorts) {
    this.#ports = ports;
  }

  /** Compares the batch with its file, or with another one that the user chooses, and shows the difference. */
  async compare(batchId: string, isChosen: boolean): Promise<void> {
    const reply = await this.#busy(() => this.#ports.ask('sheet.compare', { batchId, isChosen }));
    if (reply?.ok !== true || reply.value === undefined) return;
    this.#forgetChange(batchId);
    this.store.setState({ difference: reply.value });
  }

  /** Closes the difference without applying it. */
  close(): void {
    this.store.setState({ difference: undefined });
  }

  /** Applies the difference on screen; with `start`, the changed rows run. */
  async apply(input: ApplyInput): Promise<void> {
    const { difference } = this.store.getState();
    if (difference === undefined) return;
    const { differenceId } = difference;
    const reply = await this.#busy(() => this.#ports.ask('sheet.apply', { differenceId, ...input }));
    if (reply?.ok !== true) return;
    this.store.setState({ difference: undefined });
    this.#ports.onBatch(reply.value.batch);
    const { tasks } = reply.value;
    const message = input.start && tasks > 0 ? words.notices.willRender(tasks) : '';
    this.#ports.notices.show({ level: 'info', title: words.notices.updated, message });
  }

  async watch(batchId: string, isWatched: boolean): Promise<void> {
    if (!isWatched) this.#forgetChange(batchId);
    await this.#busy(() => this.#ports.ask('sheet.watch', { batchId, isWatched }));
  }

  /** Writes the results as columns, into the file that the user chose. */
  async writeResults(batchId: string, into: RouteInput<'results.write'>['into']): Promise<void> {
    const reply = await this.#busy(() => this.#ports.ask('results.write', { batchId, into }));
    if (reply?.ok !== true || reply.value === undefined) return;
    const { file, notes, resultsId } = reply.value;
    this.#ports.notices.show({
      level: 'info',
      title: words.notices.resultsWritten,
      message: [file, ...notes].join('\n'),
      action: {
        words: words.notices.showResults,
        run: () => void this.#ports.ask('results.show', { resultsId }),
        done: words.notices.resultsShown,
      },
    });
  }

  /** A watched file has changed: the window says so until the user looks at it. */
  fileChanged(batchId: string, name: string): void {
    this.store.setState(({ changedFiles }) => ({ changedFiles: { ...changedFiles, [batchId]: name } }));
  }

  /** The user does not want to see the changes now. */
  dismissChange(batchId: string): void {
    this.#forgetChange(batchId);
  }

  #forgetChange(batchId: string): void {
    const { [batchId]: _, ...changedFiles } = this.store.getState().changedFiles;
    this.store.setState({ changedFiles });
  }

  /** One action at a time: a second press while the first is under way does nothing. */
  async #busy<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.store.getState().isBusy) return undefined;
    this.store.setState({ isBusy: true });
    try {
      return await work();
    } finally {
      this.store.setState({ isBusy: false });
    }
  }
}
