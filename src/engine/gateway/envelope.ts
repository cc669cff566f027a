import {
  type Json,
  isNestedDeeperThan,
  MAX_JSON_LEVELS,
  memberText,
  parseLossless,
} from '../../shared/domain/base/json.ts';
import { KEY_MARK } from '../../shared/domain/base/key-finder.ts';
import { reason, type Saying } from '../../shared/domain/base/reason.ts';
import type { Envelope } from '../../shared/domain/gateway/submit-outcome.ts';

/** Longer texts are not task codes, and would make an address that no server accepts. */
const TASK_CODE_MAX_LENGTH = 1000;
/** The gateway's words are kept whole for the reader, up to this limit. */
const WORDS_MAX_LENGTH = 4000;

/** Bytes that are not UTF-8 become replacement characters; a byte order mark is dropped. */
const UTF8 = new TextDecoder();

/** A body that is a JSON object. */
export interface ReadBody {
  readonly envelope: Envelope;
  /** All of it. */
  readonly whole: Json;
  /** The value of `result`; null if there is none. */
  readonly result: Json;
  /** The raw text of `result`; empty if there is none. */
  readonly resultText: () => string;
  /** A task code anywhere in its bytes. */
  readonly seenTaskCode: () => string | undefined;
}

/** What a body that could not be read is, as the end of a sentence. */
export interface UnreadBody {
  readonly bodyIs: Saying;
  /** It came whole and says something, and will say the same however often Nocturne asks. */
  readonly isTooDeep?: true;
  /** A task code that its bytes contain nevertheless. */
  readonly seenTaskCode: () => string | undefined;
}

/** Reads an answer's body. A truncated body is never read as a whole: the missing part may say something else. */
export function readEnvelope(body: Uint8Array, truncated: boolean): ReadBody | UnreadBody {
  const text = UTF8.decode(body);
  if (truncated) return unread(text, reason(body.length === 0 ? 'body.brokenOff' : 'body.notWhole'));
  const json = parseLossless(text);
  if (json === undefined) {
    return isNestedDeeperThan(text, MAX_JSON_LEVELS)
      ? { ...unread(text, reason('bodyTooDeep', MAX_JSON_LEVELS)), isTooDeep: true }
      : unread(text, describeUnreadable(text));
  }
  if (!isObject(json)) return unread(text, reason('body.notObject'));
  const result = memberOf(json, 'result') ?? null;
  return {
    envelope: envelopeOf(json, result),
    whole: json,
    result,
    resultText: () => memberText(text, 'result') ?? '',
    seenTaskCode: () => findTaskCode(text),
  };
}

function unread(text: string, bodyIs: Saying): UnreadBody {
  return { bodyIs, seenTaskCode: () => findTaskCode(text) };
}

function describeUnreadable(text: string): Saying {
  const start = text.slice(0, 200).trim();
  if (start === '') return reason('body.empty');
  if (/^<(?:!doctype html|html|head|body)/i.test(start)) return reason('body.webPage');
  return reason('body.notJson');
}

/**
 * A task code anywhere in the bytes, whether or not they are whole JSON, even if a later member of the same name hides
 * it, or inside JSON in a text: evidence that only the user may adopt.
 */
function findTaskCode(text: string): string | undefined {
  const plain = text.replace(/\\u00([3-7][\da-f])/giu, (escaped, hex: string) => {
    const char = String.fromCodePoint(Number.parseInt(hex, 16));
    return /\w/u.test(char) ? char : escaped;
  });
  for (const found of plain.matchAll(TASK_CODE_MEMBER)) {
    const code = (found[1]?.replace(/\\(.)/gu, '$1') ?? found[2] ?? '').trim();
    if (usableTaskCode(code) !== '' && !/^(?:0+|null|none|undefined)$/iu.test(code)) return code;
  }
  return undefined;
}

const TASK_CODE_MEMBER =
  /"task_?(?:code|id)\\{0,3}"\s{0,100}:\s{0,100}(?:\\{0,3}"((?:[^"\\\p{Cc}]|\\["\\/]){1,200}?)\\{0,3}"|(\d{1,200})\s{0,100}[,}])/giu;

function envelopeOf(json: Readonly<Record<string, Json>>, result: Json): Envelope {
  return {
    code: scalarText(memberOf(json, 'code')),
    words: wordsOf(json, result).slice(0, WORDS_MAX_LENGTH),
    success: flagOf(memberOf(json, 'success')),
    failure: flagOf(memberOf(json, 'failure')),
    taskCode: usableTaskCode(isObject(result) ? scalarText(memberOf(result, 'taskCode')) : ''),
  };
}

/** Fields that may contain an error's words, most trusted first. */
export const WORD_FIELDS: ReadonlySet<string> = new Set(['info', 'message', 'msg', 'error', 'detail', 'reason']);

/** The interface has `info`; real gateways put errors into other fields, too. */
function wordsOf(json: Readonly<Record<string, Json>>, result: Json): string {
  for (const place of isObject(result) ? [json, result] : [json]) {
    for (const field of WORD_FIELDS) {
      const value = memberOf(place, field);
      const words = isObject(value ?? null) ? scalarText(memberOf(value as Json, 'message')) : scalarText(value);
      if (words.trim() !== '') return words;
    }
  }
  return '';
}

/**
 * Text that survives being put into an address and a store: not blank, not too long, no half of a character, and no NUL,
 * at which SQLite's texts end when they are read.
 */
function usableTaskCode(text: string): string {
  if (text.trim() === '' || text.length > TASK_CODE_MAX_LENGTH || /[\0\p{Surrogate}]/u.test(text)) return '';
  // The key stood there: it is not a code, and looks the same for every task.
  return text.includes(KEY_MARK) ? '' : text;
}

/** Flags are booleans in the interface; some gateways write them as numbers or words. */
function flagOf(value: Json | undefined): boolean | undefined {
  if (value === true || value === 1 || value === 'true' || value === '1') return true;
  if (value === false || value === 0 || value === 'false' || value === '0') return false;
  return undefined;
}

/** A text or a number as text; anything else is empty. */
export function scalarText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** True for a JSON object: not a list, a scalar or null. */
export function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object's own member; undefined if there is none. */
export function memberOf(value: Json, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
