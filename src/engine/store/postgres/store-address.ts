/** Where a store on PostgreSQL is, as its user writes it. */
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
const FORM = 'Write it as postgres://USER@HOST/DATABASE; the password is best kept in ~/.pgpass or PGPASSWORD.';

/** True for what names a store on PostgreSQL, and no folder. */
export function isStoreAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//iu.test(text);
}

/** Takes an address apart: that of the driver, and `?schema=`, which tells several stores in one database apart. */
export function storeAddress(
  text: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Result<StoreAddress, StoreProblem> {
  const shown = withoutPassword(text);
  if (!isStoreAddress(text)) {
    return err({ ...storeProblem('missing', `${shown} is no address of a store.`), remedy: FORM });
  }
  const [base = '', query = ''] = text.split('?', 2);
  const options = new URLSearchParams(query);
  const schema = options.get('schema') ?? SCHEMA;
  if (!/^[a-z_][a-z0-9_]{0,47}$/u.test(schema) || schema.startsWith('pg_')) {
    const message = `${shown}: ${JSON.stringify(schema)} cannot be the name of a schema.`;
    return err({ ...storeProblem('missing', message), remedy: 'Use small letters, digits and underscores.' });
  }
  options.delete('schema');
  const rest = options.toString();
  return ok({
    connection: rest === '' ? base : `${base}?${rest}`,
    schema,
    shown,
    environment: Object.fromEntries(
      Object.entries(environment).flatMap(([name, value]) =>
        value !== undefined && OF_DRIVER.test(name) ? [[name, value]] : [],
      ),
    ),
  });
}

/** An address, or a message with one, without its password. */
export function withoutPassword(text: string): string {
  return text
    .replaceAll(/(postgres(?:ql)?:\/\/[^:@/\s]*):[^@/\s]*@/giu, '$1@')
    .replaceAll(/([?&](?:password|sslpassword)=)[^&\s]*/giu, '$1***');
}
