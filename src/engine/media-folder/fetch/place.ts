import { join } from 'node:path';
import { present } from '../../../shared/domain/base/result.ts';
import { diskOf, type FolderNumber, type FolderMarks, type KnownFolders } from '../known-folders.ts';
import type { StepFailure, WriteAnswer } from '../thread/file-steps.ts';
import type { FileThreads } from '../thread/file-threads.ts';
import { partName, partsUpTo } from './part-file.ts';

/** Another media folder has taken the place of the prepared one; nothing is written there. */
export class ReplacedFolderError extends Error {}

/** A part that is whole in memory but not on the disk yet. Whoever has it written gives its memory away. */
export interface UnwrittenPart {
  readonly outputId: string;
  readonly generation: number;
  readonly content: Buffer<ArrayBuffer>;
}

/** The outcome for such a part, and where it is if it did not get a name. */
type WrittenPart =
  | {
      readonly kind: Exclude<WriteAnswer, StepFailure | { readonly kind: 'moved-away' | 'taken' }>['kind'];
      readonly path: string;
    }
  /** The name is another file's. The part is still to be written: its memory has come back. */
  | { readonly kind: 'taken'; readonly path: string; readonly left: UnwrittenPart };

/** The subfolder that a file goes to. Before anything is written there, a look makes sure that it is still the same. */
export interface Place {
  /** Real path. */
  readonly path: string;
  /**
   * Looks closely, and throws what is wrong, {@link ReplacedFolderError} too. Afterwards, the path may be a different
   * one.
   */
  look(): Promise<void>;
  /**
   * Has a part written and made durable and, if a name is given, named at once without replacing another file. Throws
   * like `look`, and errors of the disk.
   */
  write(part: UnwrittenPart, name?: string): Promise<WrittenPart>;
}

/** What a place needs from its surroundings. */
export interface PlaceTools {
  readonly folders: KnownFolders;
  readonly files: FileThreads;
}

/** How often a folder may turn out to have changed while a file is being written. */
const MAX_LOOKS = 3;

/**
 * The subfolder `kind` of a media folder, which must be the `expected` one. A known subfolder is not looked at until
 * something is written there.
 */
export async function openPlace(
  { folders, files }: PlaceTools,
  folder: string,
  kind: string,
  expected: FolderNumber | undefined,
): Promise<Place> {
  let marks: FolderMarks | undefined = folders.marksOf(folder, kind, expected);
  let path = marks?.path ?? '';
  const disk = expected === undefined ? folder : diskOf(expected);

  async function look(): Promise<void> {
    const found = await folders.open(folder, kind, expected);
    if (found === undefined) throw new ReplacedFolderError(folder);
    path = found;
    marks = folders.marksOf(folder, kind, expected);
  }

  async function write({ outputId, generation, content }: UnwrittenPart, name?: string): Promise<WrittenPart> {
    let left = content;
    // A folder behind a link has no marks that the writing thread could check.
    if (marks === undefined) await look();
    for (let looks = 0; looks <= MAX_LOOKS; looks += 1) {
      const part = join(path, partName(outputId, generation));
      const older = generation > 1 ? partsUpTo(path, outputId, generation) : [];
      const { kind, content: back } = await files.write(disk, {
        part,
        content: left,
        older,
        ...present({ marks, name }),
      });
      if (kind === 'taken') return { kind, path: part, left: { outputId, generation, content: back } };
      if (kind !== 'moved-away') return { kind, path: part };
      left = back;
      await look();
    }
    throw new ReplacedFolderError(folder);
  }

  if (marks === undefined) await look();
  return {
    get path() {
      return path;
    },
    look,
    write,
  };
}
