/** Watches the file of a sheet for changes. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Clock } from '../ports.ts';
import { readSheetFile } from './read/read-file.ts';

/** How often the file is looked at, and for how long it must stay as it is before it is told. */
const LOOK_MS = 2_000;

export interface WatchFileOptions {
  readonly path: string;
  readonly clock: Clock;
  /** The hash of what is known of it; a file that is something else already is told, too. */
  readonly known: string | undefined;
  /** Told once for each new content of the file that has come to rest. */
  readonly onChanged: () => void;
  readonly looks?: FileLooks;
}

/** Two ways of looking at a file; each gives undefined where there is none, or none that can be read. */
export interface FileLooks {
  /** A cheap one: what it gives changes with the content, and may change without it. */
  state(path: string): Promise<string | undefined>;
  /** The hash of its bytes, in lower-case hexadecimal. */
  hash(path: string): Promise<string | undefined>;
}

/**
 * Looks at a file every two seconds, by its size, time and identity: programs write to a new file and rename it, and
 * network drives send no notices, which a watcher of the system would have to be told apart by. What two looks in a row
 * find the same is read: only another content is told. A file that is not there is waited for.
 * @returns What ends it.
 */
export function watchFile({ path, clock, known, onChanged, looks = FILE_LOOKS }: WatchFileOptions): () => void {
  let cancel: () => void = () => undefined;
  let isOver = false;
  let told = known;
  let read: string | undefined;
  let last: string | undefined;

  const compare = async (): Promise<void> => {
    const hash = await looks.hash(path);
    if (isOver || hash === undefined || hash === told) return;
    const isFirst = told === undefined;
    told = hash;
    if (!isFirst) onChanged();
  };
  const look = async (): Promise<void> => {
    const found = await looks.state(path);
    if (found !== undefined && found === last && found !== read) {
      read = found;
      await compare();
    }
    last = found;
    if (!isOver) cancel = clock.setTimer(LOOK_MS, () => void look());
  };
  void look();
  return () => {
    isOver = true;
    cancel();
  };
}

/** Looks at real files. */
export const FILE_LOOKS: FileLooks = {
  async state(path) {
    try {
      const { size, mtimeMs, ino } = await stat(path);
      return `${size} ${mtimeMs} ${ino}`;
    } catch {
      return undefined;
    }
  },
  async hash(path) {
    const bytes = await readSheetFile(path);
    return bytes.ok ? createHash('sha256').update(bytes.value).digest('hex') : undefined;
  },
};
