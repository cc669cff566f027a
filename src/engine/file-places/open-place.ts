/** Opens a place with the present settings and secrets. */
import { readFileSync, statSync } from 'node:fs';
import type { Dispatcher } from 'undici';
import { reason, systemSays, type Reason } from '../../shared/domain/base/reason.ts';
import { assertNever, err, ok, type Result } from '../../shared/domain/base/result.ts';
import { wayOf, type FilesPlace } from '../../shared/domain/places/files-place.ts';
import type { Clock } from '../ports/base.ts';
import { openCommandFiles } from './command-files.ts';
import type { FileStore } from './put-file.ts';
import { openWebdavFiles } from './webdav-files.ts';

/** What a place is opened with. */
export interface PlaceSurroundings {
  readonly clock: Clock;
  /** Where secrets may be, as in `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly dispatcher: Dispatcher;
}

/** The place; the error says what is missing. */
export async function openFilesPlace(
  place: FilesPlace,
  { clock, environment, dispatcher }: PlaceSurroundings,
): Promise<Result<FileStore, Reason>> {
  const way = wayOf(place);
  switch (way.kind) {
    case 's3': {
      // Loaded only where a bucket is used.
      const { openS3Files } = await import('./s3-files.ts');
      return openS3Files(way.s3, environment, clock);
    }
    case 'webdav': {
      const password = passwordFrom(way.webdav.passwordFile, environment);
      return password.ok ? ok(openWebdavFiles(way.webdav, password.value, dispatcher)) : password;
    }
    case 'command':
      return ok(openCommandFiles(way.command, clock));
    default:
      return assertNever(way);
  }
}

/** The password for a place: read when it is needed, and kept nowhere. */
export function passwordFrom(
  file: string | undefined,
  environment: PlaceSurroundings['environment'],
): Result<string | undefined, Reason> {
  const said = environment['NOCTURNE_FILES_PASSWORD'];
  if (said !== undefined && said !== '') return ok(said);
  if (file === undefined) return ok(undefined);
  try {
    const found = statSync(file);
    if (!found.isFile()) return err(reason('place.passwordNotPlain', file));
    if (process.getuid?.() === found.uid && (found.mode & 0o077) !== 0) return err(reason('place.passwordOpen', file));
    return ok(readFileSync(file, 'utf8').replace(/\r?\n$/u, ''));
  } catch (error) {
    return err(reason('place.passwordUnreadable', file, systemSays(error)));
  }
}
