import { stat } from 'node:fs/promises';
import type { ListItems } from '../../sheet-ports.ts';
import { itemsByName, readWordLists } from './word-lists.ts';

/** The user's lists of words as they are, read again when their folder has changed. A folder that is not there has none. */
export class KnownLists {
  readonly #folder: string;
  #changedAt: number | undefined;
  #items: ListItems = {};

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The very same object as before where nothing has changed. Lists that cannot be read are as if there were none. */
  async current(): Promise<ListItems> {
    const changedAt = await changeTime(this.#folder);
    if (changedAt === this.#changedAt) return this.#items;
    const read = changedAt === undefined ? undefined : await readWordLists(this.#folder);
    this.#items = read?.ok === true ? itemsByName(read.value.lists) : {};
    this.#changedAt = changedAt;
    return this.#items;
  }
}

async function changeTime(folder: string): Promise<number | undefined> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch {
    return undefined;
  }
}
