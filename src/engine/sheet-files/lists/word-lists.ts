import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListItems } from '../../sheet-ports.ts';
import { writeWhole } from '../../whole-file.ts';
import { isListName } from '../../../shared/domain/cells/cell-tokens.ts';
import { safeName } from '../../../shared/domain/base/name-text.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';

/** A list that cells draw from with `__name__`: a file `name.txt` with one item a line. */
export interface WordList {
  readonly name: string;
  readonly items: readonly string[];
  /** The file's text, to be edited. */
  readonly text: string;
}

/** The lists of a folder. */
export interface FoundLists {
  /** By name, in the order of the alphabet. */
  readonly lists: readonly WordList[];
  /** Why files of the folder could not be read, a sentence each. */
  readonly problems: readonly string[];
}

const ENDING = '.txt';
const MOST_LISTS = 1000;
const LONGEST_NAME = 100;
const LARGEST_LIST_BYTES = 1024 * 1024;
const MOST_BYTES = 16 * 1024 * 1024;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the lists of a folder; a folder that is not there has none. Only plain files of the folder itself are read:
 * a link could lead anywhere, and what a list holds is sent to a gateway.
 */
export async function readWordLists(folder: string): Promise<Result<FoundLists, string>> {
  let entries: readonly string[];
  try {
    entries = await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return ok({ lists: [], problems: [] });
    return err(`The lists in ${folder} cannot be read: ${describe(error)}.`);
  }
  const names = entries.filter((entry) => entry.endsWith(ENDING)).map((entry) => entry.slice(0, -ENDING.length));
  const lists: WordList[] = [];
  const problems: string[] = [];
  let bytes = 0;
  for (const name of names.toSorted()) {
    const read = lists.length < MOST_LISTS ? await readWordList(folder, name) : err('there are too many lists');
    bytes += read.ok ? read.value.bytes : 0;
    if (!read.ok) problems.push(`The list ${join(folder, name + ENDING)} is not used: ${read.error}.`);
    else if (bytes > MOST_BYTES) problems.push(`The list ${join(folder, name + ENDING)} is not used: ${TOO_MUCH}.`);
    else lists.push(read.value.list);
  }
  return ok({ lists, problems });
}

/** The items of each list, as cells draw from them. */
export function itemsByName(lists: readonly WordList[]): ListItems {
  return Object.fromEntries(lists.map(({ name, items }) => [name, items]));
}

/** The user's lists in their folder. One that is not there has none. */
export class WordListFolder {
  readonly #folder: string;
  #changedAt: number | undefined;
  #items: ListItems = {};

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The lists, and why files of the folder are none; or why the folder cannot be read. */
  read(): Promise<Result<FoundLists, string>> {
    return readWordLists(this.#folder);
  }

  /**
   * The items of each list by its name, read again when the folder has changed: the very same object as before where
   * nothing has. Lists that cannot be read are as if there were none.
   */
  async current(): Promise<ListItems> {
    const changedAt = await changeTime(this.#folder);
    if (changedAt === this.#changedAt) return this.#items;
    const read = changedAt === undefined ? undefined : await this.read();
    this.#items = read?.ok === true ? itemsByName(read.value.lists) : {};
    this.#changedAt = changedAt;
    return this.#items;
  }

  /** Writes a list; the file is whole or as it was before. The problem is a sentence. */
  async save(name: string, text: string): Promise<Result<WordList, string>> {
    const unusable = nameProblem(name);
    if (unusable !== undefined) return err(`A list cannot be called ${JSON.stringify(name)}: ${unusable}.`);
    if (/[\0\p{Surrogate}]/u.test(text)) return err('The list holds a NUL character or half of a character.');
    if (Buffer.byteLength(text) > LARGEST_LIST_BYTES) {
      return err(`A list has at most ${LARGEST_LIST_BYTES / 1024 / 1024} MiB.`);
    }
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeWhole(join(this.#folder, name + ENDING), text, 0o600);
      return ok({ name, items: itemsOf(text), text });
    } catch (error) {
      return err(`The list cannot be written into ${this.#folder}: ${describe(error)}.`);
    }
  }

  /** Removes a list; one that is not there is removed already. Gives the sentence that says why it could not be. */
  async remove(name: string): Promise<string | undefined> {
    const unusable = nameProblem(name);
    if (unusable !== undefined) return `There is no list ${JSON.stringify(name)}: ${unusable}.`;
    try {
      // A file that came from a Mac may have its letters in parts.
      const entries = await readdir(this.#folder);
      const own = entries.filter((entry) => entry.normalize('NFC') === (name + ENDING).normalize('NFC'));
      for (const entry of own) await rm(join(this.#folder, entry), { force: true });
      return undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      return `The list cannot be removed from ${this.#folder}: ${describe(error)}.`;
    }
  }
}

async function changeTime(folder: string): Promise<number | undefined> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch {
    return undefined;
  }
}

const TOO_MUCH = `all lists together have more than ${MOST_BYTES / 1024 / 1024} MiB`;

async function readWordList(
  folder: string,
  name: string,
): Promise<Result<{ readonly list: WordList; readonly bytes: number }, string>> {
  const unusable = nameProblem(name);
  if (unusable !== undefined) return err(unusable);
  try {
    const path = join(folder, name + ENDING);
    if (!(await lstat(path)).isFile()) return err('it is no plain file');
    // Between the look and the opening a link may have taken its place; a pipe would wait for somebody to write.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
    try {
      const { size } = await handle.stat();
      if (size > LARGEST_LIST_BYTES) return err(`it has more than ${LARGEST_LIST_BYTES / 1024 / 1024} MiB`);
      const bytes = Buffer.alloc(size);
      const { bytesRead } = await handle.read(bytes, 0, size, 0);
      const text = UTF8.decode(bytes.subarray(0, bytesRead));
      if (text.includes('\0')) return err('it holds a NUL character');
      return ok({ list: { name: name.normalize('NFC'), items: itemsOf(text), text }, bytes: bytesRead });
    } finally {
      await handle.close();
    }
  } catch (error) {
    return err(error instanceof TypeError ? 'its text is not UTF-8' : describe(error));
  }
}

/** One item a line; blank lines are none, and neither are the blanks around an item. */
function itemsOf(text: string): readonly string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Why a file could not be a list on every system, or cells could not name it. */
function nameProblem(name: string): string | undefined {
  if (name.length > LONGEST_NAME) return `a name has at most ${LONGEST_NAME} characters`;
  if (!isListName(name)) return 'a name is letters, digits and hyphens, with single underscores between them';
  return safeName(name, 'list') === name ? undefined : 'not every system allows a file of that name';
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
