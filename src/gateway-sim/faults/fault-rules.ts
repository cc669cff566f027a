import { z } from 'zod';
import { FAMILIES, OPERATION_PATHS } from '../../shared/domain/operations/operations.ts';

/** A family or one operation; if both are named, the operation wins. */
export const scopeSchema = z.enum([...FAMILIES, ...OPERATION_PATHS]);
export type Scope = z.infer<typeof scopeSchema>;

const submit = z.literal('submit');
const download = z.literal('download');
const asked = z.enum(['submit', 'poll']);
const anywhere = z.enum(['submit', 'poll', 'download']);
const charged = z.boolean().default(false);
const httpStatus = z.int().min(200).max(599);

/**
 * When a rule fires: on the `nth` matching calls (counted from 1, separately for each rule), or with a `probability`,
 * or, without either, on every matching call; `times` limits how often. Only calls that passed the checks of key,
 * limits, body and balance count.
 */
const firing = {
  operations: z.array(scopeSchema).nonempty().optional(),
  nth: z.array(z.int().min(1)).nonempty().optional(),
  probability: z.number().min(0).max(1).optional(),
  times: z.int().min(1).optional(),
};

/** One fault of the gateway. `charged` says whether an affected submit is still charged and rendered. */
export const faultRuleSchema = z.discriminatedUnion('kind', [
  /** The connection is cut without an answer. */
  z.strictObject({ kind: z.literal('lost'), when: anywhere, charged, ...firing }),
  /** An HTTP error with a failure envelope, or with `body` as it stands. */
  z.strictObject({
    kind: z.literal('http'),
    when: anywhere,
    status: httpStatus.default(500),
    info: z.string().default('internal error'),
    body: z.string().optional(),
    retryAfter: z.string().optional(),
    charged,
    ...firing,
  }),
  /** A web page with status 200 instead of the envelope. */
  z.strictObject({ kind: z.literal('html'), when: asked, charged, ...firing }),
  /** Status 200 and nothing else. */
  z.strictObject({ kind: z.literal('empty'), when: anywhere, charged, ...firing }),
  /** JSON that stops in the middle. For a charged submit, the broken answer still contains its code. */
  z.strictObject({ kind: z.literal('not-json'), when: asked, charged, ...firing }),
  /** The right answer, later. */
  z.strictObject({ kind: z.literal('slow'), when: anywhere, delayMs: z.int().min(0).default(2000), ...firing }),
  /** No answer at all; the connection stays open. */
  z.strictObject({ kind: z.literal('silent'), when: anywhere, charged, ...firing }),
  /** A redirect, by default to the gateway's second origin. */
  z.strictObject({
    kind: z.literal('redirect'),
    when: anywhere,
    status: z.union([z.literal(301), z.literal(302), z.literal(303), z.literal(307), z.literal(308)]).default(307),
    location: z.string().optional(),
    ...firing,
  }),
  /** Refused by a failure envelope, not charged. */
  z.strictObject({
    kind: z.literal('rejected'),
    when: submit,
    code: z.union([z.int(), z.string()]).default(422),
    info: z.string().default('the request was rejected'),
    ...firing,
  }),
  /** Charged, and answered with `success` and `failure` both true. */
  z.strictObject({ kind: z.literal('both-flags'), when: submit, ...firing }),
  /** Charged, and answered as a success without a code. */
  z.strictObject({ kind: z.literal('no-task-code'), when: submit, ...firing }),
  /** Charged, and answered with the code of the task before. */
  z.strictObject({ kind: z.literal('repeated-task-code'), when: submit, ...firing }),
  /** Accepted; the task fails later with this message. */
  z.strictObject({
    kind: z.literal('remote-failure'),
    when: submit,
    message: z.string().default('generation failed: the renderer ran out of memory'),
    ...firing,
  }),
  /** Accepted and charged; the pictures and films of the task are black. */
  z.strictObject({ kind: z.literal('black'), when: submit, ...firing }),
  /** "No such task", although it exists. */
  z.strictObject({ kind: z.literal('not-found'), when: z.literal('poll'), ...firing }),
  /** The record of some other task. */
  z.strictObject({ kind: z.literal('foreign-record'), when: z.literal('poll'), ...firing }),
  /** A finished record without its URLs. */
  z.strictObject({ kind: z.literal('without-url'), when: z.literal('poll'), ...firing }),
  /** A status that no table knows. */
  z.strictObject({
    kind: z.literal('unknown-status'),
    when: z.literal('poll'),
    status: z.union([z.int(), z.string()]).default(99),
    ...firing,
  }),
  /** A finished task reported as running. */
  z.strictObject({ kind: z.literal('running-again'), when: z.literal('poll'), ...firing }),
  /** A message nested as deep as `levels`. */
  z.strictObject({
    kind: z.literal('deep'),
    when: z.literal('poll'),
    levels: z.int().min(1).max(1_000_000).default(20_000),
    ...firing,
  }),
  /** A message of this many bytes. */
  z.strictObject({
    kind: z.literal('oversized'),
    when: z.literal('poll'),
    bytes: z.int().min(1).max(268_435_456).default(8_388_608),
    ...firing,
  }),
  /** A URL that expires early. */
  z.strictObject({ kind: z.literal('expired'), when: download, status: httpStatus.default(403), ...firing }),
  /**
   * A file that ends too early: cut against its declared length, ended normally with no declared length, or with a
   * declared length of only what is sent (`short`).
   */
  z.strictObject({
    kind: z.literal('truncated'),
    when: download,
    fraction: z.number().min(0).max(1).default(0.5),
    lengthDeclared: z.union([z.boolean(), z.literal('short')]).default(true),
    ...firing,
  }),
  /** Something else under the right name and type: a web page, or a picture. */
  z.strictObject({
    kind: z.literal('mislabelled'),
    when: download,
    as: z.enum(['html', 'png']).default('html'),
    ...firing,
  }),
  /** Another version of the file, with another ETag, from this download on. */
  z.strictObject({ kind: z.literal('replaced'), when: download, ...firing }),
  /** A 206 that starts elsewhere than requested, and says so. */
  z.strictObject({ kind: z.literal('wrong-range'), when: download, ...firing }),
  /** The file at this many bytes per second. */
  z.strictObject({ kind: z.literal('drip'), when: download, bytesPerSecond: z.int().min(1).default(1), ...firing }),
]);

export type FaultRule = z.infer<typeof faultRuleSchema>;
export type FaultMoment = FaultRule['when'];
/** The faults that can strike at a moment. */
export type FaultAt<M extends FaultMoment, R extends FaultRule = FaultRule> = R extends { when: infer W }
  ? M extends W
    ? R
    : never
  : never;
