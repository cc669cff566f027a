/**
 * Threads of the engine's process: where their programs lie, what they get of its environment, how they end, and how much
 * garbage they may heap up.
 */
import module from 'node:module';
import path from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';
import { Worker, type ResourceLimits, type Transferable } from 'node:worker_threads';

interface OwnThreadOptions {
  /** What the thread reads as its `workerData`. */
  readonly workerData?: unknown;
  /** What of it moves to the thread. */
  readonly transferList?: readonly Transferable[];
  /** What it needs of the environment, besides the little that every thread has. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A thread that needs more memory ends, and nothing else does. */
  readonly resourceLimits?: ResourceLimits;
}

/** There is no thread to do the work. Counts as an error of the disk: like one, it may be gone at the next try. */
export class NoThreadError extends Error {
  readonly code = 'NO_THREAD';
  readonly syscall = 'thread';
}

/** Starts a thread. Throws a {@link NoThreadError} if the system gives none. */
export function startOwnThread(program: URL, options: OwnThreadOptions): Worker {
  try {
    const { transferList = [], environment = {}, ...rest } = options;
    return new Worker(program, {
      ...rest,
      transferList: [...transferList],
      env: { ...commonEnvironment(), ...environment },
    });
  } catch (cause) {
    throw new NoThreadError('No thread could be started.', { cause });
  }
}

/** Only where Node keeps what it has compiled: the rest of the environment may hold the key. */
function commonEnvironment(): NodeJS.ProcessEnv {
  // Node 20 keeps nothing. The folder that Node reports is that of its version, inside the one it was given.
  const { getCompileCacheDir } = module as Partial<Pick<typeof module, 'getCompileCacheDir'>>;
  const folder = getCompileCacheDir?.();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}

/**
 * The program of a thread: it lies beside the file that starts it (`starter`, its `import.meta.url`) when run from
 * source, and beside the bundle when built.
 */
export function threadProgram(name: string, starter: string): URL {
  return new URL(`./${name}${starter.endsWith('.ts') ? '.ts' : '.js'}`, starter);
}

/** Resolves as soon as a thread has ended, for whatever reason. */
export function endOfThread(worker: Worker): Promise<void> {
  return new Promise((resolve) => worker.once('exit', () => resolve()));
}

/** True if a thread has ended because it needed more memory than it may take. */
export function isOutOfMemory(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** With 100 tasks in flight, the main thread of a night has about this much under way. */
const MOST_YOUNG_BYTES = 8 << 20;
let isBounded = false;

/**
 * Ends the growth of V8's memory for new objects once this thread's has 8 MiB; from then on that of other threads does
 * not grow any more either. By itself it grows to 128 MiB during a night, all of it garbage; the old generation grows
 * with it, because it is collected later.
 */
export function boundYoungMemory(): void {
  // Electron's processes stay at 16 MiB by themselves, and should not change V8's flags once it runs.
  if (isBounded || process.versions['electron'] !== undefined) return;
  isBounded = true;
  // A flag for the size itself counts only at the start of the process, and a command cannot give itself one.
  const watch = new PerformanceObserver(() => {
    const young = v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    if (young === undefined || young.space_size < MOST_YOUNG_BYTES) return;
    v8.setFlagsFromString('--semi-space-growth-factor=1');
    watch.disconnect();
  });
  watch.observe({ entryTypes: ['gc'] });
}
