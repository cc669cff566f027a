/** The part of a canvas that measures text. Its font must be the one passed with it. */
export interface TextMeasure {
  measureText(text: string): { readonly width: number };
}

const ELLIPSIS = '…';
/** Widths of single characters, by font: measuring whole texts takes most of a frame while the user scrolls fast. */
const WIDTHS = new Map<string, Map<string, number>>();

/**
 * The text, or its beginning and … if it is wider than `width` pixels in `font`. Adds up the widths of characters
 * without kerning, which errs by a pixel or two.
 */
export function fitText(measure: TextMeasure, font: string, text: string, width: number): string {
  const widths = widthsOf(font);
  const room = width - widthOf(measure, widths, ELLIPSIS);
  let used = 0;
  let end = 0;
  let lastThatFits = 0;
  for (const character of text) {
    used += widthOf(measure, widths, character);
    if (used > width) return `${text.slice(0, lastThatFits).trimEnd()}${ELLIPSIS}`;
    end += character.length;
    if (used <= room) lastThatFits = end;
  }
  return text;
}

/** Forgets all widths: those measured before a font had arrived are wrong. */
export function forgetWidths(): void {
  WIDTHS.clear();
}

function widthsOf(font: string): Map<string, number> {
  let widths = WIDTHS.get(font);
  if (widths === undefined) {
    widths = new Map();
    WIDTHS.set(font, widths);
  }
  return widths;
}

function widthOf(measure: TextMeasure, widths: Map<string, number>, character: string): number {
  let width = widths.get(character);
  if (width === undefined) {
    width = measure.measureText(character).width;
    widths.set(character, width);
  }
  return width;
}
