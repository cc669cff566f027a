import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  loadSheet,
  type LoadOptions,
  type LoadedSheet,
} from '../../src/engine/sheet-files/reader-process/load-sheet.ts';
import { readSheet } from '../../src/engine/sheet-files/read/read-sheet.ts';
import { resultsDocument } from '../../src/engine/sheet-files/results/results-document.ts';
import type { SheetReader } from '../../src/engine/sheet-files/reader-process/sheet-reader.ts';
import type { SheetProblem } from '../../src/shared/domain/sheet/problems.ts';
import type { RawSheet } from '../../src/shared/domain/sheet/sheet-raw.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Writes a sheet's file somewhere, and returns its path. */
export function sheetFile(content: string | Uint8Array, ending = 'csv'): string {
  const path = join(temporaryFolder(), `sheet.${ending}`);
  writeFileSync(path, content);
  return path;
}

/** Reads sheets in this process: the result is the same, and the contract tests of readers cover the processes. */
export const READER_HERE: SheetReader = { read: readSheet, resultsDocument };

/** Reads and checks a sheet in this process. */
export function loadHere(path: string, options: LoadOptions = {}): Promise<LoadedSheet> {
  return loadSheet(path, { ...options, reader: READER_HERE });
}

/** A fixture made by another program. */
export function fixture(name: string): string {
  return join(import.meta.dirname, '../fixtures/sheets', name);
}

/** Code, line and row of each problem: what the contract of a check is about. */
export function places(problems: readonly SheetProblem[]): string[] {
  return problems.map((p) =>
    [p.severity, p.code, p.line, p.row, p.column].filter((part) => part !== undefined).join(' '),
  );
}

/** A sheet as a reader hands it over: the header and then its lines. */
export function rawSheet([headers = [], ...lines]: readonly (readonly string[])[]): RawSheet {
  return {
    headers,
    records: lines.map((cells, index) => ({ line: index + 2, cells })),
    problems: [],
    source: { format: 'csv', encoding: 'utf-8', delimiter: ',', bytes: 0, sha256: '' },
  };
}
