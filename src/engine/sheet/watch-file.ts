/** Watches the file of a sheet for changes. */
import { stat } from 'node:fs/promises';
import type { Clock } from '../ports.ts';

/** How often the file is looked at, and for how long it must stay as it is before it is told. */
const LOOK_MS = 2_000;

export interface WatchFileOptions {
  readonly path: string;
  /** Tells two states of the file apart. */
  readonly look?: (path: string) => Promise<string | undefined>;
  readonly clock: Clock;
  /** Told once for each new state of the file that has come to rest. */
  readonly onChanged: () => void;
}

/**
 * Looks at a file every two seconds, by its size, time and identity: programs write to a new file and rename it, and
 * network drives send no notices, which a watcher of the system would have to be told apart by. A change is told when two
 * looks in a row have found the same. A file that is not there is waited for.
 * @returns What ends it.
 */
export function watchFile({ path, look: stateOf = fileState, clock, onChanged }: WatchFileOptions): () => void {
  let cancel: () => void = () => undefined;
  let isOver = false;
  let told: string | undefined;
  let last: string | undefined;

  const look = async (): Promise<void> => {
    const found = await stateOf(path);
    if (isOver) return;
    if (found !== undefined) {
      if (told === undefined) told = found;
      else if (found !== told && found === last) {
        told = found;
        onChanged();
      }
    }
    last = found;
    cancel = clock.setTimer(LOOK_MS, () => void look());
  };
  void look();
  return () => {
    isOver = true;
    cancel();
  };
}

/** What tells two states of a file apart; undefined where there is no file, or none that can be looked at. */
export async function fileState(path: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs, ino } = await stat(path);
    return `${size} ${mtimeMs} ${ino}`;
  } catch {
    return undefined;
  }
}
