/** A night at a gateway that keeps keys of requests. */
import type { SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import { NightHarness, profileWith } from './night-harness.ts';
import { accepted, unknownOutcome, type SubmitSeen } from './scripted-gateway.ts';

type Told = SubmitReport | Promise<SubmitReport>;

/** A night at a gateway that, by its profile, keeps keys of requests. */
export function keyedNight(idempotency: Partial<Profile['idempotency']> = {}) {
  const night = new NightHarness();
  const keys = new Map<string, string>();
  const charges: SubmitSeen[] = [];
  /** As a gateway does that keeps its word; without, every request is charged. */
  const take = (seen: SubmitSeen): string => {
    const code = keys.get(seen.key ?? '') ?? `code-${charges.length + 1}`;
    if (!keys.has(seen.key ?? '')) charges.push(seen);
    if (seen.key !== undefined) keys.set(seen.key, code);
    return code;
  };
  const again = (report: SubmitReport): SubmitReport => ({ ...report, again: 'settles' });
  /** Loses the answers to these requests, by their number. */
  const losing = (isLost: (nth: number) => boolean) => {
    night.gateway.onSubmit = (seen, nth): Told => {
      const isAgain = keys.has(seen.key ?? '');
      const code = take(seen);
      if (isLost(nth)) return unknownOutcome();
      return isAgain ? again(accepted(code)) : accepted(code);
    };
  };
  const profile: Profile = {
    ...profileWith({ activePerFamily: { musicgen: 1 } }),
    idempotency: { header: 'Idempotency-Key', onDuplicate: 'replay', keepHours: 24, ...idempotency },
  };
  return { night, charges, take, again, losing, profile };
}

/** What became of each request of a task, in their order. */
export const outcomesOf = async (night: NightHarness, task: { readonly id: number } | undefined) =>
  (await night.store.attempts(task?.id ?? 0)).map(({ outcome }) => outcome);
