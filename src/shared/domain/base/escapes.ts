/** Undoes the escapes of JSON, scripts, addresses and HTML, and remembers where each character came from. */

import { addSpan, type Span } from './spans.ts';

/** A text that was decoded from another text. */
export interface Decoded {
  readonly text: string;
  /** The same pieces in the other text. They are given and returned in order, and none touches another. */
  readonly before: (spans: readonly Span[]) => readonly Span[];
  /** The pieces within `distance` of a decoded escape, in order: everything else is in the other text as well. */
  readonly changed: (distance: number) => readonly Span[];
}

/**
 * An escape of each kind, by its first character. What may be the beginning of a truncated escape at the end of the
 * text is not one; a letter that means nothing special after a backslash stands for itself. The last kind is UTF-16
 * that is read one byte at a time.
 */
const ESCAPES = {
  '\\': String.raw`\\(?:u\{[0-9a-f]{1,6}\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[0-3][0-7]{2}|(?![ux][0-9a-f{]*$)[^\0])`,
  '%': '%(?:u[0-9a-f]{4}|[0-9a-f]{2})',
  '&': '&(?:#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,12})(?:;|(?![0-9a-z]*$))',
  '\0': String.raw`\0`,
} as const;
type EscapeKind = keyof typeof ESCAPES;
export const ESCAPE_KINDS = Object.keys(ESCAPES) as readonly EscapeKind[];
const ANY_ESCAPE = Object.values(ESCAPES).join('|');

/** A text without any of these needs no further work. */
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
export function decodeOnce(text: string, kind?: EscapeKind): Decoded | undefined {
  if (!MAY_BE_ESCAPED.test(text)) return undefined;
  const pattern = new RegExp(kind === undefined ? ANY_ESCAPE : ESCAPES[kind], 'gi');
  const writer = new DecodedWriter(text);
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const code = codeOf(found[0]);
    if (code > 0x10ffff || Number.isNaN(code)) pattern.lastIndex = found.index + 1;
    else writer.replace(found.index, pattern.lastIndex, code);
  }
  return writer.end();
}

/** The code point that an escape stands for: -1 for none at all, and NaN for an unknown entity. */
function codeOf(escape: string): number {
  const body = escape.slice(1);
  switch (escape.charAt(0)) {
    case '\\':
      if (body.length === 1) return (CONTROLS.get(body) ?? body).charCodeAt(0);
      return /^[0-7]/.test(body) ? Number.parseInt(body, 8) : hexadecimalIn(body);
    case '%':
      return hexadecimalIn(body);
    case '&':
      if (body.charAt(0) !== '#') return ENTITIES.get(body.replace(';', '').toLowerCase()) ?? Number.NaN;
      return /^#x/i.test(body) ? hexadecimalIn(body) : Number.parseInt(body.slice(1), 10);
    default:
      return -1;
  }
}

/** The number behind `u`, `x`, `u{` or `#x`. */
function hexadecimalIn(text: string): number {
  return Number.parseInt(text.replace(/^#?[ux]\{?/i, ''), 16);
}

/** What the letters after a backslash stand for, if not for themselves. */
const CONTROLS: ReadonlyMap<string, string> = new Map(
  Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' }),
);

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

/** How many characters to gather before they become text: as many as a call takes as arguments. */
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

  /** Undefined if nothing was replaced. */
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
