/** What a gateway's statuses turned out to mean: counted with every poll, so that Nocturne can learn a profile. */
import { FAMILIES, operationOf, type Family, type OperationPath } from '../operations/operations.ts';
import type { PollVerdict } from './poll-outcome.ts';
import type { ResultRecord } from './poll-answer.ts';
import type { Profile } from './profile.ts';
import { readsLikeFailure, statusMeaning } from './status-meaning.ts';
import { isBlankTime } from './gateway-time.ts';

/** The conclusion from a record: `suspected` is an inferred failure, `failed` one that the profile states. */
export const SEEN_OUTCOMES = ['running', 'result', 'suspected', 'failed'] as const;
export type SeenOutcome = (typeof SEEN_OUTCOMES)[number];

/** What a record looked like, and its outcome. */
export interface SeenStatus {
  readonly operation: OperationPath;
  /** As the gateway wrote it, cut at {@link STATUS_KEPT} characters. */
  readonly status: string;
  readonly hasUrl: boolean;
  readonly hasEnded: boolean;
  readonly hasMessage: boolean;
  readonly became: SeenOutcome;
}

/** The same for one gateway, with the number of tasks that looked like this. */
export interface CountedStatus extends SeenStatus {
  /** See `gatewayKey`. */
  readonly gateway: string;
  readonly tasks: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
}

/**
 * At most this many different records are kept per gateway: one that keeps inventing statuses must not fill the disk.
 */
export const SEEN_KEPT = 200;
const STATUS_KEPT = 200;

/** What a poll has shown; undefined if it showed no record, or if its outcome is still open. */
export function seenStatus(
  operation: OperationPath,
  record: ResultRecord | undefined,
  verdict: PollVerdict,
): SeenStatus | undefined {
  if (record === undefined) return undefined;
  const became = outcomeOf(verdict, record);
  if (became === undefined) return undefined;
  return {
    operation,
    status: record.status.slice(0, STATUS_KEPT),
    hasUrl: record.urls.length > 0,
    hasEnded: !isBlankTime(record.endTime),
    hasMessage: record.message.trim() !== '',
    became,
  };
}

function outcomeOf(verdict: PollVerdict, { message }: ResultRecord): SeenOutcome | undefined {
  switch (verdict.kind) {
    case 'running':
      return verdict.askAgainMs === undefined ? 'running' : undefined;
    case 'rendered':
      return 'result';
    case 'data':
      // Every end of a data operation is kept, even a refusal: words that read like one say nothing about the status.
      return readsLikeFailure(message) ? undefined : 'result';
    case 'failed':
      return verdict.suspected ? 'suspected' : 'failed';
    case 'poll-error':
    case 'pause':
      return undefined;
  }
}

/** The same key for records that look alike: a task is counted once while it looks the same. */
export function seenKey({ operation, status, hasUrl, hasEnded, hasMessage, became }: SeenStatus): string {
  return JSON.stringify([operation, status, hasUrl, hasEnded, hasMessage, became]);
}

/** A status that may mean that a task has failed; Nocturne asks the user. */
export interface StatusQuestion {
  readonly family: Family;
  readonly status: string;
  /** How many tasks have ended like this. */
  readonly tasks: number;
}

/** Whether it means that a task has failed; a "no" is kept too: Nocturne keeps inferring and does not ask again. */
export const STATUS_ANSWERS = ['failed', 'inferred'] as const;
export type StatusAnswer = (typeof STATUS_ANSWERS)[number];

/**
 * Questions that a profile leaves open: statuses that come with an end time and without a result, and never with one.
 * `seen` belongs to the profile's gateway.
 */
export function statusQuestions(seen: readonly CountedStatus[], profile: Profile): readonly StatusQuestion[] {
  const open = seen.filter(
    ({ operation, status }) => status !== '' && statusMeaning(profile, operationOf(operation), status) === undefined,
  );
  return FAMILIES.flatMap((family) => {
    const own = open.filter(({ operation }) => operationOf(operation).family === family);
    const statuses = [...new Set(own.map(({ status }) => status))];
    return statuses.flatMap((status): StatusQuestion[] => {
      const alike = own.filter((one) => one.status === status);
      if (alike.some(({ became }) => became === 'result')) return [];
      const ended = alike.filter(({ became, hasEnded }) => became === 'suspected' && hasEnded);
      const tasks = ended.reduce((sum, one) => sum + one.tasks, 0);
      return tasks === 0 ? [] : [{ family, status, tasks }];
    });
  });
}

/** The profile with the user's answer for the whole family; an existing entry for the status stays. */
export function withStatusMeaning(
  profile: Profile,
  { family, status }: Pick<StatusQuestion, 'family' | 'status'>,
  meaning: StatusAnswer,
): Profile {
  return { ...profile, status: { ...profile.status, [family]: { [status]: meaning, ...profile.status[family] } } };
}
