import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { assertNever } from '../../src/shared/domain/base/result.ts';
import { BUILT_CHILD, BUILT_CHILD_CACHE } from './built-child.ts';
import type { ChildOrder, ChildReport, EndedRow, Recovery, UserAnswer } from './child-protocol.ts';
import { MUTANTS } from './mutants.ts';
import { importOf } from '../support/patch-modules.ts';

const SOURCE_CHILD = fileURLToPath(new URL('engine-child.ts', import.meta.url));
/** A life that takes longer is hanging, and cannot even say so itself. */
const LIFE_MAX_MS = 60_000;

/** The result of one life of the engine, as the child reported it while it lived. */
export interface Life {
  /** How it ended: killed by us, with nothing left to do, or otherwise, which is a bug. */
  readonly end: 'killed' | 'ended' | 'hung' | 'failed';
  /** Undefined if it did not get that far. */
  readonly recovery: Recovery | undefined;
  /** Rows unknown when it started; undefined like `recovery`. */
  readonly unknownAtStart: readonly string[] | undefined;
  /** Rows that it reported as unknown while it lived, and that the user had not settled when it died. */
  readonly toldUnknown: ReadonlySet<string>;
  /** Submits under way when it died. */
  readonly inFlight: number;
  readonly rows: readonly EndedRow[] | undefined;
  readonly complaints: readonly string[];
}

export interface LifeOptions {
  readonly order: ChildOrder;
  /** Kills it from outside, this long after it has begun to open its store. */
  readonly killAfterMs?: number;
  readonly decide: (unknown: readonly string[]) => UserAnswer;
  /** Runs the child under this program. */
  readonly under?: readonly string[];
}

/** Runs the engine, built by `buildChild`, in a process of its own until it ends or is killed. */
export async function live(options: LifeOptions): Promise<Life> {
  const { order, under = [] } = options;
  const words = [...under, process.execPath, ...program(order), JSON.stringify(order)];
  const cache = order.mutant === undefined ? { NODE_COMPILE_CACHE: BUILT_CHILD_CACHE } : {};
  const child = spawn(words[0] ?? process.execPath, words.slice(1), {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...cache },
  });
  const record = new LifeRecord(child, options);
  child.stderr.setEncoding('utf8').on('data', (text: string) => record.complain(text));
  // The child may be gone when it is answered.
  child.stdin.on('error', () => undefined);
  const limit = setTimeout(() => record.hang(), LIFE_MAX_MS);
  const closed = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('close', (_, signal) => resolve(signal));
  });
  for await (const line of createInterface({ input: child.stdout })) record.take(JSON.parse(line) as ChildReport);
  const signal = await closed;
  clearTimeout(limit);
  return record.finish(signal);
}

/** Patches of sources are loaded before everything else, and in each thread that the child starts. */
function program({ mutant }: ChildOrder): readonly string[] {
  if (mutant === undefined) return [BUILT_CHILD];
  const found = MUTANTS.find(({ name }) => name === mutant);
  if (found === undefined) throw new Error(`Unknown mutant: ${mutant}`);
  return ['--import', importOf(found.patches), SOURCE_CHILD];
}

class LifeRecord {
  readonly #child: ChildProcess;
  readonly #options: LifeOptions;
  readonly #toldUnknown = new Set<string>();
  readonly #complaints: string[] = [];
  #recovery: Recovery | undefined;
  #unknownAtStart: readonly string[] | undefined;
  #inFlight = 0;
  #rows: readonly EndedRow[] | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  #isHung = false;

  constructor(child: ChildProcess, options: LifeOptions) {
    this.#child = child;
    this.#options = options;
  }

  complain(text: string): void {
    this.#complaints.push(text);
  }

  hang(): void {
    this.#isHung = true;
    this.#child.kill('SIGKILL');
  }

  take(report: ChildReport): void {
    switch (report.kind) {
      case 'opening':
        if (this.#options.killAfterMs !== undefined) {
          this.#killTimer = setTimeout(() => this.#child.kill('SIGKILL'), this.#options.killAfterMs);
        }
        return;
      case 'started':
        this.#recovery = report.recovery;
        this.#unknownAtStart = report.unknown;
        for (const row of report.unknown) this.#toldUnknown.add(row);
        return;
      case 'in-flight':
        this.#inFlight = report.count;
        return;
      case 'unknown':
        this.#toldUnknown.add(report.row);
        return;
      case 'settled':
        this.#toldUnknown.delete(report.row);
        return;
      case 'asks':
        this.#child.stdin?.write(`${JSON.stringify(this.#options.decide(report.unknown))}\n`);
        return;
      case 'bug':
        this.#complaints.push(report.message);
        return;
      case 'ended':
        this.#rows = report.rows;
        return;
      case 'dying':
        return;
      default:
        return assertNever(report);
    }
  }

  finish(signal: NodeJS.Signals | null): Life {
    clearTimeout(this.#killTimer);
    return {
      end: this.#isHung ? 'hung' : signal === 'SIGKILL' ? 'killed' : this.#rows === undefined ? 'failed' : 'ended',
      recovery: this.#recovery,
      unknownAtStart: this.#unknownAtStart,
      toldUnknown: this.#toldUnknown,
      inFlight: this.#inFlight,
      rows: this.#rows,
      complaints: this.#complaints,
    };
  }
}
