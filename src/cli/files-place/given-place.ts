/** The place for files of this computer, as `--files-place FILE` names it. */
import path from 'node:path';
import {
  checkLocalFiles,
  filesPlaceIn,
  readPutFiles,
  whyNoPictures,
  type Engine,
  type LoadedSheet,
  type SheetFiles,
} from '../../engine/index.ts';
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { formatBytes } from '../../shared/domain/base/text.ts';
import {
  NO_FILES_THERE,
  placeText,
  putFilesText,
  type FilesPlace,
  type PutFiles,
} from '../../shared/domain/places/files-place.ts';
import { present } from '../../shared/domain/base/result.ts';
import { releasedTasks } from '../../shared/domain/task/plan-tasks.ts';
import { reason, say } from '../../shared/domain/base/reason.ts';
import { costsOf, costText, type Prices } from '../../shared/domain/sheet/row.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { Console } from '../console.ts';
import { count } from '../describe.ts';
import { wrongUsage } from '../ending.ts';
import { readJsonFile } from '../given.ts';
import { serverOf } from '../with-store.ts';
import type { CommonOptions } from '../options/common-options.ts';

/** The option that names a place. */
export interface FilesPlaceOptions extends CommonOptions {
  readonly filesPlace?: string;
}

const PUT_THEM_YOURSELF =
  'Put the files on the web yourself and write their addresses, or run the sheet without --store.';

/** Reads the file of `--files-place`, if one is given. Throws {@link CommandFailure} with everything wrong in it. */
export function filesPlaceOf(options: FilesPlaceOptions): FilesPlace | undefined {
  const named = options.filesPlace;
  if (named === undefined) return undefined;
  if (serverOf(options) !== undefined)
    throw wrongUsage(`--files-place is for a store on this computer: ${NO_FILES_THERE}`, PUT_THEM_YOURSELF);
  const read = filesPlaceIn(readJsonFile(named, say(reason('place.fields'))), named, process.env);
  if (!read.ok) throw wrongUsage(read.error.message, read.error.remedy);
  return read.value;
}

/**
 * A sheet with what is wrong with the files of this computer that it names; without a place, the sheet as it is. @param
 * mediaFolder Where it is known.
 */
export async function withFilesOf(
  sheet: LoadedSheet,
  sheetPath: string,
  place: FilesPlace | undefined,
  mediaFolder?: string,
): Promise<SheetFiles<LoadedSheet>> {
  return place === undefined
    ? { sheet, files: [] }
    : checkLocalFiles(sheet, place, path.dirname(sheetPath), whyNoPictures(mediaFolder));
}

/** What can run now that a batch has a place. */
export interface Opened {
  /** Rows that wait until the user runs them: their batch was started without them. */
  readonly drafts: readonly number[];
  /** Paid requests, as rows with an operation and a number of takes. */
  readonly requests: readonly { readonly operation: OperationPath | undefined; readonly takes: number }[];
}

export const NOTHING_OPENED: Opened = { drafts: [], requests: [] };

/**
 * Gives a batch its place. Rows that name files on this computer could not run without one: with the first place, they
 * are checked again. Nothing is sent.
 */
export async function givePlace(engine: Engine, { id, settings }: BatchRecord, place: FilesPlace): Promise<Opened> {
  const { rows } = engine;
  await engine.allowFilesPlace(place);
  const configure = (): Promise<void> => engine.config.configure(id, (now) => ({ ...now.settings, filesPlace: place }));
  if (settings.filesPlace !== undefined) {
    await configure();
    return NOTHING_OPENED;
  }
  const invalid: number[] = [];
  for await (const { key, problems } of rows.allRows(id)) if (problems.some(isError)) invalid.push(key);
  await engine.editor.checkAfter(id, configure);
  const opened = (await rows.rowsByKeys(id, invalid)).filter(({ problems }) => !problems.some(isError));
  const requests = opened.map(({ row, position, tasks, isDraft }) => {
    const waiting = isDraft
      ? releasedTasks({ row, position, isBlocked: false }, tasks, { batchId: id, now: Date.now() })
      : tasks.filter(({ status }) => status === 'queued');
    return { operation: row.operation, takes: waiting.length };
  });
  return { drafts: opened.filter(({ isDraft }) => isDraft).map(({ key }) => key), requests };
}

/**
 * Says what they cost: `2 rows can run now that there is a place: 2 paid requests, 0.10 USD by the profile’s prices`.
 */
export function sayOpened(console: Console, { requests }: Opened, prices: Prices): void {
  if (requests.length === 0) return;
  const costs = costsOf(requests, prices);
  const submits = requests.reduce((sum, { takes }) => sum + takes, 0);
  console.event('opened', { rows: requests.length, submits, ...costs });
  const cost = costText(costs);
  const words = cost === '' ? '' : `, ${cost} by the profile’s prices`;
  console.line(
    `${count(requests.length, 'row')} can run now that there is a place: ${count(submits, 'paid request')}${words}`,
  );
}

function isError({ severity }: Pick<SheetProblem, 'severity'>): boolean {
  return severity === 'error';
}

/** Says which files go where. */
export function sayFiles(
  console: Console,
  { files }: Pick<SheetFiles<LoadedSheet>, 'files'>,
  place: FilesPlace | undefined,
): void {
  if (place === undefined || files.length === 0) return;
  const bytes = new Map(files.map((file) => [file.path, file.bytes]));
  const sum = [...bytes.values()].reduce((total, one) => total + one, 0);
  console.line(
    `${count(bytes.size, 'local file')}, ${formatBytes(sum)}, for ${placeText(place)}: each is put there once, before a row that names it is paid for`,
  );
}

/** What has become of the files that were put for a batch, for scripts; nothing if none is to be deleted. */
export function putFilesFacts({ settings }: Pick<BatchRecord, 'settings'>, files: PutFiles): object {
  const place = settings.filesPlace;
  return putFilesText(place, files) === undefined ? {} : { putFiles: files };
}

/** The same for a batch that may be at work in another process, also as a line; from what is beside its store. */
export async function readPutFacts(
  dataDir: string,
  batch: Pick<BatchRecord, 'id' | 'settings'>,
): Promise<{ readonly facts: object; readonly line?: string }> {
  const files = await readPutFiles(dataDir, batch);
  return { facts: putFilesFacts(batch, files), ...present({ line: putFilesText(batch.settings.filesPlace, files) }) };
}
