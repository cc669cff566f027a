/** Where a store on PostgreSQL is, as its user writes it. */
import { reason } from '../../../shared/domain/base/reason.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { storeProblem, type StoreProblem } from '../open/store-problem.ts';

/** An address that is well formed. */
export interface StoreAddress {
  /** For the driver; may hold a password. */
  readonly connection: string;
  /** Its tables are in a schema of their own, so that others can be in the same database. */
  readonly schema: string;
  /** The same place in messages: without a password. */
  readonly shown: string;
  /** What the driver goes by besides: the user's `.pgpass`, PGPASSWORD and their like. */
  readonly environment: Readonly<Record<string, string>>;
}

const SCHEMA = 'nocturne';
/** The variables that the driver reads. */
const OF_DRIVER = /^(?:PG[A-Z]+|HOME|USER|USERNAME|APPDATA)$/u;

/** True for what names a store on PostgreSQL, and no folder. */
export function isStoreAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//iu.test(text);
}

/** Takes an address apart: that of the driver, and `?schema=`, which tells several stores in one database apart. */
export function storeAddress(
  text: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Result<StoreAddress, StoreProblem> {
  // Nothing is shown of what is not understood: any part of it may be the password.
  const begun = /^[a-z][a-z0-9+.-]*:\/\//iu.exec(text)?.[0] ?? '';
  if (!isStoreAddress(text)) {
    return err(storeProblem('missing', reason('store.noAddress', begun), reason('storeRemedy.form')));
  }
  const url = parsed(text);
  if (url === undefined) {
    return err(storeProblem('missing', reason('store.addressUnreadable', begun), reason('storeRemedy.formEscaped')));
  }
  const shown = shownOf(url);
  const options = url.searchParams;
  const schema = options.get('schema') ?? SCHEMA;
  if (!/^[a-z_][a-z0-9_]{0,47}$/u.test(schema) || schema.startsWith('pg_')) {
    const said = reason('store.schemaName', shown, JSON.stringify(schema));
    return err(storeProblem('missing', said, reason('storeRemedy.schemaName')));
  }
  const mode = encryptionOf(url, environment);
  if (mode === undefined) {
    return err(storeProblem('missing', reason('store.sslmode', shown), reason('storeRemedy.sslmode')));
  }
  options.delete('schema');
  options.delete('ssl');
  options.set('sslmode', mode);
  return ok({
    connection: url.href,
    schema,
    shown,
    environment: Object.fromEntries(
      Object.entries(environment).flatMap(([name, value]) =>
        value !== undefined && OF_DRIVER.test(name) ? [[name, value]] : [],
      ),
    ),
  });
}

/** An address as it may be kept in a file and shown to its user, and the password that was written in it. */
export interface KeptAddress {
  readonly address: string;
  readonly password?: string;
}

/** Takes the password out of an address; the problem says what is wrong with it. */
export function keptAddress(text: string): Result<KeptAddress, StoreProblem> {
  const trimmed = text.trim();
  const address = storeAddress(trimmed, {});
  if (!address.ok) return address;
  const url = new URL(trimmed);
  const password = url.searchParams.get('password') ?? decoded(url.password);
  url.password = '';
  url.searchParams.delete('password');
  if (password === undefined) {
    return err(storeProblem('missing', reason('store.password', address.value.shown), reason('storeRemedy.escaped')));
  }
  return ok({ address: url.href, ...(password === '' ? {} : { password }) });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function parsed(text: string): URL | undefined {
  try {
    const url = new URL(text);
    // What was meant as a part of the password has ended the host, and stands here.
    const rest = `${url.pathname}${url.search}${url.hash}`;
    return rest.includes('@') || url.hash !== '' || url.pathname.indexOf('/', 1) !== -1 ? undefined : url;
  } catch {
    return undefined;
  }
}

/** The parts of an address that may be shown. */
function shownOf({ protocol, username, host, pathname, searchParams }: URL): string {
  const shown = new URLSearchParams();
  for (const name of ['host', 'port', 'schema']) {
    const value = searchParams.get(name);
    if (value !== null) shown.set(name, value);
  }
  const user = username === '' ? '' : `${username}@`;
  const query = shown.size === 0 ? '' : `?${shown.toString()}`;
  return `${protocol}//${user}${host}${pathname}${query}`;
}

/**
 * How a connection is encrypted, by a word of the driver: to another computer always, by a certificate that is verified,
 * unless the user says otherwise. Undefined for a word that is unknown, or that leaves it to the server.
 */
function encryptionOf(url: URL, environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const host = url.searchParams.get('host') ?? (url.hostname || (environment['PGHOST'] ?? ''));
  const isHere = /^(?:|\/.*|%2f.*|localhost|127\.[\d.]+|\[?::1\]?)$/iu.test(host);
  const ssl = url.searchParams.get('ssl');
  const wanted = url.searchParams.get('sslmode') ?? (ssl === null ? environment['PGSSLMODE'] : SSL_WORDS[ssl]);
  switch (wanted) {
    case undefined:
    case '':
      return ssl === null ? (isHere ? 'disable' : 'verify-full') : undefined;
    case 'disable':
    case 'no-verify':
      return wanted;
    case 'prefer':
    case 'require':
    case 'verify-ca':
    case 'verify-full':
      // To the driver they mean the same; of the others, it warns at every start.
      return 'verify-full';
    default:
      return undefined;
  }
}

const SSL_WORDS: Readonly<Record<string, string>> = {
  true: 'verify-full',
  '1': 'verify-full',
  false: 'disable',
  '0': 'disable',
  'no-verify': 'no-verify',
};
