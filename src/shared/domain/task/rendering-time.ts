import type { Task } from './task.ts';

/**
 * How long the gateway took for a task that is done, in milliseconds from its submit to the poll that found it finished.
 * Undefined where nobody can tell: it was not watched without a break, or it was only inferred to be finished and had no
 * sound file at that moment.
 */
export function renderingMs({ submittedAt, renderedAt, poll, provisional, outputs }: Task): number | undefined {
  if (submittedAt === undefined || renderedAt === undefined || poll.late === true) return undefined;
  if (provisional && outputs.some(({ tries }) => tries > 0)) return undefined;
  return Math.max(0, renderedAt - submittedAt);
}
