import { describe, expect, test } from 'vitest';
import { Pace } from '../../../../src/engine/night/expected-end.ts';
import type { StatusCounts } from '../../../../src/engine/ports/task-store.ts';
import { FAMILIES, type Family } from '../../../../src/shared/domain/operations/operations.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../../src/shared/domain/task/task.ts';

const MINUTE_MS = 60_000;

function counts(of: Partial<Record<Family, Partial<Record<TaskStatus, number>>>>): StatusCounts {
  const none = Object.fromEntries(TASK_STATUSES.map((status) => [status, 0]));
  return Object.fromEntries(FAMILIES.map((family) => [family, { ...none, ...of[family] }])) as StatusCounts;
}

/** Music at a minute a task; nothing has ended of the other families. */
function paceOfMusic(): Pace {
  const pace = new Pace(0);
  for (let minute = 1; minute <= 4; minute += 1) pace.ended('musicgen', minute * MINUTE_MS);
  return pace;
}

describe('when a batch is expected to end', () => {
  const now = 4 * MINUTE_MS;

  test('is what is left at the pace so far', () => {
    expect(paceOfMusic().expectedEnd(counts({ musicgen: { queued: 10 } }), now)).toBe(14 * MINUTE_MS);
  });

  test('counts only what the limit still lets through', () => {
    const waiting = counts({ musicgen: { queued: 10, rendering: 1 } });
    expect(paceOfMusic().expectedEnd(waiting, now, 4)).toBe(9 * MINUTE_MS);
    expect(paceOfMusic().expectedEnd(waiting, now, 0)).toBe(5 * MINUTE_MS);
    expect(paceOfMusic().expectedEnd(waiting, now, 400)).toBe(15 * MINUTE_MS);
  });

  test('is known under a limit although another family has not had its turn', () => {
    const waiting = counts({ musicgen: { queued: 10 }, 'videogen-a': { queued: 10 } });
    expect(paceOfMusic().expectedEnd(waiting, now, 8)).toBe(8 * MINUTE_MS);
    expect(paceOfMusic().expectedEnd(waiting, now)).toBeUndefined();
    const moving = counts({ musicgen: { queued: 10 }, 'videogen-a': { rendering: 1 } });
    expect(paceOfMusic().expectedEnd(moving, now, 8)).toBeUndefined();
  });
});
