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

  /** Whether another list has this name; `was` is what the list itself is called so far. */
  isTaken(name: string, was: string | undefined): boolean {
    if (name === was) return false;
    // Disks may not tell case apart: saving one would overwrite the other.
    const others = this.#names().filter((other) => other !== was);
    return others.some((other) => other.toLowerCase() === name.toLowerCase());
  }

  /** Saves a list, one item per line, under a name that may be another than it had. Returns whether it did. */
  async save(name: string, text: string, was: string | undefined): Promise<boolean> {
    if (!this.#changed(await this.#ports.ask('lists.set', { name, text }))) return false;
    if (was === undefined || was === name) return true;
    // A disk that does not tell case apart has one file for both names.
    const names = this.#names();
    if (names.includes(name) && names.includes(was)) await this.remove(was);
    return true;
  }

  async remove(name: string): Promise<boolean> {
    return this.#changed(await this.#ports.ask('lists.remove', { name }));
  }

  #names(): readonly string[] {
    return (this.store.getState().lists ?? []).map(({ name }) => name);
  }

  #changed(reply: Reply<readonly WordListView[]>): boolean {
    if (!reply.ok) return false;
    this.store.setState({ lists: reply.value });
    this.#ports.onChanged();
    return true;
  }
}
