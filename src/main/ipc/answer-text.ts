import type { RawAnswer } from '../../engine/index.ts';

const SHOWN_CHARACTERS = 8_000;
/** Controls but tab and line break, and what turns the direction of text around. */
const INVISIBLE = /(?![\t\n])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A raw answer for display: the HTTP status and the beginning of its body, with everything invisible spelled out. */
export function answerText(raw: RawAnswer): string {
  const body = new TextDecoder().decode(raw.body.subarray(0, SHOWN_CHARACTERS * 4));
  const text = body.slice(0, SHOWN_CHARACTERS).replaceAll(INVISIBLE, spellOut);
  const isCut = raw.truncated || body.length > SHOWN_CHARACTERS || raw.body.length > SHOWN_CHARACTERS * 4;
  return `HTTP ${raw.httpStatus}\n${text}${isCut ? '…' : ''}`;
}

function spellOut(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
