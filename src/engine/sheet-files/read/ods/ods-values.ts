/** How OpenDocument keeps values, and the text that a person sees for them (OASIS ODF 1.3 part 3, 18.2 and 19.385). */
import { numberText } from '../xlsx/xlsx-values.ts';

/** A number's text. Leading zeros are kept where they were shown: such a number is an id. */
export function odsNumberText(stored: string, shown: string): string {
  const text = numberText(stored, { kind: 'number' }, false);
  return /^0\d{1,100}$/.test(shown) && Number(shown) === Number(stored) ? shown : text;
}

/**
 * LibreOffice stores what a formula says to be true or false as 1 or 0, and shows it as a word of its language; of such a
 * cell this gives the boolean, and undefined of any other.
 */
export function odsTruth(stored: string, shown: string): 'true' | 'false' | undefined {
  if (!/^\p{L}+$/u.test(shown)) return undefined;
  return stored === '1' ? 'true' : stored === '0' ? 'false' : undefined;
}
