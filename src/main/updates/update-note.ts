/** What is remembered of updates from one start to the next. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { writeNoteSync } from '../../engine/whole-file.ts';

const updateNote = z.strictObject({
  /** The place of this installation among all, from 0 to 1. Drawn here, and told to nobody. */
  share: z.number().min(0).max(1),
  /** When the newest feed that was seen was signed, in milliseconds since the epoch. */
  seenAt: z.int(),
  lookedAt: z.number().optional(),
  /** The version of which the user was told that it is there. */
  told: z.string().optional(),
  /** The last one that was put in place. */
  last: z
    .strictObject({
      from: z.string(),
      to: z.string(),
      /** The copy of the store that was made before. */
      backup: z.string(),
      /** Why it could not be put in place. */
      problem: z.string().optional(),
      isTold: z.boolean(),
    })
    .optional(),
});
export type UpdateNote = Readonly<z.output<typeof updateNote>>;

/** Reads the note; a new one if there is none that can be understood. */
export function readUpdateNote(file: string): UpdateNote {
  try {
    return updateNote.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { share: randomInt(1_000_000) / 1_000_000, seenAt: 0 };
  }
}

/** Keeps the note. Throws if it cannot be written. */
export function writeUpdateNote(file: string, note: UpdateNote): void {
  writeNoteSync(file, JSON.stringify(note));
}
