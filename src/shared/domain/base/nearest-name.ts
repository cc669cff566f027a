/** How many letters are inserted, deleted, changed or swapped between two words (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let distance = Math.min(changed, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(distance);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** A longer name is not a misspelling of one of ours, and comparing it would take long. */
const LONGEST_NAME = 64;

/** `prio` means `priority`; a shorter beginning could mean anything. */
const SHORTEST_ABBREVIATION = 3;

/**
 * The known name that the user most likely meant, or undefined if none is close. Case, spaces and underscores cost
 * nothing; an abbreviation of a single name counts as that name; otherwise about a third of the letters may differ. Of
 * equally near names the first wins.
 * @param lettersAWrong One letter in this many may differ; with a larger number, fewer may.
 */
export function nearestName(name: string, known: Iterable<string>, lettersAWrong = 3): string | undefined {
  const wanted = foldName(name);
  if (wanted === '' || wanted.length > LONGEST_NAME) return undefined;
  const names = Array.from(known, (name) => ({ name, folded: foldName(name) }));
  const longer = names.filter(({ folded }) => folded.startsWith(wanted));
  if (longer.length === 1 && wanted.length >= SHORTEST_ABBREVIATION) return longer[0]?.name;
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / lettersAWrong)) + 1;
  for (const { name: candidate, folded } of names) {
    // Names whose length differs by at least this much are not nearer, and there may be a million names.
    if (Math.abs(folded.length - wanted.length) >= least) continue;
    const distance = editDistance(wanted, folded);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** A name without what people vary when they type: case, spaces, underscores, hyphens, dots and composed letters. */
export function foldName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/[\s_.-]+/g, '')
    .toLowerCase();
}
