const ENCODER = new TextEncoder();

/** The size of a text: characters (code points), lines, and bytes as sent. */
export function textSize(text: string): {
  readonly characters: number;
  readonly lines: number;
  readonly bytes: number;
} {
  let characters = 0;
  let lines = 1;
  for (const character of text) {
    characters += 1;
    if (character === '\n') lines += 1;
  }
  return { characters, lines: text === '' ? 0 : lines, bytes: ENCODER.encode(text).length };
}

/** Finds a text after a place, or else from the other end; ignores case. */
export function findInText(
  text: string,
  wanted: string,
  from: number,
  direction: 'forward' | 'backward',
): number | undefined {
  const hay = foldCase(text);
  const needle = foldCase(wanted);
  if (needle === '') return undefined;
  const at =
    direction === 'forward'
      ? firstOf(hay.indexOf(needle, from), hay.indexOf(needle))
      : firstOf(from > 0 ? hay.lastIndexOf(needle, from - 1) : -1, hay.lastIndexOf(needle));
  return at === -1 ? undefined : at;
}

function firstOf(at: number, otherwise: number): number {
  return at === -1 ? otherwise : at;
}

/** In lower case, unless that would move characters. */
function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}
