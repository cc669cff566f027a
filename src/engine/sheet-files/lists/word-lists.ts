import { reason, say, systemSays, type Reason } from '../../../shared/domain/base/reason.ts';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListItems } from '../../ports/sheet-store.ts';
import { writeWhole } from '../../whole-file.ts';
import { isListName } from '../../../shared/domain/cells/cell-tokens.ts';
import { safeName } from '../../../shared/domain/base/name-text.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';

/** A list that cells draw from with `__name__`: a file `name.txt` with one item per line. */
export interface WordList {
  readonly name: string;
  readonly items: readonly string[];
  /** The file's text, for editing. */
  readonly text: string;
}

/** The lists of a folder. */
export interface FoundLists {
  /** In alphabetical order. */
  readonly lists: readonly WordList[];
  /** Why files of the folder could not be read, one sentence each. */
  readonly problems: readonly string[];
}

const ENDING = '.txt';
const MOST_LISTS = 1000;
const LONGEST_NAME = 100;
const MEBIBYTE = 1024 * 1024;
const LARGEST_LIST_BYTES = MEBIBYTE;
const MOST_BYTES = 16 * MEBIBYTE;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the lists of a folder; a missing folder has none. Reads only plain files of the folder itself: a link could
 * lead anywhere, and the contents of a list go to a gateway.
 */
export async function readWordLists(folder: string): Promise<Result<FoundLists, string>> {
  let entries: readonly string[];
  try {
    entries = await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return ok({ lists: [], problems: [] });
    return err(say(reason('list.unreadable', folder, systemSays(error))));
  }
  const names = entries.filter((entry) => entry.endsWith(ENDING)).map((entry) => entry.slice(0, -ENDING.length));
  const lists: WordList[] = [];
  const problems: string[] = [];
  let bytes = 0;
  for (const name of names.toSorted()) {
    const read = lists.length < MOST_LISTS ? await readWordList(folder, name) : err(reason('list.tooMany'));
    bytes += read.ok ? read.value.bytes : 0;
    if (!read.ok) problems.push(ignored(folder, name, read.error));
    else if (bytes > MOST_BYTES) problems.push(ignored(folder, name, reason('list.tooMuch', MOST_BYTES / MEBIBYTE)));
    else lists.push(read.value.list);
  }
  return ok({ lists, problems });
}

/** The items of each list, as cells draw from them. */
export function itemsByName(lists: readonly WordList[]): ListItems {
  return Object.fromEntries(lists.map(({ name, items }) => [name, items]));
}

/** The user's lists in their folder. A missing folder has none. */
export class WordListFolder {
  readonly #folder: string;
  #state: string | undefined;
  #items: ListItems = {};

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The lists, with the reasons why files of the folder are not lists; or why the folder cannot be read. */
  read(): Promise<Result<FoundLists, string>> {
    return readWordLists(this.#folder);
  }

  /**
   * The items of each list by its name, read again when a file of the folder has changed; returns the same object if
   * nothing has. Lists that cannot be read are ignored.
   */
  async current(): Promise<ListItems> {
    const state = await stateOf(this.#folder);
    if (state === this.#state) return this.#items;
    const read = state === undefined ? undefined : await this.read();
    this.#items = read?.ok === true ? itemsByName(read.value.lists) : {};
    this.#state = state;
    return this.#items;
  }

  /** Writes a list; the file is either complete or as it was before. The problem is a sentence. */
  async save(name: string, text: string): Promise<Result<WordList, string>> {
    const unusable = nameProblem(name);
    if (unusable !== undefined) return err(say(reason('list.badName', JSON.stringify(name), unusable)));
    if (/[\0\p{Surrogate}]/u.test(text)) return err(say(reason('list.unsendable')));
    if (Buffer.byteLength(text) > LARGEST_LIST_BYTES) {
      return err(say(reason('list.tooLarge', LARGEST_LIST_BYTES / MEBIBYTE)));
    }
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeWhole(join(this.#folder, name + ENDING), text, 0o600);
      return ok({ name, items: itemsOf(text), text });
    } catch (error) {
      return err(say(reason('list.unwritable', this.#folder, systemSays(error))));
    }
  }

  /** Removes a list; a missing one counts as removed. Returns a sentence that says why it could not be removed. */
  async remove(name: string): Promise<string | undefined> {
    const unusable = nameProblem(name);
    if (unusable !== undefined) return say(reason('list.none', JSON.stringify(name), unusable));
    try {
      // A file that came from a Mac may have decomposed letters.
      const entries = await readdir(this.#folder);
      const own = entries.filter((entry) => entry.normalize('NFC') === (name + ENDING).normalize('NFC'));
      for (const entry of own) await rm(join(this.#folder, entry), { force: true });
      return undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      return say(reason('list.irremovable', this.#folder, systemSays(error)));
    }
  }
}

/** Different after each change to a list: another program may write into its file, which its folder does not notice. */
async function stateOf(folder: string): Promise<string | undefined> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING)).toSorted();
    const states = names.slice(0, MOST_LISTS).map(async (name) => {
      const found = await lstat(join(folder, name)).catch(() => undefined);
      return [name, found?.ino, found?.size, found?.mtimeMs];
    });
    return JSON.stringify([names.length, await Promise.all(states)]);
  } catch {
    return undefined;
  }
}

/** @param why Inside a sentence. */
function ignored(folder: string, name: string, why: Reason): string {
  return say(reason('list.ignored', join(folder, name + ENDING), why));
}

async function readWordList(
  folder: string,
  name: string,
): Promise<Result<{ readonly list: WordList; readonly bytes: number }, Reason>> {
  const unusable = nameProblem(name);
  if (unusable !== undefined) return err(unusable);
  try {
    const path = join(folder, name + ENDING);
    if (!(await lstat(path)).isFile()) return err(reason('list.notPlain'));
    // A link may have replaced the file since the check; a pipe would wait for somebody to write.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
    try {
      const { size } = await handle.stat();
      if (size > LARGEST_LIST_BYTES) return err(reason('list.isTooLarge', LARGEST_LIST_BYTES / MEBIBYTE));
      const bytes = Buffer.alloc(size);
      const { bytesRead } = await handle.read(bytes, 0, size, 0);
      const text = UTF8.decode(bytes.subarray(0, bytesRead));
      if (text.includes('\0')) return err(reason('list.hasNul'));
      return ok({ list: { name: name.normalize('NFC'), items: itemsOf(text), text }, bytes: bytesRead });
    } finally {
      await handle.close();
    }
  } catch (error) {
    return err(error instanceof TypeError ? reason('list.notUtf8') : systemSays(error));
  }
}

/** One item per line, without blanks around it; blank lines are skipped. */
function itemsOf(text: string): readonly string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Why a file could not be a list on every system, or why cells could not name it. */
function nameProblem(name: string): Reason | undefined {
  if (name.length > LONGEST_NAME) return reason('list.longName', LONGEST_NAME);
  if (!isListName(name)) return reason('list.letters');
  return safeName(name, 'list') === name ? undefined : reason('list.notEverywhere');
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
