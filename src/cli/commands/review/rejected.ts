/** Rejected files: how much space they take up, and deleting them for good. */
import { present } from '../../../shared/domain/base/result.ts';
import type { FiledFile } from '../../../shared/domain/task/views/exported-row.ts';
import { countOf, formatBytes, visibleLine } from '../../../shared/domain/base/text.ts';
import type { Console } from '../../console.ts';
import { CommandFailure, EXIT, type ExitCode } from '../../ending.ts';
import { withBatch } from '../../open-engine.ts';
import { namedBatch, withStore } from '../../with-store.ts';
import type { CommonOptions } from '../../options/common-options.ts';

export interface RejectedOptions extends CommonOptions {
  readonly delete?: true;
}

/** Lists the rejected files of a batch and their sizes, which changes nothing, or deletes them for good. */
export async function rejectedCommand(console: Console, named: string, options: RejectedOptions): Promise<ExitCode> {
  if (options.delete !== true)
    return withStore(options, async ({ store, views }) => {
      const batch = await namedBatch(store, named);
      const files = (await views.filedFiles(batch.id)).filter(({ isRejected }) => isRejected);
      for (const { folder, path, bytes } of files)
        console.line(`${visibleLine(`${folder}/${path}`, 400)}  ${formatBytes(bytes)}`);
      console.line(`${sumOf(files)} rejected.`);
      if (files.length > 0) console.line(`To delete them for good: nocturne rejected ${batch.id} --delete`);
      console.document({ batch: batch.id, files: files.map(toShown), bytes: bytesOf(files) });
      return EXIT.done;
    });
  return withBatch(options, named, async (engine, { id }) => {
    const files = (await engine.views.filedFiles(id)).filter(({ isRejected }) => isRejected);
    const outcome = await engine.files.deleteRejected(id, new Set(files.map(({ outputId }) => outputId)));
    if (!outcome.ok) throw new CommandFailure(EXIT.paused, outcome.error.message, 'Nothing was deleted.');
    const { files: deleted, bytes, left } = outcome.value;
    // The documents no longer name what is gone.
    const problem = outcome.value.problem ?? (await engine.exportBatch(id, 0));
    console.line(`${countOf(deleted, 'file')} deleted for good, ${formatBytes(bytes)} freed.`);
    if (left > 0) console.line(`${countOf(left, 'file')} left: changed on the disk, or could not be moved.`);
    console.document({ batch: id, deleted, bytes, left, ...present({ problem: problem?.message }) });
    if (problem === undefined) return EXIT.done;
    const remedy = `What is left is deleted, and the manifest written, by: nocturne rejected ${id} --delete`;
    // Not thrown: the document has been printed, and an event for the error would come after it.
    console.problem(`error: ${problem.message}\n    → ${remedy}`);
    return EXIT.paused;
  });
}

function toShown({ folder, path, bytes }: FiledFile) {
  return { folder, path, bytes };
}

function bytesOf(files: readonly FiledFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function sumOf(files: readonly FiledFile[]): string {
  return `${countOf(files.length, 'file')} of ${formatBytes(bytesOf(files))}`;
}
