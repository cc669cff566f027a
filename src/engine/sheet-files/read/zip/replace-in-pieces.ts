const PIECE_CHARACTERS = 1024 * 1024;

/** What is replaced in a text, and how to cut the text so that no match is cut. */
export interface Replacement {
  readonly pattern: RegExp;
  /** The character that every match begins with. */
  readonly start: string;
  /** No match has more characters. */
  readonly longest: number;
  readonly by: (whole: string, ...groups: (string | undefined)[]) => string;
}

/**
 * `text.replace(pattern, by)` for texts of strangers. The engine's own replacement keeps every match until the end; with
 * some ten million of them it runs out of memory in a way that nothing can stop, so a long text is replaced in pieces.
 */
export function replaceInPieces(text: string, { pattern, start, longest, by }: Replacement): string {
  if (text.length <= PIECE_CHARACTERS) return text.replace(pattern, by);
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = from + PIECE_CHARACTERS;
    const lastStart = text.lastIndexOf(start, to - 1);
    if (to < text.length && lastStart > to - longest) to = lastStart;
    pieces.push(text.slice(from, to).replace(pattern, by));
    from = to;
  }
  return pieces.join('');
}
