import path from 'node:path';
import { exportBatch } from '../../engine/index.ts';
import type { Console } from '../console.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-code.ts';
import { namedBatch, withStore } from '../open-engine.ts';
import type { CommonOptions } from '../options.ts';

export interface ExportOptions extends CommonOptions {
  readonly out: string;
}

/**
 * Writes a whole media folder of a batch, its verified files with manifest, results sheet and gallery, somewhere else;
 * into the batch's own folder, the documents anew. Reads the store only: it works beside the process that owns it.
 */
export async function exportCommand(console: Console, named: string, options: ExportOptions): Promise<ExitCode> {
  const folder = path.resolve(options.out);
  return withStore(options, async (opened) => {
    const batch = namedBatch(opened.store, named);
    const problem = await exportBatch(opened, batch.id, folder);
    if (problem !== undefined) {
      throw new CommandFailure(EXIT.usage, problem.message, 'Name another folder with --out, or make room for it.');
    }
    console.document({ batch: batch.id, folder });
    console.line(`Batch ${batch.id} (${batch.name}) → ${folder}`);
    return EXIT.done;
  });
}
