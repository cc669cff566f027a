/** Warns of a media folder that has the documents of another batch. */
import { realpathSync } from 'node:fs';
import { batchOfManifest, type TaskReader } from '../engine/index.ts';
import { visibleLine } from '../shared/domain/base/text.ts';
import { isBucketAddress } from '../shared/domain/files/bucket-address.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import type { Console } from './console.ts';

/**
 * The folder's documents describe one batch: they replace those of an earlier batch, whose files stay.
 * @param own The batch whose documents are written there, if it is there already.
 */
export async function warnOfOtherBatch(
  console: Console,
  store: Pick<TaskReader, 'batches'>,
  folder: string,
  own?: BatchRecord,
): Promise<void> {
  const real = realFolder(folder);
  if (own?.settings.folder === real) return;
  const others = (await store.batches()).filter(({ id }) => id !== own?.id);
  const named = isBucketAddress(real) ? undefined : await batchOfManifest(real);
  const earlier =
    others.findLast((batch) => batch.settings.folder === real) ??
    (named === own?.name ? undefined : others.findLast((batch) => batch.name === named));
  const says = ', its manifest and gallery are replaced.\n    → Give each batch a folder of its own with --out, or';
  if (earlier !== undefined) {
    const { id, name } = earlier;
    console.problem(
      `warning: ${folder} holds batch ${id} (${name}); its files stay${says} write the earlier one again with: nocturne export ${id} --out DIR`,
    );
  } else if (named !== undefined && named !== own?.name) {
    // Only the other store could write those documents again, and it may be gone, with the container that it was in.
    console.problem(
      `warning: ${folder} holds batch ${visibleLine(named, 100)}, which is not in this store; its files stay${says} copy manifest.json first: it says which prompt each file is of.`,
    );
  }
}

/** The path by which the store knows a folder, without the links that lead to it; one that is not there yet has none. */
export function realFolder(folder: string): string {
  if (isBucketAddress(folder)) return folder;
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
