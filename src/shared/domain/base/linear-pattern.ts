/** Patterns that somebody else may have written: searched for in a time that grows with the text and no faster. */
import { RE2JS } from 're2js';

/** A pattern that is ready to be searched for. */
export interface LinearPattern {
  /** Whether it is found anywhere in the text; case does not matter. */
  matches(text: string): boolean;
}

/** Compiles a pattern of RE2's syntax; undefined for what is none, look-around and back-references among it. */
export function compilePattern(source: string): LinearPattern | undefined {
  try {
    const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    return { matches: (text) => pattern.matcher(text).find() };
  } catch {
    return undefined;
  }
}
