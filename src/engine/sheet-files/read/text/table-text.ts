import type { RawRecord, SheetSource } from '../../../../shared/domain/sheet/sheet-raw.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';

/** What the reader of one format says of a file besides its lines. */
export interface TableText extends Omit<SheetSource, 'bytes' | 'sha256'> {
  readonly problems: readonly SheetProblem[];
  /** Name of the sheet's part in an XLSX archive, as archives are looked up. */
  readonly part?: string;
}

/** Takes the lines of a file one by one, the header among them; gives what refuses the file, if anything does. */
export type TakeLine = (line: RawRecord) => SheetProblem | undefined;
