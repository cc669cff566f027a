/** A sheet as a program gives it: as text, as rows, or as a file in a folder that the user named. */
import { realpath } from 'node:fs/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import {
  forkedSheetReader,
  loadSheet,
  mayBeRead,
  type LoadedSheet,
  type ReadSheetOptions,
} from '../../engine/index.ts';
import { csvLine, isHarmless } from '../../shared/domain/base/csv-text.ts';
import { ok } from '../../shared/domain/base/result.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import { findOperation, OPERATIONS } from '../../shared/domain/operations/operations.ts';
import { RESULT_COLUMNS } from '../../shared/domain/base/result-columns.ts';
import { accountsOf } from '../../shared/domain/task/accounts/account.ts';
import { listsOf, settingsOf, type SheetMeaning } from '../sheet-meaning.ts';
import { refusal, type DoorAnswer } from './door-answer.ts';
import type { DoorHost } from './door-host.ts';

/** A longer text is a file. */
export const MOST_CSV = 8 * 1024 * 1024;
const MOST_ROWS = 20_000;
const MOST_CELLS = 200;
const LONGEST_CELL = 200_000;
const LONGEST_NAME = 200;

const names = z.string().min(1).max(LONGEST_NAME);
const cell = z.union([z.string().max(LONGEST_CELL), z.number(), z.boolean(), z.null()]);

/** The content of a sheet; one of the three. */
export const sheetContent = {
  csv: z
    .string()
    .min(1)
    .max(MOST_CSV)
    .optional()
    .describe('The sheet as CSV text: a header line, then one line for each row. Give csv, rows or file.'),
  rows: z
    .array(
      z
        .record(names, cell)
        .refine((row) => Object.keys(row).length <= MOST_CELLS, `has too many cells. → Give ${MOST_CELLS} at most.`),
    )
    .min(1)
    .max(MOST_ROWS)
    .optional()
    .describe(
      'The sheet as rows, each an object of cells by column, such as {"row":"1","operation":"image","prompt":"a fox"}.',
    ),
  file: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('The path of a sheet (CSV, TSV, XLSX, ODS), relative to a folder that the user named with --sheets.'),
};

/** What its headers and cells mean. */
export const sheetMeaningFields = {
  operation: z
    .enum(OPERATIONS.map(({ short }) => short) as [string, ...string[]])
    .optional()
    .describe('The operation of rows that name none.'),
  mapping: z
    .record(names, z.string().max(LONGEST_NAME))
    .optional()
    .describe('The column that a header stands for, by header; an empty text leaves it out.'),
  variables: z.record(names, z.string().max(LONGEST_CELL)).optional().describe('What {name} in a cell stands for.'),
  choices: z
    .enum(['draw', 'expand'])
    .optional()
    .describe('Of {a|b} in a cell, draw one for each row (the default), or expand it into a row for each.'),
};

export const givenSheet = z.strictObject({ ...sheetContent, ...sheetMeaningFields });
export type GivenSheet = z.output<typeof givenSheet>;

/** A sheet that was read and checked. */
export interface SheetAsGiven {
  readonly sheet: LoadedSheet;
  readonly meaning: SheetMeaning;
  readonly settings: ReturnType<typeof settingsOf>;
  /** Absent if it is not one of the user's files. */
  readonly sheetPath?: string;
}

/** Reads and checks a sheet, as `nocturne check` does: in a process of its own, with limits. */
export async function readGivenSheet(host: DoorHost, given: GivenSheet): Promise<DoorAnswer<SheetAsGiven>> {
  const found = await contentOf(host, given);
  if (!found.ok) return found;
  const { operation, mapping = {}, variables = {}, choices = 'draw' } = given;
  const defaultOperation = operation === undefined ? undefined : findOperation(operation)?.path;
  const meaning: SheetMeaning = {
    ...(defaultOperation === undefined ? {} : { defaultOperation }),
    mapping,
    variables,
    choices,
    lists: await listsOf(host.console, host.options.keyOptions),
  };
  const gateways = await host.gateways();
  const reading = {
    ...meaning,
    prices: gateways.profile.prices,
    accounts: accountsOf(gateways).map(({ name }) => name),
    keyFinder: host.keyFinder,
  };
  const read = async (file: string, how: ReadSheetOptions): Promise<SheetAsGiven> => {
    const sheet = await loadSheet(file, { ...reading, ...how });
    return { sheet, meaning, settings: settingsOf(meaning, sheet.source) };
  };
  const content = found.value;
  return ok(
    await host.readInTurn(async () => {
      if ('file' in content) return { ...(await read(content.file, {})), sheetPath: content.file };
      const { text, ...how } = content;
      return readText(text, (file) => read(file, { encoding: 'utf-8', ...how }));
    }),
  );
}

async function readText<T>(text: string, read: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(await realpath(tmpdir()), 'nocturne-sheet-'));
  try {
    const file = path.join(folder, 'sheet.csv');
    await writeFile(file, text, { mode: 0o600 });
    return await read(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * A sheet as a CSV file for people, in which no cell is run as a formula. CSV text is read like every sheet, so that
 * its cells are those that a batch would have. If a cell had to be changed for this, the result columns are added, too:
 * by them, Nocturne recognises such a file and reads what was meant.
 */
export async function harmlessSheet(
  host: DoorHost,
  { csv, rows = [] }: Pick<GivenSheet, 'csv' | 'rows'>,
): Promise<DoorAnswer<string>> {
  const table = csv === undefined ? ok(tableOf(rows)) : await tableOfText(host, csv);
  if (!table.ok) return table;
  const isPlain = table.value.every((cells) => cells.every(isHarmless));
  const [headers = [], ...lines] = table.value;
  const results = isPlain ? [] : RESULT_COLUMNS.filter((column) => !headers.includes(column));
  return ok([[...headers, ...results], ...lines].map(csvLine).join(''));
}

async function tableOfText(host: DoorHost, csv: string): Promise<DoorAnswer<Table>> {
  const reader = forkedSheetReader();
  const raw = await host.readInTurn(() => readText(csv, (file) => reader.read(file, { encoding: 'utf-8' })));
  if (!raw.ok) return refusal('invalid-input', raw.error.message, raw.error.remedy);
  return ok([raw.value.headers, ...raw.value.records.map(({ cells }) => cells)]);
}

type Table = readonly (readonly string[])[];

/** A header line, then a line for each row. */
function tableOf(rows: NonNullable<GivenSheet['rows']>): Table {
  const headers = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) =>
    headers.map((header) => String((Object.hasOwn(row, header) ? row[header] : '') ?? '')),
  );
  return [headers, ...lines];
}

/** Every cell as it is: what is read from here is sent, and no spreadsheet program opens it. */
function exactCsv(table: Table): string {
  const cellOf = (text: string): string => (text === '' ? '' : `"${text.replaceAll('"', '""')}"`);
  return table.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

async function contentOf(
  host: DoorHost,
  given: GivenSheet,
): Promise<DoorAnswer<{ readonly text: string; readonly delimiter?: string } | { readonly file: string }>> {
  const count = [given.csv, given.rows, given.file].filter((one) => one !== undefined).length;
  if (count !== 1) {
    return refusal('invalid-input', 'A sheet is given as csv, rows or file.', 'Give exactly one of them.');
  }
  if (given.rows !== undefined) return ok({ text: exactCsv(tableOf(given.rows)), delimiter: ',' });
  if (given.csv !== undefined) return ok({ text: given.csv });
  const file = await allowedFile(host.options.sheetFolders, given.file ?? '');
  if (file !== undefined) return ok({ file });
  return host.options.sheetFolders.length === 0
    ? refusal(
        'refused',
        'This door reads no files.',
        'Give the sheet as csv or rows; or the user names a folder with --sheets DIR.',
      )
    : refusal(
        'not-found',
        `There is no such sheet in the folders of --sheets: ${visibleLine(given.file ?? '', 200)}`,
        'Give its path relative to one of them.',
      );
}

/** A regular file below one of these folders, once every link on the way has been followed. */
async function allowedFile(folders: readonly string[], named: string): Promise<string | undefined> {
  if (named.includes('\0')) return undefined;
  for (const folder of folders) {
    try {
      const root = await realpath(folder);
      const file = await realpath(path.resolve(root, named));
      if (file.startsWith(root + path.sep) && mayBeRead(file)) return file;
    } catch {
      // It is not in this folder.
    }
  }
  return undefined;
}
