/**
 * A backup that the user wants back: noted, and put in place by the next start, before anything has opened the store or
 * the settings.
 */
import { sayError } from '../../shared/domain/base/reason.ts';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeNoteSync } from '../../engine/whole-file.ts';
import { news } from '../../shared/ipc/contract.ts';
import type { EngineProcess } from '../engine-process/engine-host.ts';
import { fromEngine } from '../engine-process/engine-protocol.ts';
import { words } from '../../shared/words/words.ts';

const noted = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('wanted'), file: z.string(), at: z.number() }),
  /** Somebody may have ended the restore since. */
  z.strictObject({ state: z.literal('begun'), file: z.string() }),
  /** The application was told to quit in the meantime, so nobody has read how the restore ended. */
  z.strictObject({
    state: z.literal('ended'),
    restored: z.strictObject({ isRestored: z.boolean(), notice: news.notice }),
  }),
]);
type Note = z.infer<typeof noted>;

/** How a restore ended, for the user. */
export type RestoreOutcome = Extract<Note, { state: 'ended' }>['restored'];

/** What a start finds: a backup that it is to put in place, or how an earlier restore ended. */
export type FoundNote =
  | { readonly kind: 'wanted'; readonly file: string }
  | { readonly kind: 'ended'; readonly restored: RestoreOutcome };

/**
 * Only the start that follows at once was asked for: by the time of a later one, more may have been paid for in the
 * store.
 */
const FRESH_MS = 10 * 60_000;

function noteIn(dataFolder: string): string {
  return join(dataFolder, 'restore.json');
}

function write(dataFolder: string, note: Note): void {
  writeNoteSync(noteIn(dataFolder), JSON.stringify(note));
}

/** Notes the backup for the next start. Throws if that cannot be written. */
export function noteRestore(dataFolder: string, file: string, at: number): void {
  write(dataFolder, { state: 'wanted', file, at });
}

/**
 * Keeps the outcome of a restore for the next start. If that cannot be written, the store itself says that it was
 * restored.
 */
export function keepOutcome(dataFolder: string, restored: RestoreOutcome): void {
  try {
    write(dataFolder, { state: 'ended', restored });
  } catch {
    // The note that the restore has begun stays, and is reported.
  }
}

/**
 * Reads the note, once: a wanted backup stays noted as begun until {@link forgetRestore}, so that the next start can
 * report it if this one is ended.
 */
export function takeRestoreNote(dataFolder: string, now: number): FoundNote | undefined {
  const note = readNote(dataFolder);
  switch (note?.state) {
    case undefined:
      forgetRestore(dataFolder);
      return undefined;
    case 'ended':
      forgetRestore(dataFolder);
      return { kind: 'ended', restored: note.restored };
    case 'begun':
      forgetRestore(dataFolder);
      return { kind: 'ended', restored: unfinished(note.file) };
    case 'wanted':
      return begin(dataFolder, note, now);
    default:
      return note satisfies never;
  }
}

/** The outcome of the noted restore has been reported, or its note is of no use. */
export function forgetRestore(dataFolder: string): void {
  try {
    rmSync(noteIn(dataFolder), { force: true });
  } catch {
    // It is reported again, but nothing is done again.
  }
}

function begin(
  dataFolder: string,
  { file, at }: Extract<Note, { state: 'wanted' }>,
  now: number,
): FoundNote | undefined {
  if (Math.abs(now - at) >= FRESH_MS) {
    forgetRestore(dataFolder);
    return undefined;
  }
  try {
    write(dataFolder, { state: 'begun', file });
    return { kind: 'wanted', file };
  } catch (error) {
    forgetRestore(dataFolder);
    const { notDone, beginningNotNoted } = words.desktop.restore;
    const message = beginningNotNoted(sayError(error));
    return { kind: 'ended', restored: failed(notDone, message) };
  }
}

function readNote(dataFolder: string): Note | undefined {
  try {
    return noted.parse(JSON.parse(readFileSync(noteIn(dataFolder), 'utf8')));
  } catch {
    return undefined;
  }
}

function unfinished(file: string): RestoreOutcome {
  return failed(words.desktop.restore.maybeNotDone, words.desktop.restore.unfinished(file));
}

function failed(title: string, message: string): RestoreOutcome {
  return { isRestored: false, notice: { level: 'error', title, message } };
}

/** Has a process of the engine put the backup in place, and reports the outcome. */
export function restoreNoted(file: string, dataFolder: string, engine: EngineProcess): Promise<RestoreOutcome> {
  return new Promise((resolve) => {
    engine.onMessage((message) => {
      const told = fromEngine.safeParse(message);
      if (!told.success || told.data.kind !== 'restored') return;
      const { isRestored, notice } = told.data;
      resolve({ isRestored, notice });
      engine.kill();
    });
    engine.onExit((code) => {
      resolve(failed(words.desktop.restore.maybeNotDone, words.desktop.restore.ended(code)));
    });
    engine.post({ kind: 'restore', storeFolder: join(dataFolder, 'store'), file });
  });
}
