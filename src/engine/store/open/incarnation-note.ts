import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeNoteSync } from '../../whole-file.ts';
import type { Incarnation } from './incarnation.ts';

const noteSchema = z.object({ storeId: z.string(), opening: z.number() });

/** The incarnation that was noted at the last opening; undefined where none was, or the note cannot be read. */
export function readIncarnationNote(file: string): Incarnation | undefined {
  try {
    const parsed = noteSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Notes which opening of which store this is, outside of the store's own folder. A note that cannot be written only
 * means that an older copy of the store goes unnoticed the next time.
 */
export function writeIncarnationNote(file: string, incarnation: Incarnation): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeNoteSync(file, JSON.stringify(incarnation));
  } catch {
    // See above.
  }
}
