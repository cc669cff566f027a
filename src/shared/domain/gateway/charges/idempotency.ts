/** Keys of paid requests: what a profile says about them, and what is known of whether that is so. */
import { z } from 'zod';
import { headerName } from './stated-amount.ts';

/** Headers that Nocturne or HTTP itself uses: a value of their own would break the request or leak into it. */
const TAKEN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'aikey',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

const KEEP_HOURS = 24;

/** The gateway takes a key with each paid request and does not charge twice for one key. */
export const idempotencySchema = z.strictObject({
  header: headerName.refine(
    (name) => !TAKEN_HEADERS.has(name.toLowerCase()),
    'must be a header of its own, such as Idempotency-Key: Nocturne or HTTP itself uses this one',
  ),
  /** What a second request under the same key gets: the first answer again, or a refusal that names the duplicate. */
  onDuplicate: z.enum(['replay', 'reject']).default('replay'),
  /** How long the gateway knows a key, from the first request on. */
  keepHours: z.number().min(0.01).max(8760).default(KEEP_HOURS),
});
export type Idempotency = z.output<typeof idempotencySchema>;

/**
 * What is known of whether a gateway keeps its word about the keys in a header. `passed`: two requests under one key were
 * one task. `refuted`: they were two; the option then counts as off. Without either the profile is believed, with a warning.
 */
export interface IdempotencyProof {
  /** See `gatewayKey`. */
  readonly gateway: string;
  /** In lower case. */
  readonly header: string;
  readonly verdict: 'passed' | 'refuted';
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The proof about a header of a gateway, if there is one. */
export function proofAbout(
  proofs: readonly IdempotencyProof[],
  gateway: string,
  { header }: Pick<Idempotency, 'header'>,
): IdempotencyProof | undefined {
  return proofs.find((proof) => proof.gateway === gateway && proof.header === header.toLowerCase());
}
