/**
 * A rehearsal of several workers on one store. Everything that they need is started for it, and nothing remains
 * afterwards.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { verifyAnyFolder, type Engine } from '../../../engine/index.ts';
import { startGateway, type RunningGateway } from '../../../gateway-sim/start-gateway.ts';
import { rehearsalProfile } from '../../../shared/domain/gateway/profile-presets.ts';
import type { CheckedSheet } from '../../../shared/domain/sheet/row.ts';
import type { Account } from '../../../shared/domain/task/accounts/account.ts';
import type { Console } from '../../console.ts';
import { count } from '../../describe.ts';
import { EXIT, wrongUsage, type ExitCode } from '../../ending.ts';
import { beyondLimits, gatewayTable, workTable, type AccountAtGateway } from '../../fleet/demo/fleet-tables.ts';
import { addressIn, isPostgresOfUser, removePostgres, startPostgres } from '../../fleet/demo/private-postgres.ts';
import { startWorker, workOf, type WorkerProcess } from '../../fleet/demo/worker-process.ts';
import { openEngine, closeEngine } from '../../open-engine.ts';
import type { CommonOptions } from '../../options/common-options.ts';
import { gatewayFailure } from '../gateway.ts';
import { bringInAndRun } from '../run.ts';
import { sayVerified } from '../write-out.ts';

/**
 * What each account may ask of the gateway. Its profile stays below that pace, because requests do not arrive as evenly
 * as they leave.
 */
const REQUESTS_PER_SECOND = 15;
const PACE = 12;
const AT_ONCE = 8;
/** Longer than any worker waits for a busy processor: losing an account would leave rows for the user to settle. */
const LEASE_SECONDS = 30;
const LOOK_MS = 200;
const PREFIX = 'nocturne-demo-';
/** With files in memory, commits do not wait for a disk. */
const MEMORY = '/dev/shm';

export interface FleetDemo {
  readonly sheet: CheckedSheet;
  readonly folder: string;
  readonly seed: number;
  readonly workers: number;
  readonly accounts: number;
}

/** Renders a sheet with workers as separate processes, on a PostgreSQL server of its own, and says who did what. */
export async function fleetDemo(console: Console, common: CommonOptions, demo: FleetDemo): Promise<ExitCode> {
  const stage = new Stage();
  try {
    return await stage.play(console, common, demo);
  } finally {
    await stage.clear();
  }
}

/** Everything that runs for a rehearsal. However suddenly the rehearsal ends, all of this ends with it. */
class Stage {
  readonly #folder: string;
  readonly #postgres: string;
  #gateway: RunningGateway | undefined;
  #workers: readonly WorkerProcess[] = [];
  /**
   * How long this process, and with it the gateway, stood still at a stretch; a worker on the same machine may have
   * stood still about as long.
   */
  readonly #stalls = monitorEventLoopDelay({ resolution: 10 });
  /** A signal is for the run that is under way. */
  #isRunning = false;
  readonly #onExit = (): void => this.#clearNow();
  readonly #onSignal = (): void => {
    if (!this.#isRunning) process.exit(EXIT.interrupted);
  };
  readonly #onHangup = (): void => process.exit(EXIT.interrupted);

  constructor() {
    const base = existsSync(MEMORY) ? MEMORY : tmpdir();
    sweep(base);
    this.#folder = mkdtempSync(path.join(base, `${PREFIX}${process.pid}-`));
    // As root, it belongs to another user than this folder, which nobody else may enter.
    this.#postgres = path.join(base, `${path.basename(this.#folder)}.db`);
    process.once('exit', this.#onExit);
    process.on('SIGINT', this.#onSignal).on('SIGTERM', this.#onSignal).on('SIGHUP', this.#onHangup);
  }

  async play(console: Console, common: CommonOptions, demo: FleetDemo): Promise<ExitCode> {
    const accounts = Array.from({ length: demo.accounts }, (_, i) => `account-${i + 1}`);
    const keyOf = new Map(
      accounts.map((name, i) => [name, `rehearsal-key-of-${name}-${String(i + 1).padStart(4, '0')}`]),
    );
    console.line('A rehearsal of several workers on the built-in gateway: nothing is paid for.');
    const store = this.#startPostgres();
    const gateway = await this.#startGateway(demo.seed, [...keyOf.values()]);
    const keys = accounts.flatMap((name) => ['--account-key', `${name}=${this.#keyFile(name, keyOf.get(name) ?? '')}`]);
    this.#workers = Array.from({ length: demo.workers }, (_, i) => {
      const name = `worker-${i + 1}`;
      const data = path.join(this.#folder, name);
      return startWorker(name, ['--store', store, '--data', data, '--lease', String(LEASE_SECONDS), ...keys]);
    });
    console.line(`${count(demo.workers, 'worker')}, ${count(demo.accounts, 'account')}, a store on PostgreSQL`);
    const ended = await this.#render(console, { ...common, store, data: path.join(this.#folder, 'desk') }, demo, {
      baseUrl: gateway.baseUrl,
      accounts,
    });
    if (ended === EXIT.interrupted) return ended;
    const work = (await Promise.all(this.#workers.map(workOf))).flat();
    const atGateway = accounts.map((name) => atGatewayOf(gateway, name, keyOf.get(name) ?? ''));
    console.line();
    const report = await verifyAnyFolder(demo.folder);
    console.event('verified', { ...report });
    const verified = sayVerified(console, report);
    for (const line of ['', ...workTable(work), '', ...gatewayTable(atGateway), '']) console.line(line);
    const charges = gateway.state.charges.entries.length;
    const rows = demo.sheet.rows.length;
    const beyond = beyondLimits(atGateway, PACE, 2 * (this.#stalls.max / 1e6));
    console.event('fleet', { rows, charges, work, accounts: atGateway, beyond });
    console.line(`${count(rows, 'row')}, and ${count(charges, 'charge')} at the gateway.`);
    if (charges === rows && beyond.length === 0) return ended === EXIT.done ? verified : ended;
    for (const one of beyond) console.problem(one);
    if (charges !== rows) console.problem('There is not one charge for each row.');
    console.problem('This is a bug in Nocturne.');
    return EXIT.bug;
  }

  async #render(
    console: Console,
    options: CommonOptions,
    { sheet, folder }: FleetDemo,
    { baseUrl, accounts }: { readonly baseUrl: string; readonly accounts: readonly string[] },
  ): Promise<ExitCode> {
    const preset = rehearsalProfile(baseUrl);
    const activePerFamily = { musicgen: AT_ONCE, 'videogen-a': AT_ONCE, 'videogen-b': AT_ONCE };
    const profile = { ...preset, limits: { ...preset.limits, requestsPerSecond: PACE, activePerFamily } };
    const [first = { name: '', profile }, ...others] = accounts.map((name): Account => ({
      name,
      profile,
      ...(accounts.length > 1 ? { keyName: name } : {}),
    }));
    const { profile: _, ...terms } = first;
    const engine = await openEngine(options);
    try {
      await Promise.race([allWork(engine, this.#workers.length), ...this.#workers.map(({ lost }) => lost)]);
      this.#isRunning = true;
      this.#stalls.enable();
      const run = bringInAndRun(console, engine, {
        sheet,
        name: 'Rehearsal of several workers',
        folder,
        profile,
        accounts: { first: terms, others },
        rehearsal: false,
      });
      return await Promise.race([run, ...this.#workers.map(({ lost }) => lost)]);
    } finally {
      this.#isRunning = false;
      this.#stalls.disable();
      await closeEngine(options, engine);
    }
  }

  #startPostgres(): string {
    mkdirSync(this.#postgres, { mode: 0o700 });
    const started = startPostgres(this.#postgres);
    if (started.ok) return addressIn(this.#postgres, 'nocturne');
    throw wrongUsage(
      `PostgreSQL does not start here: ${started.error}`,
      'Install it; on Debian and Ubuntu: apt-get install postgresql. In a checkout, npm run demo -- --fleet does so itself.',
    );
  }

  async #startGateway(seed: number, keys: readonly string[]): Promise<RunningGateway> {
    const started = await startGateway({
      seed,
      behaviour: {
        timeScale: 0.01,
        media: { detail: 'tiny' },
        auth: { keys: [...keys] },
        limits: { scope: 'key', requestsPerSecond: REQUESTS_PER_SECOND, activePerFamily: AT_ONCE },
      },
    });
    if (!started.ok) throw gatewayFailure(started.error);
    this.#gateway = started.value;
    return started.value;
  }

  #keyFile(name: string, key: string): string {
    const file = path.join(this.#folder, `${name}.key`);
    writeFileSync(file, key, { mode: 0o600 });
    return file;
  }

  /** In order: workers give their accounts back, and then the store ends. */
  async clear(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.end()));
    await this.#gateway?.close();
    this.#clearNow();
    process.off('exit', this.#onExit);
    process.off('SIGINT', this.#onSignal).off('SIGTERM', this.#onSignal).off('SIGHUP', this.#onHangup);
  }

  #clearNow(): void {
    for (const worker of this.#workers) worker.kill();
    for (const folder of [this.#postgres, this.#folder]) removePostgres(folder);
  }
}

function atGatewayOf({ state }: RunningGateway, account: string, key: string): AccountAtGateway {
  const { charges = 0, requests = 0, refused = 0, mostAhead = 0, mostAtOnce = 0 } = state.accounts.get(key) ?? {};
  const allowed = { mayBeAhead: REQUESTS_PER_SECOND, mayBeAtOnce: AT_ONCE };
  return { account, charges, requests, refused, mostAhead, mostAtOnce, ...allowed };
}

/** Waits until this many workers are alive. */
async function allWork(engine: Engine, workers: number): Promise<void> {
  while (((await engine.fleet())?.workers.length ?? 0) < workers) await setTimeout(LOOK_MS);
}

/** Ends what a killed rehearsal of this user has left behind. */
function sweep(base: string): void {
  for (const name of readdirSync(base)) {
    const [, pid = ''] = /^nocturne-demo-(\d+)-/u.exec(name) ?? [];
    const folder = path.join(base, name);
    if (pid !== '' && isPostgresOfUser(folder) && !isAlive(Number(pid))) removePostgres(folder);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
