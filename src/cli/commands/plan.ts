/** `nocturne plan`: what a run would be like, before anything is sent. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { foretellRun, freeBytes } from '../../engine/index.ts';
import { present } from '../../shared/domain/base/result.ts';
import { runnableRows } from '../../shared/domain/sheet/row.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { isCanaryUsual, withCanary } from '../../shared/domain/task/canary.ts';
import { foretell, type Forecast } from '../../shared/domain/task/forecast/forecast.ts';
import { NO_FACTS, type WaitingWork } from '../../shared/domain/task/forecast/run-facts.ts';
import { termsOf, workOfRows, type RunSettings } from '../../shared/domain/task/forecast/run-terms.ts';
import type { Console } from '../console.ts';
import { EXIT, type ExitCode, wrongUsage } from '../ending.ts';
import { planDocument, planLines, type Planned } from '../plan-text.ts';
import { finderOf, gatewaysOf, keysFor, namesOf, pricesOf } from '../accounts.ts';
import { filesPlaceOf, type FilesPlaceOptions } from '../files-place/given-place.ts';
import { gatesOf, mediaFolderOf, profileOf, sheetReading } from '../given.ts';
import { lookedAt, namedBatch, withStore } from '../with-store.ts';
import type {
  AccountOptions,
  CommonOptions,
  GateOptions,
  MeaningOptions,
  SheetOptions,
} from '../options/common-options.ts';
import { scheduleOf, type ScheduleOptions } from '../options/schedule-options.ts';
import { spendingOf, type SpendingOptions } from '../options/spending-options.ts';
import { sheetMeaning } from '../sheet-meaning.ts';
import { loadRunnableSheet } from './run.ts';

export interface PlanCommandOptions
  extends
    AccountOptions,
    SheetOptions,
    MeaningOptions,
    ScheduleOptions,
    SpendingOptions,
    GateOptions,
    FilesPlaceOptions {
  readonly accountKey?: readonly string[];
  readonly out?: string;
  readonly canary?: boolean;
}

/** Says what a run of a sheet, or of the rest of a batch, would be like; sends nothing. */
export async function planCommand(console: Console, named: string, options: PlanCommandOptions): Promise<ExitCode> {
  const planned = existsSync(path.resolve(named))
    ? await planOfSheet(console, path.resolve(named), options)
    : await planOfBatch(noSheet(named), options);
  console.document(planDocument(planned));
  for (const line of planLines(planned)) console.line(line);
  return EXIT.done;
}

/** What looks like a file is not the name of a batch. */
function noSheet(named: string): string {
  if (!/[\\/]|\.(?:csv|tsv|txt|xlsx|ods)$/i.test(named)) return named;
  throw wrongUsage(`There is no file ${named}.`, 'Give the sheet, or the id or the name of a batch.');
}

async function planOfSheet(console: Console, sheetPath: string, options: PlanCommandOptions): Promise<Planned> {
  const gateways = gatewaysOf(options);
  const { prices } = gateways.profile;
  const { maxSubmits, maxCost } = spendingOf(options, pricesOf(gateways));
  const schedule = scheduleOf(options, undefined, Date.now());
  const meaning = await sheetMeaning(console, options);
  // Nothing is sent, but a cell that holds one of the keys is an error in the sheet.
  const keyFinder = finderOf(keysFor(gateways, options));
  console.hideKeys(keyFinder);
  const filesPlace = filesPlaceOf(options);
  const own = { ...namesOf(gateways), ...present({ filesPlace }) };
  const reading = { ...sheetReading(options), ...meaning, prices, ...own, keyFinder };
  const sheet = await loadRunnableSheet(console, sheetPath, reading);
  const rows = runnableRows(sheet);
  const invalid = sheet.rows.filter(({ skip }) => !skip).length - rows.length;
  const isTried = options.canary ?? isCanaryUsual(rows.length, false);
  const settings: RunSettings = {
    ...gateways,
    rehearsal: false,
    ...present({ maxSubmits, maxCost, schedule, gates: gatesOf(options, undefined) }),
    ...(isTried ? { canary: 'first' as const } : {}),
  };
  const forecast = await foretellSheet(options, workOfRows(rows, invalid), settings);
  return plannedOf(sheetPath, forecast, options.out ?? '.', isTried, sheet.problems);
}

/** Based on what the store knows about the gateway and what was spent; on nothing if there is no store yet. */
async function foretellSheet(options: CommonOptions, work: WaitingWork, settings: RunSettings): Promise<Forecast> {
  const opened = lookedAt(options);
  if (!opened.ok) return foretell(work, NO_FACTS, termsOf(settings, Date.now()));
  try {
    return await foretellRun(opened.value.store, work, settings, Date.now());
  } finally {
    opened.value.close();
  }
}

async function planOfBatch(named: string, options: PlanCommandOptions): Promise<Planned> {
  return withStore(options, async ({ store }) => {
    const batch = await namedBatch(store, named);
    const { settings } = batch;
    const isOther = options.profile !== undefined || options.baseUrl !== undefined;
    const profile = isOther ? profileOf(options) : settings.profile;
    const { maxSubmits, maxCost } = spendingOf(options, pricesOf({ ...settings, profile }));
    const isTried = options.canary ?? settings.canary !== undefined;
    const now = Date.now();
    const schedule = scheduleOf(options, settings.schedule, now);
    const work = await store.waitingWork(batch.id, now);
    const { maxCost: limit, schedule: _, gates: own, ...rest } = settings;
    const gates = gatesOf(options, own);
    // A lifted limit is left out; the schedule is the batch's own unless the options say otherwise.
    const kept = { ...rest, ...present({ maxSubmits: maxSubmits ?? rest.maxSubmits, schedule, gates }) };
    const cost = options.maxCost === undefined ? limit : maxCost;
    const wanted = { ...withCanary({ ...kept, ...present({ maxCost: cost }) }, isTried), profile };
    const forecast = await foretellRun(store, work, wanted, now, batch.id);
    const folder = options.out ?? settings.folder;
    return plannedOf(`${batch.name} (${batch.id})`, forecast, folder, isTried, []);
  });
}

async function plannedOf(
  title: string,
  forecast: Forecast,
  folder: string,
  isTried: boolean,
  problems: readonly SheetProblem[],
): Promise<Planned> {
  const free = await freeBytes(mediaFolderOf(folder));
  return { title, forecast, folder, isTried, problems, freeBytes: free, now: Date.now() };
}
