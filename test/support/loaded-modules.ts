/**
 * Loaded by `--import` before a program, in its process and each of its threads: notes which files they load, and which
 * processes they start.
 */
import { channel } from 'node:diagnostics_channel';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { threadId } from 'node:worker_threads';

const asked = new URL(import.meta.url).searchParams.get('folder');
if (asked !== null) writeDown(path.join(asked, `${process.pid}.${threadId}`));

/** The value for `--import` that has everything a program loads noted in a folder. */
export function importThatNotes(folder: string): string {
  const url = new URL(import.meta.url);
  url.searchParams.set('folder', folder);
  return url.href;
}

/** A thread, with what it has loaded from a folder of programs, in order; or the main thread of a process. */
export interface LoadingThread {
  readonly isMain: boolean;
  readonly loaded: readonly string[];
  /** The programs of the processes that it has started. */
  readonly started: readonly string[];
}

/** Reads what was noted. */
export function loadingThreads(folder: string, programs: URL): readonly LoadingThread[] {
  return readdirSync(folder).map((file) => {
    const lines = readFileSync(path.join(folder, file), 'utf8').split('\n');
    const after = (word: string): readonly string[] =>
      lines.filter((line) => line.startsWith(word)).map((line) => line.slice(word.length));
    return {
      isMain: file.endsWith('.0'),
      loaded: after('load ').filter((url) => url.startsWith(programs.href)),
      started: after('start '),
    };
  });
}

function writeDown(file: string): void {
  const note = (line: string): void => appendFileSync(file, `${line}\n`);
  registerHooks({
    load(url, context, nextLoad) {
      note(`load ${url}`);
      return nextLoad(url, context);
    },
  });
  channel('child_process').subscribe((message) => {
    const { process: child } = message as { readonly process: { readonly spawnargs?: readonly string[] } };
    // Its arguments are known once it is spawned, which is right after this.
    queueMicrotask(() => note(`start ${child.spawnargs?.join(' ') ?? ''}`));
  });
}
