/** The user's lists, for `__name__` in cells. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Reply, RouteOutput } from '../../shared/ipc/contract.ts';
import type { IpcClient } from '../ipc-client.ts';

export type WordListView = RouteOutput<'lists.get'>[number];

export interface KeptListsState {
  /** By name; undefined until they have been read. */
  readonly lists: readonly WordListView[] | undefined;
}

export interface KeptListsPorts {
  /** Asks, and shows a notice if it fails. */
  readonly ask: IpcClient['request'];
  /** Called when a list was added, removed or changed. */
  readonly onChanged: () => void;
}

export class KeptLists {
  readonly store: StoreApi<KeptListsState> = createStore(() => ({ lists: undefined }));
  readonly #ports: KeptListsPorts;

  constructor(ports: KeptListsPorts) {
    this.#ports = ports;
  }

  async read(): Promise<void> {
    const reply = await this.#ports.ask('lists.get');
    if (reply.ok) this.store.setState({ lists: reply.value });
  }

  /** Saves a list under a name, one item per line. Returns whether it did. */
  async set(name: string, text: string): Promise<boolean> {
    return this.#changed(await this.#ports.ask('lists.set', { name, text }));
  }

  async remove(name: string): Promise<boolean> {
    return this.#changed(await this.#ports.ask('lists.remove', { name }));
  }

  #changed(reply: Reply<readonly WordListView[]>): boolean {
    if (!reply.ok) return false;
    this.store.setState({ lists: reply.value });
    this.#ports.onChanged();
    return true;
  }
}
