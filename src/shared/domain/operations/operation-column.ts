import { findOperation } from './operations.ts';
import type { SheetLayout } from '../sheet/sheet-columns.ts';
import { isBlank, type RawSheet } from '../sheet/sheet-raw.ts';

/** So many of its lines say what a column holds. */
const LINES_LOOKED_AT = 200;

/**
 * The header of the column that names the operations, in a sheet whose author calls it something else: all its cells
 * are names of operations. Undefined where the sheet has the column under its name, and where no column is so.
 */
export function operationColumnByCells(
  { headers, records }: Pick<RawSheet, 'headers' | 'records'>,
  layout: SheetLayout,
): string | undefined {
  if (layout.indexes.has('operation')) return undefined;
  const taken = new Set(layout.indexes.values());
  return headers.find((header, index) => {
    if (isBlank(header) || taken.has(index)) return false;
    const cells = records.slice(0, LINES_LOOKED_AT).map((record) => record.cells[index]);
    const filled = cells.filter((cell) => cell !== undefined && !isBlank(cell));
    return filled.length > 0 && filled.every((cell) => cell !== undefined && findOperation(cell) !== undefined);
  });
}
