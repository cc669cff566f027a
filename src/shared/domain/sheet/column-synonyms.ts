import tables from '../../../../resources/tables/column-words.json' with { type: 'json' };
import { foldName } from '../base/nearest-name.ts';

/** What people write in a header, and the columns that it means: several if operations have different names for it. */
type Words = readonly { readonly columns: readonly string[]; readonly words: readonly string[] }[];

/**
 * Headers that people write, by the column that they mean: only words whose meaning is sure, also in German, French,
 * Spanish, Chinese and Japanese. Case, spaces, hyphens, dots and underscores make no difference.
 */
const COLUMNS_BY_WORD = byWord(tables.synonyms);
/** Words that may mean one of these columns, or something else: they are only suggested. */
const HINTS_BY_WORD = byWord(tables.hints);

/** Fields in which some operations take what a header means to others. */
const ELSEWHERE_BY_WORD = byWord(tables.elsewhere);

function byWord(table: Words): ReadonlyMap<string, readonly string[]> {
  return new Map(table.flatMap(({ columns, words }) => words.map((word) => [foldName(word), columns] as const)));
}

/** The columns that a header surely means in other words; none for any other header. */
export function synonymsOf(header: string): readonly string[] {
  return COLUMNS_BY_WORD.get(foldName(header)) ?? [];
}

/** Columns in which another operation may take what a header means, the likeliest first. */
export function kindredOf(header: string): readonly string[] {
  return [...synonymsOf(header), ...(ELSEWHERE_BY_WORD.get(foldName(header)) ?? [])];
}

/** Columns that a header may mean, to suggest to its author. */
export function hintsOf(header: string): readonly string[] {
  return HINTS_BY_WORD.get(foldName(header)) ?? [];
}
