/** Files of this computer, and where a gateway can read them. */
import type { Failure } from '../../shared/domain/base/failure.ts';
import type { Reason } from '../../shared/domain/base/reason.ts';
import type { Result } from '../../shared/domain/base/result.ts';
import type { PicturePart } from '../../shared/domain/cells/reference.ts';
import type { LocalFile } from '../../shared/domain/cells/local-file.ts';
import type { FilesPlace, PutFiles } from '../../shared/domain/places/files-place.ts';

/** A picture that is made from a finished file. */
export interface MadePicture {
  readonly part: PicturePart;
  /** Absolute path of the media folder. */
  readonly folder: string;
  /** The file's path in it, with `/`. */
  readonly path: string;
  readonly sha256: string;
  readonly mediaType: string;
}

/** Makes pictures of finished files. */
export interface PictureMaker {
  /**
   * Writes the picture to an absolute path in a folder of our own; waits for other films. An aborted signal ends it.
   * The error says why there is no picture.
   */
  make(picture: MadePicture, to: string, signal: AbortSignal): Promise<Result<void, Reason>>;
}

/** A file on this computer that a row names, and where it is to be put. */
export interface FileOrder {
  readonly file: LocalFile;
  /** If set, the file to put is made from this; `file` then says how the row names it. */
  readonly picture?: MadePicture;
  readonly place: FilesPlace;
  /** The folder of the sheet's file, from which relative paths start; undefined for a sheet that was typed. */
  readonly folder: string | undefined;
}

/** Where a gateway can read such a file. */
export type FileAnswer =
  | { readonly kind: 'there'; readonly address: string }
  /** It is being put; `arrived` resolves once there is another answer. */
  | { readonly kind: 'coming'; readonly arrived: Promise<void> }
  /** It is tried again after this many milliseconds. */
  | { readonly kind: 'later'; readonly failure: Failure; readonly waitMs: number }
  /** Only the user can help. */
  | { readonly kind: 'refused'; readonly failure: Failure };

/**
 * The user's own places for files of this computer. Each content is put once, and its address is not given before it is
 * there.
 */
export interface FilePlaces {
  addressOf(order: FileOrder): Promise<FileAnswer>;
  /**
   * Notes that a batch is about to send a body: the files that the body names by such addresses stay there until the
   * batch is over. Durable when it resolves. False: some of them are being deleted, or were deleted since their
   * addresses were given; they have to be asked for again.
   */
  noteUse(batchId: string, body: Uint8Array): Promise<boolean>;
  /** What has become of the files that were put for a batch at a place. */
  putFor(batchId: string, place: FilesPlace): Promise<PutFiles>;
  /** Deletes, in the background, the files that were put for batches that are over, if their place says so. */
  deleteUnneeded(): void;
  /** Resolves when no such deletion is under way or about to be tried again. */
  deleted(): Promise<void>;
  /** The user of this computer names a place: what a store says about any other place counts for nothing. */
  allow(place: FilesPlace): Promise<void>;
  close(): Promise<void>;
}
