/** Pieces of a text. */

/** From `start` to before `end`. */
export type Span = readonly [start: number, end: number];

/** Adds a piece behind those that are there. */
export function addSpan(spans: [number, number][], start: number, end: number): void {
  const last = spans.at(-1);
  if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
  else spans.push([start, end]);
}

/** The pieces of several lists, each in order; those that touch or overlap are one. */
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
