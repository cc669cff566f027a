/** Worker processes, one after the other under one name, each with its own connection to the server. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startCuttingProxy, type CuttingProxy } from '../../support/cutting-proxy.ts';
import { SCHEMA } from './audit.ts';
import type { Struck, Trap } from './worker-protocol.ts';

/** In seconds: the shortest that a worker accepts. */
export const LEASE_SECONDS = 3;
const LINES_KEPT = 40;

/** The program of a worker or of a command, and what its process is started with. */
export interface Program {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface WorkerOptions {
  readonly name: string;
  readonly program: Program;
  readonly socket: string;
  /** One for each account whose key it has. */
  readonly keys: readonly string[];
  readonly dataDir: string;
  readonly leaseSeconds: number;
}

export type WorkerState = 'running' | 'stopped' | 'ended';

export class Worker {
  readonly proxy: CuttingProxy;
  readonly #options: WorkerOptions;
  readonly #lines: string[] = [];
  readonly #pids = new Map<number, string>();
  #child: ChildProcess | undefined;
  #lives = 0;
  #isExpectedToEnd = false;
  #onStruck: ((struck: Struck) => void) | undefined;
  /** Lives that we did not end and that did not say why they ended, with their last lines. */
  readonly ownEnds: string[] = [];
  state: WorkerState = 'ended';
  /** A fault is at work on it. */
  isBusy = false;

  private constructor(options: WorkerOptions, proxy: CuttingProxy) {
    this.#options = options;
    this.proxy = proxy;
  }

  static async make(options: WorkerOptions): Promise<Worker> {
    return new Worker(options, await startCuttingProxy(options.socket));
  }

  get name(): string {
    return this.#options.name;
  }

  /** How leases name this life. */
  get life(): string {
    return `${this.name}.${this.#lives}`;
  }

  /** Its lives, by their process ids. */
  get pids(): ReadonlyMap<number, string> {
    return this.#pids;
  }

  start(): void {
    const { program, keys, dataDir, leaseSeconds } = this.#options;
    this.#lives += 1;
    this.#isExpectedToEnd = false;
    const store = `postgres://postgres@127.0.0.1:${this.proxy.port}/postgres?schema=${SCHEMA}`;
    const accounts = keys.flatMap((key) => ['--account-key', key]);
    const named = ['--name', this.life, '--lease', `${leaseSeconds}`, '--store', store, '--data', dataDir];
    const child = spawn(process.execPath, [...program.args, 'worker', '--json', ...named, ...accounts], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: program.env,
    });
    this.#child = child;
    this.state = 'running';
    const { life } = this;
    if (child.pid !== undefined) this.#pids.set(child.pid, life);
    child.on('error', () => undefined);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.#note(`${life}: ${line}`);
        if (line.startsWith('{"struck"')) this.#onStruck?.(JSON.parse(line) as Struck);
      });
    }
    child.on('close', (code, signal) => {
      if (this.#child !== child) return;
      this.state = 'ended';
      if (!this.#isExpectedToEnd) {
        // A process that cannot open its store says so, and is started again.
        const own = this.#lines.filter((line) => line.startsWith(`${life}: `));
        const isSaid = code !== null && own.some((line) => line.startsWith(`${life}: {"event":"error"`));
        if (!isSaid) this.ownEnds.push(`${life} ended by itself (${code ?? signal}): ${own.slice(-6).join(' | ')}`);
        // As a service manager does.
        this.start();
      }
    });
  }

  /** Its last lines. */
  lastLines(): readonly string[] {
    return this.#lines;
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Tells it to end as a service manager does. */
  async end(): Promise<void> {
    await this.#end('SIGTERM');
  }

  stop(): void {
    this.#child?.kill('SIGSTOP');
    this.state = 'stopped';
  }

  continue(): void {
    if (this.state !== 'stopped') return;
    this.state = 'running';
    this.#child?.kill('SIGCONT');
  }

  /** Resolves once the worker has fallen into the trap; false if it did not within this time, and no longer can. */
  async trap(trap: Trap, withinMs: number): Promise<boolean> {
    const child = this.#child;
    if (child === undefined || this.state !== 'running') return false;
    // It is to be on its own from then on.
    if (trap.act === 'die') this.#isExpectedToEnd = true;
    let onClose = (): void => undefined;
    const struck = new Promise<boolean>((resolve) => {
      this.#onStruck = () => resolve(true);
      onClose = () => resolve(false);
      child.once('close', onClose);
      setTimeout(() => resolve(false), withinMs).unref();
    });
    child.send(trap, () => undefined);
    const isStruck = await struck;
    child.off('close', onClose);
    this.#onStruck = undefined;
    if (!isStruck) {
      if (this.state === 'running') child.send(null as unknown as Trap, () => undefined);
      // It may fall into the trap at the last moment: that does not count as an end of its own either.
      if (trap.act === 'die') await new Promise((resolve) => setTimeout(resolve, 200));
      if (this.state === 'running') this.#isExpectedToEnd = false;
      return false;
    }
    if (trap.act === 'die' && child.exitCode === null && child.signalCode === null) await once(child, 'close');
    if (trap.act === 'stop') this.state = 'stopped';
    return true;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.state === 'ended') return;
    this.#isExpectedToEnd = true;
    const closed = once(child, 'close');
    this.continue();
    child.kill(signal);
    await closed;
  }

  #note(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES_KEPT) this.#lines.shift();
  }
}
