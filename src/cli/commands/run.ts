import path from 'node:path';
import { loadSheet, type Engine, type LoadedSheet, type LoadOptions } from '../../engine/index.ts';
import type { Money } from '../../shared/domain/base/money.ts';
import { present } from '../../shared/domain/base/result.ts';
import type { BatchRecord, BatchSettings, SheetSettings } from '../../shared/domain/task/batch.ts';
import type { GateSettings } from '../../shared/domain/gates/gate-settings.ts';
import { isCanaryUsual } from '../../shared/domain/task/canary.ts';
import type { Schedule } from '../../shared/domain/task/schedule.ts';
import { DEFAULT_NAME_TEMPLATE } from '../../shared/domain/files/naming.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import type { FilesPlace } from '../../shared/domain/places/files-place.ts';
import { isSheetRefused, runnableRows, type CheckedSheet, costsOf, costText } from '../../shared/domain/sheet/row.ts';
import type { Console } from '../console.ts';
import { count, matchesApart, problemTexts } from '../describe.ts';
import { type ExitCode, wrongUsage } from '../ending.ts';
import {
  finderOf,
  gatewaysOf,
  giveKeys,
  namesOf,
  pricesOf,
  refuseUnpricedAt,
  requireKeys,
  warnOfUnpriced,
} from '../accounts.ts';
import { refuseOlderCopy, withEngine } from '../open-engine.ts';
import { realFolder, warnOfOtherBatch } from '../other-batch.ts';
import { filesPlaceOf, sayFiles, withFilesOf, type FilesPlaceOptions } from '../files-place/given-place.ts';
import { gatesOf, mediaFolderOf, sheetReading } from '../given.ts';
import type {
  AccountOptions,
  GateOptions,
  KeyOptions,
  MeaningOptions,
  NightOptions,
  SheetOptions,
} from '../options/common-options.ts';
import { runToRest } from '../run-batch.ts';
import { scheduleOf, type ScheduleOptions } from '../options/schedule-options.ts';
import type { Telling } from '../telling.ts';
import { spendingOf, type SpendingOptions } from '../options/spending-options.ts';
import { settingsOf, sheetMeaning } from '../sheet-meaning.ts';
import { afterNightOf, thenDo } from '../then.ts';
import { runnable } from './check.ts';
import { readTelling } from './notify.ts';

export interface RunOptions
  extends
    AccountOptions,
    KeyOptions,
    SheetOptions,
    MeaningOptions,
    NightOptions,
    ScheduleOptions,
    SpendingOptions,
    GateOptions,
    FilesPlaceOptions {
  readonly out: string;
  readonly name?: string;
  readonly canary?: boolean;
  readonly pick?: true;
}

/** Imports a sheet and renders it. */
export async function runCommand(console: Console, sheetFile: string, options: RunOptions): Promise<ExitCode> {
  const gateways = gatewaysOf(options);
  const { profile } = gateways;
  if (profile.baseUrl === '') {
    throw wrongUsage(
      'No gateway given.',
      'Give --base-url URL, or a profile with a baseUrl. To try Nocturne without a gateway: nocturne demo',
    );
  }
  const keys = requireKeys(gateways, options);
  const keyFinder = finderOf(keys);
  console.hideKeys(keyFinder);
  const { maxSubmits, maxCost, fuse } = spendingOf(options, pricesOf(gateways));
  const schedule = scheduleOf(options, undefined, Date.now());
  const gates = gatesOf(options, undefined);
  const telling = options.notify === undefined ? undefined : readTelling(options.notify);
  const filesPlace = filesPlaceOf(options);
  const sheetPath = path.resolve(sheetFile);
  const meaning = await sheetMeaning(console, options);
  const { prices } = profile;
  const sheet = await loadRunnableSheet(console, sheetPath, {
    keyFinder,
    prices,
    ...namesOf(gateways),
    ...sheetReading(options),
    ...meaning,
    folder: mediaFolderOf(options.out),
    ...present({ filesPlace }),
  });
  const operations = runnableRows(sheet).flatMap(({ operation }) => operation ?? []);
  refuseUnpricedAt(gateways, maxCost, operations);
  warnOfUnpriced(console, gateways, maxCost, operations);
  const after = afterNightOf(options.then);
  return thenDo(console, after, () =>
    withEngine(options, async (engine) => {
      // The copy may not know that this sheet has been paid for already.
      refuseOlderCopy(engine, `${sheetPath} was not imported, and nothing was sent.`);
      await giveKeys(console, engine, gateways, keys, options);
      await warnOfSecondRun(console, engine, sheetPath, planText(sheet, profile));
      return bringInAndRun(console, engine, {
        sheet,
        sheetPath,
        sheetSettings: settingsOf(meaning, sheet.source),
        name: options.name ?? path.parse(sheetPath).name,
        folder: mediaFolderOf(options.out),
        ...gateways,
        ...present({ maxSubmits, maxCost, fuse }),
        canary: options.canary ?? isCanaryUsual(runnable(sheet).rows, false),
        rehearsal: false,
        ...present({ telling, schedule, gates, filesPlace, picks: options.pick }),
      });
    }),
  );
}

/** Before a run, no more mistakes than these are printed; `check` prints all. */
const MISTAKES_TOLD = 6;

/**
 * Reads a sheet before it runs and prints what is wrong with it, errors first. Throws {@link CommandFailure} if no row
 * can run.
 */
export async function loadRunnableSheet(
  console: Console,
  sheetPath: string,
  { filesPlace, folder, ...reading }: LoadOptions & Partial<Pick<SheetToRun, 'filesPlace' | 'folder'>> = {},
): Promise<LoadedSheet> {
  const loaded = await loadSheet(sheetPath, { ...reading, putsFiles: filesPlace !== undefined });
  const { sheet, files } = await withFilesOf(loaded, sheetPath, filesPlace, folder);
  const { rest: wrong } = matchesApart(sheet, reading.mapping);
  const texts = problemTexts(wrong, sheet).toSorted(
    (a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'),
  );
  for (const { text } of texts.slice(0, MISTAKES_TOLD)) console.problem(text);
  const more = texts.length - MISTAKES_TOLD;
  if (more > 0) console.problem(`and ${count(more, 'other problem')} of the sheet; see: nocturne check SHEET`);
  const { rows } = runnable(sheet);
  if (isSheetRefused(sheet) || rows === 0) {
    console.event('problems', { problems: sheet.problems });
    throw wrongUsage(
      isSheetRefused(sheet) ? `${sheetPath} cannot be imported.` : `${sheetPath} has no row that can run.`,
      'Correct the errors above; nothing was sent. Check the sheet again with: nocturne check SHEET',
    );
  }
  const invalid = sheet.rows.filter((row) => !row.skip).length - rows;
  if (invalid > 0) console.problem(`${count(invalid, 'row')} cannot run and will be left out; the others run.`);
  sayFiles(console, { files }, filesPlace);
  return sheet;
}

/** Importing the same file twice means paying twice: the warning comes before that happens. */
async function warnOfSecondRun(console: Console, engine: Engine, sheetPath: string, cost: string): Promise<void> {
  const earlier = (await engine.store.batches()).findLast((batch) => batch.sheetPath === sheetPath);
  if (earlier === undefined) return;
  console.problem(
    `warning: ${sheetPath} was imported before as ${earlier.id}; this run renders and pays for all of it again: ${cost}.\n` +
      `    → To render only what is new or changed in it instead: nocturne update ${earlier.id}; to continue it as it was: nocturne resume ${earlier.id}`,
  );
}

/** `71 paid requests, 6.40 USD by the profile’s prices`; only the requests if the profile has no prices. */
function planText(sheet: CheckedSheet, profile: Profile): string {
  const submits = count(runnable(sheet).submits, 'paid request');
  const costs = costText(costsOf(runnableRows(sheet), profile.prices));
  return costs === '' ? submits : `${submits}, ${costs} by the profile’s prices`;
}

/** A sheet with everything that a batch is made from. */
export interface SheetToRun {
  readonly sheet: CheckedSheet;
  /** Absent if the sheet is not one of the user's files. */
  readonly sheetPath?: string;
  readonly sheetSettings?: SheetSettings;
  readonly name: string;
  readonly folder: string;
  readonly profile: Profile;
  readonly accounts?: BatchSettings['accounts'];
  readonly maxSubmits?: number;
  readonly maxCost?: Money;
  readonly fuse?: number;
  /** One row of each kind first; not by default. */
  readonly canary?: boolean;
  readonly rehearsal: boolean;
  /** Tries the keys of its gateway. */
  readonly probe?: true;
  readonly schedule?: Schedule;
  readonly gates?: GateSettings;
  /** Rows that refer to others wait for the user's pick. */
  readonly picks?: true;
  readonly telling?: Telling;
  /** Where files of this computer go. */
  readonly filesPlace?: FilesPlace;
}

/** Makes a batch from a sheet, starts it and waits until it comes to rest. */
export async function bringInAndRun(console: Console, engine: Engine, input: SheetToRun): Promise<ExitCode> {
  const { sheet, folder, profile } = input;
  const batch = await bringIn(console, engine, input);
  const begin = async (): Promise<void> => {
    const again = batch.taskCount * (input.gates?.again ?? 0);
    const more = again === 0 ? '' : `, up to ${count(again, 'more paid request')} for what gates flag`;
    console.line(
      `Batch ${batch.id}: ${count(batch.rowCount, 'row')}, ${count(batch.taskCount, 'paid request')}${more} → ${folder}`,
    );
    console.event('started', { batch: batch.id, rows: batch.rowCount, submits: batch.taskCount, again, folder });
    await engine.claimFolder(batch.id);
    await engine.start(batch.id);
  };
  const cost = costsOf(runnableRows(sheet), profile.prices);
  return runToRest(console, engine, batch.id, begin, input.telling, cost.costs);
}

/** Makes a batch from a sheet; nothing starts. Throws {@link CommandFailure} if its folder cannot be used. */
export async function bringIn(
  console: Console,
  engine: Engine,
  input: Omit<SheetToRun, 'telling'>,
): Promise<BatchRecord> {
  const { sheet, sheetPath, sheetSettings, name, folder, profile, maxSubmits, maxCost, fuse, canary, rehearsal } =
    input;
  const unwritable = await engine.checkFolder(folder);
  if (unwritable !== undefined) {
    throw wrongUsage(unwritable.message, 'Give another folder with --out, or make this one writable.');
  }
  await warnOfOtherBatch(console, engine.store, folder);
  if (input.filesPlace !== undefined) await engine.allowFilesPlace(input.filesPlace);
  return engine.createBatch({
    sheet,
    ...(sheetPath === undefined ? {} : { sheetPath }),
    ...(sheetSettings === undefined ? {} : { sheetSettings }),
    name,
    settings: {
      folder: realFolder(folder),
      profile,
      filename: DEFAULT_NAME_TEMPLATE,
      ...present({ accounts: input.accounts }),
      ...present({ maxSubmits, maxCost, fuse }),
      ...(canary === true ? { canary: 'first' } : {}),
      rehearsal,
      ...present({ schedule: input.schedule, gates: input.gates, probe: input.probe, filesPlace: input.filesPlace }),
      ...present({ picks: input.picks }),
    },
  });
}
