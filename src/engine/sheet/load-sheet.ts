import { checkSheet } from '../../shared/domain/check-sheet.ts';
import type { CheckOptions } from '../../shared/domain/sheet-checker.ts';
import type { CheckedSheet } from '../../shared/domain/row.ts';
import type { SheetSource } from '../../shared/domain/sheet-raw.ts';
import { readSheetApart } from './sheet-process.ts';
import type { ReadSheetOptions } from './read-sheet.ts';

/** How a sheet is read, and what it is checked against. */
export type LoadOptions = ReadSheetOptions & CheckOptions;

/** A sheet that was read from a file and checked. */
export interface LoadedSheet extends CheckedSheet {
  /** How the file was understood; undefined when it could not be read. */
  readonly source: SheetSource | undefined;
}

/** Reads and checks a sheet's file. A file that cannot be read is a sheet without rows, with the error that refuses it. */
export async function loadSheet(path: string, options: LoadOptions = {}): Promise<LoadedSheet> {
  const raw = await readSheetApart(path, options);
  if (!raw.ok) return { headers: [], rows: [], problems: [raw.error], source: undefined };
  return { ...checkSheet(raw.value, options), source: raw.value.source };
}
