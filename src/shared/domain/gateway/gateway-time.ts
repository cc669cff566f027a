/** Times as gateways write them. They are for display only; deadlines use our own clocks. */
import { MAX_RETRY_AFTER_MS } from './retry.ts';

/** `instant`: milliseconds since the epoch. `wall`: a date and time without a stated zone. */
export type GatewayTime =
  | { readonly kind: 'instant'; readonly ms: number }
  | { readonly kind: 'wall'; readonly text: string };

/** Reads `2025-07-25 16:07:43`, ISO with or without a zone, seconds and milliseconds; undefined for anything else. */
export function parseGatewayTime(text: string): GatewayTime | undefined {
  const trimmed = text.trim();
  if (/^\d{9,13}(?:\.\d+)?$/.test(trimmed)) {
    const number = Number(trimmed);
    return { kind: 'instant', ms: Math.round(number < 1e11 ? number * 1000 : number) };
  }
  const parts = /^(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d+)? ?(Z|[+-]\d{2}:?\d{2})?$/i.exec(
    trimmed,
  );
  if (!parts) return undefined;
  const [, year = '', month = '', day = '', time = '', zone] = parts;
  const zoned = zone === undefined || zone.length !== 5 ? (zone ?? 'Z') : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  const ms = Date.parse(`${year}-${month}-${day}T${time}${zoned.toUpperCase()}`);
  if (Number.isNaN(ms)) return undefined;
  return zone === undefined ? { kind: 'wall', text: `${year}-${month}-${day} ${time}` } : { kind: 'instant', ms };
}

/** True if a gateway's time means "none yet": empty, a placeholder, or a date that stands for zero. */
export function isBlankTime(text: string): boolean {
  const trimmed = text.trim();
  if (/^(?:-?0*(?:\.0+)?|-1|-+|null|none|nil|undefined|n\/?a)$/i.test(trimmed)) return true;
  return /^(?:0000|0001|1970)[-/]/.test(trimmed);
}

/** The gateway's clock, or its zone if it states none, may be this far ahead of ours. */
const CLOCKS_APART_MS = 24 * 3_600_000;

/** True for the time of something that has happened by `now` (epoch ms); a future time is only an expectation. */
export function isPastTime(text: string, now: number): boolean {
  if (isBlankTime(text)) return false;
  const ms = nominalMs(text);
  return ms === undefined || !(ms > now + CLOCKS_APART_MS);
}

/**
 * How far the gateway's clock is ahead of ours, in milliseconds, by what it says about a moment that we know (epoch
 * ms); 0 if it is not ahead. A computer that has lost its time is days behind.
 */
export function clockAheadMs(text: string, knownAt: number): number {
  const ms = isBlankTime(text) ? undefined : nominalMs(text);
  return Math.max(0, (ms ?? knownAt) - knownAt);
}

/** Epoch milliseconds of a gateway's time, as if in UTC if it states no zone; undefined if it cannot be read. */
function nominalMs(text: string): number | undefined {
  const time = parseGatewayTime(text);
  return time?.kind === 'wall' ? Date.parse(`${time.text.replace(' ', 'T')}Z`) : time?.ms;
}

/**
 * The wait that a `Retry-After` asks for, in milliseconds from `now`: seconds or an HTTP date, at most 15 minutes.
 * Undefined if it is missing or unreadable.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (text === '') return undefined;
  const wanted = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : dateMs(text) - now;
  return Number.isNaN(wanted) ? undefined : Math.min(Math.max(Math.round(wanted), 0), MAX_RETRY_AFTER_MS);
}

/** An HTTP date has a weekday or a month in words; a bare number that Date.parse reads as a year is not a date. */
function dateMs(text: string): number {
  return /[a-z]{3}|\d{4}-\d{2}-\d{2}/i.test(text) ? Date.parse(text) : Number.NaN;
}
