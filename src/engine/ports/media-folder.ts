/** The folder in which the files of a batch are placed. */
import type { Failure } from '../../shared/domain/base/failure.ts';
import type { OutputKind } from '../../shared/domain/operations/operations.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import type { Result } from '../../shared/domain/base/result.ts';
import type { KeptFile } from '../../shared/domain/task/task.ts';

/** A file to fetch and place (download protocol). */
export interface FetchRequest {
  /** Unique in the store; names the part file. */
  readonly outputId: string;
  readonly url: string;
  /** Absolute path of the media folder. */
  readonly folder: string;
  readonly kind: OutputKind;
  /** File name without extension, already safe; gets a number if it is taken. */
  readonly stem: string;
  readonly generation: number;
  readonly validator?: string;
  /** Versions of the file that are already kept aside. */
  readonly kept?: readonly KeptFile[];
  /**
   * SHA-256 of the task's other files, as far as they exist: a second copy of one of them is not what was asked for.
   */
  readonly others?: readonly string[];
  /** What to verify and place if an earlier run ended in between: see {@link Placement}. */
  readonly placement?: Placement;
}

/** Where a verified part is about to be moved; committed before the move. */
export interface Placement {
  /** Inside the media folder, with `/`. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly mediaType: string;
  /** How long a song or a film plays, if that is known. */
  readonly seconds?: number;
}

/**
 * The body that is about to be received for an output, and the validator with which the rest of it can be requested.
 */
export interface StartedGeneration {
  readonly generation: number;
  readonly validator?: string;
}

/** What the download protocol commits along the way. Rejects if the commit was lost: the download then stops. */
export interface OutputJournal {
  /** Before the first byte of a new body is on the disk. */
  generationStarted(generation: number, validator: string | undefined): Promise<void>;
  /**
   * Before the file gets its name. False: the path belongs to another output, so choose another path. `started`:
   * nothing of the body is on the disk, and its generation starts with this commit.
   */
  placing(placement: Placement, started?: StartedGeneration): Promise<boolean>;
}

export type FetchOutcome =
  | { readonly kind: 'verified'; readonly placement: Placement }
  /** 401, 403, 404, 410, or an address that itself says that it has expired. */
  | { readonly kind: 'url-expired'; readonly failure: Failure }
  /** `likeness`: what further tries without a better result have in common, see `VainTry` in outputs.ts. */
  | {
      readonly kind: 'download-failed';
      readonly failure: Failure;
      readonly retryAfterMs?: number;
      readonly likeness?: string;
    }
  /** The received bytes are kept at `path` (inside the media folder) as evidence; `kept` if this try put them there. */
  | {
      readonly kind: 'unverifiable';
      readonly failure: Failure;
      readonly path?: string;
      readonly kept?: KeptFile;
      readonly likeness?: string;
      /** Another try would give the same result. */
      readonly isFinal?: true;
    }
  | { readonly kind: 'disk-failed'; readonly failure: Failure }
  | { readonly kind: 'interrupted' };

/** A file of a batch that was verified and placed. */
export type RecordedFile = Pick<Placement, 'path' | 'bytes'>;

/** What is known about the folder of a batch, so that another folder in its place is noticed. */
export interface FolderKnown {
  /**
   * The identity that the folder carries, from wherever it is seen: see {@link MediaFolder.prepare}. Absent before it
   * was first seen.
   */
  readonly identity?: string;
  /** Some of the files in the folder: they show that a folder without an identity is the batch's. */
  readonly files?: () => Promise<readonly RecordedFile[]>;
}

/** What a folder is prepared for. */
export interface FolderNeeds extends FolderKnown {
  /**
   * A missing folder is created. Otherwise, a missing folder means that its disk was unplugged or somebody removed it.
   */
  readonly mayMake: boolean;
  /** Another folder in place of the one known or prepared before is accepted from now on. */
  readonly mayReplace: boolean;
  /** The files that are going to be placed there. */
  readonly kinds?: readonly OutputKind[];
}

/** The media folder: fetches, verifies and places files, and never replaces any. */
export interface MediaFolder {
  /**
   * Makes sure that files can be placed in a folder: that it is the batch's, exists, is writable and has room. The
   * failure says what is wrong. The value is the identity that the folder itself carries: it is the same on every
   * machine, and after a restart.
   */
  prepare(folder: string, needs: FolderNeeds): Promise<Result<string, Failure>>;
  fetch(request: FetchRequest, profile: Profile, journal: OutputJournal, signal: AbortSignal): Promise<FetchOutcome>;
  /** Writes a JSON document with the same care as a download. */
  writeDocument(
    request: Omit<FetchRequest, 'url' | 'validator'> & { readonly document: string },
    journal: OutputJournal,
  ): Promise<FetchOutcome>;
  /**
   * Removes part files that nobody needs; asks `isWanted` right before removing each one. `worker`: the worker whose
   * part it is, if that is another worker of the same store.
   */
  sweep(folder: string, isWanted: (outputId: string, worker?: string) => boolean | Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}
