import { domainWords } from '../../words/domain-words.ts';
import { quoteCell } from './cell-value.ts';
import { type Json, type JsonObject, parseLossless } from '../base/json.ts';
import { err, ok } from '../base/result.ts';
import type { Result } from '../base/result.ts';

/** The search goes no deeper than this: an answer may be nested a hundred thousand times. */
const MOST_LEVELS = 12;
const NAMED_KEYS = 12;

/**
 * The value at a path into a task's result. Gateways put results in different places, and JSON into texts (`message`
 * may hold a whole document): if the path leads nowhere from the top, the value comes from the one deeper place where
 * it leads somewhere. Two places with different values are an error, because only the user knows which one is right.
 * @returns The value, or a sentence that says what is there instead.
 */
export function valueAt(result: Json | undefined, path: readonly string[]): Result<Json, string> {
  if (result === undefined) return err(domainWords.problems.given.unknown);
  const exact = follow(result, path);
  if (exact !== undefined) return ok(exact);
  const found = new Map<string, Json>();
  collect(result, path, 0, found);
  const [first, ...others] = found.values();
  if (first === undefined) return err(domainWords.problems.given.hasNo(quoteCell(path.join('.')), whatIsIn(result)));
  if (others.length === 0) return ok(first);
  return err(domainWords.problems.given.hasSeveral(quoteCell(path.join('.')), found.size, whatIsIn(result)));
}

function follow(start: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = start;
  for (const name of path) {
    if (value === undefined) return undefined;
    value = memberOf(insideOf(value), name);
  }
  return value;
}

/** Texts that are JSON are searched like the values that they stand for. */
function insideOf(value: Json): Json {
  if (typeof value !== 'string') return value;
  const first = value.trimStart().charAt(0);
  // Nobody has seen anything deeper than a text in a text in a text.
  if (first !== '[' && first !== '{' && first !== '"') return value;
  const inner = parseLossless(value);
  return typeof inner === 'string' && inner.length < value.length ? insideOf(inner) : (inner ?? value);
}

function memberOf(value: Json, name: string): Json | undefined {
  if (Array.isArray(value)) return /^\d{1,9}$/.test(name) ? (value as readonly Json[])[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Every value that the path leads to from anywhere, by its text. */
function collect(value: Json, path: readonly string[], level: number, into: Map<string, Json>): void {
  if (level > MOST_LEVELS) return;
  const inside = insideOf(value);
  if (typeof inside !== 'object' || inside === null) return;
  for (const member of Object.values(inside) as readonly Json[]) {
    const found = follow(member, path);
    if (found !== undefined) into.set(JSON.stringify(found), found);
    collect(member, path, level + 1, into);
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a value contains, for a user who looked for something else in it. */
export function whatIsIn(value: Json): string {
  const inside = insideOf(value);
  if (Array.isArray(inside)) return domainWords.problems.given.isList(inside.length);
  if (!isObject(inside)) return domainWords.problems.given.isValue(quoteCell(JSON.stringify(inside)));
  const names = Object.keys(inside);
  if (names.length === 0) return domainWords.problems.given.isEmpty;
  return domainWords.problems.given.has(names.slice(0, NAMED_KEYS).map(quoteCell), names.length - NAMED_KEYS);
}
