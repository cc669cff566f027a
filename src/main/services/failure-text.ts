import { FAILURE_POLICIES, type Failure } from '../../shared/domain/task/failure.ts';

/** A failure in the user's words, with what to do about it. */
export function failureText({ code, message }: Failure): string {
  const { title, remedy } = FAILURE_POLICIES[code];
  return `${title}: ${message} ${remedy}`;
}
