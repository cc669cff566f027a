/** What a process does that reads a sheet for another one: the work is done in a thread, and watched over from here. */
import { tookTooMuch } from './sheet-reader.ts';
import type { FromSheetReader, SheetReaderInput } from './sheet-reader.ts';
import { startReaderThread } from './thread-sheet-reader.ts';

/** Besides the heap of the thread: a file of the largest size, what is unpacked of it, and the program itself. */
const MOST_OUTSIDE_OF_HEAP_MB = 1024;
const WATCH_INTERVAL_MS = 100;

/** Does one piece of work and tells everything of it; the process is ended by who asked. */
export function serveSheet(input: SheetReaderInput, tell: (message: FromSheetReader) => void): void {
  tell({ kind: 'started' });
  const thread = startReaderThread(input);
  const refuseMemory = (): void => tell({ kind: 'refused', problem: tookTooMuch(input.path, input.limits) });
  const mostBytes = (input.limits.memoryMb + MOST_OUTSIDE_OF_HEAP_MB) * 1024 * 1024;
  let isOver = false;
  thread.onMessage((message) => {
    if (!isOver) tell(message);
    if (message.kind !== 'records') isOver = true;
  });
  thread.onEnd((cause) => {
    if (isOver) return;
    isOver = true;
    if (cause === 'memory') refuseMemory();
    else tell({ kind: 'bug', message: cause.stack ?? cause.message });
  });
  // What is outside of the thread's heap has no limit of its own.
  setInterval(() => {
    if (isOver || process.memoryUsage.rss() < mostBytes) return;
    isOver = true;
    void thread.end();
    refuseMemory();
  }, WATCH_INTERVAL_MS).unref();
}
