import { createHash } from 'node:crypto';
import { err, ok } from '../../../shared/domain/base/result.ts';
import type { Result } from '../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import type { RawRecord, RawSheet } from '../../../shared/domain/sheet/sheet-raw.ts';
import type { CellTable } from './clipboard-html.ts';
import { SheetIntake } from '../sheet-intake.ts';
import { tabbedText } from './write-clipboard.ts';

/**
 * A table from the clipboard as a sheet that is brought in: its first line with a cell is the header.
 * @param name What the sheet is called.
 * @returns The sheet, or what refuses it: there is nothing in it, or too much.
 */
export function rawSheetOfTable(table: CellTable, name: string): Result<RawSheet, SheetProblem> {
  const records: RawRecord[] = [];
  const intake = new SheetIntake((record) => records.push(record));
  for (const [index, cells] of table.entries()) {
    const problem = intake.add({ line: index + 1, cells });
    if (problem) return err(problem);
  }
  const ended = intake.end();
  if ('problem' in ended) return err(ended.problem);
  const text = Buffer.from(tabbedText(table));
  const sha256 = createHash('sha256').update(text).digest('hex');
  const source = { format: 'clipboard', sheet: name, bytes: text.length, sha256 } as const;
  return ok({ headers: ended.headers, records, problems: [], source });
}
