import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { JsonObject } from '../../../shared/domain/base/json.ts';
import { prepare } from '../open/statement.ts';

/**
 * Returns what reads the requests of tasks as they were sent last, by task: what a row asked for at that time, whatever
 * it asks for now. A task that was never sent has none, nor has one whose body is no JSON object.
 */
export function openSentRequests(
  db: DatabaseSyncInstance,
): (taskIds: readonly number[]) => ReadonlyMap<number, JsonObject> {
  const select = prepare<{ readonly task: number; readonly body: Uint8Array }>(
    db,
    `SELECT task, body FROM attempts
     WHERE id IN (SELECT max(id) FROM attempts WHERE task IN (SELECT value FROM json_each(?)) GROUP BY task)`,
  );
  return (taskIds) => {
    if (taskIds.length === 0) return new Map();
    return new Map(
      select.all(JSON.stringify(taskIds)).flatMap(({ task, body }) => {
        const request = objectOf(body);
        return request === undefined ? [] : [[task, request] as const];
      }),
    );
  };
}

function objectOf(body: Uint8Array): JsonObject | undefined {
  try {
    const value = JSON.parse(new TextDecoder().decode(body)) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
