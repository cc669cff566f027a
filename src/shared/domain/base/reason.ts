import { DOMAIN_ENGLISH, domainWords } from '../../words/domain-words.ts';

type Texts = typeof DOMAIN_ENGLISH.reasons;

/** The names of texts; a text in a group is `group.name`. */
type ReasonKey = { [K in keyof Texts]: Texts[K] extends object ? KeyOf<K, Texts[K]> : K }[keyof Texts];
type KeyOf<K extends string, T> = T extends (...facts: never) => string ? K : `${K}.${keyof T & string}`;

type TextOf<K extends ReasonKey> = K extends keyof Texts
  ? Texts[K]
  : K extends `${infer G extends keyof Texts}.${infer N}`
    ? Texts[G][N & keyof Texts[G]]
    : never;
type FactsOf<T> = T extends (...facts: infer F) => string
  ? { readonly [I in keyof F]: string extends F[I] ? Saying : F[I] }
  : readonly [];

type Fact = string | number | boolean | Reason;

/**
 * A text of the catalogue (`words.reasons`) by its name, with its facts: it is recorded in English, and can be shown in
 * another language.
 */
export interface Reason {
  readonly text: string;
  readonly facts?: readonly Fact[];
}

/** Something to say: a text of the catalogue, or somebody else’s words. */
export type Saying = string | Reason;

export function reason<K extends ReasonKey>(name: K, ...facts: FactsOf<TextOf<K>>): Reason {
  return facts.length === 0 ? { text: name } : { text: name, facts: facts as readonly Fact[] };
}

/** What is recorded, and what the command line says. */
export function inEnglish(said: Saying): string {
  return typeof said === 'string' ? said : (textOf(DOMAIN_ENGLISH.reasons, said) ?? '');
}

/** In the language of this process. */
export function say(said: Saying): string {
  return (typeof said === 'string' ? said : spoken(said)) ?? inEnglish(said);
}

/** An error that explains itself with a text of the catalogue. */
export class SaidError extends Error {
  readonly said: Reason;

  constructor(said: Saying, cause?: unknown) {
    super(inEnglish(said), { cause });
    this.said = typeof said === 'string' ? reason('words', said) : said;
  }
}

/** An error as it is recorded: with its name in front. */
export function thrownSays(error: unknown): Reason {
  if (error instanceof SaidError) return reason('store.thrown', error.name, error.said);
  return reason('system', codeOf(error), String(error));
}

/** What an error of the system or of a library says, for use inside a sentence. */
export function systemSays(error: unknown): Reason {
  if (error instanceof SaidError) return error.said;
  return reason('system', codeOf(error), error instanceof Error ? error.message : String(error));
}

/** The same, in the language of this process. */
export function sayError(error: unknown): string {
  return say(systemSays(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The text in the language of this process; undefined if that is English, or if the text is from a later version. */
export function spoken(said: Reason): string | undefined {
  return domainWords.reasons === DOMAIN_ENGLISH.reasons ? undefined : textOf(domainWords.reasons, said);
}

function textOf(texts: object, { text: name, facts = [] }: Reason): string | undefined {
  let text: unknown = texts;
  for (const part of name.split('.')) {
    if (typeof text !== 'object' || text === null || !Object.hasOwn(text, part)) return undefined;
    text = (text as Readonly<Record<string, unknown>>)[part];
  }
  if (typeof text === 'string') return text;
  if (typeof text !== 'function' || facts.length < text.length) return undefined;
  const said = facts.map((fact) => (typeof fact === 'object' ? textOf(texts, fact) : fact));
  return said.includes(undefined) ? undefined : String((text as (...facts: unknown[]) => unknown)(...said));
}
