/** Undoes the escapes of JSON, scripts, addresses and HTML, and remembers where each character came from. */

import { addSpan, type Span } from './spans.ts';

/** A text that was decoded from another one. */
export interface Decoded {
  readonly text: string;
  /** The same pieces in the other text. They are given and returned in order, and none touches another. */
  readonly before: (spans: readonly Span[]) => readonly Span[];
  /** The pieces within `distance` of a decoded escape, in order: everything else is in the other text as well. */
  readonly changed: (distance: number) => readonly Span[];
}

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const HASH = 0x23;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const SMALL_U = 0x75;
const SMALL_X = 0x78;

/** The first character of each kind of escape. The last kind is UTF-16 that is read a byte at a time. */
export const ESCAPE_KINDS = ['\\', '%', '&', '\0'] as const;

/** Text without any of these is done quickly. */
const MAY_BE_ESCAPED = /[\\%&\0]/;

/** A truncated escape at the end of a text. */
const CUT_ESCAPE =
  /(?:\\(?:u\{?[0-9a-f]{0,6}|x[0-9a-f]?|[0-3][0-7]?)?|%(?:u[0-9a-f]{0,3}|[0-9a-f]?)|&#?x?[0-9a-z]{0,12})$/i;

/** The text without a truncated escape at its end. */
export function withoutCutEscape(text: string): string {
  return text.replace(CUT_ESCAPE, '');
}

/**
 * Undoes one layer of escapes, of one kind or of every kind at once; undefined if there is none. Looks at each
 * character only a few times, whatever the text.
 */
export function decodeOnce(text: string, kind?: (typeof ESCAPE_KINDS)[number]): Decoded | undefined {
  if (!MAY_BE_ESCAPED.test(text)) return undefined;
  const wanted = kind?.charCodeAt(0);
  const reader = new EscapeReader(text);
  const writer = new DecodedWriter(text);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (!isMarker(unit) || (wanted ?? unit) !== unit || !reader.read(at)) continue;
    writer.replace(at, reader.end, reader.code);
    at = reader.end - 1;
  }
  return writer.end();
}

/** The text without its escapes, layer after layer, at most `levels` deep. */
export function decodeEscapes(text: string, levels: number): string {
  let decoded = text;
  for (let depth = 0; depth < levels; depth += 1) {
    const next = decodeOnce(decoded);
    if (next === undefined) break;
    decoded = next.text;
  }
  return decoded;
}

/** Characters to gather before they become text: as many as a call takes as arguments. */
const GATHERED = 4096;
/** A longer piece is copied as a whole. */
const SHORT_PIECE = 32;

/** Puts a decoded text together, and remembers where its pieces come from. */
class DecodedWriter {
  readonly #source: string;
  readonly #parts: string[] = [];
  readonly #gathered: number[] = [];
  /** Where each piece begins, here and in the source; within a piece the two run in parallel. */
  readonly #here: number[] = [];
  readonly #there: number[] = [];
  /** Where escapes were undone. */
  readonly #changes: number[] = [];
  #length = 0;
  #done = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Replaces a piece of the source by a character, or by nothing for -1. */
  replace(start: number, end: number, code: number): void {
    this.#copyTo(start);
    this.#changes.push(this.#length);
    if (code > 0xffff) {
      this.#put(start, 0xd800 + ((code - 0x10000) >> 10));
      this.#put(start, 0xdc00 + ((code - 0x10000) & 0x3ff));
    } else if (code >= 0) this.#put(start, code);
    this.#done = end;
  }

  /** Undefined where nothing was replaced. */
  end(): Decoded | undefined {
    if (this.#done === 0) return undefined;
    this.#copyTo(this.#source.length);
    this.#here.push(this.#length);
    this.#there.push(this.#source.length);
    this.#flush();
    return {
      text: this.#parts.join(''),
      before: (spans) => piecesBefore(spans, this.#here, this.#there),
      changed: (distance) => this.#around(distance),
    };
  }

  #around(distance: number): readonly Span[] {
    const spans: [number, number][] = [];
    for (const at of this.#changes) addSpan(spans, Math.max(0, at - distance), Math.min(this.#length, at + distance));
    return spans;
  }

  #put(there: number, unit: number): void {
    this.#here.push(this.#length);
    this.#there.push(there);
    this.#add(unit);
    this.#length += 1;
  }

  #add(unit: number): void {
    this.#gathered.push(unit);
    if (this.#gathered.length === GATHERED) this.#flush();
  }

  #copyTo(end: number): void {
    const length = end - this.#done;
    if (length <= 0) return;
    this.#here.push(this.#length);
    this.#there.push(this.#done);
    this.#length += length;
    if (length > SHORT_PIECE) {
      this.#flush();
      this.#parts.push(this.#source.slice(this.#done, end));
    } else {
      for (let at = this.#done; at < end; at += 1) this.#add(this.#source.charCodeAt(at));
    }
    this.#done = end;
  }

  #flush(): void {
    if (this.#gathered.length === 0) return;
    this.#parts.push(String.fromCharCode.apply(undefined, this.#gathered));
    this.#gathered.length = 0;
  }
}

function piecesBefore(spans: readonly Span[], here: readonly number[], there: readonly number[]): readonly Span[] {
  let piece = 0;
  const before = (at: number): number => {
    while ((here[piece + 1] ?? Number.POSITIVE_INFINITY) <= at) piece += 1;
    return (there[piece] ?? 0) + at - (here[piece] ?? 0);
  };
  return spans.map(([start, end]): Span => [before(start), before(end)]);
}

function isMarker(unit: number): boolean {
  return unit === BACKSLASH || (unit <= AMPERSAND && (unit === PERCENT || unit === AMPERSAND || unit === 0));
}

const CONTROLS: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' }).map(([name, control]) => [
    name.charCodeAt(0),
    control.charCodeAt(0),
  ]),
);

/** Reads single escapes; its fields save an object for each escape. */
class EscapeReader {
  readonly #text: string;
  /** The code point that was read; -1 for none. */
  code = 0;
  /** Where the text continues. */
  end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the escape that begins with the marker at `at`; false if there is none. */
  read(at: number): boolean {
    switch (this.#text.charCodeAt(at)) {
      case BACKSLASH:
        return this.#readBackslash(at + 1);
      case PERCENT:
        return this.#readPercent(at + 1);
      case AMPERSAND:
        return this.#readEntity(at + 1);
      default:
        return this.#is(-1, at + 1);
    }
  }

  /** `\u{1f600}`, `\u0041`, `\x41`, `\101`, or any character after a backslash. */
  #readBackslash(at: number): boolean {
    const text = this.#text;
    const kind = text.charCodeAt(at) | 0x20;
    if (kind === SMALL_U || kind === SMALL_X) {
      if (kind === SMALL_U && text.charCodeAt(at + 1) === OPENING) {
        const end = runEnd(text, at + 2, 6, isHexadecimal);
        if (end > at + 2 && text.charCodeAt(end) === CLOSING) return this.#isNumber(at + 2, end, 16, end + 1);
      }
      if (this.#readFixed(at + 1, kind === SMALL_U ? 4 : 2)) return true;
      // At the end of a text it may be the beginning of a truncated escape.
      if (runEnd(text, at + 1, text.length, isHexadecimalOrOpening) === text.length) return false;
    }
    if (text.charCodeAt(at) <= 0x33 && runEnd(text, at, 3, isOctal) === at + 3) {
      return this.#isNumber(at, at + 3, 8, at + 3);
    }
    if (at >= text.length || text.charCodeAt(at) === 0) return false;
    const unit = text.charCodeAt(at);
    return this.#is(CONTROLS.get(unit) ?? unit, at + 1);
  }

  /** `%41` or `%u0041`. */
  #readPercent(at: number): boolean {
    return (this.#text.charCodeAt(at) | 0x20) === SMALL_U ? this.#readFixed(at + 1, 4) : this.#readFixed(at, 2);
  }

  /** `&#65;`, `&#x41;` or `&amp;`, also without the semicolon. */
  #readEntity(at: number): boolean {
    const text = this.#text;
    if (text.charCodeAt(at) !== HASH) {
      const end = runEnd(text, at, 12, isLetter);
      if (end < at + 2 || isCutEntity(text, end)) return false;
      const code = ENTITIES.get(text.slice(at, end).toLowerCase());
      return code !== undefined && this.#is(code, behindEntity(text, end));
    }
    const isHex = (text.charCodeAt(at + 1) | 0x20) === SMALL_X;
    const from = at + (isHex ? 2 : 1);
    const end = isHex ? runEnd(text, from, 6, isHexadecimal) : runEnd(text, from, 7, isDecimal);
    if (end === from || isCutEntity(text, end)) return false;
    return this.#isNumber(from, end, isHex ? 16 : 10, behindEntity(text, end));
  }

  /** Exactly this many hexadecimal digits. */
  #readFixed(at: number, digits: number): boolean {
    const end = at + digits;
    return runEnd(this.#text, at, digits, isHexadecimal) === end && this.#isNumber(at, end, 16, end);
  }

  #isNumber(from: number, to: number, radix: number, end: number): boolean {
    let code = 0;
    for (let at = from; at < to; at += 1) code = code * radix + digitValue(this.#text.charCodeAt(at));
    return code <= 0x10ffff && this.#is(code, end);
  }

  #is(code: number, end: number): boolean {
    this.code = code;
    this.end = end;
    return true;
  }
}

function digitValue(unit: number): number {
  return unit <= 0x39 ? unit - 0x30 : (unit | 0x20) - 0x57;
}

/** At the end of a text `&#6` may be the beginning of a truncated escape. */
function isCutEntity(text: string, end: number): boolean {
  return text.charCodeAt(end) !== SEMICOLON && runEnd(text, end, text.length, isWord) === text.length;
}

function behindEntity(text: string, end: number): number {
  return text.charCodeAt(end) === SEMICOLON ? end + 1 : end;
}

/** Where a run of one kind of characters ends; the run has at most `most` characters. */
function runEnd(text: string, at: number, most: number, isOne: (unit: number) => boolean): number {
  const limit = Math.min(text.length, at + most);
  let end = at;
  while (end < limit && isOne(text.charCodeAt(end))) end += 1;
  return end;
}

const isDecimal = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
const isOctal = (unit: number): boolean => unit >= 0x30 && unit <= 0x37;
const isLetter = (unit: number): boolean => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
const isHexadecimal = (unit: number): boolean => isDecimal(unit) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x66);
const isHexadecimalOrOpening = (unit: number): boolean => unit === OPENING || isHexadecimal(unit);
const isWord = (unit: number): boolean => isDecimal(unit) || isLetter(unit);

/** The entities of printable ASCII. Source: https://html.spec.whatwg.org/multipage/named-characters.html. */
const ENTITIES: ReadonlyMap<string, number> = new Map(
  (
    'excl ! quot " num # dollar $ percnt % amp & apos \' lpar ( rpar ) ast * midast * plus + comma , period . sol / ' +
    'colon : semi ; lt < equals = gt > quest ? commat @ lsqb [ lbrack [ bsol \\ rsqb ] rbrack ] hat ^ lowbar _ ' +
    'underbar _ grave ` lcub { lbrace { verbar | vert | verticalline | rcub } rbrace }'
  )
    .split(' ')
    .flatMap((name, index, words): [string, number][] =>
      index % 2 === 0 ? [[name, (words[index + 1] ?? '').charCodeAt(0)]] : [],
    ),
);
