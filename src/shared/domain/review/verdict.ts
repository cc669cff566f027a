/**
 * What the user says about a rendered file: kept or rejected, rated, noted, and picked for the rows that refer to its
 * row.
 */

/** The best rating; 0 is the worst. */
export const BEST_RATING = 5;
/** A note is a remark, not an essay: at most this many characters. */
export const LONGEST_VERDICT_NOTE = 2_000;

/** The folder for rejected files, inside the media folder. */
export const REJECTED_FOLDER = 'rejected';

/** Whether a path inside a media folder is among the rejected files. */
export function isRejectedPath(path: string): boolean {
  return path.startsWith(`${REJECTED_FOLDER}/`);
}

/** What the user has said about a file so far; empty if nothing. */
export interface Verdict {
  /** True: it is delivered. False: rejected; its file is among the rejected ones. Absent: not decided. */
  readonly kept?: boolean;
  /** From 0 to {@link BEST_RATING}. */
  readonly rating?: number;
  readonly note?: string;
  /** When it was picked for the rows that refer to its row, in milliseconds since the epoch: the latest pick counts. */
  readonly pickedAt?: number;
}

/** What changes in a verdict: `null` takes something back, and what is absent stays. */
export type VerdictChange = { readonly [Field in keyof Verdict]?: Verdict[Field] | null };

const FIELDS: readonly (keyof Verdict)[] = ['kept', 'rating', 'note', 'pickedAt'];

/** The verdict after a change; undefined if nothing is left to say. */
export function withVerdictChange(verdict: Verdict = {}, change: VerdictChange): Verdict | undefined {
  const said = FIELDS.flatMap((field) => {
    const value = change[field] === undefined ? verdict[field] : change[field];
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/**
 * What the user says about one file in the window, as they see it: `null` takes something back, and what is absent
 * stays.
 */
export interface FileReview {
  readonly kept?: boolean | null | undefined;
  readonly rating?: number | null | undefined;
  readonly note?: string | null | undefined;
  /** True: the rows that refer to its row are made from it. False: they are made from no picked file. */
  readonly picked?: boolean | undefined;
}

/** A file of a take, as far as a pick needs it. */
export interface ReviewedFile {
  readonly state: string;
  readonly verdict?: Verdict;
}

/** The file that the latest pick chose among a row's takes; undefined if none is picked. */
export function pickedOf<Item extends ReviewedFile, Take extends { readonly outputs: readonly Item[] }>(
  takes: readonly (Take & { readonly outputs: readonly Item[] })[],
): { readonly take: Take; readonly output: Item } | undefined {
  let latest = -1;
  let picked: { readonly take: Take; readonly output: Item } | undefined;
  for (const take of takes) {
    for (const output of take.outputs) {
      const at = output.state === 'verified' ? output.verdict?.pickedAt : undefined;
      if (at === undefined || at <= latest) continue;
      latest = at;
      picked = { take, output };
    }
  }
  return picked;
}
