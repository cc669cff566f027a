import type { MediaTypeName } from '../../../shared/domain/media-type.ts';

/** What a look into a container found. */
export type ContainerCheck =
  /** Whole, as far as the format lets one see; `endProven` is false where the format does not say where it ends. */
  | { readonly kind: 'whole'; readonly type: MediaTypeName; readonly endProven: boolean }
  /** Begins as this type, and is cut off or damaged: `reason` goes into a sentence after "it". */
  | { readonly kind: 'broken'; readonly type: MediaTypeName; readonly reason: string };

/** A container that is whole. */
export function whole(type: MediaTypeName, endProven = true): ContainerCheck {
  return { kind: 'whole', type, endProven };
}

/** A container that is cut off or damaged. */
export function broken(type: MediaTypeName, reason: string): ContainerCheck {
  return { kind: 'broken', type, reason };
}
