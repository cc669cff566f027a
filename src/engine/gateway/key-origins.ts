/**
 * Which gateway a key belongs to if only the key is given, as on the command line: the first origin that it was used
 * with, until the user says otherwise.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeNoteSync } from '../whole-file.ts';
import { fingerprintOf, isSealed, sealOf } from './key-seal.ts';

const note = z.strictObject({ key: z.string(), origin: z.string(), seal: z.string() });
const noteFile = z.strictObject({ version: z.literal(1), notes: z.array(note) });
type Note = z.infer<typeof note>;

/**
 * What is known about a key and an origin. `first`: nothing is known of this key. `other`: it belongs to other origins.
 * `doubtful`: its note is damaged or was changed by hand.
 */
export type KeyOriginFinding =
  | { readonly kind: 'first' | 'known' | 'doubtful' }
  | { readonly kind: 'other'; readonly origins: readonly string[] };

/** The note of which key belongs to which origin, in the store's folder. It does not contain the key. */
export class KeyOrigins {
  readonly #path: string;
  readonly #usedWith: (fingerprint: string) => Promise<readonly string[]>;

  /**
   * @param usedWith Origins that, according to the store, received a key, by its fingerprint: they still say where it
   * belongs if the note is gone.
   */
  constructor(dataDir: string, usedWith: (fingerprint: string) => Promise<readonly string[]>) {
    this.#path = path.join(dataDir, 'key-origins.json');
    this.#usedWith = usedWith;
  }

  /** Whether a key may go to an origin. */
  async find(key: string, origin: string): Promise<KeyOriginFinding> {
    const fingerprint = fingerprintOf(key);
    const notes = readNotes(this.#path);
    if (notes === undefined) return { kind: 'doubtful' };
    const own = notes.filter((one) => one.key === fingerprint);
    if (own.some((one) => !isSealed(key, one.origin, one.seal))) return { kind: 'doubtful' };
    const origins = own.length > 0 ? own.map((one) => one.origin) : await this.#usedWith(fingerprint);
    if (origins.includes(origin)) return { kind: 'known' };
    return origins.length === 0 ? { kind: 'first' } : { kind: 'other', origins };
  }

  /** Notes durably that a key belongs to an origin, before it is sent there. Throws if the file cannot be written. */
  remember(key: string, origin: string): void {
    const fingerprint = fingerprintOf(key);
    // Read again: another account of the same batch may have noted its own meanwhile.
    const kept = (readNotes(this.#path) ?? []).filter(
      (one) => one.key !== fingerprint || (one.origin !== origin && isSealed(key, one.origin, one.seal)),
    );
    const notes: Note[] = [...kept, { key: fingerprint, origin, seal: sealOf(key, origin) }];
    mkdirSync(path.dirname(this.#path), { recursive: true, mode: 0o700 });
    writeNoteSync(this.#path, `${JSON.stringify({ version: 1, notes }, undefined, 2)}\n`);
  }
}

/** Empty if there is no file; undefined if it is not in the format that Nocturne writes. */
function readNotes(file: string): readonly Note[] | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? [] : undefined;
  }
  try {
    return noteFile.parse(JSON.parse(text)).notes;
  } catch {
    return undefined;
  }
}
