/** Takes the escapes of JSON, scripts, addresses and HTML back, and remembers where each character came from. */

/** A text that was made of another one, and where in that one its characters begin. */
export interface Level {
  readonly text: string;
  /** Where the character at `at` begins in the first text; for the length of the text, where its last one ends. */
  readonly source: (at: number) => number;
}

/** At the end of a text `\u`, `\x` and `&#6` may be the beginning of an escape that was cut. */
const BACKSLASH = String.raw`\\(?:u\{[0-9a-f]{1,6}\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[0-3][0-7]{2}|(?![ux][0-9a-f{]*$)[^\x00])`;
const PERCENT = String.raw`%(?:u[0-9a-f]{4}|[0-9a-f]{2})`;
const HTML = String.raw`&(?:#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,12})(?:;|(?![0-9a-z]*$))`;
/** Of UTF-16 that is read a byte at a time. */
const NUL = String.raw`\x00`;

/** One kind of escapes each, and all at once. */
export const ESCAPE_KINDS = [BACKSLASH, PERCENT, HTML, NUL] as const;
const ALL_KINDS = ESCAPE_KINDS.join('|');

/** What an escape that was cut looks like, at the end of a text. */
const CUT_ESCAPE =
  /(?:\\(?:u\{?[0-9a-f]{0,6}|x[0-9a-f]?|[0-3][0-7]?)?|%(?:u[0-9a-f]{0,3}|[0-9a-f]?)|&#?x?[0-9a-z]{0,12})$/i;

/** The text without the beginning of an escape at its end. */
export function withoutCutEscape(text: string): string {
  return text.replace(CUT_ESCAPE, '');
}

/** What each kind begins with: text without any of these is done quickly. */
const MAY_BE_ESCAPED = /[\\%&\0]/;

/** Takes one layer of escapes back, of one kind or of every kind at once; undefined where there is none. */
export function decodeOnce(level: Level, kind?: (typeof ESCAPE_KINDS)[number]): Level | undefined {
  const { text, source } = level;
  if (!MAY_BE_ESCAPED.test(text)) return undefined;
  const pattern = new RegExp(kind ?? ALL_KINDS, 'gi');
  const parts: string[] = [];
  // Where each character of the new text begins in the one before, and at last where that ends.
  const starts = new Uint32Array(text.length + 1);
  let length = 0;
  let done = 0;
  const copyTo = (end: number): void => {
    for (let at = done; at < end; at += 1) starts[length++] = at;
    parts.push(text.slice(done, end));
    done = end;
  };
  let isChanged = false;
  for (const found of text.matchAll(pattern)) {
    const char = meaningOf(found[0]);
    if (char === undefined) continue;
    copyTo(found.index);
    for (let unit = 0; unit < char.length; unit += 1) starts[length++] = found.index;
    parts.push(char);
    done = found.index + found[0].length;
    isChanged = true;
  }
  if (!isChanged) return undefined;
  copyTo(text.length);
  starts[length] = text.length;
  return { text: parts.join(''), source: (at) => source(starts[at] ?? text.length) };
}

/** The text without its escapes, layer after layer, `levels` at most. */
export function decodeEscapes(text: string, levels: number): string {
  let level: Level = { text, source: (at) => at };
  for (let depth = 0; depth < levels; depth += 1) {
    const next = decodeOnce(level);
    if (next === undefined) break;
    level = next;
  }
  return level.text;
}

/** The character that an escape stands for; undefined where it is none after all. */
function meaningOf(escape: string): string | undefined {
  switch (escape.charAt(0)) {
    case '\\':
      return backslashMeaning(escape.slice(1));
    case '%':
      return character(escape.slice(escape.charAt(1).toLowerCase() === 'u' ? 2 : 1), 16);
    case '&':
      return htmlMeaning(escape.slice(1).replace(/;$/, ''));
    default:
      return '';
  }
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' };

function backslashMeaning(rest: string): string | undefined {
  if (rest.length === 1) return CONTROLS[rest] ?? rest;
  if (/^[0-3]/.test(rest)) return character(rest, 8);
  return character(rest.slice(1).replace(/[{}]/g, ''), 16);
}

/** The entities of printable ASCII. Source: https://html.spec.whatwg.org/multipage/named-characters.html. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  (
    'excl ! quot " num # dollar $ percnt % amp & apos \' lpar ( rpar ) ast * midast * plus + comma , period . sol / ' +
    'colon : semi ; lt < equals = gt > quest ? commat @ lsqb [ lbrack [ bsol \\ rsqb ] rbrack ] hat ^ lowbar _ ' +
    'underbar _ grave ` lcub { lbrace { verbar | vert | verticalline | rcub } rbrace }'
  )
    .split(' ')
    .flatMap((name, index, words): [string, string][] => (index % 2 === 0 ? [[name, words[index + 1] ?? '']] : [])),
);

function htmlMeaning(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES.get(name.toLowerCase());
  const isHexadecimal = name.charAt(1).toLowerCase() === 'x';
  return character(name.slice(isHexadecimal ? 2 : 1), isHexadecimal ? 16 : 10);
}

function character(digits: string, radix: number): string | undefined {
  const code = Number.parseInt(digits, radix);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
