import { join } from 'node:path';
import { present } from '../../../shared/domain/base/result.ts';
import { diskOf, type FolderIdentity, type FolderMarks, type KnownFolders } from '../known-folders.ts';
import type { MoveAnswer, StepFailure } from '../thread/file-steps.ts';
import type { FileThreads } from '../thread/file-threads.ts';
import { partName, partsUpTo } from './part-file.ts';

/** The media folder has replaced the prepared one; nothing is written there. */
export class ReplacedFolderError extends Error {}

/** A short part that was written at once. */
export interface KeptPart {
  readonly path: string;
  readonly sha256: string;
  readonly content: Buffer<ArrayBuffer>;
  readonly freeName?: string;
}

/** The subfolder that a file goes to. Whatever is written there is written after a look whether it still is the same. */
export interface Place {
  /** Real path. */
  readonly path: string;
  /** Looks closely: throws what is wrong with the folder, {@link ReplacedFolderError} too. The path may be another then. */
  look(): Promise<void>;
  /**
   * Has a part written that is whole in memory, which is given away and comes back, and made durable; looks meanwhile
   * whether `likelyName` is free. Throws like `look`, and errors of the disk.
   */
  keep(
    outputId: string,
    generation: number,
    content: Buffer<ArrayBuffer>,
    likelyName: string | undefined,
  ): Promise<KeptPart>;
  /** Gives a durable part its name, without replacing another file. Throws errors of the disk. */
  move(part: string, bytes: number, name: string): Promise<Exclude<MoveAnswer, StepFailure>>;
}

/** What a place needs from its surroundings. */
export interface PlaceTools {
  readonly folders: KnownFolders;
  readonly files: FileThreads;
}

/** How often a folder may turn out to be another one while a file is written. */
const MAX_LOOKS = 3;

/**
 * The subfolder `kind` of a media folder, which is the `expected` one. One that is known is not looked at before
 * something is written there.
 */
export async function openPlace(
  { folders, files }: PlaceTools,
  folder: string,
  kind: string,
  expected: FolderIdentity | undefined,
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

  async function keep(
    outputId: string,
    generation: number,
    content: Buffer<ArrayBuffer>,
    likelyName: string | undefined,
  ): Promise<KeptPart> {
    let left = content;
    // A folder behind a link has no marks that whoever writes could look at.
    if (marks === undefined) await look();
    for (let looks = 0; looks <= MAX_LOOKS; looks += 1) {
      const part = join(path, partName(outputId, generation));
      const older = generation > 1 ? partsUpTo(path, outputId, generation) : [];
      const target = likelyName === undefined ? undefined : join(path, likelyName);
      const kept = await files.keep(disk, { part, content: left, older, ...present({ marks, target }) });
      if (kept.kind === 'kept') {
        const { sha256, isTargetFree } = kept;
        return {
          path: part,
          sha256,
          content: kept.content,
          ...present({ freeName: isTargetFree ? likelyName : undefined }),
        };
      }
      left = kept.content;
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
    keep,
    move: (part, bytes, name) => files.move(disk, { part, bytes, folder: path, name }),
  };
}
