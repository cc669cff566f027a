/** Watches the file of a sheet for changes. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Clock } from '../ports/base.ts';
import { readSheetFile } from './read/read-file.ts';

/** How often the watcher looks at the file, and how long the file must stay unchanged before it reports a change. */
const LOOK_MS = 2_000;

export interface WatchFileOptions {
  readonly path: string;
  readonly clock: Clock;
  /** The hash of the known content; if the file already differs, the watcher reports that, too. */
  readonly known: string | undefined;
  /** Called once for each new content, after the file has stopped changing. */
  readonly onChanged: () => void;
  readonly looks?: FileLooks;
}

/** Two ways of looking at a file; each returns undefined if there is no file or it cannot be read. */
export interface FileLooks {
  /** A cheap look: its result changes with the content, and may also change without it. */
  state(path: string): Promise<string | undefined>;
  /** The hash of its bytes, in lower-case hexadecimal. */
  hash(path: string): Promise<string | undefined>;
}

/**
 * Looks at a file every two seconds, by its size, time and identity: programs write to a new file and rename it, which
 * a watcher of the system would have to recognise, and network drives send no notices. Reads the file once two looks
 * agree, and reports only different content. Waits for a missing file.
 * @returns A function that ends the watching.
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
