import type { MediaTypeName } from '../../../shared/domain/files/media-type.ts';

/** What a look into a container found. */
export type ContainerCheck =
  /** Whole, as far as the format lets one see; `endProven` is false where the format does not say where it ends. */
  | { readonly kind: 'whole'; readonly type: MediaTypeName; readonly endProven: boolean }
  /** Begins as this type, and is cut off or damaged: `reason` goes into a sentence after "it". */
  | { readonly kind: 'broken'; readonly type: MediaTypeName; readonly reason: string };

/**
 * Boxes, elements, blocks of one file. A recording of half a day has fewer; a file of a few megabytes can consist of
 * millions of empty ones, and looking at them all would take longer than anybody waits.
 */
export const MAX_PIECES = 4_000_000;
/** Of a file with more pieces, as the `reason` of a broken one. */
export const TOO_MANY_PIECES = 'consists of more pieces than any recording has';

/** A container that is whole. */
export function whole(type: MediaTypeName, endProven = true): ContainerCheck {
  return { kind: 'whole', type, endProven };
}

/** A container that is cut off or damaged. */
export function broken(type: MediaTypeName, reason: string): ContainerCheck {
  return { kind: 'broken', type, reason };
}
