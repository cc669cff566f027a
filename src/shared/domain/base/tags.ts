/** Tags: words that the user gives a batch, to find it and what belongs to it. */

/** More are not read at a glance. */
export const MOST_TAGS = 12;
/** In whole characters: an emoji counts once, though a text counts two. */
export const LONGEST_TAG = 40;

/** What may have tags; none if they are absent. */
export interface Tagged {
  readonly tags?: readonly string[] | undefined;
}

/** A tag as it is compared with others: whoever types one does not look how it was written before. */
export function foldTag(tag: string): string {
  return tag.normalize('NFC').toLowerCase();
}

/** The tags in a text that separates them by commas, each once, as it was written first. Too long ones are cut, too many left out. */
export function tagsIn(text: string): readonly string[] {
  const found = new Map<string, string>();
  for (const part of text.split(/[,，、;；\n]/u)) {
    const tag = shortened(part.replaceAll(/\s+/gu, ' ').trim());
    if (tag !== '' && !found.has(foldTag(tag))) found.set(foldTag(tag), tag);
  }
  return [...found.values()].slice(0, MOST_TAGS);
}

/** Half a character could not be stored. */
function shortened(tag: string): string {
  return Array.from(tag.slice(0, 2 * LONGEST_TAG))
    .slice(0, LONGEST_TAG)
    .join('')
    .trim();
}

/** Whether it has a tag, in whatever case. */
export function hasTag({ tags = [] }: Tagged, tag: string): boolean {
  return tags.some((own) => foldTag(own) === foldTag(tag));
}

/** Every tag that any of these has, once, in the order of their letters. */
export function tagsOfAll(all: readonly Tagged[]): readonly string[] {
  const byFolded = new Map(all.flatMap(({ tags = [] }) => tags).map((tag) => [foldTag(tag), tag]));
  return [...byFolded.values()].toSorted((a, b) => a.localeCompare(b));
}

/** The same settings with these tags, and no others. */
export function withTags<T extends Tagged>(
  settings: T,
  wanted: readonly string[],
): Omit<T, 'tags'> & { readonly tags?: readonly string[] } {
  const { tags: _, ...others } = settings;
  const tags = tagsIn(wanted.join(','));
  return tags.length === 0 ? others : { ...others, tags };
}
