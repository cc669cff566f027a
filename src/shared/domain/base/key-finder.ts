/**
 * Finds a gateway's key in text, however it is written. A gateway may repeat the key in an answer, and answers are
 * shown, kept and shared; the key never is. Keys are printable ASCII (`keyProblem`), so the text may be UTF-16 or bytes
 * read as one character each.
 */
import { domainWords } from '../../words/domain-words.ts';
import { decodeEscapes, decodeOnce, ESCAPE_KINDS, withoutCutEscape, type Decoded } from './escapes.ts';
import { Needle, uniteSpans, type Span } from './spans.ts';

/** Replaces the key. Differs from anything a gateway says, and an address that contains it is no longer an address. */
export const KEY_MARK = '***your-key***';

/** A shorter key would be found in unrelated words, and could not be kept out of anything. */
export const SHORTEST_KEY = 8;
const LONGEST_KEY = 4096;

/** What is wrong with a key, or undefined. The key becomes a header, so it must be printable ASCII. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return domainWords.operations.secret.keyEmpty;
  if (!/^[\x21-\x7e]+$/.test(key)) return domainWords.operations.secret.keyCharacters;
  if (key.length > LONGEST_KEY) return domainWords.operations.secret.keyLong(LONGEST_KEY);
  if (key.length < SHORTEST_KEY) {
    return domainWords.operations.secret.keyShort(SHORTEST_KEY);
  }
  // If the key was escaped again, only what is left without its own escapes can be found.
  if (plainest(key).length >= SHORTEST_FORM) return undefined;
  return domainWords.operations.secret.keyEscapes;
}

/** At the end of a truncated text, a beginning of the key of at least this length counts as the key. */
const SHORTEST_BEGINNING = 4;
/** A shorter form of the key reveals too little of it, and is found everywhere. */
const SHORTEST_FORM = 6;
/** Text within text within text: nobody escapes more often than this. */
const MAX_LEVELS = 16;

/** No text has this much of a key by chance, and a longer needle takes long to find in bytes that resemble it. */
const ENOUGH = 64;

/**
 * What to look for in the bytes of a film, for which {@link KeyFinder} would take too long, one character per byte: the
 * key as it is, as JSON escapes it, and in UTF-16 of either byte order. Nothing for a key that is too short.
 */
export function plainForms(key: string): readonly string[] {
  if (key.length < SHORTEST_KEY) return [];
  const forms = [key, JSON.stringify(key).slice(1, -1), key.split('').join('\0')];
  return [...new Set(forms.map((form) => form.slice(0, ENOUGH)))];
}

/**
 * Finds keys: as they are; escaped for JSON, addresses or HTML in any mixture, repeatedly; in base64 and hexadecimal.
 */
export class KeyFinder {
  /** Each form to look for at every level of unescaping. */
  readonly #forms: readonly Needle[];
  readonly #longestForm: number;
  /** A truncated text may end with the beginning of one of these. */
  readonly #beginnings: readonly string[];

  constructor(keys: Iterable<string>) {
    const usable = [...new Set(keys)].filter((key) => key.length >= SHORTEST_KEY);
    this.#beginnings = [...new Set(usable.flatMap((key) => [key, plainest(key)]))];
    // The end of a key may form an escape together with the character after it.
    const shortened = usable.map((key) => plainest(withoutCutEscape(key)));
    const forms = [...new Set([...this.#beginnings, ...shortened, ...usable.flatMap(encodedForms)])].filter(
      (form) => form.length >= SHORTEST_FORM,
    );
    this.#forms = forms.map((form) => new Needle(form));
    this.#longestForm = Math.max(0, ...forms.map((form) => form.length));
  }

  /** True if a text holds a key in any form. */
  finds(text: string): boolean {
    return this.#find(text, false).length > 0;
  }

  /** True if a text holds a key in any form, or the mark that replaced a key: the text must not be sent on. */
  holds(text: string): boolean {
    return text.includes(KEY_MARK) || this.finds(text);
  }

  /**
   * The text with {@link KEY_MARK} in place of each key.
   * @param isCut The text was truncated: also hides the beginning of a key at its end.
   */
  hide(text: string, isCut = false): string {
    const spans = this.#find(text, isCut);
    if (spans.length === 0) return text;
    const parts: string[] = [];
    let done = 0;
    for (const [start, end] of spans) {
      parts.push(text.slice(done, start), KEY_MARK);
      done = end;
    }
    return parts.join('') + text.slice(done);
  }

  /** The pieces to hide, in order, none touching another. Goes through every level a few times, whatever it holds. */
  #find(text: string, isCut: boolean): readonly Span[] {
    if (this.#forms.length === 0) return [];
    const found = [this.#findIn(text, [[0, text.length]], isCut)];
    const kinds = ESCAPE_KINDS.filter((kind) => text.includes(kind));
    // One kind of escaping at a time: what looks like another kind may be the key's own characters.
    for (const kind of kinds.length > 1 ? kinds : []) {
      const level = decodeOnce(text, kind);
      if (level !== undefined) found.push(level.before(this.#findInLevel(level, isCut)));
    }
    return uniteSpans([...found, this.#findDeeper(text, isCut)]);
  }

  /** The keys found in the levels below a text, as pieces of the text. */
  #findDeeper(text: string, isCut: boolean): readonly Span[] {
    const levels: Decoded[] = [];
    for (let depth = 0; depth < MAX_LEVELS; depth += 1) {
      const level = decodeOnce(levels.at(-1)?.text ?? text);
      if (level === undefined) break;
      levels.push(level);
    }
    return levels.reduceRight<readonly Span[]>(
      (deeper, level) => level.before(uniteSpans([this.#findInLevel(level, isCut), deeper])),
      [],
    );
  }

  /** The keys found in a level but not in the one above. */
  #findInLevel({ text, changed }: Decoded, isCut: boolean): readonly Span[] {
    return this.#findIn(text, changed(this.#longestForm), isCut);
  }

  /** The keys found in some pieces of a text as it is. */
  #findIn(text: string, pieces: readonly Span[], isCut: boolean): readonly Span[] {
    const found = this.#forms.map((form) => form.spansIn(text, pieces));
    return uniteSpans(isCut ? [...found, this.#beginningAtEnd(text)] : found);
  }

  #beginningAtEnd(text: string): readonly Span[] {
    const from = Math.max(0, text.length - LONGEST_KEY - 20);
    const tail = withoutCutEscape(text.slice(from));
    for (const key of this.#beginnings) {
      for (let length = key.length - 1; length >= SHORTEST_BEGINNING; length -= 1) {
        if (tail.endsWith(key.slice(0, length))) return [[from + tail.length - length, text.length]];
      }
    }
    return [];
  }
}

/** The key unescaped as far as possible: a key may contain what looks like an escape. */
function plainest(key: string): string {
  return decodeEscapes(key, MAX_LEVELS);
}

function encodedForms(key: string): readonly string[] {
  const bytes = Array.from(key, (char) => char.charCodeAt(0));
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((offset) => base64Forms(bytes, offset))];
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The base64 characters that depend on the key alone if the key begins `offset` bytes after a group of three. */
function base64Forms(bytes: readonly number[], offset: number): readonly string[] {
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const known = bits.slice([0, 4, 2][offset]);
  const core = (known.match(/.{6}/g) ?? []).map((group) => BASE64.charAt(Number.parseInt(group, 2))).join('');
  return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
}
