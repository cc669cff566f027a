import { z } from 'zod';
import { err, ok } from '../../shared/domain/base/result.ts';
import type { Result } from '../../shared/domain/base/result.ts';
import { faultRuleSchema, scopeSchema } from './fault-rules.ts';
import type { Scope } from './fault-rules.ts';
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import { operationOf } from '../../shared/domain/operations/operations.ts';

/**
 * The behaviour of the built-in gateway: everything that the interface leaves open, as one JSON document. Every key has
 * a default and unknown keys are errors, so a behaviour file contains only what it changes.
 */

const value = z.union([z.int(), z.string()]);
const httpStatus = z.int().min(200).max(599);
const positive = z.number().positive();
const route = z.string().regex(/^\/[^?#\s]*[^/?#\s]$/, 'must start with / and must not end with it');

const statusTable = z.strictObject({
  queued: value.default(0),
  running: value.default(1),
  succeeded: value.default(2),
  failed: value.default(3),
});

/** How long a task takes, in seconds, before `timeScale`. */
const law = z.discriminatedUnion('law', [
  z.strictObject({ law: z.literal('fixed'), seconds: z.number().min(0) }),
  z
    .strictObject({ law: z.literal('uniform'), minSeconds: z.number().min(0), maxSeconds: z.number().min(0) })
    .refine((range) => range.maxSeconds >= range.minSeconds, {
      path: ['maxSeconds'],
      message: 'must not be less than minSeconds',
    }),
  z.strictObject({ law: z.literal('lognormal'), medianSeconds: positive, sigma: z.number().min(0).max(5) }),
]);
export type DurationLaw = z.infer<typeof law>;

const shape = z.enum(['plain', 'first', 'array', 'json', 'json-twice']);

export const behaviourSchema = z.strictObject({
  name: z.string().default('default'),
  /** The fixed path prefix of the base URL. */
  pathPrefix: route.default('/api'),
  /** Values of `status`: for all tasks and, in `statusOf`, for a family or an operation. Words are allowed, too. */
  status: statusTable.prefault({}),
  statusOf: z
    .partialRecord(
      scopeSchema,
      z.strictObject({ queued: value, running: value, succeeded: value, failed: value }).partial(),
    )
    .default({}),
  taskCode: z
    .strictObject({
      /** `number19` puts the digits into the JSON as a number; `hostile` holds `../`, spaces and signs. */
      form: z.enum(['uuid', 'digits19', 'number19', 'hostile']).default('uuid'),
      in: z.enum(['query', 'path']).default('query'),
      /** The parameter's name in the query. */
      name: z.string().min(1).default('taskCode'),
      /** HTTP status if the code is missing or was sent the wrong way. */
      missingHttp: httpStatus.default(400),
      /** HTTP status if the gateway does not know the task. */
      unknownHttp: httpStatus.default(200),
    })
    .prefault({}),
  /** The result operation for a family or an operation; the interface's own by default. */
  resultPaths: z.partialRecord(scopeSchema, route).default({}),
  envelope: z
    .strictObject({
      okCode: value.default(200),
      okInfo: z.string().default('success'),
      failureCode: value.default(500),
      /** The value of `result` in a failure. */
      emptyResult: z.enum(['object', 'null', 'absent']).default('object'),
    })
    .prefault({}),
  /** How to answer a body that the interface does not allow. */
  rejection: z.strictObject({ http: httpStatus.default(200), code: value.default(400) }).prefault({}),
  auth: z
    .strictObject({
      /** The accepted keys; without a list, every non-empty key. */
      keys: z.array(z.string()).nullable().default(null),
      http: httpStatus.default(401),
      code: value.default(401),
      info: z.string().default('aiKey is missing or not valid'),
      /** From this request on (counting all that were ever answered), every key is refused. */
      revokedAfter: z.int().min(0).nullable().default(null),
    })
    .prefault({}),
  balance: z
    .strictObject({
      /**
       * Where it can be asked for, below the prefix; null: nowhere. What it was before the first charge, each of which
       * costs `cost.amount`.
       */
      path: route.nullable().default(null),
      field: z.string().min(1).default('credits'),
      before: z.number().default(100),
      /** How many submits the balance pays for. */
      submits: z.int().min(0).nullable().default(null),
      http: httpStatus.default(200),
      code: value.default(402),
      info: z.string().default('insufficient balance'),
    })
    .prefault({}),
  /** What a submit gets whose key, in this header, came with an earlier one that was charged. */
  idempotency: z
    .strictObject({
      header: z.string().min(1).default('Idempotency-Key'),
      /**
       * `ignored`: another task, charged again, as at a gateway that only claims to keep keys. `replay`: the same
       * answer again. `reject`: a refusal that names the duplicate, and with `reject-with-code` its task code, too.
       */
      onDuplicate: z.enum(['ignored', 'replay', 'reject', 'reject-with-code']).default('ignored'),
      http: httpStatus.default(409),
      code: value.default(409),
      info: z.string().default('duplicate request'),
      /** How long a key is known. */
      keepHours: positive.default(24),
    })
    .prefault({}),
  /** Whether and where an answer says what the call cost. */
  cost: z
    .strictObject({
      /** `submit`, `poll`: in `result` of those answers. `header`: beside the answer to a submit. */
      in: z.enum(['nowhere', 'submit', 'poll', 'header']).default('nowhere'),
      /** The name of the field or of the header. */
      name: z.string().min(1).default('credits'),
      /** The amount as it is written, which may be a text or make no sense. */
      amount: z.union([z.number(), z.string(), z.null()]).default(1),
    })
    .prefault({}),
  moderation: z
    .strictObject({
      /** A submit is refused if its text contains one of these words, in upper or lower case. */
      words: z.array(z.string().min(1)).default([]),
      /** Whether to refuse the submit, or to accept it and let the task fail. */
      at: z.enum(['submit', 'task']).default('task'),
      info: z.string().default('prompt contains sensitive words'),
    })
    .prefault({}),
  limits: z
    .strictObject({
      /**
       * Whether the limits are for all accounts together or for each account, by its key; then what each has asked for
       * is kept.
       */
      scope: z.enum(['gateway', 'key']).default('gateway'),
      /** At most this many submits in this many seconds. */
      submits: z
        .strictObject({ count: z.int().min(1), seconds: positive })
        .nullable()
        .default(null),
      requestsPerSecond: positive.nullable().default(null),
      /** At most this many unfinished tasks of a family. */
      activePerFamily: z.int().min(1).nullable().default(null),
      /** The answer to an excess: HTTP 429, or 200 with a failure envelope. */
      http: httpStatus.default(429),
      code: value.default(429),
      info: z.string().default('too many requests, please try again later'),
      retryAfter: z.enum(['none', 'seconds', 'date']).default('seconds'),
      /** Overrides the true waiting time in `Retry-After`. */
      retryAfterSeconds: z.int().min(0).nullable().default(null),
      bodyMaxBytes: z.int().min(1).default(1_048_576),
    })
    .prefault({}),
  /** How many tasks of a family (or of all together) are rendered at once, first come, first served; null: all. */
  queue: z
    .strictObject({
      atOnce: z.int().min(1).nullable().default(null),
      scope: z.enum(['family', 'all']).default('family'),
    })
    .prefault({}),
  durations: z.partialRecord(scopeSchema, law).default({}),
  /** Multiplies every duration: 0.02 makes a minute last 1.2 seconds. */
  timeScale: z.number().min(0).default(0.02),
  times: z
    .strictObject({
      format: z.enum(['local', 'iso', 'seconds', 'milliseconds']).default('local'),
      utcOffsetMinutes: z.int().min(-840).max(840).default(0),
    })
    .prefault({}),
  results: z
    .strictObject({
      /**
       * How several outputs share a field. `plain`: one URL, or several with commas; `first` hides all but the first.
       */
      shape: shape.default('plain'),
      shapeOf: z.partialRecord(scopeSchema, shape).default({}),
      /** The number of clips of one music generation. */
      clips: z.int().min(1).max(4).default(2),
      /** After the first output, each further one appears this many seconds later. */
      gapSeconds: z.number().min(0).default(0),
      /** Whether a running task already shows a URL; until the task ends, the URL gives the beginning of the file. */
      earlyUrl: z.boolean().default(false),
      /** Where results that are not media are: `beside` is a separate `data` field. */
      data: z.enum(['message', 'media-field', 'beside']).default('message'),
      /** The value of a URL or a time that does not exist yet. */
      blank: z.enum(['empty', 'null', 'absent']).default('empty'),
    })
    .prefault({}),
  urls: z
    .strictObject({
      lifeSeconds: positive.default(86_400),
      /** The parameter with the URL's expiry time. */
      expiryIn: z.enum(['Expires', 'se', 'X-Amz', 'hidden']).default('Expires'),
      expiredHttp: httpStatus.default(403),
      /** When a poll gives a new URL: after half its lifetime, each time, or never again. */
      renewed: z.enum(['half-life', 'each-poll', 'never']).default('half-life'),
    })
    .prefault({}),
  media: z
    .strictObject({
      /** `tiny` files are quick to make, for batches with many thousand tasks. */
      detail: z.enum(['full', 'tiny']).default('full'),
      etag: z.enum(['strong', 'weak', 'none']).default('strong'),
      ranges: z.boolean().default(true),
      /** `chunked` and `close` declare no length. */
      length: z.enum(['declared', 'chunked', 'close']).default('declared'),
      redirect: z.enum(['none', 'same-origin', 'cross-origin']).default('none'),
      redirectHops: z.int().min(1).max(20).default(1),
    })
    .prefault({}),
  faults: z.array(faultRuleSchema).default([]),
});

/** A behaviour with every key filled in. */
export type Behaviour = z.output<typeof behaviourSchema>;
/** A behaviour as a file or a caller writes it: any part of it. */
export type BehaviourInput = z.input<typeof behaviourSchema>;
export type StatusValues = Behaviour['status'];

/** An error in a behaviour: where (`faults.0.kind`; empty for the whole document) and what. */
export interface BehaviourProblem {
  readonly path: string;
  readonly message: string;
}

/** Checks a behaviour document and fills in the defaults. The error lists every problem with its path. */
export function parseBehaviour(input: unknown): Result<Behaviour, readonly BehaviourProblem[]> {
  const parsed = behaviourSchema.safeParse(input);
  if (parsed.success) return ok(parsed.data);
  return err(
    parsed.error.issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys') return [{ path: issue.path.join('.'), message: issue.message }];
      return issue.keys.map((key) => ({ path: [...issue.path, key].join('.'), message: 'unknown key' }));
    }),
  );
}

/** The value for an operation: its own, else its family's, else none. */
export function scoped<T>(values: Partial<Record<Scope, T>>, path: OperationPath): T | undefined {
  return values[path] ?? values[operationOf(path).family];
}

/** The status values of an operation: its own, else its family's, else everyone's, one by one. */
export function statusTableOf(behaviour: Behaviour, path: OperationPath): StatusValues {
  const own = behaviour.statusOf[path];
  const familys = behaviour.statusOf[operationOf(path).family];
  const pick = (state: keyof StatusValues) => own?.[state] ?? familys?.[state] ?? behaviour.status[state];
  return { queued: pick('queued'), running: pick('running'), succeeded: pick('succeeded'), failed: pick('failed') };
}
