/** Keys of paid requests: what a profile says about them. A probe shows whether it is true (`key-probe.ts`). */
import { z } from 'zod';
import { domainWords } from '../../../words/domain-words.ts';

/** The name of an HTTP header. */
export const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/u, { error: () => domainWords.problems.must.headerName });

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
  header: headerName.refine((name) => !TAKEN_HEADERS.has(name.toLowerCase()), {
    error: () => domainWords.problems.must.ownHeader,
  }),
  /** What a second request under the same key gets: the first answer again, or a refusal that names the duplicate. */
  onDuplicate: z.enum(['replay', 'reject']).default('replay'),
  /** How long the gateway knows a key, counted from the first request. */
  keepHours: z.number().min(0.01).max(8760).default(KEEP_HOURS),
});
export type Idempotency = z.output<typeof idempotencySchema>;
