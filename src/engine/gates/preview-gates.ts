/** What gates would say about the files that a batch has: only a preview, nothing is kept. */
import { askGates, type GateReport } from '../../shared/domain/gates/ask-gates.ts';
import type { GatesOn } from '../../shared/domain/gates/gates.ts';
import { present } from '../../shared/domain/base/result.ts';
import { askedIn, printOf, type OtherTake } from '../../shared/domain/gates/measured-file.ts';
import type { ExportedRow } from '../../shared/domain/task/views/exported-row.ts';
import type { FileMeasurer } from '../ports/file-looks.ts';

/** What is looked at. */
export interface GatePreview {
  readonly folder: string;
  readonly rows: AsyncIterable<ExportedRow>;
  readonly on: GatesOn;
  readonly measurer: FileMeasurer;
  readonly signal: AbortSignal;
}

/** What the gates say about one file of a row. */
export interface PreviewedFile extends GateReport {
  readonly row: string;
  readonly take: number;
  readonly path: string;
}

/** Measures the files of a batch row by row, in the order of its sheet. Earlier versions of rows are left out. */
export async function* previewGates({ folder, rows, on, measurer, signal }: GatePreview): AsyncIterable<PreviewedFile> {
  for await (const { row, tasks, isRemoved } of rows) {
    const files = tasks
      .filter(({ superseded }) => isRemoved !== true && superseded !== true)
      .flatMap(({ take, outputs }) => outputs.map((output) => ({ take, ...output })))
      .filter(({ mediaType }) => mediaType !== 'application/json');
    const asked = askedIn(row.body, row.operation);
    const measured = await Promise.all(files.map((file) => measurer.measure({ folder, ...file }, signal)));
    const others: OtherTake[] = [];
    for (const [at, { take, path }] of files.entries()) {
      const file = measured[at];
      if (file === undefined) continue;
      yield { row: row.id, take, path, ...askGates(file, { on, asked, others }) };
      others.push({ path, sha256: file.sha256, ...present({ print: printOf(file) }) });
    }
  }
}
