/**
 * The places that the user of this computer has named, with `--files-place`. A store may come from somebody else; what
 * it says about a place, such as a command to run or a file with a password, counts only if the place is one of these.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { WorkSlots } from '../../shared/domain/base/work-slots.ts';
import { present } from '../../shared/domain/base/result.ts';
import { filesPlace, type FilesPlace } from '../../shared/domain/places/files-place.ts';
import { writeWhole, writeWholeOnce } from '../whole-file.ts';

const note = z.object({ places: z.array(filesPlace), mark: z.string().optional() });
type Note = z.output<typeof note>;
/** Nobody has more; the oldest is forgotten. */
const MOST_PLACES = 100;

/** The places that were named here, in a note that only their user can read, kept away from any store. */
export class GivenPlaces {
  readonly #file: string | undefined;
  #note: Promise<Note> | undefined;
  #marked: Promise<string> | undefined;
  readonly #adding = new WorkSlots(1);

  constructor(file: string | undefined) {
    this.#file = file;
  }

  async has(place: FilesPlace): Promise<boolean> {
    return (await this.#read()).places.some((known) => isDeepStrictEqual(known, asKept(place)));
  }

  /** Resolves once the place is noted, after those that were named before it. */
  add(place: FilesPlace): Promise<void> {
    return this.#adding.take(() => this.#add(place));
  }

  async #add(place: FilesPlace): Promise<void> {
    await this.mark();
    // Another process may have named one since.
    this.#forget();
    if (await this.has(place)) return;
    const { places, mark } = await this.#read();
    await this.#write({ places: [...places, asKept(place)].slice(-MOST_PLACES), ...present({ mark }) }, writeWhole);
  }

  /** Identifies this installation in the record of what it has put; a store that is handed over does not contain it. */
  mark(): Promise<string> {
    this.#marked ??= this.#mark().catch((error: unknown) => {
      // The disk may accept it the next time.
      this.#marked = undefined;
      throw error;
    });
    return this.#marked;
  }

  async #mark(): Promise<string> {
    const { mark: known } = await this.#read();
    if (known !== undefined) return known;
    const mark = randomUUID();
    try {
      await this.#write({ places: [], mark }, writeWholeOnce);
      return mark;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    // Another process has made one in the meantime. A note without one could not be read.
    this.#forget();
    const there = await this.#read();
    if (there.mark === undefined) await this.#write({ ...there, mark }, writeWhole);
    return there.mark ?? mark;
  }

  async #write(changed: Note, write: typeof writeWholeOnce): Promise<void> {
    if (this.#file !== undefined) {
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      await write(this.#file, `${JSON.stringify(changed, undefined, 2)}\n`, 0o600);
    }
    this.#note = Promise.resolve(changed);
  }

  /** Places that are only in memory stay. */
  #forget(): void {
    if (this.#file !== undefined) this.#note = undefined;
  }

  #read(): Promise<Note> {
    this.#note ??= this.#file === undefined ? Promise.resolve({ places: [] }) : readNote(this.#file);
    return this.#note;
  }
}

/** An unreadable note counts as empty: the user names the places again. */
async function readNote(file: string): Promise<Note> {
  try {
    const parsed = note.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? parsed.data : { places: [] };
  } catch {
    return { places: [] };
  }
}

/** The place as it is read back from a file or a store. */
function asKept(place: FilesPlace): FilesPlace {
  return JSON.parse(JSON.stringify(place)) as FilesPlace;
}
