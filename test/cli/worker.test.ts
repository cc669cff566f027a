import { expect, onTestFinished, test, vi } from 'vitest';
import { PostgresDatabase } from '../../src/engine/store/postgres/postgres-database.ts';
import { SCHEMA_VERSION } from '../../src/engine/store/postgres/postgres-schema.ts';
import { workerWorld as world } from '../support/worker-world.ts';

vi.setConfig({ testTimeout: 180_000 });

async function until(is: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(is()).toBe(true), { timeout: 60_000, interval: 20 });
}

test('two workers share the accounts of a night, to the request; one that is told to end leaves the rest to the other', async () => {
  const { main, spare, worker, run, tell, submits, paid, out } = await world();
  const [first, second] = [worker('first', 15), worker('second', 15, ['main', 'spare'], '--health', '0')];
  const night = run(40, '--account-max-requests', 'main=15');
  await until(() => submits() >= 12);
  first.process.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ exitCode: 0 });
  expect(await night.ended).toMatchObject({ exitCode: 0 });
  expect([main.stats().submits, spare.stats().submits]).toEqual([15, 25]);
  expect(new Set(paid()).size).toBe(40);
  const verified = await tell('verify', out);
  expect([verified.exitCode, verified.stderr]).toEqual([0, '']);
  const { url } = JSON.parse(await second.lineWith('"event":"health"')) as { readonly url: string };
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  // All that is left of the second account after the first worker's end is this one's.
  expect(metrics).toMatch(
    /^nocturne_requests_total\{account="(main|spare)",kind="submit",outcome="accepted"\} [1-9]/mu,
  );
  expect(metrics).toMatch(/^nocturne_files_total\{account="spare"\} [1-9]/mu);
  expect(metrics).toMatch(/^nocturne_spent_requests\{period="night"\} 40$/mu);
  // What it holds by now is a matter of pace: accounts that nothing waits for are given back.
  await vi.waitFor(
    async () => {
      const { stdout } = await tell('status');
      expect(stdout).toMatch(
        /^worker second: since .*, heard of \d+ s ago · holds (?:main|spare|main, spare|no account)$/mu,
      );
      const [{ workers }] = JSON.parse((await tell('status', '--json')).stdout) as [{ readonly workers: unknown }];
      expect(workers).toMatchObject([{ name: 'second', accounts: expect.any(Array) as unknown[] }]);
    },
    { timeout: 60_000, interval: 200 },
  );
  second.process.kill('SIGINT');
  expect(await second.ended).toMatchObject({ exitCode: 0 });
});

test('a worker that is killed leaves its accounts, and what it had sent is not sent again', async () => {
  // So slow that a request is out when it is killed.
  const { worker, run, submits, paid, statuses } = await world({
    faults: [{ kind: 'slow', when: 'submit', delayMs: 400, probability: 1 }],
  });
  const first = worker('first', 6);
  const night = run(16);
  await until(() => submits() >= 3);
  first.process.kill('SIGKILL');
  worker('second', 6);
  const ended = await night.ended;
  const found = await statuses();
  expect((found['done'] ?? 0) + (found['submit-unknown'] ?? 0)).toBe(16);
  expect(found['submit-unknown']).toBeGreaterThan(0);
  expect(ended.exitCode).toBe(4);
  expect(new Set(paid()).size).toBe(paid().length);
  // A request that was about to leave may never have come.
  expect(submits()).toBeLessThanOrEqual(16);
});

test('a worker that stands still for longer than its lease does nothing twice when it goes on', async () => {
  const { worker, run, submits, paid } = await world();
  const first = worker('first', 3);
  const night = run(20);
  await until(() => submits() >= 3);
  first.process.kill('SIGSTOP');
  const second = worker('second', 3);
  await second.lineWith('"event":"accounts"');
  const before = submits();
  await until(() => submits() > before);
  first.process.kill('SIGCONT');
  expect([0, 4]).toContain((await night.ended).exitCode);
  expect(new Set(paid()).size).toBe(paid().length);
  // As above.
  expect(submits()).toBeLessThanOrEqual(20);
});

test('a pause by another process holds for every worker, and the night goes on when it is resumed', async () => {
  const { worker, run, tell, submits, paid, statuses, out } = await world();
  const workers = [worker('first', 15, ['main']), worker('second', 15, ['spare'])];
  const night = run(40);
  await until(() => submits() >= 5);
  expect(await tell('pause', '--all')).toMatchObject({ exitCode: 0 });
  const sent = submits();
  expect((await night.ended).exitCode).toBe(5);
  await vi.waitFor(async () => expect((await statuses())['rendering']).toBe(0), { timeout: 60_000, interval: 200 });
  expect(submits()).toBe(sent);
  // What came in the pause is listed, too, and checked.
  await vi.waitFor(
    async () => {
      expect((await statuses())['downloading']).toBe(0);
      const { stdout } = await tell('verify', out);
      // What a worker complains of says why a file is not listed.
      const said = workers.map((each) => each.problems()).join('');
      expect(stdout + said).not.toContain('not in the manifest');
    },
    { timeout: 60_000, interval: 500 },
  );
  expect(await tell('resume')).toMatchObject({ exitCode: 0 });
  expect(new Set(paid()).size).toBe(40);
  expect(submits()).toBe(40);
});

test('without a worker, or without one that has a key, a run says so', async () => {
  const { worker, run, tell } = await world();
  // What is left after the first row waits for the account that nobody has.
  const night = run(2, '--account-max-requests', 'main=1');
  await vi.waitFor(() => expect(night.problems()).toContain('No worker is running on this store'), { timeout: 60_000 });
  expect((await tell('status')).stdout).toContain('No worker is running on this store, and 1 batch waits for one.');
  worker('first', 6, ['main']);
  await vi.waitFor(() => expect(night.problems()).toContain('No worker holds the account spare'), { timeout: 90_000 });
  expect((await tell('status')).stdout).toContain('No worker has the key of the account spare at http:');
  night.process.kill('SIGINT');
  const { stdout } = await night.ended;
  expect(stdout).toContain('The workers continue it.');
  expect(stdout).not.toContain('Interrupted');
});

test('a worker of another version than the tables takes no work, and says why', async () => {
  const { worker, run, address, submits } = await world();
  const first = worker('first', 15);
  run(60);
  await until(() => submits() >= 3);
  const db = new PostgresDatabase(address, false);
  onTestFinished(() => db.close());
  db.exec(`UPDATE meta SET value = '${SCHEMA_VERSION + 1}' WHERE key = 'schema version'`);
  await vi.waitFor(() => expect(first.problems()).toContain('has become another version'), { timeout: 60_000 });
  const sent = submits();
  const second = await worker('second', 15).ended;
  expect(second.exitCode).not.toBe(0);
  expect(second.stderr).toContain('was made by a newer version');
  expect(submits()).toBe(sent);
  expect(sent).toBeLessThan(60);
});
