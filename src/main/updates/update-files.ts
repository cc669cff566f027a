/** What is read from the disk about updates: what a build knows, and what is remembered from one start to the next. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeNoteSync } from '../../engine/whole-file.ts';
import { updateKey } from './release-feed.ts';

const updateNote = z.strictObject({
  /** The place of this installation among all, from 0 to 1. Drawn here at random, and sent to nobody. */
  share: z.number().min(0).max(1),
  /** When the newest feed that was seen was signed, in milliseconds since the epoch. */
  seenAt: z.int(),
  lookedAt: z.number().optional(),
  /** The version that the user was told about. */
  told: z.string().optional(),
  /** The last update that was to be put in place. */
  last: z
    .strictObject({
      from: z.string(),
      to: z.string(),
      /** The copy of the store that was made before it. */
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

const manifest = z.object({
  updates: z
    .strictObject({
      /** Where the feed is. Nobody can change what it says, but over plain http anyone on the way could withhold it. */
      feed: z.url({ protocol: /^https?$/u }).refine(isPrivateOrOwn, 'must be https'),
      /** One of these keys has signed the feed. */
      keys: z.array(updateKey).min(1).max(10),
      /** The schema that this version brings its store to. */
      schema: z.int().min(1),
    })
    .optional(),
});
export type UpdateBuild = Readonly<NonNullable<z.output<typeof manifest>['updates']>>;

/**
 * Reads what the build knows from the program's folder or archive; undefined if this copy was made without a feed.
 * Throws if it is broken.
 */
export function readUpdateBuild(appFolder: string): UpdateBuild | undefined {
  return manifest.parse(JSON.parse(readFileSync(join(appFolder, 'package.json'), 'utf8'))).updates;
}

function isPrivateOrOwn(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
