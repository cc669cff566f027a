/** The file in which a user describes a place for files from this computer. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { reason, say, systemSays, type Reason } from '../../shared/domain/base/reason.ts';
import { parseBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import { filesPlace, type FilesPlace } from '../../shared/domain/places/files-place.ts';
import { err, ok, present, type Result } from '../../shared/domain/base/result.ts';
import { passwordFrom, type PlaceSurroundings } from './open-place.ts';

const MAX_BYTES = 1 << 20;

/** What is wrong with such a file, and what to do about it. */
export interface PlaceFileProblem {
  readonly message: string;
  readonly remedy: string;
}

/** Reads a place from a plain file. */
export function readFilesPlace(
  file: string,
  environment: PlaceSurroundings['environment'],
): Result<FilesPlace, PlaceFileProblem> {
  const json = readJson(file);
  return json.ok ? filesPlaceIn(json.value, file, environment) : json;
}

/**
 * What such a file says. Makes sure now that the password can be read, rather than in the middle of the night.
 * @param named As the user has named the file; paths in it begin in its folder.
 */
export function filesPlaceIn(
  json: unknown,
  named: string,
  environment: PlaceSurroundings['environment'],
): Result<FilesPlace, PlaceFileProblem> {
  const parsed = filesPlace.safeParse(json);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.') || named}: ${issue.message}`);
    return wrong(reason('place.fileUnusable', named, lines.join('\n')));
  }
  const place = withWholePaths(parsed.data, path.dirname(path.resolve(named)));
  const bucket = place.s3 && parseBucketAddress(place.s3.bucket);
  if (bucket?.ok === false) return wrong(reason('place.fileBucket', named, bucket.error), 'place.nameBucket');
  const password = passwordFrom(place.webdav?.passwordFile, environment);
  return place.webdav === undefined || password.ok ? ok(place) : wrong(password.error, 'place.namePassword');
}

function readJson(file: string): Result<unknown, PlaceFileProblem> {
  try {
    if (!statSync(file).isFile()) return wrong(reason('place.fileNotRegular', file), 'place.nameJson');
    const bytes = readFileSync(file);
    if (bytes.length > MAX_BYTES) return wrong(reason('place.fileTooLarge', file), 'place.nameJson');
    const text = bytes.toString('utf8').replace(/^\uFEFF/u, '');
    // Given a picture, the parser would only quote its first bytes.
    if (/[\0\uFFFD]/u.test(text)) return wrong(reason('place.fileNotText', file), 'place.nameJson');
    return ok(JSON.parse(text));
  } catch (error) {
    const isRead = error instanceof SyntaxError;
    return wrong(reason(isRead ? 'place.fileNotJson' : 'place.fileUnreadable', file, systemSays(error)));
  }
}

type Remedy = 'place.nameJson' | 'place.nameBucket' | 'place.namePassword' | 'place.fields';

function wrong(said: Reason, remedy: Remedy = 'place.fields'): Result<never, PlaceFileProblem> {
  return err({ message: say(said), remedy: say(reason(remedy)) });
}

/** Paths relative to the file then work for every later process. */
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
