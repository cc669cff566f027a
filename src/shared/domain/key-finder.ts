/**
 * Finds a gateway's key in text, however it is written. A gateway may repeat the key in an answer, and answers are
 * shown, kept and shared; the key never is. Keys are printable ASCII (`keyProblem`), so text may be UTF-16 or bytes
 * read one character each.
 */
import { decodeEscapes, decodeOnce, ESCAPE_KINDS, withoutCutEscape, type Level } from './escapes.ts';

/** What stands in the place of the key. It is told from the gateway's own words, and an address with it is no address. */
export const KEY_MARK = '***your-key***';

/** A shorter key would be found in words that have nothing to do with it, and could not be kept out of anything. */
export const SHORTEST_KEY = 8;
const LONGEST_KEY = 4096;

/** What is wrong with a key, or undefined. It becomes a header, so only printable ASCII can be sent. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'The key is empty.';
  if (!/^[\x21-\x7e]+$/.test(key)) return 'The key contains spaces or characters that a header cannot carry.';
  if (key.length > LONGEST_KEY) return 'The key is longer than 4,096 characters.';
  if (key.length >= SHORTEST_KEY) return undefined;
  return `The key is shorter than ${SHORTEST_KEY} characters: it could not be kept out of files and logs.`;
}

/** A beginning of the key this long is taken for it where a text was cut. */
const SHORTEST_BEGINNING = 4;
/** A form of the key that is shorter says too little of it, and is found everywhere. */
const SHORTEST_FORM = 6;
/** Text within text within text: nobody escapes more often. */
const MAX_LEVELS = 16;

type Span = readonly [start: number, end: number];

/** Finds some keys: as they are; escaped for JSON, addresses, HTML, in any mixture and repeatedly; in base64 and hexadecimal. */
export class KeyFinder {
  /** Each form that is looked for at every level of unescaping. */
  readonly #forms: readonly string[];
  /** What a cut text may end with the beginning of. */
  readonly #beginnings: readonly string[];

  constructor(keys: Iterable<string>) {
    const usable = [...new Set(keys)].filter((key) => key.length >= SHORTEST_KEY);
    this.#beginnings = [...new Set(usable.flatMap((key) => [key, plainest(key)]))];
    // A key may end with what makes an escape of the character behind it.
    const shortened = usable.map((key) => plainest(withoutCutEscape(key)));
    this.#forms = [...new Set([...this.#beginnings, ...shortened, ...usable.flatMap(encodedForms)])]
      .filter((form) => form.length >= SHORTEST_FORM)
      .toSorted((a, b) => b.length - a.length);
  }

  /** True where a text holds a key in any form. */
  finds(text: string): boolean {
    return this.#find(text, false).length > 0;
  }

  /** True where a text holds a key in any form, or the mark that was put in its place: it must not be sent on. */
  holds(text: string): boolean {
    return text.includes(KEY_MARK) || this.finds(text);
  }

  /**
   * The text with {@link KEY_MARK} in the place of each key.
   * @param isCut The text was broken off: the beginning of a key at its end is hidden, too.
   */
  hide(text: string, isCut = false): string {
    const spans = this.#find(text, isCut);
    if (spans.length === 0) return text;
    const parts: string[] = [];
    let done = 0;
    for (const [start, end] of merged(spans)) {
      parts.push(text.slice(done, start), KEY_MARK);
      done = end;
    }
    return parts.join('') + text.slice(done);
  }

  #find(text: string, isCut: boolean): readonly Span[] {
    if (this.#forms.length === 0) return [];
    const spans: Span[] = [];
    const look = (level: Level): void => {
      for (const form of this.#forms) {
        for (let at = level.text.indexOf(form); at >= 0; at = level.text.indexOf(form, at + 1)) {
          spans.push([level.source(at), level.source(at + form.length)]);
        }
      }
      if (isCut) spans.push(...this.#beginningAtEnd(level, text.length));
    };
    const whole: Level = { text, source: (at) => at };
    look(whole);
    // One way of escaping alone: what looks like another one may be the key's own characters.
    for (const kind of ESCAPE_KINDS) {
      const level = decodeOnce(whole, kind);
      if (level !== undefined) look(level);
    }
    let level: Level | undefined = whole;
    for (let depth = 0; depth < MAX_LEVELS; depth += 1) {
      level = decodeOnce(level);
      if (level === undefined) break;
      look(level);
    }
    return spans;
  }

  #beginningAtEnd({ text, source }: Level, sourceLength: number): readonly Span[] {
    const from = Math.max(0, text.length - LONGEST_KEY - 20);
    const tail = withoutCutEscape(text.slice(from));
    for (const key of this.#beginnings) {
      for (let length = key.length - 1; length >= SHORTEST_BEGINNING; length -= 1) {
        if (!tail.endsWith(key.slice(0, length))) continue;
        return [[source(from + tail.length - length), sourceLength]];
      }
    }
    return [];
  }
}

/** The key unescaped as far as that goes: a key may hold what looks like an escape. */
function plainest(key: string): string {
  return decodeEscapes(key, MAX_LEVELS);
}

function merged(spans: readonly Span[]): readonly Span[] {
  const result: [number, number][] = [];
  for (const [start, end] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

function encodedForms(key: string): readonly string[] {
  const bytes = Array.from(key, (char) => char.charCodeAt(0));
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((offset) => base64Forms(bytes, offset))];
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The characters of base64 that depend on the key alone where it begins `offset` bytes after a group of three. */
function base64Forms(bytes: readonly number[], offset: number): readonly string[] {
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const known = bits.slice([0, 4, 2][offset]);
  const core = (known.match(/.{6}/g) ?? []).map((group) => BASE64.charAt(Number.parseInt(group, 2))).join('');
  return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
}
