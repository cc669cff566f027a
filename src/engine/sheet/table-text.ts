import type { RawRecord, SheetSource } from '../../shared/domain/sheet-raw.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';

/** What the reader of one format makes of a file's bytes: all its lines as text, the header among them. */
export interface TableText extends Omit<SheetSource, 'bytes' | 'sha256'> {
  readonly lines: readonly RawRecord[];
  readonly problems: readonly SheetProblem[];
}
