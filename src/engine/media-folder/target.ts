/** Where whole, verified files go: the folder itself, or a bucket behind it. */
import { join } from 'node:path';
import type { FetchRequest, OutputJournal, Placement } from '../ports/media-folder.ts';
import type { Failure } from '../../shared/domain/base/failure.ts';
import type { Place } from './fetch/place.ts';
import { isTaken, placeVerified, recoverPlacement, setAside, type PlaceOrder } from './place-file.ts';

/** A target that is not a folder cannot take files now. */
export class TargetError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** What was asked for is no longer wanted. */
export class InterruptedError extends Error {}

/** An output whose placement may have been committed before. */
export type RecoverRequest = Pick<FetchRequest, 'outputId' | 'generation' | 'kind' | 'stem' | 'placement'>;

/** All methods throw {@link TargetError} and errors of the disk. */
export interface Target {
  /** See {@link recoverPlacement}. */
  recover(request: RecoverRequest, place: Place, journal: OutputJournal): Promise<Placement | undefined>;
  /** See {@link placeVerified}. */
  place(
    order: PlaceOrder,
    place: Place,
    placing: (placement: Placement) => Promise<boolean>,
  ): Promise<Placement | undefined>;
  /** See {@link setAside}. */
  setAside(
    part: { readonly path: string; readonly bytes: number; readonly sha256: string },
    request: Pick<FetchRequest, 'folder' | 'stem'>,
    extension: string,
  ): Promise<string | undefined>;
  /** True if there is something under this path, inside the media folder. */
  holds(request: Pick<FetchRequest, 'folder'>, path: string): Promise<boolean>;
}

/** The folder that also contains the parts. */
export const OWN_FOLDER: Target = {
  recover: recoverPlacement,
  place: placeVerified,
  setAside: (part, { folder, stem }, extension) => setAside(part, folder, stem, extension),
  holds: ({ folder }, path) => isTaken(join(folder, path)),
};
