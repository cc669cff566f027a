/** How the user or the system asks a long command to end, and what a closed terminal means for it. */
import type { Console } from './console.ts';
import { EXIT } from './ending.ts';

export const STOPPING = 'Stopping: waiting for the answers to open requests. Press Ctrl-C again to stop at once.';

/** Ctrl-C, or the system’s request to end. */
interface Interruption {
  readonly happened: Promise<'interrupted'>;
  hasHappened(): boolean;
  stopListening(): void;
}

/**
 * Waits for a request to end; after it, a second one ends the process at once.
 * @param mayOutliveTerminal It goes on when its terminal is closed, as a night must that costs money.
 */
export function interruption(console: Console, words = STOPPING, mayOutliveTerminal = false): Interruption {
  let listener = (): void => undefined;
  let hasHappened = false;
  const outlives = outlivesTerminal(mayOutliveTerminal);
  // The system and the shell may both say that a terminal is closed: the second time is no second request.
  const onHangup = (): void => (hasHappened ? undefined : listener());
  const happened = new Promise<'interrupted'>((resolve) => {
    listener = () => {
      if (hasHappened) process.exit(EXIT.interrupted);
      hasHappened = true;
      console.problem(words);
      resolve('interrupted');
    };
    process.on('SIGINT', listener);
    process.on('SIGTERM', listener);
    process.on('SIGHUP', outlives ? goOn : onHangup);
  });
  return {
    happened,
    hasHappened: () => hasHappened,
    stopListening() {
      process.off('SIGINT', listener);
      process.off('SIGTERM', listener);
      // What goes on without a terminal also writes its documents without one.
      process.off('SIGHUP', onHangup);
    },
  };
}

/**
 * Without a terminal, a hang-up is not meant for this process: `nohup` says so in a way that Node forgets at its start.
 * Windows ends a process anyway ten seconds after its console was closed.
 */
function outlivesTerminal(mayOutlive: boolean): boolean {
  const { stdin, stdout, stderr, platform } = process;
  const hasTerminal = [stdin, stdout, stderr].some(({ isTTY }) => isTTY);
  return platform !== 'win32' && (mayOutlive || !hasTerminal);
}

function goOn(): void {
  // Without a listener, the signal would end the process, and leave open what became of the requests under way.
}
