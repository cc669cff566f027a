/** What every connection begins with. */
import { PostgresError, type PostgresResult } from './synchronous-connection.ts';

/**
 * What every connection begins with, whatever the defaults of server, database and user are. A commit returns once it
 * is on the disk; values come in the only form that is read here; a lost computer is noticed within a minute, and the
 * transaction of a process that stands still is ended before the others lose their accounts because of it.
 */
export function setupOf(schema: string): string {
  return `SET search_path TO "${schema}"; SET synchronous_commit TO on; SET lock_timeout TO '30s';
    SET statement_timeout TO '150s'; SET idle_in_transaction_session_timeout TO '10s'; SET idle_session_timeout TO 0;
    SET client_min_messages TO warning; SET bytea_output TO hex; SET standard_conforming_strings TO on;
    SET extra_float_digits TO 1; SET transform_null_equals TO off; SET row_security TO off; SET DateStyle TO ISO;
    SET tcp_keepalives_idle TO 20; SET tcp_keepalives_interval TO 5; SET tcp_keepalives_count TO 3;
    SET tcp_user_timeout TO 30000`;
}

/** The server does not know a time zone by this name (SQLSTATE invalid_parameter_value). */
const UNKNOWN = '22023';

/**
 * Sets the time zone of a connection. Names differ: one side may know a zone only by its old name. If the server knows
 * none of its names, days are separated by the present offset from UTC.
 */
export function setZone(
  run: (sql: string) => readonly PostgresResult[],
  zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone,
): void {
  if (zone !== undefined && isTaken(run, zone)) return;
  const other = zone === undefined ? undefined : otherNameOf(run, zone);
  if (other !== undefined && isTaken(run, other)) return;
  const eastMinutes = -new Date().getTimezoneOffset();
  run(`SET TIME ZONE INTERVAL '${eastMinutes} minutes' HOUR TO MINUTE`);
}

function isTaken(run: (sql: string) => readonly PostgresResult[], zone: string): boolean {
  try {
    run(`SET TIME ZONE '${zone.replaceAll("'", '')}'`);
    return true;
  } catch (error) {
    if (error instanceof PostgresError && error.code === UNKNOWN) return false;
    throw error;
  }
}

/** The name by which the server knows the zone that has this name here. */
function otherNameOf(run: (sql: string) => readonly PostgresResult[], zone: string): string | undefined {
  const [known] = run("SELECT name FROM pg_timezone_names WHERE name LIKE '%/%' ORDER BY name");
  return known?.rows.map(([name]) => String(name)).find((name) => nameHere(name) === zone);
}

function nameHere(name: string): string | undefined {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
