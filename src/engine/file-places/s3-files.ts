/** Files in the user's own bucket, read there through signed or public addresses. */
import type { FilesWay } from '../../shared/domain/places/files-place.ts';
import { parseBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import { saidBy } from '../../shared/domain/base/failure.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { openPlainFile } from '../media-folder/plain-file.ts';
import { openBucket } from '../media-folder/s3/bucket.ts';
import { isPassing } from '../media-folder/s3/s3-failure.ts';
import { readS3Settings, type S3Environment } from '../media-folder/s3/s3-settings.ts';
import { TargetError } from '../media-folder/target.ts';
import type { Clock } from '../ports/base.ts';
import { contentNames, placeFailed, NO_FREE_NAME, type FileStore, type PlaceProblem } from './put-file.ts';

type S3Way = Extract<FilesWay, { kind: 's3' }>['s3'];

const HOUR_S = 3600;

/** The place with the present settings; the error says what is missing. */
export function openS3Files(way: S3Way, environment: S3Environment, clock: Clock): Result<FileStore, Reason> {
  const settings = readS3Settings(environmentFor(way, environment));
  if (!settings.ok) return err(saidBy(settings.error));
  const at = parseBucketAddress(way.bucket);
  if (!at.ok) return err(at.error);
  const bucket = openBucket(at.value, settings.value, { clock });
  return ok({
    async put(copy, signal, beforeSent) {
      const { sha256, bytes, type } = copy;
      const file = await openPlainFile(copy.path);
      try {
        for (const name of contentNames(copy)) {
          const there = await bucket.head(name, signal);
          if (there !== undefined) {
            if (await bucket.matches(name, sha256, bytes, signal)) return { kind: 'put', name, isFound: true };
            continue;
          }
          await beforeSent(name);
          const order = { body: file, bytes, sha256, mediaType: type.mediaType, signal };
          if ((await bucket.put(name, order)) === 'put') return { kind: 'put', name };
          // Somebody else may have put the same content there in the meantime.
          if (await bucket.matches(name, sha256, bytes, signal)) return { kind: 'put', name, isFound: true };
        }
        return NO_FREE_NAME;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof TargetError) return problemOf(error);
        throw error;
      } finally {
        await file.close();
      }
    },
    async remove({ name, sha256, bytes }, signal) {
      try {
        const there = await bucket.head(name, signal);
        if (there === undefined) return { kind: 'gone' };
        if (!(await bucket.matches(name, sha256, bytes, signal))) return { kind: 'changed' };
        return { kind: (await bucket.remove(name, there.tag, signal)) === 'removed' ? 'gone' : 'changed' };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof TargetError)) throw error;
        const problem = problemOf(error);
        if (error.failure.data?.['httpStatus'] !== 403) return problem;
        return { ...problem, said: reason('both', problem.said, reason('place.needsDelete')) };
      }
    },
    addressOf(name) {
      if (way.publicUrl !== undefined) return Promise.resolve(`${way.publicUrl.replace(/\/+$/u, '')}/${name}`);
      return bucket.signedAddress(name, way.addressHours * HOUR_S);
    },
    close: () => bucket.close(),
  });
}

/** The environment as AWS's tools read it, except for what the place itself says. */
function environmentFor(way: S3Way, environment: S3Environment): S3Environment {
  const { profile, credentialsFile, endpoint, region } = way;
  const isOwn = profile !== undefined || credentialsFile !== undefined;
  return {
    ...environment,
    ...(endpoint === undefined ? {} : { AWS_ENDPOINT_URL_S3: endpoint }),
    ...(region === undefined ? {} : { AWS_REGION: region }),
    // Keys in the environment would take precedence over a profile.
    ...(isOwn ? { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_SESSION_TOKEN: undefined } : {}),
    ...(profile === undefined ? {} : { AWS_PROFILE: profile }),
    ...(credentialsFile === undefined ? {} : { AWS_SHARED_CREDENTIALS_FILE: credentialsFile }),
  };
}

function problemOf({ failure: refused }: TargetError): PlaceProblem {
  const { httpStatus, code } = refused.data ?? {};
  if (typeof httpStatus !== 'number') return placeFailed(saidBy(refused), true);
  const passes = isPassing({
    status: httpStatus,
    code: typeof code === 'string' ? code : undefined,
    region: undefined,
  });
  return { ...placeFailed(saidBy(refused), passes), ...(passes ? {} : { ofPlace: true as const }) };
}
