/** What is under way in the application, for a user who waits: how far it has got, and the way to end it. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WorkView } from '../../../shared/ipc/works.ts';
import { words } from '../../../shared/words/words.ts';
import { formatPercent } from '../../format/phrases.ts';
import type { IpcClient } from '../../ipc-client.ts';

export interface ShownWork extends WorkView {
  /** The user has ended it, and it is not over yet. */
  readonly isCancelling: boolean;
}

interface WorksState {
  /** In the order in which they began. */
  readonly works: readonly ShownWork[];
}

export interface WorksPorts {
  readonly request: IpcClient['request'];
}

export class WorksUnderWay {
  readonly store: StoreApi<WorksState> = createStore(() => ({ works: [] }));
  readonly #ports: WorksPorts;

  constructor(ports: WorksPorts) {
    this.#ports = ports;
  }

  /** Takes what is under way now: all of it. */
  told(works: readonly WorkView[]): void {
    const before = new Map(this.store.getState().works.map((work) => [work.workId, work.isCancelling]));
    this.store.setState({
      works: works.map((work) => ({ ...work, isCancelling: before.get(work.workId) === true && work.isCancellable })),
    });
  }

  /** Asks what is under way: an earlier window may have begun it, or events about it were missed. */
  async read(): Promise<void> {
    const reply = await this.#ports.request('work.list');
    if (reply.ok) this.told(reply.value.works);
  }

  /** Ends work that can be ended. The part that asked for it says how it ended. */
  async cancel(workId: string): Promise<void> {
    this.store.setState(({ works }) => ({
      works: works.map((work) => (work.workId === workId ? { ...work, isCancelling: true } : work)),
    }));
    await this.#ports.request('work.cancel', { workId });
  }
}

/** How far work has got, in a word; undefined if that is not known. */
export function workProgressText({ progress, isCancelling }: ShownWork): string | undefined {
  if (isCancelling) return words.shell.works.cancelling;
  return progress && progress.of > 0 ? formatPercent(progress.done, progress.of) : undefined;
}
