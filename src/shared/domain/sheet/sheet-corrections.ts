/** Texts of a file that its user had corrected in every row at once when it was imported. The file keeps what it says. */
import type { RawSheet } from './sheet-raw.ts';

/** By header, then by the whole text of a cell: what is read instead. */
export type Corrections = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The sheet with what is read instead of what it says. */
export function correctCells(sheet: RawSheet, corrections: Corrections = {}): RawSheet {
  const columns = sheet.headers.flatMap((header, index) => {
    const texts = Object.hasOwn(corrections, header) ? corrections[header] : undefined;
    return texts === undefined ? [] : [[index, new Map(Object.entries(texts))] as const];
  });
  if (columns.length === 0) return sheet;
  const records = sheet.records.map((record) => {
    const wrong = columns.filter(([index, texts]) => texts.has(record.cells[index] ?? ''));
    if (wrong.length === 0) return record;
    const cells = [...record.cells];
    for (const [index, texts] of wrong) cells[index] = texts.get(cells[index] ?? '') ?? '';
    return { ...record, cells };
  });
  return { ...sheet, records };
}
