import { proofAbout, type IdempotencyProof } from '../../../shared/domain/task/key-probe.ts';
import { gatewayKey } from '../../../shared/domain/task/batch.ts';
import type { Clock } from '../../ports/base.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { NightAccount } from '../batches/night-account.ts';
import type { NightBatch } from '../batches/night-batch.ts';

type TrustedBatch = Pick<NightBatch, 'id' | 'record'>;
type TrustedAccount = Pick<NightAccount, 'name' | 'profile'>;

/**
 * Whether gateways keep their word about the keys of requests. A gateway that charged twice for a key is never sent a
 * request a second time, whatever its profile says, until a probe proves the contrary.
 */
export class KeyTrust {
  readonly #store: Pick<TaskStore, 'idempotencyProofs'>;
  readonly #clock: Clock;
  #stored: readonly IdempotencyProof[] = [];
  /** What this process has noted; the store may not have taken it yet. */
  #noted: readonly IdempotencyProof[] = [];

  constructor(store: Pick<TaskStore, 'idempotencyProofs'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Reads what is known; before that, nothing counts as refuted. */
  async learn(): Promise<void> {
    this.#stored = await this.#store.idempotencyProofs();
  }

  /** Whether the option of an account's profile counts as off. */
  isRefuted(batch: TrustedBatch, account: TrustedAccount): boolean {
    return this.#proofOf(batch, account)?.verdict === 'refuted' && !this.isProbing(batch, account);
  }

  /** Whether the batch tries the keys of its gateway, and no answer has shown anything since the batch was made. */
  isProbing(batch: TrustedBatch, account: TrustedAccount): boolean {
    const { settings, createdAt } = batch.record;
    const proof = this.#proofOf(batch, account);
    return settings.probe === true && (proof === undefined || proof.at < createdAt);
  }

  /**
   * Notes what an answer has shown about an account's gateway: that holds at once. Returns what is to be committed with
   * the answer; undefined if it proves nothing: one answer that kept the word does not outweigh another that broke it.
   */
  note(
    batch: TrustedBatch,
    account: TrustedAccount,
    verdict: IdempotencyProof['verdict'],
  ): IdempotencyProof | undefined {
    const { idempotency } = account.profile;
    if (idempotency === undefined || (verdict === 'passed' && this.isRefuted(batch, account))) return undefined;
    const gateway = gatewayKey(batch.id, batch.record.settings, account.name);
    const proof = { gateway, header: idempotency.header.toLowerCase(), verdict, at: this.#clock.now() };
    this.#noted = [...this.#noted.filter((one) => one.gateway !== gateway || one.header !== proof.header), proof];
    return proof;
  }

  #proofOf({ id, record }: TrustedBatch, { name, profile }: TrustedAccount): IdempotencyProof | undefined {
    const { idempotency } = profile;
    const gateway = gatewayKey(id, record.settings, name);
    if (idempotency === undefined) return undefined;
    const [noted, stored] = [this.#noted, this.#stored].map((proofs) => proofAbout(proofs, gateway, idempotency));
    // Another process may have found out more since this process made its own note.
    return noted !== undefined && stored?.verdict === 'refuted' && stored.at >= noted.at ? stored : (noted ?? stored);
  }
}
