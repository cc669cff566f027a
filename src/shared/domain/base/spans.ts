/** Pieces of a text, and the search for one text in another. */

/** From `start` to before `end`. */
export type Span = readonly [start: number, end: number];

/** Adds a piece after the existing ones. */
export function addSpan(spans: [number, number][], start: number, end: number): void {
  const last = spans.at(-1);
  if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
  else spans.push([start, end]);
}

/** The pieces of several lists, each in order; pieces that touch or overlap become one. */
export function uniteSpans(lists: readonly (readonly Span[])[]): readonly Span[] {
  const filled = lists.filter((list) => list.length > 0);
  const [first = []] = filled;
  return filled.slice(1).reduce(uniteTwo, first);
}

function uniteTwo(a: readonly Span[], b: readonly Span[]): readonly Span[] {
  const spans: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const [one, other] = [a[i], b[j]];
    const isOne = other === undefined || (one !== undefined && one[0] <= other[0]);
    const next = isOne ? one : other;
    if (isOne) i += 1;
    else j += 1;
    if (next !== undefined) addSpan(spans, next[0], next[1]);
  }
  return spans;
}

/** Engines may need as many steps as the product of both lengths to search for longer texts. */
const HEAD = 200;

/** A text to search for. Also finds overlapping occurrences, in time that grows with the sum of both lengths. */
export class Needle {
  readonly #needle: string;
  readonly #head: string;
  /** For each prefix, the length of its longest border (Knuth, Morris and Pratt). */
  readonly #borders: Uint16Array;

  /** @param needle Of 1 to 65,535 characters. */
  constructor(needle: string) {
    this.#needle = needle;
    this.#head = needle.slice(0, HEAD);
    this.#borders = bordersOf(needle);
  }

  /** Where the text occurs in some pieces of another one, in order; occurrences that touch or overlap become one. */
  spansIn(text: string, pieces: readonly Span[]): readonly Span[] {
    const spans: [number, number][] = [];
    for (const [start, end] of pieces) this.#findIn(text.slice(start, end), start, spans);
    return spans;
  }

  #findIn(text: string, offset: number, spans: [number, number][]): void {
    const { length } = this.#needle;
    const found = (end: number): void => addSpan(spans, offset + end - length, offset + end);
    for (let at = text.indexOf(this.#head); at >= 0;) {
      let end = at + this.#head.length;
      let known = this.#head.length;
      if (known === length) found(end);
      // From here on no character is looked at twice, as long as another occurrence may follow.
      while (known * 2 > this.#head.length && end < text.length) {
        known = this.#goOn(known, text.charCodeAt(end));
        end += 1;
        if (known === length) found(end);
      }
      // At the end of the text nothing is left to find: the match there is incomplete.
      at = end < text.length ? text.indexOf(this.#head, end - known) : -1;
    }
  }

  /** The length of the matched prefix after one more character, given its length before. */
  #goOn(known: number, unit: number): number {
    let length = known;
    while (length > 0 && (length === this.#needle.length || this.#needle.charCodeAt(length) !== unit)) {
      length = this.#borders[length] ?? 0;
    }
    return this.#needle.charCodeAt(length) === unit ? length + 1 : length;
  }
}

function bordersOf(needle: string): Uint16Array {
  const borders = new Uint16Array(needle.length + 1);
  let border = 0;
  for (let at = 1; at < needle.length; at += 1) {
    while (border > 0 && needle.charCodeAt(border) !== needle.charCodeAt(at)) border = borders[border] ?? 0;
    if (needle.charCodeAt(border) === needle.charCodeAt(at)) border += 1;
    borders[at + 1] = border;
  }
  return borders;
}
