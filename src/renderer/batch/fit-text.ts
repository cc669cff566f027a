/** What is needed of a canvas to measure text. */
export interface TextMeasure {
  readonly font: string;
  measureText(text: string): { readonly width: number };
}

const FITTED = new Map<string, string>();
/** Rows on screen times columns, a few times over. */
const FITTED_KEPT = 4_000;

/** The text, or its beginning and … where it is wider than `width` pixels in the current font. */
export function fitText(measure: TextMeasure, text: string, width: number): string {
  if (text === '') return text;
  const key = `${measure.font}|${Math.floor(width)}|${text}`;
  const known = FITTED.get(key);
  if (known !== undefined) return known;
  const fitted = cutToWidth(measure, text, width);
  if (FITTED.size >= FITTED_KEPT) FITTED.clear();
  FITTED.set(key, fitted);
  return fitted;
}

function cutToWidth(measure: TextMeasure, text: string, width: number): string {
  if (measure.measureText(text).width <= width) return text;
  const characters = Array.from(text);
  let fits = 0;
  let tooLong = characters.length;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (measure.measureText(`${characters.slice(0, middle).join('')}…`).width <= width) fits = middle;
    else tooLong = middle;
  }
  return `${characters.slice(0, fits).join('').trimEnd()}…`;
}
