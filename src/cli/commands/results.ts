import path from 'node:path';
import type { Console } from '../console.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-code.ts';
import { namedBatch, withEngine } from '../open-engine.ts';
import type { CommonOptions } from '../options.ts';

export interface ResultsOptions extends CommonOptions {
  readonly intoOriginal?: true;
  readonly out?: string;
}

/** Writes the results of a batch as columns: into a copy beside its sheet, into another file, or into the sheet itself. */
export async function resultsCommand(console: Console, named: string, options: ResultsOptions): Promise<ExitCode> {
  const { intoOriginal, out } = options;
  if (intoOriginal === true && out !== undefined) {
    throw new CommandFailure(EXIT.usage, 'Into which file?', 'Give one of --into-original and --out FILE, or neither.');
  }
  return withEngine(options, async (engine) => {
    const batch = namedBatch(engine.store, named);
    const into =
      out !== undefined
        ? ({ kind: 'file', file: path.resolve(out) } as const)
        : ({ kind: intoOriginal === true ? 'original' : 'copy' } as const);
    const written = await engine.sheets.writeResults(batch.id, into);
    if (!written.ok) {
      throw new CommandFailure(
        EXIT.usage,
        written.error,
        `All results are in ${batch.settings.folder}/sheet.results.csv.`,
      );
    }
    const { file, notes } = written.value;
    console.document({ batch: batch.id, file, notes });
    console.line(`Written: ${file}`);
    for (const note of notes) console.line(note);
    return EXIT.done;
  });
}
