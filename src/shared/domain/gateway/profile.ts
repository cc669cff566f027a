/**
 * A profile says how one gateway really behaves where the interface is silent. It is a JSON document that a user can
 * edit; every key has a default. Unknown keys and values out of range are errors that name their path.
 */
import { z } from 'zod';
import { domainWords } from '../../words/domain-words.ts';
import { FAMILIES, OPERATIONS, OPERATION_PATHS, RESULT_OPERATIONS, columnsOf } from '../operations/operations.ts';
import type { Family, Operation } from '../operations/operations.ts';
import { MOST_A_REQUEST } from '../base/money.ts';
import { compilePattern } from '../base/linear-pattern.ts';
import { allowedHostProblem, plainHttpProblem } from './hosts.ts';
import { idempotencySchema } from './charges/idempotency.ts';
import { balanceSchema, costSchema, currencySchema } from './charges/stated-amount.ts';
import { describeProfileIssue } from './profile-problem.ts';
import type { ProfileProblem } from './profile-problem.ts';
import { trimEnd } from '../base/text.ts';
import { err, ok } from '../base/result.ts';
import type { Result } from '../base/result.ts';

/**
 * What a status of the gateway means for a task. `inferred`: the user answered that it does not, or not always, mean a
 * failure; its outcome is inferred as if it were not in the table.
 */
export const STATUS_MEANINGS = ['queued', 'running', 'succeeded', 'failed', 'inferred'] as const;
export type StatusMeaning = (typeof STATUS_MEANINGS)[number];

/** What a gateway's error text is about. */
export const ERROR_MEANINGS = ['auth', 'balance', 'rate', 'moderation', 'invalid', 'upstream'] as const;
export type ErrorMeaning = (typeof ERROR_MEANINGS)[number];

/** A family, or one operation, which overrides its family. */
const scope = z.enum([...FAMILIES, ...OPERATION_PATHS]);

/**
 * What is wrong with a base URL, or undefined. It is http(s) with a host and perhaps a path, nothing else: user info
 * would put a password into every log, and an operation's path cannot follow a query or a fragment.
 */
export function baseUrlProblem(url: string): string | undefined {
  const parts = /^(https?):\/\/([^/?#\\]*)([^?#\\]*)([?#\\].*)?$/isu.exec(url);
  if (!parts || /\s/u.test(url)) return domainWords.problems.must.address;
  const [, , authority = '', , rest] = parts;
  if (authority.includes('@')) return domainWords.problems.must.noUser;
  if (rest !== undefined) return domainWords.problems.must.endWithPath;
  const host = /^(?:[\p{L}\p{N}._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/iu.exec(authority);
  if (!host || Number(host[1] ?? '80') > 65_535) return domainWords.problems.must.nameHost;
  return undefined;
}

const baseUrl = z
  .string()
  .max(2000)
  .superRefine((url, context) => {
    const problem = url === '' ? undefined : baseUrlProblem(url);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .transform((url) => trimEnd(url, (char) => char === '/'));

const headerText = z.string().regex(/^[\x20-\x7e]{1,200}$/, { error: () => domainWords.problems.must.headerText });

const resultPath = z
  .string()
  .max(500)
  .regex(/^(?:\/(?!\.{1,2}(?:\/|$))[^/?#\s\\]+)+$/, { error: () => domainWords.problems.must.resultPath });

const hostAndPort = z
  .string()
  .max(300)
  .regex(/^(?:[\p{L}\p{N}._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/iu, {
    error: () => domainWords.problems.must.hostAndPort,
  });

const pattern = z
  .string()
  .min(1)
  .max(1000)
  .refine((text) => compilePattern(text) !== undefined, { error: () => domainWords.problems.must.pattern });

/**
 * HTTP statuses that a profile may declare as rejections: none that leaves open whether the submit was accepted. A
 * submit taken for rejected would be sent and paid for again.
 */
function isRejection(status: number): boolean {
  return status < 500 && status !== 408;
}

const SUGGESTION_KEYS: ReadonlySet<string> = new Set(
  OPERATIONS.flatMap((operation) => columnsOf(operation).map(({ column }) => `${operation.path}.${column}`)),
);

const active = z.int().min(1).max(10_000).default(3);

const media = z.strictObject({
  /** Exempt from the rule against private addresses; this machine only if the gateway is on it, too. */
  allowHosts: z.array(hostAndPort).readonly().default([]),
  maxBytes: z
    .int()
    .min(1)
    .max(2 ** 40)
    .default(2 ** 32),
});

/** The document as written. Source of the keys: the gateway's gaps and what is done about each. */
export const profileSchema = z.strictObject({
  name: z.string().max(200).default('My gateway'),
  /** Empty: a run must name it. */
  baseUrl: baseUrl.default(''),
  /** Plain http to a private network, where everybody on it can read the key. */
  allowPlainHttp: z.boolean().default(false),
  userAgent: headerText.default('Nocturne'),
  taskCode: z
    .strictObject({
      /** `path` is `{resultPath}/{taskCode}`; `detect` begins with the query and tries others on 400, 404 and 405. */
      in: z.enum(['query', 'path', 'detect']).default('query'),
      /** The parameter's name in the query. */
      name: z.string().min(1).max(100).default('taskCode'),
    })
    .prefault({}),
  /** Merged over the default paths, one for each family. */
  resultPaths: z.partialRecord(scope, resultPath).default({}).transform(overFamilyPaths),
  /** The meaning of each status, written as text; a status not listed means running, and its outcome is inferred. */
  status: z.partialRecord(scope, z.record(z.string().max(200), z.enum(STATUS_MEANINGS))).default({}),
  envelope: z
    .strictObject({
      /** Codes that mean success; empty: `code` is ignored. */
      okCodes: z
        .array(z.union([z.number(), z.string().max(100)]))
        .readonly()
        .default([]),
    })
    .prefault({}),
  /** HTTP statuses that prove that a submit was not accepted. A success among them would pay twice. */
  rejectedHttp: z
    .array(
      z
        .int()
        .min(300)
        .max(599)
        .refine(isRejection, { error: () => domainWords.problems.must.notOpen }),
    )
    .readonly()
    .default([400, 401, 403, 404, 405, 413, 415, 422, 429]),
  limits: z
    .strictObject({
      requestsPerSecond: z.number().min(0.01).max(10_000).default(2),
      activePerFamily: z.strictObject({ musicgen: active, 'videogen-a': active, 'videogen-b': active }).prefault({}),
      downloads: z.int().min(1).max(64).default(4),
    })
    .prefault({}),
  deadlines: z
    .strictObject({
      submitSeconds: z.number().min(0.1).max(3600).default(120),
      pollSeconds: z.number().min(0.1).max(3600).default(30),
      taskHours: z.number().min(0.001).max(8760).default(24),
    })
    .prefault({}),
  prices: z
    .partialRecord(
      z.enum(OPERATION_PATHS),
      z.strictObject({
        amount: z.number().min(0).max(MOST_A_REQUEST),
        currency: currencySchema,
      }),
    )
    .default({}),
  /** How the gateway keeps a repeated request from being charged twice; absent: it does not. */
  idempotency: idempotencySchema.optional(),
  /** What an answer says that its call cost; absent: it does not say. */
  cost: costSchema.optional(),
  /** Where the gateway says what the account has left; absent: it does not say. */
  balance: balanceSchema.optional(),
  media: media.prefault({}),
  /** Tried in this order before the built-in list; the first match wins. Case does not matter. */
  errors: z
    .array(z.strictObject({ match: pattern, means: z.enum(ERROR_MEANINGS) }))
    .readonly()
    .default([]),
  /** Values to suggest for a field, keyed `operation.column`; free text is always accepted. */
  suggestions: z
    .record(
      z.string().refine((key) => SUGGESTION_KEYS.has(key), { error: () => domainWords.problems.must.suggestionKey }),
      z.array(z.string()).readonly(),
    )
    .default({}),
  /** How tags are sent: each as an element, or all as one element separated by commas. */
  tags: z.enum(['array', 'one-element']).default('array'),
});

/** A profile with every key filled in. Parsing one again gives the same. */
export type Profile = z.output<typeof profileSchema>;

/** Puts these paths over the result operations of the interface (4.2), one for each family. */
function overFamilyPaths<T extends Partial<Record<string, string>>>(paths: T): Readonly<Record<Family, string>> & T {
  const usual = Object.fromEntries(RESULT_OPERATIONS.map(({ family, path }) => [family, `/${path}`]));
  return { ...(usual as Record<Family, string>), ...paths };
}

/** What applies if no profile says otherwise. */
export const DEFAULT_PROFILE: Profile = profileSchema.parse({});

/** Every key with its default, for messages about a wrong one. */
const KNOWN_KEYS = {
  ...DEFAULT_PROFILE,
  idempotency: { header: undefined, onDuplicate: 'replay', keepHours: 24 },
  balance: { path: undefined, field: undefined, currency: undefined },
  cost: { in: undefined, path: undefined, name: undefined, currency: undefined },
};

/** Checks a profile document and fills in the defaults. The error lists every problem with its path and a remedy. */
export function parseProfile(json: unknown): Result<Profile, ProfileProblem[]> {
  const parsed = profileSchema.safeParse(json);
  if (parsed.success) {
    const { baseUrl: gateway, allowPlainHttp } = parsed.data;
    const problem = plainHttpProblem(gateway, allowPlainHttp);
    const problems = [
      ...(problem === undefined ? [] : [plainHttpRefused(problem)]),
      ...allowedHostProblems(parsed.data),
    ];
    return problems.length === 0 ? ok(parsed.data) : err(problems);
  }
  return err(parsed.error.issues.flatMap((issue) => describeProfileIssue(issue, KNOWN_KEYS)));
}

/** Problems already looked for: profiles never change, and a night asks about the same one every 15 s. */
const keptProblems = new WeakMap<Profile, { readonly problem: string | undefined }>();

/**
 * What is wrong with a stored profile, in a few words; undefined if it is valid. The rules get stricter over time, and
 * an older profile would be followed differently from what it says.
 */
export function keptProfileProblem(profile: Profile): string | undefined {
  const known = keptProblems.get(profile) ?? { problem: findKeptProblem(profile) };
  keptProblems.set(profile, known);
  return known.problem;
}

function findKeptProblem(profile: Profile): string | undefined {
  const parsed = profileSchema.safeParse(profile);
  if (parsed.success) return undefined;
  const [first] = parsed.error.issues.flatMap((issue) => describeProfileIssue(issue, KNOWN_KEYS));
  return first === undefined ? '' : `${first.path}: ${first.message}`;
}

function plainHttpRefused(problem: string): ProfileProblem {
  return {
    path: 'baseUrl',
    message: domainWords.problems.profile.it(problem),
    remedy: domainWords.problems.profile.useHttps,
  };
}

function allowedHostProblems({ baseUrl: gateway, media: { allowHosts } }: Profile): ProfileProblem[] {
  return allowHosts.flatMap((entry, index) => {
    const problem = allowedHostProblem(entry, gateway);
    const path = `media.allowHosts.${index}`;
    if (problem === undefined) return [];
    return [{ path, message: domainWords.problems.profile.it(problem), remedy: domainWords.problems.profile.leaveOut }];
  });
}

/** Path of the result operation for a submit operation, with its leading slash. */
export function resultPathFor(profile: Profile, operation: Operation): string {
  return profile.resultPaths[operation.path] ?? profile.resultPaths[operation.family];
}
