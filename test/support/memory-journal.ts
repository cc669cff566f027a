import type { FetchRequest, OutputJournal, Placement } from '../../src/engine/ports/media-folder.ts';
import { foldPath } from '../../src/shared/domain/files/naming.ts';

/** An output's line in the store, as far as a download needs it. */
export interface MemoryJournal extends OutputJournal {
  readonly generation: number;
  readonly validator: string | undefined;
  readonly placement: Placement | undefined;
  /** The next request for the same output, as a scheduler would make it from what was committed. */
  next(request: FetchRequest): FetchRequest;
}

/** A journal in memory. `taken` holds the folded paths of all outputs, as the store's unique index does. */
export function createMemoryJournal(taken: Set<string> = new Set()): MemoryJournal {
  let generation = 0;
  let validator: string | undefined;
  let placement: Placement | undefined;
  /** A path belongs to this output until the output gets another. */
  let own: string | undefined;
  return {
    get generation() {
      return generation;
    },
    get validator() {
      return validator;
    },
    get placement() {
      return placement;
    },
    async generationStarted(number, etag) {
      generation = number;
      validator = etag;
      placement = undefined;
    },
    async placing(choice, started) {
      const key = foldPath(choice.path);
      if (taken.has(key) && key !== own) return false;
      if (own !== undefined) taken.delete(own);
      own = key;
      taken.add(key);
      if (started !== undefined) ({ generation, validator } = started);
      placement = choice;
      return true;
    },
    next: ({ outputId, url, folder, kind, stem }) => ({
      outputId,
      url,
      folder,
      kind,
      stem,
      generation,
      ...(validator === undefined ? {} : { validator }),
      ...(placement === undefined ? {} : { placement }),
    }),
  };
}
