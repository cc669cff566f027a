import { checkSheet } from '../../../shared/domain/sheet/check-sheet.ts';
import type { CheckOptions } from '../../../shared/domain/sheet/sheet-checker.ts';
import type { CheckedSheet } from '../../../shared/domain/sheet/row.ts';
import type { SheetSource } from '../../../shared/domain/sheet/sheet-raw.ts';
import { forkedSheetReader } from '../reader-process/forked-sheet-reader.ts';
import type { ReadSheetOptions } from './read-sheet.ts';
import type { ReadProgress, SheetReader } from '../reader-process/sheet-reader.ts';

/** How a sheet is read, and what it is checked against. */
export interface LoadOptions extends ReadSheetOptions, CheckOptions {
  /** Who reads the file; a process of its own where nobody is named. */
  readonly reader?: SheetReader;
  readonly onProgress?: (progress: ReadProgress) => void;
}

/** A sheet that was read from a file and checked. */
export interface LoadedSheet extends CheckedSheet {
  /** How the file was understood; undefined when it could not be read. */
  readonly source: SheetSource | undefined;
}

/** Reads and checks a sheet's file. A file that cannot be read is a sheet without rows, with the error that refuses it. */
export async function loadSheet(path: string, options: LoadOptions = {}): Promise<LoadedSheet> {
  const { reader = forkedSheetReader(), onProgress } = options;
  const raw = await reader.read(path, options, onProgress);
  if (!raw.ok) return { headers: [], rows: [], problems: [raw.error], source: undefined };
  return { ...checkSheet(raw.value, options), source: raw.value.source };
}
