import { listOf, present } from '../../src/shared/domain/base/result.ts';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import type { StoreAddress } from '../../src/engine/store/postgres/store-address.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { postgresAddress } from '../support/postgres.ts';
import { openedOnPostgres, openedStore } from './opened-store.ts';
import { only, seededRandom } from './task-store-fixtures.ts';

const WRITER = fileURLToPath(new URL('task-store-crash-writer.ts', import.meta.url));

/** Runs a writer and kills it as soon as it has reported `reports` commits; gives the revisions that it reported. */
async function writeAndKill(dir: string, reports: number, server?: StoreAddress): Promise<Map<number, number>> {
  const writer = spawn(process.execPath, [WRITER, dir, ...(server === undefined ? [] : [JSON.stringify(server)])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => writer.once('close', resolve));
  const reported = new Map<number, number>();
  let meanwhile: ReturnType<typeof openStore> | undefined;
  let lines = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    // What was in the pipe when it died counts as well: the writer says nothing before its commit has returned.
    for (const [id, revision] of JSON.parse(line) as [number, number][]) reported.set(id, revision);
    lines += 1;
    meanwhile ??= openStore(dir, { random: seededRandom(), ...present({ server }) });
    if (lines === reports) writer.kill('SIGKILL');
  }
  await ended;
  expect(writer.signalCode).toBe('SIGKILL');
  expect(meanwhile).toMatchObject({ ok: false, error: { kind: 'owned' } });
  if (server === undefined) expect(meanwhile).toMatchObject({ error: { ownerPid: writer.pid } });
  else expect(JSON.stringify(meanwhile)).toContain(`in use by process ${writer.pid} on `);
  return reported;
}

test.each([
  ['SQLite', openedStore, () => undefined],
  ['PostgreSQL', openedOnPostgres, postgresAddress],
] as const)(
  'what was committed in %s before a kill is there after it, whole, and the store is free',
  async (_, openIn, addressOf) => {
    const dir = temporaryFolder();
    for (const reports of [1, 4, 9, 17]) {
      const reported = await writeAndKill(dir, reports, addressOf(dir));
      const opened = openIn(dir);
      const { store } = opened;
      const [batch] = store.batches();
      const tasks = await listOf(store.tasksByStatus(['queued', 'submitting']));
      expect(tasks).toHaveLength(40);
      for (const task of tasks) {
        expect(task.revision).toBeGreaterThanOrEqual(reported.get(task.id) ?? 0);
        const open = store.attempts(task.id).filter((attempt) => attempt.answeredAt === undefined);
        expect(open).toHaveLength(task.status === 'submitting' ? 1 : 0);
        expect(store.events(task.id).map((event) => event.at)).toEqual(
          Array.from({ length: task.revision }, (_, i) => i + 1),
        );
      }
      const submitting = tasks.filter((task) => task.status === 'submitting').length;
      expect(store.counts(only(batch).id).musicgen).toMatchObject({ submitting, queued: 40 - submitting });
      expect(store.submitsUsed(only(batch).id)).toBe(submitting);
      expect(opened.checkIntegrity()).toEqual([]);
      opened.close();
    }
  },
  60_000,
);
