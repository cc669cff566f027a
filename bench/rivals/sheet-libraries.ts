import { mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { ContenderInput, Figures } from '../contender.ts';
import { digestCells, textOf } from '../support/cells-digest.ts';
import { textIn } from '../support/input.ts';
import { maxRssMiB, measure } from '../support/measure.ts';

type Lines = readonly (readonly unknown[])[];

/** What we use of SheetJS, which is not among our packages. */
interface SheetJs {
  readonly read: (
    bytes: Uint8Array,
    options: { readonly dense: boolean },
  ) => {
    readonly SheetNames: readonly string[];
    readonly Sheets: Readonly<Record<string, unknown>>;
  };
  readonly utils: {
    readonly sheet_to_json: (sheet: unknown, options: { readonly header: 1; readonly defval: '' }) => Lines;
  };
}

/** Each returns the reader of a file; loading it does not count. */
const LIBRARIES = {
  /** papaparse alone on the text of a file. */
  papaparse: async () => {
    const { default: Papa } = await import('papaparse');
    return async (path: string): Promise<Lines> => Papa.parse<string[]>(await readFile(path, 'utf8')).data;
  },
  'csv-parse': async () => {
    const { parse } = await import('csv-parse/sync');
    return async (path: string): Promise<Lines> => parse(await readFile(path));
  },
  /** The workbook reader that its users call small and fast. */
  'read-excel-file': async () => {
    const { readSheet } = await import('read-excel-file/node');
    return (path: string): Promise<Lines> => readSheet(path);
  },
  /** The fastest workbook reader found. */
  hucre: async () => {
    const { readXlsx } = await import('hucre/xlsx');
    return async (path: string): Promise<Lines> => (await readXlsx(await readFile(path))).sheets[0]?.rows ?? [];
  },
  /** SheetJS in its faster mode. */
  sheetjs: async (input) => {
    const { read, utils } = createRequire(import.meta.url)(resolve(textIn(input, 'sheetjs'))) as SheetJs;
    return async (path: string): Promise<Lines> => {
      const { SheetNames, Sheets } = read(await readFile(path), { dense: true });
      return utils.sheet_to_json(Sheets[SheetNames[0] ?? ''], { header: 1, defval: '' });
    };
  },
} as const satisfies Readonly<Record<string, (input: ContenderInput) => Promise<(path: string) => Promise<Lines>>>>;
type Library = keyof typeof LIBRARIES;

/** A contender that reads a sheet with a library. Input: `path`; `sheetjs`: the folder where it is. */
export async function readByLibrary(library: Library, input: ContenderInput): Promise<Figures> {
  const read = await LIBRARIES[library](input);
  let lines: Lines = [];
  const cost = await measure(async () => {
    lines = await read(textIn(input, 'path'));
  });
  return { ...cost, rssMiB: maxRssMiB(), digest: digestCells(lines) };
}

/**
 * Reads a sheet with a library and writes it into a table, in one transaction. Input: `path`, `folder`, `library`,
 * `sheetjs`.
 */
export async function importByLibrary(input: ContenderInput): Promise<Figures> {
  const library = textIn(input, 'library');
  if (!(library in LIBRARIES)) throw new Error(`No library ${library}`);
  const read = await LIBRARIES[library as Library](input);
  const db = new DatabaseSync(`${mkdtempSync(`${textIn(input, 'folder')}/library-`)}/rows.db`);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const cost = await measure(async () => {
    const [header = [], ...lines] = await read(textIn(input, 'path'));
    db.exec(`CREATE TABLE sheet (line INTEGER PRIMARY KEY, ${header.map((_, i) => `c${i} TEXT`).join(', ')})`);
    const insert = db.prepare(`INSERT INTO sheet VALUES (?, ${header.map(() => '?').join(', ')})`);
    db.exec('BEGIN');
    for (const [index, line] of lines.entries()) {
      insert.run(index + 2, ...header.map((_, i) => textOf(line[i])));
    }
    db.exec('COMMIT');
  });
  db.close();
  return { ...cost, rssMiB: maxRssMiB() };
}
