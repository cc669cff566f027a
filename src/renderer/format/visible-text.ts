/** Text that others wrote, made harmless for the eye: what cannot be seen, or turns its neighbours round, is shown. */
import { visibleText as withEscapes } from '../../shared/domain/base/text.ts';

const LONE_SURROGATES = /\p{Surrogate}/gu;

/** Keeps line breaks and tabs; for blocks that show lines as they are. */
export function visibleText(text: string): string {
  // A carriage return before a line feed is only an old way to end a line.
  return withEscapes(text.replace(/\r\n/g, '\n')).replace(LONE_SURROGATES, '\ufffd');
}

/** The same on one line: a line break becomes ⏎, blanks in a row become one. */
export function visibleLine(text: string): string {
  return visibleText(text)
    .replace(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ⏎ ' : ' '))
    .trim();
}
