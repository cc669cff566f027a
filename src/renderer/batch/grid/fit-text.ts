/** What is needed of a canvas to measure text. Its font must be the one that is named beside it. */
export interface TextMeasure {
  measureText(text: string): { readonly width: number };
}

const ELLIPSIS = '…';
/** Widths of single characters, by font: measuring whole texts takes most of a frame while rows fly by. */
const WIDTHS = new Map<string, Map<string, number>>();

/**
 * The text, or its beginning and … where it is wider than `width` pixels in `font`. Widths are added up character by
 * character: kerning is left out, which errs by a pixel or two.
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
