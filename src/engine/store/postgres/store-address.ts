/** Where a store on PostgreSQL is, as its user writes it. */
import { reason } from '../../../shared/domain/base/reason.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { storeProblem, type StoreProblem } from '../open/store-problem.ts';

/** An address that is well formed. */
export interface StoreAddress {
  /** For the driver; may contain a password. */
  readonly connection: string;
  /** The schema that contains its tables, so that other stores can be in the same database. */
  readonly schema: string;
  /** The same place in messages: without a password. */
  readonly shown: string;
  /** What else the driver uses: the user's `.pgpass`, PGPASSWORD and the like. */
  readonly environment: Readonly<Record<string, string>>;
}

const SCHEMA = 'nocturne';
/** The variables that the driver reads. */
const OF_DRIVER = /^(?:PG[A-Z]+|HOME|USER|USERNAME|APPDATA)$/u;

/** True if a text names a store on PostgreSQL rather than a folder. */
export function isStoreAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//iu.test(text);
}

/** Splits an address into the driver's part and `?schema=`, which distinguishes several stores in one database. */
export function storeAddress(
  text: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Result<StoreAddress, StoreProblem> {
  // Nothing is shown of an address that is not understood: any part of it may be the password.
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
    // A character meant as part of the password has ended the host, so the rest of the password may be here.
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
 * How a connection is encrypted, as a term of the driver: always to another computer, with a verified certificate,
 * unless the user says otherwise. Undefined for an unknown term, or one that leaves the choice to the server.
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
      // These mean the same to the driver, which warns about the others at every start.
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
