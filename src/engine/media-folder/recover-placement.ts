import { basename, extname, join, resolve, sep } from 'node:path';
import type { FetchRequest, OutputJournal, Placement } from '../ports.ts';
import { syncFolder } from '../whole-file.ts';
import { fileMatches, partName } from './fetch/part-file.ts';
import { moveWithoutReplacing, placeVerified, removeUnfinishedCopy } from './place-file.ts';

/**
 * Finishes what a former run committed as `placing` and did not see the end of: the file is at its place already, or
 * its part is still there and is placed now. Undefined: neither is there, so the file must be fetched anew.
 */
export async function recoverPlacement(
  request: Pick<FetchRequest, 'outputId' | 'generation' | 'kind' | 'stem' | 'placement'>,
  folder: string,
  journal: OutputJournal,
): Promise<Placement | undefined> {
  const { placement } = request;
  if (placement === undefined) return undefined;
  const name = basename(placement.path);
  const target = resolve(folder, name);
  if (!target.startsWith(folder + sep) || placement.path !== `${request.kind}/${name}`) {
    throw new Error(`Placement outside of its folder: ${placement.path}`);
  }
  const { sha256, bytes, mediaType } = placement;
  if (await fileMatches(target, sha256, bytes)) {
    await syncFolder(folder);
    return placement;
  }
  const part = join(folder, partName(request.outputId, request.generation));
  if (!(await fileMatches(part, sha256, bytes))) return undefined;
  await removeUnfinishedCopy(part, target);
  // The path was committed for this output, so it needs no second commit; only a foreign file there does.
  if (await moveWithoutReplacing(part, folder, name)) return placement;
  const extension = extname(name).slice(1);
  const { kind, stem } = request;
  return placeVerified({ part, folder, kind, stem, extension, sha256, bytes, mediaType }, (choice) =>
    journal.placing(choice),
  );
}
