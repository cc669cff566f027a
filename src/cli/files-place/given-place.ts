/** The place for files of this computer, as `--files-place FILE` names it. */
import path from 'node:path';
import { checkLocalFiles, type LoadedSheet, type SheetFiles } from '../../engine/index.ts';
import { formatBytes } from '../../shared/domain/base/text.ts';
import { present } from '../../shared/domain/base/result.ts';
import { parseBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import {
  filesPlace,
  placeText,
  putFilesText,
  type FilesPlace,
  type PutFiles,
} from '../../shared/domain/places/files-place.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { Console } from '../console.ts';
import { count } from '../describe.ts';
import { wrongUsage } from '../ending.ts';
import { readJsonFile, readSecretFile } from '../given.ts';
import { serverOf } from '../open-store.ts';
import type { CommonOptions } from '../options.ts';

/** The option that names a place. */
export interface FilesPlaceOptions extends CommonOptions {
  readonly filesPlace?: string;
}

const FIELDS = 'Its fields are in docs/local-files.md.';

/** Reads the file of `--files-place`, if one is given. Throws {@link CommandFailure} with everything wrong in it. */
export function filesPlaceOf(options: FilesPlaceOptions): FilesPlace | undefined {
  const named = options.filesPlace;
  if (named === undefined) return undefined;
  if (serverOf(options) !== undefined) {
    throw wrongUsage(
      '--files-place is for a store on this computer: the workers of a store on a server do not have its files.',
      'Put the files on the web yourself and write their addresses, or run the sheet without --store.',
    );
  }
  const file = path.resolve(named);
  const parsed = filesPlace.safeParse(readJsonFile(named, FIELDS));
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.') || named}: ${issue.message}`);
    throw wrongUsage(`The file ${named} cannot be used:\n${lines.join('\n')}`, FIELDS);
  }
  const place = withWholePaths(parsed.data, path.dirname(file));
  const bucket = place.s3 && parseBucketAddress(place.s3.bucket);
  if (bucket?.ok === false) throw wrongUsage(`${named}, s3.bucket: ${bucket.error}`, 'Give it as s3://BUCKET/PREFIX.');
  const { passwordFile } = place.webdav ?? {};
  // Now, not in the middle of the night.
  if (passwordFile !== undefined && !process.env['NOCTURNE_FILES_PASSWORD']) readSecretFile('password', passwordFile);
  return place;
}

/** What the file names beside it is there for every later process. */
function withWholePaths(place: FilesPlace, folder: string): FilesPlace {
  const whole = (named: string | undefined): string | undefined => named && path.resolve(folder, named);
  const { s3, webdav, folders } = place;
  return {
    ...place,
    ...(s3 === undefined ? {} : { s3: { ...s3, ...present({ credentialsFile: whole(s3.credentialsFile) }) } }),
    ...(webdav === undefined
      ? {}
      : { webdav: { ...webdav, ...present({ passwordFile: whole(webdav.passwordFile) }) } }),
    ...(folders === undefined ? {} : { folders: folders.map((one) => path.resolve(folder, one)) }),
  };
}

/** A sheet with what is wrong with the files of this computer that it names; without a place, as it is. */
export async function withFilesOf(
  sheet: LoadedSheet,
  sheetPath: string,
  place: FilesPlace | undefined,
): Promise<SheetFiles<LoadedSheet>> {
  return place === undefined ? { sheet, files: [] } : checkLocalFiles(sheet, place, path.dirname(sheetPath));
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
    `${count(bytes.size, 'local file')}, ${formatBytes(sum)}, for ${placeText(place)}: each is put there once, before a row that names it is paid`,
  );
}

/** What has become of the files that were put for a batch, for scripts; nothing where none is to be deleted. */
export function putFilesFacts({ settings }: Pick<BatchRecord, 'settings'>, files: PutFiles): object {
  const place = settings.filesPlace;
  return putFilesText(place, files) === undefined ? {} : { putFiles: files };
}
