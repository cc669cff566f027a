/**
 * The places that the user of this computer has named, with `--files-place`. A store may come from somebody else; what it says
 * of a place, such as a command to run or a file with a password, counts only if it is one of these.
 */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { filesPlace, type FilesPlace } from '../../shared/domain/places/files-place.ts';
import { writeWhole } from '../whole-file.ts';

const note = z.object({ places: z.array(filesPlace) });
/** Nobody has more; the oldest is forgotten. */
const MOST_PLACES = 100;

/** The places that were named here, in a note for their user alone that lies where no store does. */
export class GivenPlaces {
  readonly #file: string | undefined;
  #places: readonly FilesPlace[] | undefined;

  constructor(file: string | undefined) {
    this.#file = file;
  }

  async has(place: FilesPlace): Promise<boolean> {
    return (await this.#read()).some((known) => isDeepStrictEqual(known, asKept(place)));
  }

  /** Resolves once it is noted. */
  async add(place: FilesPlace): Promise<void> {
    if (await this.has(place)) return;
    const places = [...(await this.#read()), asKept(place)].slice(-MOST_PLACES);
    if (this.#file !== undefined) {
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      await writeWhole(this.#file, `${JSON.stringify({ places }, undefined, 2)}\n`, 0o600);
    }
    this.#places = places;
  }

  async #read(): Promise<readonly FilesPlace[]> {
    this.#places ??= this.#file === undefined ? [] : await readNote(this.#file);
    return this.#places;
  }
}

/** A note that cannot be read names none: they are named again. */
async function readNote(file: string): Promise<readonly FilesPlace[]> {
  try {
    const parsed = note.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? parsed.data.places : [];
  } catch {
    return [];
  }
}

/** As it is read back from a file or a store. */
function asKept(place: FilesPlace): FilesPlace {
  return JSON.parse(JSON.stringify(place)) as FilesPlace;
}
