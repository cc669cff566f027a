/** Commands that write results into a sheet, or check a folder. */
import path from 'node:path';
import { verifyAnyFolder } from '../../engine/index.ts';
import { countText, visibleLine } from '../../shared/domain/base/text.ts';
import type { Console } from '../console.ts';
import { count } from '../describe.ts';
import { EXIT, type ExitCode, wrongUsage } from '../ending.ts';
import { mediaFolderOf } from '../given.ts';
import { namedBatch } from '../with-store.ts';
import type { CommonOptions } from '../options/common-options.ts';

export interface ResultsOptions extends CommonOptions {
  readonly intoOriginal?: true;
  readonly out?: string;
}

/**
 * Writes the results of a batch as columns: into a copy beside its sheet, into another file, or into the sheet itself.
 */
export async function resultsCommand(console: Console, named: string, options: ResultsOptions): Promise<ExitCode> {
  const { intoOriginal, out } = options;
  if (intoOriginal === true && out !== undefined) {
    throw wrongUsage('Two targets given.', 'Give either --into-original or --out FILE, or neither.');
  }
  // Loaded here: the other commands in this file only read the store and start without the engine.
  const { withEngine } = await import('../open-engine.ts');
  return withEngine(options, async (engine) => {
    const batch = await namedBatch(engine.store, named);
    const into =
      out !== undefined
        ? ({ kind: 'file', file: path.resolve(out) } as const)
        : ({ kind: intoOriginal === true ? 'original' : 'copy' } as const);
    const written = await engine.sheets.writeResults(batch.id, into);
    if (!written.ok) {
      throw wrongUsage(written.error, `All results are in ${batch.settings.folder}/sheet.results.csv.`);
    }
    const { file, notes } = written.value;
    console.document({ batch: batch.id, file, notes });
    console.line(`Written: ${file}`);
    for (const note of notes) console.line(note);
    return EXIT.done;
  });
}

/** Kinds of problem that leave no manifest to check the folder against. */
const NO_MANIFEST: ReadonlySet<string> = new Set(['manifest-missing', 'manifest-invalid', 'manifest-too-large']);

/** Checks every file of a media folder against its manifest; needs nothing but the folder. */
export async function verifyCommand(console: Console, dir: string): Promise<ExitCode> {
  const report = await verifyAnyFolder(mediaFolderOf(dir));
  console.document(report);
  return sayVerified(console, report);
}

/** Says to people what a check of a folder has found. */
export function sayVerified(console: Console, report: Awaited<ReturnType<typeof verifyAnyFolder>>): ExitCode {
  for (const problem of report.problems) console.problem(`error: ${visibleLine(problem.message, 400)}`);
  if (report.problems.some((problem) => NO_MANIFEST.has(problem.kind))) {
    console.problem('    → Name a media folder that Nocturne wrote; nocturne export writes its documents again.');
    return EXIT.usage;
  }
  if (report.extras.length > 0)
    console.line(`${count(report.extras.length, 'file')} not in the manifest, not checked.`);
  const summary = `${report.folder}: ${countText(report.verified)} of ${count(report.files, 'file')} verified`;
  console.line(report.ok ? summary : `${summary}, ${count(report.problems.length, 'problem')}`);
  return report.ok ? EXIT.done : EXIT.failedRows;
}
