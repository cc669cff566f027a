import { proofAbout, type IdempotencyProof } from '../../../shared/domain/gateway/charges/idempotency.ts';
import { gatewayKey } from '../../../shared/domain/task/batch.ts';
import type { Clock, TaskStore } from '../../ports.ts';
import type { NightBatch } from '../batches/night-batch.ts';

/**
 * Whether gateways keep their word about the keys of requests. One that charged twice for a key is never again sent a
 * request a second time, whatever its profile says, until a probe proves the contrary.
 */
export class KeyTrust {
  readonly #store: Pick<TaskStore, 'idempotencyProofs' | 'noteIdempotency'>;
  readonly #clock: Clock;
  #proofs: readonly IdempotencyProof[] = [];

  constructor(store: Pick<TaskStore, 'idempotencyProofs' | 'noteIdempotency'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Reads what is known; before that, nothing counts as refuted. */
  async learn(): Promise<void> {
    this.#proofs = await this.#store.idempotencyProofs();
  }

  /** The option of a batch's profile counts as off. */
  isRefuted(batch: Pick<NightBatch, 'id' | 'record' | 'profile'>): boolean {
    const { idempotency } = batch.profile;
    // A probe may prove the contrary.
    if (idempotency === undefined || batch.record.settings.probe === true) return false;
    const proof = proofAbout(this.#proofs, gatewayKey(batch.id, batch.record.settings), idempotency);
    return proof?.verdict === 'refuted';
  }

  /** Notes what a batch's gateway has shown: it holds at once, and is stored. */
  async note(
    batch: Pick<NightBatch, 'id' | 'record' | 'profile'>,
    verdict: IdempotencyProof['verdict'],
  ): Promise<void> {
    const { idempotency } = batch.profile;
    if (idempotency === undefined) return;
    const gateway = gatewayKey(batch.id, batch.record.settings);
    const proof = { gateway, header: idempotency.header.toLowerCase(), verdict, at: this.#clock.now() };
    this.#proofs = [...this.#proofs.filter((one) => one.gateway !== gateway || one.header !== proof.header), proof];
    await this.#store.noteIdempotency(proof);
  }
}
