/** The deliveries of this window: how far each has got and how it ended, also while its dialog is closed. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { asSentence } from '../../../shared/domain/base/text.ts';
import type { DeliveryView } from '../../../shared/ipc/batches.ts';
import type { RouteInput } from '../../../shared/ipc/contract.ts';
import { words } from '../../../shared/words/words.ts';
import type { IpcClient } from '../../ipc-client.ts';
import type { Notices } from '../notices-store.ts';
import type { ShownWork, WorksUnderWay } from './works-under-way.ts';

type Wanted = RouteInput<'batch.deliver'>;

/** The state of the delivery of a batch. */
export type DeliveryStanding =
  /** Without its work until the application has reported it. */
  | { readonly kind: 'under-way'; readonly work?: ShownWork }
  | { readonly kind: 'ended'; readonly folderId: string; readonly view: DeliveryView };

interface DeliveriesState {
  /** By batch; nothing for a batch about which there is nothing to say. */
  readonly standings: Readonly<Record<string, DeliveryStanding>>;
}

export interface DeliveriesPorts {
  readonly ask: IpcClient['request'];
  readonly notices: Pick<Notices, 'show'>;
  readonly works: Pick<WorksUnderWay, 'store'>;
}

export class DeliveriesView {
  readonly store: StoreApi<DeliveriesState> = createStore(() => ({ standings: {} }));
  readonly #ports: DeliveriesPorts;
  /** Batches whose dialog is open: the dialog itself shows how the delivery ended. */
  readonly #open = new Set<string>();
  /** Batches that this window delivers: the answer says when that is over. */
  readonly #own = new Set<string>();

  constructor(ports: DeliveriesPorts) {
    this.#ports = ports;
    ports.works.store.subscribe(({ works }) => this.#told(works));
  }

  /** The dialog of a batch is open, until the returned function is called. */
  opened(batchId: string): () => void {
    this.#open.add(batchId);
    return () => {
      this.#open.delete(batchId);
      if (this.store.getState().standings[batchId]?.kind === 'ended') this.#set(batchId, undefined);
    };
  }

  /** Delivers, and resolves at the end. The dialog or a notice says how it ended. */
  async deliver(batchName: string, wanted: Wanted): Promise<void> {
    const { batchId, folderId } = wanted;
    this.#own.add(batchId);
    this.#set(batchId, { kind: 'under-way' });
    const reply = await this.#ports.ask('batch.deliver', wanted);
    this.#own.delete(batchId);
    const isSeen = this.#open.has(batchId);
    this.#set(batchId, reply.ok && isSeen ? { kind: 'ended', folderId, view: reply.value } : undefined);
    if (!reply.ok || isSeen) return;
    const { outcome, place, lines } = reply.value;
    const { delivery } = words.notices;
    const title = delivery.of(batchName, TITLES[outcome]);
    // The second line says how to go on.
    const what = outcome === 'cancelled' ? words.common.sentences(lines.slice(0, 2).map(asSentence)) : (lines[0] ?? '');
    const message = outcome === 'nothing' ? what : delivery.to(what, place);
    this.#ports.notices.show({ level: 'info', title, message });
  }

  /** Takes what is under way, including what an earlier window has begun. */
  #told(works: readonly ShownWork[]): void {
    const told = new Map(
      works.flatMap((work) =>
        work.name === 'batch.deliver' && work.batchId !== undefined ? [[work.batchId, work] as const] : [],
      ),
    );
    const { standings } = this.store.getState();
    for (const batchId of new Set([...told.keys(), ...Object.keys(standings)])) {
      // The answer may overtake events: the outcome stays.
      if (standings[batchId]?.kind === 'ended') continue;
      const work = told.get(batchId);
      if (work !== undefined) this.#set(batchId, { kind: 'under-way', work });
      else if (!this.#own.has(batchId)) this.#set(batchId, undefined);
    }
  }

  #set(batchId: string, standing: DeliveryStanding | undefined): void {
    const { [batchId]: former, ...others } = this.store.getState().standings;
    if (standing === undefined && former === undefined) return;
    this.store.setState({ standings: standing === undefined ? others : { ...others, [batchId]: standing } });
  }
}

/** How a delivery ended, as a title. */
export const TITLES: Readonly<Record<DeliveryView['outcome'], string>> = words.notices.delivery;

/** How far a delivery has got, in words. */
export function progressWords({ work }: Extract<DeliveryStanding, { kind: 'under-way' }>): string {
  if (work?.isCancelling === true) return words.notices.delivery.cancelling;
  return work?.detail ?? words.notices.delivery.looking;
}
