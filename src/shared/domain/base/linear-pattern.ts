/** Patterns that strangers may have written: the search time grows with the text and no faster. */
import { RE2JS } from 're2js';

/** A pattern that is ready to search with. */
export interface LinearPattern {
  /** Whether the pattern occurs anywhere in the text; case does not matter. */
  matches(text: string): boolean;
}

/** Compiles a pattern of RE2's syntax; undefined for anything else, such as look-around and back-references. */
export function compilePattern(source: string): LinearPattern | undefined {
  try {
    const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    return { matches: (text) => pattern.matcher(text).find() };
  } catch {
    return undefined;
  }
}
