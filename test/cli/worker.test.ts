import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { CLI_SPEED } from '../support/built-cli.ts';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import { postgresUrl } from '../support/postgres.ts';
import { startCli, type CliEnd, type RunningCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 180_000 });

const KEYS = { main: 'canary-key-main-41c0', spare: 'canary-key-spare-9f27' } as const;
type Name = keyof typeof KEYS;
/** Leases end by the server's clock, which no test hurries. */
const REAL_TIME = { [CLI_SPEED]: '1' };

interface World {
  readonly main: ObservedGateway;
  readonly spare: ObservedGateway;
  /** Starts a worker that has these accounts' keys. */
  readonly worker: (name: string, lease: number, accounts?: readonly Name[]) => RunningCli;
  /** Starts a run of so many rows. */
  readonly run: (rows: number, ...more: readonly string[]) => RunningCli;
  readonly tell: (...args: readonly string[]) => Promise<CliEnd>;
  readonly submits: () => number;
  /** What was paid for, by the hash of what was sent. */
  readonly paid: () => readonly string[];
  readonly statuses: () => Promise<Readonly<Record<string, number>>>;
  readonly out: string;
}

async function gatewayOf(name: Name, behaviour: BehaviourInput): Promise<ObservedGateway> {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' }, ...behaviour },
    acceptKey: (key) => key === KEYS[name],
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  return started.value;
}

/** Two gateways with an account at each, and a store on a server. */
async function world(behaviour: BehaviourInput = {}): Promise<World> {
  const [main, spare] = [await gatewayOf('main', behaviour), await gatewayOf('spare', behaviour)];
  const dir = temporaryFolder();
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text, { mode: 0o600 });
    return path.join(dir, name);
  };
  const store = postgresUrl(dir);
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const profileOf = (name: Name, { baseUrl }: ObservedGateway): string =>
    file(
      `${name}.json`,
      JSON.stringify({
        name,
        baseUrl,
        status: { musicgen: status },
        limits: { requestsPerSecond: 20, activePerFamily: { musicgen: 5 } },
      }),
    );
  const accounts = ['--account', `main=${profileOf('main', main)}`, '--account', `spare=${profileOf('spare', spare)}`];
  for (const [name, key] of Object.entries(KEYS)) file(`${name}.key`, key);
  const started: RunningCli[] = [];
  onTestFinished(async () => {
    for (const { process } of started) process.kill('SIGKILL');
    await Promise.all(started.map(({ ended }) => ended));
  });
  const start = (machine: string, args: readonly string[]): RunningCli => {
    const cli = startCli([...args, '--store', store, '--data', path.join(dir, machine)], REAL_TIME);
    started.push(cli);
    return cli;
  };
  const out = path.join(dir, 'out');
  return {
    main,
    spare,
    worker: (name, lease, held = ['main', 'spare']) =>
      start(name, [
        'worker',
        '--json',
        '--name',
        name,
        '--lease',
        String(lease),
        ...held.flatMap((account) => ['--account-key', `${account}=${path.join(dir, `${account}.key`)}`]),
      ]),
    run: (rows, ...more) => {
      const lines = Array.from({ length: rows }, (_, i) => `r${i},lyrics,a song about ${i}`);
      const sheet = file('s.csv', `row,operation,prompt\n${lines.join('\n')}\n`);
      return start('desk', ['run', sheet, '--out', out, '--no-canary', ...accounts, ...more]);
    },
    tell: (...args) => start('desk', args).ended,
    submits: () => main.stats().submits + spare.stats().submits,
    paid: () => [main, spare].flatMap((gateway) => gateway.chargeLog().map(({ bodySha256 }) => bodySha256)),
    statuses: async () => {
      const said = await start('desk', ['status', '--json']).ended;
      const [batch] = JSON.parse(said.stdout) as readonly {
        readonly tasks: Readonly<Record<string, Readonly<Record<string, number>>>>;
      }[];
      return batch?.tasks['musicgen'] ?? {};
    },
    out,
  };
}

async function until(is: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(is()).toBe(true), { timeout: 60_000, interval: 20 });
}

test('two workers share the accounts of a night, to the request; one that is told to end leaves the rest to the other', async () => {
  const { main, spare, worker, run, tell, submits, paid, out } = await world();
  const [first, second] = [worker('first', 15), worker('second', 15)];
  const night = run(40, '--account-max-requests', 'main=15');
  await until(() => submits() >= 12);
  first.process.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ exitCode: 0 });
  expect(await night.ended).toMatchObject({ exitCode: 0 });
  expect([main.stats().submits, spare.stats().submits]).toEqual([15, 25]);
  expect(new Set(paid()).size).toBe(40);
  const verified = await tell('verify', out);
  expect([verified.exitCode, verified.stderr]).toEqual([0, '']);
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
  const { worker, run, tell, submits, paid, statuses } = await world();
  worker('first', 15, ['main']);
  worker('second', 15, ['spare']);
  const night = run(40);
  await until(() => submits() >= 5);
  expect(await tell('pause', '--all')).toMatchObject({ exitCode: 0 });
  const sent = submits();
  expect((await night.ended).exitCode).toBe(5);
  await vi.waitFor(async () => expect((await statuses())['rendering']).toBe(0), { timeout: 60_000, interval: 200 });
  expect(submits()).toBe(sent);
  expect(await tell('resume')).toMatchObject({ exitCode: 0 });
  expect(new Set(paid()).size).toBe(40);
  expect(submits()).toBe(40);
});

test('without a worker, or without one that has a key, a run says so', async () => {
  const { worker, run } = await world();
  // What is left after the first row waits for the account that nobody has.
  const night = run(2, '--account-max-requests', 'main=1');
  await vi.waitFor(() => expect(night.problems()).toContain('No worker is at work on this store'), { timeout: 60_000 });
  worker('first', 6, ['main']);
  await vi.waitFor(() => expect(night.problems()).toContain('No worker holds the account spare'), { timeout: 90_000 });
  night.process.kill('SIGINT');
  expect((await night.ended).stdout).toContain('The workers go on with it.');
});
