/** Workers as separate processes, as on other machines, and what each reports that it has done. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A worker that does not end in order within this time is killed. */
const END_MS = 60_000;
const PROBLEMS_KEPT = 4_000;

export interface WorkerProcess {
  readonly name: string;
  /** Where it answers `/metrics`; rejects if it ends before it says so. */
  readonly url: Promise<string>;
  /** Rejects when it ends without having been told to. */
  readonly lost: Promise<never>;
  /** Tells it to end in order, and waits for that. */
  end(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

/** What a worker has done with one account. */
export interface WorkOfAccount {
  readonly worker: string;
  readonly account: string;
  readonly leases: number;
  readonly submits: number;
  readonly polls: number;
  readonly downloads: number;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Starts this program once more, as a worker. It has a process group of its own: Ctrl-C is for the process that started
 * it.
 */
export function startWorker(name: string, args: readonly string[]): WorkerProcess {
  const [program = ''] = process.argv.slice(1);
  const given = ['worker', '--json', '--name', name, '--health', '0', ...args];
  const child = spawn(process.execPath, [...process.execArgv, program, ...given], {
    env: { ...process.env, NOCTURNE_STORE: undefined, NOCTURNE_AI_KEY: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let problems = '';
  child.stderr.on('data', (chunk: Buffer) => (problems = (problems + chunk.toString()).slice(-PROBLEMS_KEPT)));
  let isEnding = false;
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const lost = new Promise<never>((_, reject) => {
    child.on('error', reject);
    child.on('close', () => {
      if (!isEnding) reject(new Error(`${name} has ended by itself. ${problems}`));
    });
  });
  // This rejection must not interrupt those who wait for something else.
  lost.catch(() => undefined);
  const said = new Promise<string>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      const { event, url } = JSON.parse(line) as { readonly event?: string; readonly url?: string };
      if (event === 'health' && url !== undefined) resolve(url);
    });
  });
  return {
    name,
    url: Promise.race([said, lost]),
    lost,
    async end() {
      isEnding = true;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await ended;
      clearTimeout(timer);
    },
    kill() {
      isEnding = true;
      if (isRunning(child)) child.kill('SIGKILL');
    },
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** Asks a worker what it has done; accounts with which it did nothing are left out. */
export async function workOf({ name, url }: WorkerProcess): Promise<readonly WorkOfAccount[]> {
  const text = await (await fetch(`${await url}/metrics`)).text();
  const sums = new Map<string, number>();
  const accounts = new Set<string>();
  for (const [, metric = '', given = '', value = ''] of text.matchAll(/^nocturne_(\w+)_total\{(.*)\} (\S+)$/gmu)) {
    const labels = new Map([...given.matchAll(/(\w+)="([^"]*)"/gu)].map(([, label = '', of = '']) => [label, of]));
    const account = labels.get('account');
    if (account === undefined) continue;
    accounts.add(account);
    const isArrived = metric !== 'downloads' || labels.get('outcome') === 'arrived';
    const of = `${account} ${metric}${metric === 'requests' ? `/${labels.get('kind')}` : ''}`;
    if (isArrived) sums.set(of, (sums.get(of) ?? 0) + Number(value));
  }
  return [...accounts]
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((account) => {
      const sum = (metric: string): number => sums.get(`${account} ${metric}`) ?? 0;
      return {
        worker: name,
        account,
        leases: sum('leases_taken'),
        submits: sum('requests/submit'),
        polls: sum('requests/poll'),
        downloads: sum('downloads'),
        files: sum('files'),
        bytes: sum('file_bytes'),
      };
    });
}
