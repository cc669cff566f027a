/**
 * The text without what `isLoose` says of the characters at its end. A pattern that ends with `+$` tries anew at every
 * character of a run that is not at the end: 100,000 dots took it 20 s.
 */
export function trimEnd(text: string, isLoose: (char: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isLoose(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
