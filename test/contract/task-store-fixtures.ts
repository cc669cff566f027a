import type { AttemptIntent, TaskChange } from '../../src/engine/ports/task-change.ts';
import type { NewBatch } from '../../src/engine/ports/task-store.ts';
import type { Random } from '../../src/engine/ports/base.ts';
import type { BatchSettings } from '../../src/shared/domain/task/batch.ts';
import { DEFAULT_PROFILE } from '../../src/shared/domain/gateway/profile.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';

export const NOW = Date.UTC(2026, 0, 15, 22, 0, 0);

/** The row of a line, with what a test wants different. */
export function makeRow(line: number, different: Partial<Row> = {}): Row {
  return {
    id: `r${line}`,
    line,
    operation: 'musicgen/music/generate',
    body: { prompt: `prompt ${line}` },
    takes: 1,
    priority: 0,
    filename: undefined,
    note: undefined,
    skip: false,
    cells: { prompt: `prompt ${line}` },
    ...different,
  };
}

export function settings(different: Partial<BatchSettings> = {}): BatchSettings {
  return { folder: '/media', profile: DEFAULT_PROFILE, filename: '{row}-{slug}', rehearsal: false, ...different };
}

/** A batch of one row, with what a test wants different. */
export function newBatch(different: Partial<NewBatch> = {}): NewBatch {
  return {
    name: 'night',
    headers: ['prompt'],
    settings: settings(),
    createdAt: NOW,
    rows: [makeRow(2)],
    problems: [],
    ...different,
  };
}

/** Random numbers that are the same in every run. */
export function seededRandom(): Random {
  let state = 1;
  return {
    next() {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    },
  };
}

/** A value that a test takes for granted. */
export function only<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('There is none.');
  return value;
}

/** A paid request. */
export const INTENT: AttemptIntent = {
  startedAt: NOW,
  origin: 'https://gateway.example',
  keyFingerprint: 'f1',
  body: new TextEncoder().encode('{"prompt":"rain"}'),
  bodySha256: 'ab'.repeat(32),
};

/** A change that sets fields of a task, whatever its machine says: the store writes what it is given. */
export function change(task: Task, different: Partial<Task>, more: Partial<TaskChange> = {}): TaskChange {
  return {
    expectedRevision: task.revision,
    next: { ...task, ...different, revision: task.revision + 1 },
    event: { kind: 'cancel-requested' },
    at: NOW,
    ...more,
  };
}
