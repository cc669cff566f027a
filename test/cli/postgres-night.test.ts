import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CLI_SPEED } from '../support/built-cli.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { killServer, startCluster, startServer, stopCluster } from '../support/postgres-cluster.ts';
import { PostgresDatabase } from '../../src/engine/store/postgres/postgres-database.ts';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import { seededRandom } from '../contract/task-store-fixtures.ts';
import { postgresAddress, postgresUrl } from '../support/postgres.ts';
import { runCli, startCli, type CliEnd, type RunningCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 180_000 });

const KEY = 'canary-key-5f2a9c';
const ROWS = 24;

/** A gateway, a sheet, and a store on a server. */
async function world(store: string) {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.02 },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  const dir = temporaryFolder();
  const sheet = path.join(dir, 'sheet.csv');
  writeFileSync(
    sheet,
    ['row,operation,prompt', ...Array.from({ length: ROWS }, (_, i) => `r${i},lyrics,a song about ${i}`)].join('\n'),
  );
  const profile = path.join(dir, 'profile.json');
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  writeFileSync(
    profile,
    JSON.stringify({ baseUrl: started.value.baseUrl, limits: { requestsPerSecond: 20 }, status: { musicgen: status } }),
  );
  const out = path.join(dir, 'out');
  const place = ['--data', path.join(dir, 'data'), '--store', store];
  // Leases end by the server's clock, which no test hurries.
  const environment = { NOCTURNE_AI_KEY: KEY, [CLI_SPEED]: '1' };
  const start = (args: readonly string[], key = KEY): RunningCli => {
    const cli = startCli(args, { ...environment, NOCTURNE_AI_KEY: key });
    onTestFinished(async () => {
      cli.process.kill('SIGKILL');
      await cli.ended;
    });
    return cli;
  };
  const run: readonly string[] = ['run', sheet, '--out', out, '--profile', profile, '--no-canary', ...place];
  return {
    gateway: started.value,
    start: (): RunningCli => start(run),
    work: (key = KEY): RunningCli => start(['worker', '--name', 'attic', '--lease', '6', ...place], key),
    data: path.join(dir, 'data'),
    say: (...args: readonly string[]): Promise<CliEnd> => runCli(args, environment),
    runIn: (where: readonly string[]): Promise<CliEnd> =>
      runCli([...run.slice(0, -place.length), ...where], environment),
    tell: (...args: readonly string[]): Promise<CliEnd> => runCli([...args, ...place], environment),
    filesOf: (): readonly string[] =>
      (JSON.parse(readFileSync(path.join(out, 'manifest.json'), 'utf8')) as { rows: { id: string }[] }).rows.map(
        ({ id }) => id,
      ),
    startSubmits: async (count: number): Promise<void> => {
      await vi.waitFor(() => expect(started.value.stats().submits).toBeGreaterThanOrEqual(count), {
        timeout: 60_000,
        interval: 20,
      });
    },
  };
}

test('a night on a server whose worker is killed goes on with another one, and no row is paid for twice', async () => {
  const store = postgresUrl(temporaryFolder());
  const { gateway, start, work, tell, startSubmits } = await world(store);
  const [first, night] = [work(), start()];
  await startSubmits(6);
  for (const { process } of [first, night]) process.kill('SIGKILL');
  await first.ended;
  const charged = gateway.chargeLog().length;
  const status = await tell('status');
  expect(status).toMatchObject({ exitCode: 0 });
  // What was under way when it was killed is not known, and is the user's to decide: it is not sent again.
  work();
  const resumed = await tell('resume');
  expect([0, 4]).toContain(resumed.exitCode);
  expect(gateway.chargeLog().length).toBeGreaterThan(charged);
  const prompts = gateway.chargeLog().map(({ bodySha256 }) => bodySha256);
  expect(new Set(prompts).size).toBe(prompts.length);
  const ledger = JSON.parse((await tell('ledger', '--json')).stdout) as object;
  expect(ledger).toBeDefined();
});

test('a server that is killed in a night and comes back loses nothing, and no row is paid for twice', async () => {
  const folder = path.join('/dev/shm', `nocturne-night-${process.pid}`);
  mkdirSync(folder, { mode: 0o755 });
  onTestFinished(() => stopCluster(folder));
  startCluster(folder);
  const { gateway, start, work, startSubmits, filesOf } = await world(postgresUrl('night', folder));
  const worker = work();
  const night = start();
  await startSubmits(6);
  killServer(folder);
  // Of the store itself, and once, not for each question.
  const told = 'The store cannot be reached, so nothing new is started';
  await vi.waitFor(() => expect(worker.problems()).toContain(told), { timeout: 60_000 });
  startServer(folder);
  await worker.lineWith('The store answers again');
  expect(worker.problems().split(told)).toHaveLength(2);
  const ended = await night.ended;
  expect(ended).toMatchObject({ exitCode: 0 });
  const prompts = gateway.chargeLog().map(({ bodySha256 }) => bodySha256);
  expect([prompts.length, new Set(prompts).size]).toEqual([ROWS, ROWS]);
  expect(filesOf()).toHaveLength(ROWS);
});

test('a key that is refused stops its account, and the worker that was given it is named', async () => {
  const { start, work, tell, gateway } = await world(postgresUrl(temporaryFolder()));
  work('a-key-of-somebody-else');
  const night = start();
  expect((await night.ended).exitCode).toBe(5);
  expect((await tell('status')).stdout).toMatch(/\) *\. It is the key of worker attic\./u);
  expect(gateway.chargeLog()).toEqual([]);
});

test.each(['batches', 'workers'])('a store whose table %s is gone is damaged, and no bug', async (table) => {
  const name = temporaryFolder();
  const address = postgresAddress(name);
  const opened = openStore(temporaryFolder(), { random: seededRandom(), server: address });
  if (opened.ok) opened.value.close();
  const db = new PostgresDatabase(address, false);
  db.exec(`DROP TABLE "${address.schema}".${table} CASCADE`);
  db.close();
  const { tell } = await world(postgresUrl(name));
  const { exitCode, stderr } = await tell('status');
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`relation "${table}" does not exist`);
  expect(stderr).toContain('Restore this database');
});

test('a password is in no message, and a command that copies files says what does it on a server', async () => {
  const { tell } = await world('postgres://somebody:hunter2@127.0.0.1:9/none');
  const refused = await tell('status');
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain('postgres://somebody@127.0.0.1:9/none');
  expect(refused.stderr + refused.stdout).not.toContain('hunter2');
  expect((await tell('backup', 'x.db')).stderr).toContain('pg_dump --schema=nocturne');
});

test('a store that was moved to a server opens there, and says in its old place where it is', async () => {
  const store = postgresUrl(temporaryFolder());
  const { gateway, data, runIn, say } = await world(store);
  expect(await runIn(['--data', data])).toMatchObject({ exitCode: 0 });
  const moved = await say('move', '--from', data, '--to', store);
  expect(moved).toMatchObject({ exitCode: 0 });
  expect(moved.stdout).toContain(`Moved 1 batch with ${ROWS} rows, compared.`);
  const there = await say('ledger', '--json', '--store', store);
  expect(there).toMatchObject({ exitCode: 0 });
  const left = await say('status', '--data', data);
  expect(left.exitCode).not.toBe(0);
  expect(left.stderr).toContain(`nocturne move --from ${store} --to ${data}`);
  expect(gateway.chargeLog()).toHaveLength(ROWS);
});
