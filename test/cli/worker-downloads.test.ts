/** Downloads that real workers share out over a real server. */
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import type { StoreAddress } from '../../src/engine/store/postgres/store-address.ts';
import { TASK_STATUSES } from '../../src/shared/domain/task/task.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { workerWorld } from '../support/worker-world.ts';

vi.setConfig({ testTimeout: 180_000 });

/** How many files each worker has placed, by its name, as the history of the tasks has it. */
function placedBy(address: StoreAddress): Readonly<Record<string, number>> {
  const opened = openStore(temporaryFolder(), { server: address, isShared: true, random: { next: () => 0.5 } });
  if (!opened.ok) throw new Error(opened.error.message);
  const { store } = opened.value;
  const placed: Record<string, number> = {};
  for (const { id } of store.tasksByStatus([...TASK_STATUSES]))
    for (const { event } of store.events(id)) {
      if (event.kind !== 'output-verified') continue;
      const name = event.by?.split(' ')[0] ?? 'nobody';
      placed[name] = (placed[name] ?? 0) + 1;
    }
  opened.value.close();
  return placed;
}

/** Asks the server who has the right to a download now. */
async function openDownloaders({ connection, schema }: StoreAddress): Promise<() => Promise<readonly string[]>> {
  const client = new pg.Client({ connectionString: connection });
  await client.connect();
  onTestFinished(() => client.end());
  return async () => {
    const { rows } = await client.query<{ readonly holder: string }>(
      `SELECT holder FROM "${schema}".leases WHERE account LIKE 'download %' AND until > 0`,
    );
    return rows.map(({ holder }) => holder.split(' ')[0] ?? '');
  };
}

test('workers that do not hold an account fetch its files, too, and one that is killed in a download leaves it to the others', async () => {
  const world = await workerWorld({
    faults: [{ kind: 'slow', when: 'download', delayMs: 800, probability: 1 }],
  });
  const { main, spare, address, worker, runSongs, tell, paid, out } = world;
  worker('holder', 4);
  const others = [worker('helper', 4), worker('victim', 4)];
  await Promise.all(others.map((one) => one.lineWith('"event":"worker"')));
  const night = runSongs(8);
  const downloaders = await openDownloaders(address);
  await vi.waitFor(async () => expect(await downloaders()).toContain('victim'), { timeout: 60_000, interval: 20 });
  others[1]?.process.kill('SIGKILL');
  expect(await night.ended).toMatchObject({ exitCode: 0 });
  const placed = placedBy(address);
  expect(
    Object.keys(placed)
      .filter((name) => name !== 'victim')
      .toSorted(),
  ).toEqual(['helper', 'holder']);
  expect(Object.values(placed).reduce((sum, one) => sum + one, 0)).toBe(16);
  expect([new Set(paid()).size, paid().length]).toEqual([8, 8]);
  expect([main.stats().keyLeaks, spare.stats().keyLeaks]).toEqual([0, 0]);
  const verified = await tell('verify', out);
  expect([verified.exitCode, verified.stderr]).toEqual([0, '']);
  // What nobody has to do any more is forgotten, but for what the killed one had: that goes when a worker ends.
  expect((await downloaders()).filter((name) => name !== 'victim')).toEqual([]);
});
