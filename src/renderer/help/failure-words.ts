import { FAILURE_POLICIES, type FailureCode } from '../../shared/domain/task/failure.ts';
import { assertNever } from '../../shared/domain/base/result.ts';

/** What follows from a failure, as a sentence before its remedy. */
export function whatFollows(code: FailureCode): string {
  const { next, usesAttempt } = FAILURE_POLICIES[code];
  switch (next) {
    case 'fail':
      return 'The row fails.';
    case 'retry':
      return usesAttempt
        ? 'It is retried automatically. If that is in vain, the row fails.'
        : 'It is retried automatically.';
    case 'pause':
      return 'The batch pauses; nothing is lost.';
    case 'ask':
      return 'It waits for your decision.';
    case 'bug':
      return 'The batch pauses.';
    default:
      return assertNever(next);
  }
}
