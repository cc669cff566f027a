/**
 * Which S3 server, and with which credentials, read as AWS's own tools read them. They are kept in no store and in no
 * file of ours.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { failure, type Failure } from '../../../shared/domain/base/failure.ts';
import { reason } from '../../../shared/domain/base/reason.ts';
import { err, ok, present, type Result } from '../../../shared/domain/base/result.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface S3Settings {
  /** Without a slash at its end; undefined for AWS itself. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly credentials: S3Credentials;
}

/** The variables that are looked at, as in `process.env`. */
export type S3Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings; the failure says what is missing. Reads the shared credentials file only if it is needed. */
export function readS3Settings(environment: S3Environment): Result<S3Settings, Failure> {
  const endpoint = endpointOf(filled(environment, 'AWS_ENDPOINT_URL_S3') ?? filled(environment, 'AWS_ENDPOINT_URL'));
  if (!endpoint.ok) return endpoint;
  const named = filled(environment, 'AWS_REGION') ?? filled(environment, 'AWS_DEFAULT_REGION');
  if (named === undefined && endpoint.value === undefined) return err(failure('DISK_DENIED', reason('noRegion')));
  const credentials = credentialsIn(environment);
  if (!credentials.ok) return credentials;
  return ok({ endpoint: endpoint.value, region: named ?? 'us-east-1', credentials: credentials.value });
}

function endpointOf(text: string | undefined): Result<string | undefined, Failure> {
  if (text === undefined) return ok(undefined);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (url === undefined || !isPlain || !['http:', 'https:'].includes(url.protocol))
    return err(failure('DISK_DENIED', reason('badEndpoint')));
  return ok(url.href.replace(/\/+$/u, ''));
}

function credentialsIn(environment: S3Environment): Result<S3Credentials, Failure> {
  const accessKeyId = filled(environment, 'AWS_ACCESS_KEY_ID');
  const secretAccessKey = filled(environment, 'AWS_SECRET_ACCESS_KEY');
  const profile = filled(environment, 'AWS_PROFILE');
  // As with AWS's tools, keys in the environment take precedence over a profile.
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return ok({ accessKeyId, secretAccessKey, ...present({ sessionToken: filled(environment, 'AWS_SESSION_TOKEN') }) });
  const file = filled(environment, 'AWS_SHARED_CREDENTIALS_FILE') ?? join(homedir(), '.aws', 'credentials');
  const found = sectionOf(file, profile ?? 'default');
  const own = found?.get('aws_access_key_id');
  const secret = found?.get('aws_secret_access_key');
  if (own !== undefined && secret !== undefined)
    return ok({
      accessKeyId: own,
      secretAccessKey: secret,
      ...present({ sessionToken: found?.get('aws_session_token') }),
    });
  return err(failure('DISK_DENIED', reason('noCredentials', file, profile ?? '')));
}

/** The keys of one section of a file such as `~/.aws/credentials`; undefined if neither can be read. */
function sectionOf(file: string, name: string): ReadonlyMap<string, string> | undefined {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  let found: Map<string, string> | undefined;
  let isOurs = false;
  for (const line of text.split(/\r?\n/u)) {
    const section = /^\s*\[\s*(.+?)\s*\]/u.exec(line)?.[1];
    if (section !== undefined) {
      isOurs = section === name;
      if (isOurs) found ??= new Map();
      continue;
    }
    const [, key, value] = /^\s*([a-z_]+)\s*=\s*(\S+)\s*$/iu.exec(line) ?? [];
    if (isOurs && key !== undefined && value !== undefined) found?.set(key.toLowerCase(), value);
  }
  return found;
}

function filled(environment: S3Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === '' ? undefined : value;
}
