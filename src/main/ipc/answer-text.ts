import { visibleText } from '../../shared/domain/base/text.ts';
import type { RawAnswer } from '../../engine/index.ts';

const SHOWN_CHARACTERS = 8_000;

/** A raw answer for display: the HTTP status and the beginning of its body, with everything invisible spelled out. */
export function answerText(raw: RawAnswer): string {
  const body = new TextDecoder().decode(raw.body.subarray(0, SHOWN_CHARACTERS * 4));
  const text = visibleText(body.slice(0, SHOWN_CHARACTERS));
  const isCut = raw.truncated || body.length > SHOWN_CHARACTERS || raw.body.length > SHOWN_CHARACTERS * 4;
  return `HTTP ${raw.httpStatus}\n${text}${isCut ? '…' : ''}`;
}
