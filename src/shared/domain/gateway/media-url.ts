/** What a result's address says about itself. The text is parsed by hand: pure code has no URL class. */

/** An address without its query and fragment, where it may be signed. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

/**
 * The part of an address that stays the same when each poll signs it again, in its query or in a folder of its path.
 */
export function fileNameInUrl(url: string): string {
  const parts = withoutQuery(url).split('/');
  return parts.findLast((part) => part !== '') ?? '';
}

interface QueryParameters {
  readonly [name: string]: string | undefined;
}

function queryOf(url: string): QueryParameters {
  const query = /^[^?#]*\?([^#]*)/u.exec(url)?.[1] ?? '';
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const part of query.split('&')) {
    const equals = part.indexOf('=');
    if (equals > 0) parameters[decode(part.slice(0, equals)).toLowerCase()] = decode(part.slice(equals + 1));
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** `20250725T160743Z`, as in signed addresses of several object stores. */
function compactUtcMs(text: string | undefined): number | undefined {
  const parts = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/u.exec(text ?? '');
  if (!parts) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Seconds or milliseconds since the epoch, or a date in words; undefined for an implausible time. */
function instantMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const digits = /^\d+$/u.test(text) ? Number(text) : undefined;
  const ms = digits === undefined ? Date.parse(text) : digits < 1e11 ? digits * 1000 : digits;
  return Number.isFinite(ms) && ms > Date.UTC(2000, 0, 1) && ms < Date.UTC(2200, 0, 1) ? ms : undefined;
}

/** Stores that sign with `X-<store>-Date` and `X-<store>-Expires`, the latter in seconds after the former. */
const SIGNED_BY = ['amz', 'goog', 'oss', 'tos', 'cos', 'obs'] as const;

/**
 * When a signed address expires, in milliseconds since the epoch; undefined if it does not say. Reads `X-Amz-Date` with
 * `X-Amz-Expires` (and its relatives), `Expires`, and `se`; the earliest wins.
 */
export function urlExpiresAt(url: string): number | undefined {
  const query = queryOf(url);
  const times = [instantMs(query['expires']), instantMs(query['se'])];
  for (const store of SIGNED_BY) {
    const signedAt = compactUtcMs(query[`x-${store}-date`]);
    const seconds = query[`x-${store}-expires`];
    if (signedAt !== undefined && seconds !== undefined && /^\d{1,9}$/u.test(seconds)) {
      times.push(signedAt + Number(seconds) * 1000);
    }
  }
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
