/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

// Reads JSON without losing digits of whole numbers: 1234567890123456789 read as a number becomes another number, and a
// gateway may write a task code or a status like this. Numbers of 16 digits and more become text; everything else is as
// in JSON.parse.

/**
 * How deeply nested lists and objects are read. A text of a few kilobytes can hold thousands of levels, and code that
 * descends into its value level by level would overflow the stack.
 */
export const MAX_JSON_LEVELS = 100;

/** The value of a JSON text; undefined if it is not JSON or too deeply nested. Never throws, whatever the text. */
export function parseLossless(text: string): Json | undefined {
  if (isNestedDeeperThan(text, MAX_JSON_LEVELS)) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return /\d{16}/.test(text) ? (JSON.parse(quoteLongNumbers(text)) as Json) : value;
  } catch {
    return undefined;
  }
}

/** Puts quotes around the long numbers of a text that is known to be valid JSON. */
function quoteLongNumbers(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.charCodeAt(0) === QUOTE || !/\d{16}/.test(token) ? token : `"${token}"`,
  );
}

/** Whether lists and objects are nested deeper than this, in a text that need not be JSON. */
export function isNestedDeeperThan(text: string, levels: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) i = endOfString(text, i);
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) depth += 1;
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

/**
 * Whether a text that need not be JSON holds more values than this: reading them takes far more memory than the text.
 * Counts the lists, the objects and the commas.
 */
export function hasMoreValuesThan(text: string, values: number): boolean {
  let count = 0;
  for (let i = 0; i < text.length && count <= values; i += 1) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) i = endOfString(text, i);
    else if (char === COMMA || char === OPEN_BRACE || char === OPEN_BRACKET) count += 1;
  }
  return count > values;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The raw text of a member of the outermost object, with every digit as it came; undefined if there is none. `text`
 * must be valid JSON. If a name occurs twice, the last one counts, as in JSON.parse.
 */
export function memberText(text: string, name: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  let keyStart = -1;
  let valueStart = -1;
  let isWanted = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) {
      if (depth === 1 && valueStart < 0) keyStart = i;
      i = endOfString(text, i);
    } else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      if (depth === 0 && char === OPEN_BRACKET) return undefined;
      depth += 1;
    } else if (depth === 1 && char === COLON && valueStart < 0) {
      isWanted = JSON.parse(text.slice(keyStart, i)) === name;
      valueStart = i + 1;
    } else if (depth === 1 && (char === COMMA || char === CLOSE_BRACE)) {
      if (isWanted) found = text.slice(valueStart, i).trim();
      isWanted = false;
      valueStart = -1;
    }
    if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth -= 1;
  }
  return found;
}

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    const char = text.charCodeAt(i);
    if (char === BACKSLASH) i += 1;
    else if (char === QUOTE) return i;
  }
  return text.length;
}
