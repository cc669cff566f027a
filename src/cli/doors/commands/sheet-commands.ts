/** Writing a sheet, checking it, and seeing its price: nothing here sends anything. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { foretellRun, freeBytes } from '../../../engine/index.ts';
import { err, ok, present } from '../../../shared/domain/base/result.ts';
import { columnsOf, OPERATION_PATHS, OPERATIONS } from '../../../shared/domain/operations/operations.ts';
import { describeColumns } from '../../../shared/domain/sheet/describe-columns.ts';
import { SHEET_PROBLEM_CODES, type SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import { costsOf, runnableRows } from '../../../shared/domain/sheet/row.ts';
import { helpOfRowColumns } from '../../../shared/domain/sheet/sheet-columns.ts';
import { isCanaryUsual } from '../../../shared/domain/task/canary.ts';
import { foretell, type Forecast } from '../../../shared/domain/task/forecast/forecast.ts';
import { FORECAST_SOURCES } from '../../../shared/domain/task/forecast/forecast-record.ts';
import { NO_FACTS } from '../../../shared/domain/task/forecast/run-facts.ts';
import { termsOf, workOfRows, type RunSettings } from '../../../shared/domain/task/forecast/run-terms.ts';
import { runnable } from '../../commands/check.ts';
import { planDocument } from '../../plan-text.ts';
import { refusal, type DoorAnswer } from '../door-answer.ts';
import { doorCommand } from '../door-command.ts';
import type { DoorHost } from '../door-host.ts';
import { givenSheet, harmlessSheet, readGivenSheet, sheetContent } from '../given-sheet.ts';
import { whyNotHeld } from '../door-cap.ts';
import { batchId, givenMoney, moneyView, toLimitView, limitView } from '../views.ts';

/** If there are more problems, only their number is said. */
const PROBLEMS_SHOWN = 200;
const operationPath = z.enum(OPERATION_PATHS as [string, ...string[]]);

export const sheetProblemView = z.object({
  severity: z.enum(['error', 'warning']),
  code: z.enum(SHEET_PROBLEM_CODES),
  line: z.int().optional(),
  row: z.string().optional(),
  column: z.string().optional(),
  message: z.string(),
  remedy: z.string(),
});

/** Errors first: with many problems, warnings are left out before them. */
export function problemViews(problems: readonly SheetProblem[]): z.input<typeof sheetProblemView>[] {
  return problems
    .toSorted((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'))
    .slice(0, PROBLEMS_SHOWN)
    .map(({ severity, code, line, row, column, message, remedy }) => ({
      severity,
      code,
      message,
      remedy,
      ...present({ line, row, column }),
    }));
}

const describeOperations = doorCommand({
  name: 'describe_operations',
  title: 'Operations and columns',
  description:
    'Says which operations a row may name, and which columns each takes. Without an operation: all of them, without their columns. Read this before writing a sheet.',
  effect: 'looks',
  input: z.strictObject({
    operation: z.enum(OPERATIONS.map(({ short }) => short) as [string, ...string[]]).optional(),
  }),
  output: z.object({
    columnsOfEveryRow: z.array(z.object({ column: z.string(), help: z.string() })),
    operations: z.array(
      z.object({
        operation: z.string().describe('Its short name.'),
        path: operationPath,
        title: z.string(),
        help: z.string(),
        gives: z.enum(['music', 'video', 'image', 'data']),
        needsOneOf: z.array(z.string()),
        columns: z.array(z.object({ column: z.string(), type: z.string(), help: z.string() })).optional(),
      }),
    ),
  }),
  run: (_host, { operation: wanted }) => {
    const operations = OPERATIONS.filter(({ short }) => wanted === undefined || short === wanted);
    return Promise.resolve(
      ok({
        columnsOfEveryRow: Object.entries(helpOfRowColumns()).map(([column, help]) => ({ column, help })),
        operations: operations.map((operation) => ({
          operation: operation.short,
          path: operation.path,
          title: operation.title,
          help: operation.help,
          gives: operation.output,
          needsOneOf: [...operation.senseFields],
          ...(wanted !== undefined && {
            columns: columnsOf(operation).map(({ column, field }) => ({ column, type: field.type, help: field.help })),
          }),
        })),
      }),
    );
  },
});

const checkSheet = doorCommand({
  name: 'check_sheet',
  title: 'Check a sheet',
  description:
    'Says everything that is wrong with a sheet, by row and column and with a remedy, how many paid requests it asks for, and what they cost by the prices of the profile. Sends nothing and keeps nothing.',
  effect: 'looks',
  input: givenSheet,
  output: z.object({
    rows: z.int(),
    runnableRows: z.int().describe('Rows without an error that are not skipped.'),
    requests: z.int().describe('Paid requests that they ask for.'),
    costs: z.array(moneyView),
    requestsWithoutPrice: z.int(),
    errors: z.int(),
    warnings: z.int(),
    columns: z.array(z.object({ header: z.string(), column: z.string(), also: z.array(z.string()) })),
    problems: z.array(sheetProblemView).describe('Errors first, 200 at most.'),
  }),
  run: async (host, given) => {
    const read = await readGivenSheet(host, given);
    if (!read.ok) return read;
    const { sheet, meaning } = read.value;
    const { costs, takesWithoutPrice } = costsOf(runnableRows(sheet), (await host.gateways()).profile.prices);
    const errors = sheet.problems.filter(({ severity }) => severity === 'error').length;
    return ok({
      rows: sheet.rows.length,
      runnableRows: runnable(sheet).rows,
      requests: runnable(sheet).submits,
      costs: [...costs],
      requestsWithoutPrice: takesWithoutPrice,
      errors,
      warnings: sheet.problems.length - errors,
      columns: describeColumns(sheet.headers, meaning.mapping).map(({ header, column, also }) => ({
        header,
        column,
        also: [...also],
      })),
      problems: problemViews(sheet.problems),
    });
  },
});

const isoMoment = z.iso.datetime();
const counted = z.object({ rows: z.int(), requests: z.int() });

const planRun = doorCommand({
  name: 'plan_run',
  title: 'Forecast a run',
  description:
    'Says what a run of a sheet, or of the rest of a batch, would be: requests, cost, begin and end, disk space. Sends nothing and keeps nothing.',
  effect: 'looks',
  input: givenSheet.extend({
    batchId: batchId.optional().describe('A batch, in place of a sheet.'),
    maxRequests: z.int().min(1).max(1_000_000).optional().describe('With this request limit.'),
    maxCost: givenMoney.optional().describe('With this spending limit.'),
  }),
  output: z.object({
    rows: z.int(),
    requests: z.int().describe('Paid requests that it makes within its limits and those of the user.'),
    costs: z.array(moneyView),
    again: z
      .object({ times: z.int(), requests: z.int(), cost: z.array(moneyView) })
      .nullable()
      .describe('What comes on top at most, where the gates of the batch have flagged files rendered again.'),
    unpriced: z.array(z.object({ operation: operationPath, requests: z.int() })),
    begins: isoMoment,
    ends: isoMoment.nullable().describe('Most likely.'),
    endsBetween: z.array(isoMoment).nullable(),
    times: z.enum(FORECAST_SOURCES).describe('By what this gateway was seen to take, by what is usual, or by both.'),
    disk: z.object({ needed: z.number(), free: z.number().nullable() }),
    beyondLimit: z.int().describe('Requests that a limit keeps from being made.'),
    held: counted,
    duplicates: counted,
    invalidRows: z.int(),
    canary: z.boolean().describe('One row of each kind goes first.'),
    cap: limitView.optional().describe('What this door may spend in a night, whatever is forecast here.'),
    problems: z.array(sheetProblemView),
  }),
  run: async (host, { batchId: wanted, maxRequests, maxCost, ...given }) => {
    const limits = present({ maxSubmits: maxRequests, maxCost });
    const hasSheet = [given.csv, given.rows, given.file].some((one) => one !== undefined);
    if (wanted !== undefined && hasSheet) {
      return refusal('invalid-input', 'A sheet and a batch are given.', 'Give one of them.');
    }
    const planned = wanted === undefined ? await planSheet(host, given, limits) : await planBatch(host, wanted, limits);
    if (!planned.ok) return planned;
    const { forecast, folder, isTried, problems } = planned.value;
    const free = folder === undefined ? undefined : await freeBytes(folder);
    const document = planDocument({
      title: '',
      forecast,
      folder: '',
      freeBytes: free,
      isTried,
      problems,
      now: Date.now(),
    });
    const { again, costs, unpriced, endsBetween } = document;
    return ok({
      ...document,
      again: again && { ...again, cost: [...again.cost] },
      costs: [...costs],
      unpriced: [...unpriced],
      endsBetween: endsBetween && [...endsBetween],
      problems: problemViews(problems),
      ...(host.options.cap && { cap: toLimitView(host.options.cap) }),
    });
  },
});

interface Planned {
  readonly forecast: Forecast;
  readonly folder: string | undefined;
  readonly isTried: boolean;
  readonly problems: readonly SheetProblem[];
}

type GivenLimits = Pick<RunSettings, 'maxSubmits' | 'maxCost'>;

async function planSheet(
  host: DoorHost,
  given: z.output<typeof givenSheet>,
  limits: GivenLimits,
): Promise<DoorAnswer<Planned>> {
  const read = await readGivenSheet(host, given);
  if (!read.ok) return read;
  const { sheet } = read.value;
  const rows = runnableRows(sheet);
  const gateways = await host.gateways();
  const unheld = whyNotHeld(
    gateways,
    limits.maxCost,
    rows.flatMap(({ operation }) => operation ?? []),
  );
  if (unheld !== undefined) return err(unheld);
  const invalid = sheet.rows.filter(({ skip }) => !skip).length - rows.length;
  const rehearsal = host.isRehearsing;
  const isTried = isCanaryUsual(rows.length, rehearsal);
  const settings: RunSettings = {
    ...gateways,
    rehearsal,
    ...limits,
    ...(isTried ? { canary: 'first' as const } : {}),
  };
  const work = workOfRows(rows, invalid);
  const now = Date.now();
  const known = await host.look(async ({ store }) => ok(await foretellRun(store, work, settings, now)));
  // Without a store, nothing is known about the gateway yet.
  const forecast = known.ok ? known.value : foretell(work, NO_FACTS, termsOf(settings, now));
  return ok({ forecast, folder: host.options.out, isTried, problems: sheet.problems });
}

function planBatch(host: DoorHost, wanted: string, limits: GivenLimits): Promise<DoorAnswer<Planned>> {
  return host.look(async ({ store }): Promise<DoorAnswer<Planned>> => {
    const batch = await store.batch(wanted);
    if (batch === undefined) return refusal('not-found', 'There is no such batch.', 'Ask for list_batches.');
    const now = Date.now();
    const work = await store.waitingWork(wanted, now);
    const unheld = whyNotHeld(
      batch.settings,
      limits.maxCost,
      work.kinds.map(({ operation }) => operation),
    );
    if (unheld !== undefined) return err(unheld);
    const forecast = await foretellRun(store, work, { ...batch.settings, ...limits }, now, wanted);
    const { folder, canary } = batch.settings;
    return ok({ forecast, folder, isTried: canary !== undefined, problems: [] });
  });
}

const SHEET_NAME = /^(?![.\s-])[\p{L}\p{N} ._-]{1,100}(?<![.\s])$/u;

const writeSheet = doorCommand({
  name: 'write_sheet',
  title: 'Write a sheet',
  description:
    'Writes a sheet as a CSV file into the first folder that the user named with --sheets, for the user to open in Nocturne or in a spreadsheet program. A cell that such a program would run as a formula gets an apostrophe in front, and the sheet the columns of results, by which Nocturne knows it and reads what was meant. Never replaces a file.',
  effect: 'changes',
  input: z.strictObject({
    name: z
      .string()
      .min(1)
      .max(100)
      .regex(
        SHEET_NAME,
        'is no name for a file here. → Use letters, digits, spaces, dots, - and _, and begin with a letter, a digit or _.',
      )
      .describe('The name of the file, without .csv: letters, digits, spaces, dots, - and _.'),
    csv: sheetContent.csv,
    rows: sheetContent.rows,
  }),
  output: z.object({
    file: z.string().describe('Relative to the folder: check_sheet takes it as file.'),
    path: z.string(),
  }),
  run: async (host, { name, csv, rows }) => {
    const [folder] = host.options.sheetFolders;
    if (folder === undefined) {
      return refusal('refused', 'This door writes no files.', 'The user starts it with --sheets DIR.');
    }
    if ((csv === undefined) === (rows === undefined)) {
      return refusal('invalid-input', 'A sheet is given as csv or rows.', 'Give one of them.');
    }
    const harmless = await harmlessSheet(host, { csv, rows });
    if (!harmless.ok) return harmless;
    const file = `${name.replace(/\.csv$/iu, '')}.csv`;
    const target = path.join(folder, file);
    try {
      await writeFile(target, harmless.value, { flag: 'wx' });
    } catch (error) {
      const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
      if (isThere) return refusal('refused', `${file} exists already, and is not replaced.`, 'Give another name.');
      const why = error instanceof Error ? error.message : String(error);
      return refusal('refused', `${file} cannot be written: ${why}`, 'The user makes the folder of --sheets writable.');
    }
    return ok({ file, path: target });
  },
});

export const SHEET_COMMANDS = [describeOperations, checkSheet, planRun, writeSheet];
