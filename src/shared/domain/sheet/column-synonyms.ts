import tables from '../../../../resources/tables/column-words.json' with { type: 'json' };
import { foldName } from '../base/nearest-name.ts';
import { ALL_COLUMNS, OPERATIONS } from '../operations/operations.ts';

/** What people write in a header, and the columns that it means: several if operations have different names for it. */
type Words = readonly { readonly columns: readonly string[]; readonly words: readonly string[] }[];

const { asking, yesOrNo, fillers, particles, asides } = tables.questions;
const ASKING: ReadonlySet<string> = new Set(asking);
const FILLERS: ReadonlySet<string> = new Set(fillers);
/** Chinese has no spaces between words. The longest come first, because they contain others. */
const PARTICLES = new RegExp(particles.toSorted((a, b) => b.length - a.length).join('|'), 'gu');
const ASKING_PARTICLES = anyInChinese(asking);
const YES_OR_NO: ReadonlySet<string> = new Set(yesOrNo);
const YES_OR_NO_PARTICLES = anyInChinese(yesOrNo);
const ASIDE = new RegExp(String.raw`(?:\s*(?:\*|[(（[【](?:${asides.join('|')})[)）\]】]))+$`, 'iu');

/** Emoji, with what joins them and colours them. */
const PICTURES = /(?!©|®|™)\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F|\u200D/gu;

/** A longer text is not a header but prose, in which any word may occur. */
const LONGEST_QUESTION = 200;

/**
 * Headers that people write, by the column that they mean: only words whose meaning is sure, also in German, French,
 * Spanish, Chinese and Japanese. Case, spaces, hyphens, dots and underscores make no difference. Words that end in “?”
 * are what a question of a form is about, in any order: “song about?” is “What should your song be about?”, too.
 */
const COLUMNS_BY_WORD = byWord(tables.synonyms);
/** Words that may mean one of these columns, or something else: they are only suggested. */
const HINTS_BY_WORD = byWord(tables.hints);

/** Fields in which some operations take what a header means for other operations. */
const ELSEWHERE_BY_WORD = byWord(tables.elsewhere);

/** Columns about the row that are true or false. */
export const ROW_SWITCHES = ['skip', 'pick'] as const;

/** Columns in which “yes” can be an answer; anywhere else, it would be sent as if it said what is wanted. */
const SWITCHES: ReadonlySet<string> = new Set([
  ...ROW_SWITCHES,
  ...OPERATIONS.flatMap(({ fields }) => fields)
    .filter((field) => field.kind === 'leaf' && field.type === 'boolean')
    .map(({ name }) => name),
]);

function anyInChinese(words: readonly string[]): RegExp {
  return new RegExp(words.filter((word) => /\p{Script=Han}/u.test(word)).join('|'), 'u');
}

function byWord(table: Words): ReadonlyMap<string, readonly string[]> {
  return new Map(
    table.flatMap(({ columns, words }) =>
      words.map((word) => [word.endsWith('?') ? subjectOf(word) : foldName(word), columns] as const),
    ),
  );
}

/** The columns that a header surely means in other words; none for any other header. */
export function synonymsOf(header: string): readonly string[] {
  return lookUp(COLUMNS_BY_WORD, header);
}

/** Columns in which another operation may take what a header means, the likeliest first. */
export function kindredOf(header: string): readonly string[] {
  return [...synonymsOf(header), ...(ELSEWHERE_BY_WORD.get(foldName(header)) ?? [])];
}

/** Columns that a header may mean, to suggest to its author. */
export function hintsOf(header: string): readonly string[] {
  const hints = lookUp(HINTS_BY_WORD, header);
  if (hints.length > 0 || header.length > LONGEST_QUESTION) return hints;
  const parts = header.split(/[/／]/u);
  return parts.length < 2 ? [] : [...new Set(parts.flatMap((part) => meantByPart(part)))];
}

/** What a part of “Lyrics / prompt” may mean. */
function meantByPart(part: string): readonly string[] {
  const name = [...ALL_COLUMNS].find((column) => foldName(column) === foldName(part));
  return [...(name === undefined ? [] : [name]), ...synonymsOf(part), ...lookUp(HINTS_BY_WORD, part)];
}

function lookUp(table: ReadonlyMap<string, readonly string[]>, header: string): readonly string[] {
  const bare = withoutAside(header);
  const found = table.get(foldName(bare)) ?? (isAsked(bare) ? table.get(subjectOf(bare)) : undefined) ?? [];
  return isYesOrNo(bare) ? found.filter((column) => SWITCHES.has(column)) : found;
}

/** Whether a header is a question that is answered by yes or no. */
function isYesOrNo(header: string): boolean {
  if (header.length > LONGEST_QUESTION) return false;
  const [first = ''] = wordsOf(header);
  return YES_OR_NO.has(first) || YES_OR_NO_PARTICLES.test(header);
}

/** A header without what is added to it: “(optional)”, the asterisk of a required field, “(sec)”, or an emoji. */
export function withoutAside(header: string): string {
  return header.length > LONGEST_QUESTION ? header : header.replace(PICTURES, '').trim().replace(ASIDE, '');
}

/** Whether a header speaks to somebody, as the questions of a form do. */
export function isAsked(header: string): boolean {
  if (header.length > LONGEST_QUESTION) return false;
  return /[?？]\s*$/u.test(header) || ASKING_PARTICLES.test(header) || wordsOf(header).some((word) => ASKING.has(word));
}

/**
 * What a question is about: its words without those that only ask, in one order. It begins like no other header, so it
 * matches only other questions.
 */
function subjectOf(question: string): string {
  const words = wordsOf(question.replace(PARTICLES, '')).filter((word) => !FILLERS.has(word));
  return `?${words.toSorted().join(' ')}`;
}

function wordsOf(text: string): readonly string[] {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/['’]s?\b/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
