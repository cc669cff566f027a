/** Text that others wrote, made harmless for the eye: what cannot be seen, or turns its neighbours round, is shown. */

/** Marks that change the direction of what follows, blanks without width, and separators that break lines unseen. */
const UNSEEN = /[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/gu;
/** Controls without tab and line feed. A carriage return before a line feed is only an old way to end a line. */
// oxlint-disable-next-line no-control-regex -- controls are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** Keeps line breaks and tabs; for blocks that show lines as they are. */
export function visibleText(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(CONTROLS, (character) => controlPicture(character))
    .replace(UNSEEN, (character) => codePoint(character))
    .replace(LONE_SURROGATES, '\ufffd');
}

/** The same on one line: a line break becomes ⏎, blanks in a row become one. */
export function visibleLine(text: string): string {
  return visibleText(text)
    .replace(/[^\S\n]*\n\s*/g, ' ⏎ ')
    .replace(/\s+/g, ' ')
    .trim();
}

function controlPicture(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x7f) return '␡';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : codePoint(character);
}

function codePoint(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
