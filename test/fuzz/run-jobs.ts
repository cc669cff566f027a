import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Cases of one target, one after the other. */
export interface FuzzJob {
  readonly target: string;
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  /** Ends the job after the case in which so much time has passed. */
  readonly forMs?: number;
  /** The input is read from here instead of being made. */
  readonly file?: string;
}

/** What a case may take. */
export interface FuzzLimits {
  readonly hangMs: number;
  /** Of the process, its program included. */
  readonly memoryMb: number;
}

export const FUZZ_LIMITS: FuzzLimits = { hangMs: 5000, memoryMb: 512 };

export interface RunnerInput {
  readonly jobs: readonly FuzzJob[];
  readonly scratch: string;
  readonly mostRssBytes: number;
}

export type RunnerEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'case'; readonly target: string; readonly index: number }
  /** The input of the case is there, and is looked at from now on. */
  | { readonly kind: 'made' }
  /** The case is over by an exception; the next one follows. */
  | { readonly kind: 'thrown'; readonly detail: string }
  /** The process ends with it. */
  | { readonly kind: 'uncaught'; readonly detail: string }
  | { readonly kind: 'memory'; readonly detail: string }
  | { readonly kind: 'job-done'; readonly target: string }
  | { readonly kind: 'finished' };

/** `crash`: the process was gone without a word. */
export type FindingKind = 'thrown' | 'uncaught' | 'hang' | 'memory' | 'crash';

export interface Finding {
  readonly kind: FindingKind;
  readonly target: string;
  readonly index: number;
  readonly detail: string;
}

/** What came of some jobs. */
export interface JobsReport {
  /** Cases that were begun, by target. */
  readonly cases: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
}

const START_MS = 120_000;
/** More of one target tell nothing new; its other cases are left out. */
const MOST_FINDINGS = 5;
const KEPT_ERROR_CHARACTERS = 2000;

/** Runs the jobs in processes of their own, a new one after each that ends badly. */
export async function runJobs(jobs: readonly FuzzJob[], scratch: string, limits = FUZZ_LIMITS): Promise<JobsReport> {
  const cases = new Map<string, number>();
  const findings: Finding[] = [];
  let left = jobs;
  while (left.length > 0) {
    const startedAt = performance.now();
    const ended = await runProcess(left, scratch, limits);
    for (const { target, count } of ended.counts) cases.set(target, (cases.get(target) ?? 0) + count);
    findings.push(...ended.findings);
    left = remaining(left, ended, performance.now() - startedAt).filter(
      (job) => findings.filter((finding) => finding.target === job.target).length < MOST_FINDINGS,
    );
  }
  return { cases, findings };
}

interface EndedProcess {
  readonly findings: readonly Finding[];
  readonly counts: readonly { readonly target: string; readonly count: number }[];
  readonly jobsDone: number;
  /** The case that the process ended in; undefined where it did everything. */
  readonly lastCase: StartedCase | undefined;
}

interface StartedCase {
  readonly target: string;
  readonly index: number;
}

function remaining(jobs: readonly FuzzJob[], ended: EndedProcess, tookMs: number): readonly FuzzJob[] {
  const [job, ...others] = jobs.slice(ended.jobsDone);
  if (ended.lastCase === undefined || job === undefined) return [];
  const first = ended.lastCase.target === job.target ? ended.lastCase.index + 1 : job.first;
  const count = job.first + job.count - first;
  const forMs = job.forMs === undefined ? undefined : job.forMs - tookMs;
  if (count <= 0 || (forMs !== undefined && forMs <= 0)) return others;
  return [{ ...job, first, count, ...(forMs === undefined ? {} : { forMs }) }, ...others];
}

function runProcess(jobs: readonly FuzzJob[], scratch: string, limits: FuzzLimits): Promise<EndedProcess> {
  return new Promise((resolve, reject) => {
    const input: RunnerInput = { jobs, scratch, mostRssBytes: limits.memoryMb * 1024 * 1024 };
    const runner = fileURLToPath(new URL('case-runner.ts', import.meta.url));
    const child = spawn(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        '--expose-gc',
        `--max-old-space-size=${limits.memoryMb}`,
        runner,
        JSON.stringify(input),
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: '' } },
    );
    const findings: Finding[] = [];
    const counts = new Map<string, number>();
    let jobsDone = 0;
    let at: StartedCase | undefined;
    let hasFinished = false;
    let hasHung = false;
    let isTold = false;
    let errors = '';
    let timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
    const find = (kind: FindingKind, detail: string): void => {
      if (at === undefined) reject(new Error(`The cases could not be run (${kind}): ${detail}`));
      else findings.push({ kind, ...at, detail });
    };
    const watch = (forMs: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        hasHung = true;
        child.kill('SIGKILL');
      }, forMs);
    };
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-KEPT_ERROR_CHARACTERS);
    });
    const lines = createInterface({ input: child.stdout }).on('line', (line) => {
      const event = JSON.parse(line) as RunnerEvent;
      // How long an input takes to be made says nothing of who reads it.
      watch(event.kind === 'case' ? START_MS : limits.hangMs);
      switch (event.kind) {
        case 'started':
        case 'made':
          break;
        case 'case':
          at = { target: event.target, index: event.index };
          counts.set(event.target, (counts.get(event.target) ?? 0) + 1);
          break;
        case 'thrown':
          find('thrown', event.detail);
          if (findings.filter(({ target }) => target === at?.target).length >= MOST_FINDINGS) {
            isTold = true;
            child.kill('SIGKILL');
          }
          break;
        case 'uncaught':
        case 'memory':
          isTold = true;
          find(event.kind, event.detail);
          break;
        case 'job-done':
          jobsDone += 1;
          break;
        case 'finished':
          hasFinished = true;
          break;
      }
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      lines.close();
      clearTimeout(timer);
      if (hasHung) find('hang', `It was not over after ${limits.hangMs / 1000} s.`);
      else if (!hasFinished && !isTold) {
        const isHeap = /heap out of memory|heap limit/iu.test(errors);
        find(isHeap ? 'memory' : 'crash', `The process ended (${signal ?? code}). ${errors}`.trim());
      }
      resolve({
        findings,
        counts: [...counts].map(([target, count]) => ({ target, count })),
        jobsDone,
        lastCase: hasFinished ? undefined : at,
      });
    });
  });
}
