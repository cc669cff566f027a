/** Tags: words that the user gives a batch, to find it and what belongs to it. */

/** More than this cannot be read at a glance. */
export const MOST_TAGS = 12;
/** In whole characters: an emoji counts once, although a string counts it as two. */
export const LONGEST_TAG = 40;

/** What may have tags; none if they are absent. */
export interface Tagged {
  readonly tags?: readonly string[] | undefined;
}

/** A tag in the form in which tags are compared: nobody looks up how it was spelled before. */
export function foldTag(tag: string): string {
  return tag.normalize('NFC').toLowerCase();
}

/**
 * The tags in a comma-separated text, each once, as it was first written. Tags that are too long are cut; tags beyond
 * {@link MOST_TAGS} are left out.
 */
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

/** Whether something has a tag, ignoring case. */
export function hasTag({ tags = [] }: Tagged, tag: string): boolean {
  return tags.some((own) => foldTag(own) === foldTag(tag));
}

/** Every tag that any of these has, once, in alphabetical order. */
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
