/**
 * Threads of the engine's process: where their programs are, what they get from its environment, how they end, and how
 * much garbage may pile up.
 */
import module from 'node:module';
import path from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';
import { Worker, type ResourceLimits, type Transferable } from 'node:worker_threads';
import { ownStart } from './own-mark.ts';

interface OwnThreadOptions {
  /** What the thread reads as its `workerData`. */
  readonly workerData?: unknown;
  /** The parts of it that move to the thread. */
  readonly transferList?: readonly Transferable[];
  /** What the thread needs from the environment, besides the little that every thread gets. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A thread that needs more memory ends, and nothing else does. */
  readonly resourceLimits?: ResourceLimits;
}

/** There is no thread to do the work. Counts as an error of the disk: like one, it may have passed by the next try. */
export class NoThreadError extends Error {
  readonly code = 'NO_THREAD';
  readonly syscall = 'thread';
}

/** Starts a thread. Throws a {@link NoThreadError} if the system gives none. */
export function startOwnThread(program: URL, options: OwnThreadOptions): Worker {
  try {
    // The thread knows what the others of this process are writing.
    ownStart();
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

/** Only the place where Node keeps compiled code: the rest of the environment may contain the key. */
function commonEnvironment(): NodeJS.ProcessEnv {
  // Node 20 keeps nothing. Node reports the subfolder for its version, inside the folder that it was given.
  const { getCompileCacheDir } = module as Partial<Pick<typeof module, 'getCompileCacheDir'>>;
  const folder = getCompileCacheDir?.();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}

/**
 * The program of a thread: it is beside the file that starts it (`starter`, its `import.meta.url`) when run from
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

/** About what the main thread of a night has under way with 100 tasks in flight. */
const MOST_YOUNG_BYTES = 8 << 20;
let isBounded = false;

/**
 * Stops the growth of V8's memory for new objects once this thread's has reached 8 MiB; from then on, that of other
 * threads does not grow either. Unbounded, it grows to 128 MiB during a night, all of it garbage; the old generation
 * grows with it, because it is collected later.
 */
export function boundYoungMemory(): void {
  // Electron's processes stay at 16 MiB by themselves, and should not change V8's flags while it is running.
  if (isBounded || process.versions['electron'] !== undefined) return;
  isBounded = true;
  // The flag for the size itself works only at the start of the process, and a command cannot give itself one.
  const watch = new PerformanceObserver(() => {
    const young = v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    if (young === undefined || young.space_size < MOST_YOUNG_BYTES) return;
    v8.setFlagsFromString('--semi-space-growth-factor=1');
    watch.disconnect();
  });
  watch.observe({ entryTypes: ['gc'] });
}
