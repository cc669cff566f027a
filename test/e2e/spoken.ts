/**
 * What the window says in a language, found by what it says in English, so that a test in Chinese can take the same
 * steps.
 */
import { CATALOGUES } from '../../src/shared/words/catalogues.ts';
import { ENGLISH } from '../../src/shared/words/words.ts';
import { type Language } from '../../src/shared/words/domain-words.ts';

/** A name, or its patterns by language for what is made of several messages. */
export type Name = string | Readonly<Record<Language, RegExp>>;

/**
 * Returns the names that things have in a language; more may follow a name, such as a key or a description. Fails for a
 * name that is not in the catalogue, and so must be in the code.
 */
export function spokenIn(language: Language): (name: Name) => RegExp {
  const said = new Map<string, Set<string>>();
  collect(ENGLISH, CATALOGUES[language], said);
  return (name) => {
    if (typeof name !== 'string') return name[language];
    const found = said.get(name);
    if (found === undefined) throw new Error(`The catalogue says “${name}” nowhere.`);
    return new RegExp(
      `^(?:${[...found].map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, '\\$&')).join('|')})(?:$|\\s)`,
      'u',
    );
  };
}

function collect(english: object, other: object, said: Map<string, Set<string>>): void {
  for (const [key, value] of Object.entries(english) as [string, unknown][]) {
    const same: unknown = (other as Readonly<Record<string, unknown>>)[key];
    if (typeof value === 'string' && typeof same === 'string')
      said.set(value, (said.get(value) ?? new Set()).add(same));
    else if (typeof value === 'object' && value !== null) collect(value, same as object, said);
  }
}
