/** What the user decides about a file: what that changes, what is shown at once, and what takes it back. */
import type { FileReview } from '../../../shared/domain/review/verdict.ts';
import { assertNever } from '../../../shared/domain/base/result.ts';
import type { FileView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';

/** What the user says about a file; a keep, a reject, a pick or a rating that is said again takes itself back. */
export type FileDecision =
  | { readonly kind: 'keep' | 'reject' | 'pick' }
  | { readonly kind: 'rate'; readonly rating: number }
  /** An empty one takes the note back. */
  | { readonly kind: 'note'; readonly text: string };

/** A change of one file. */
export interface ReviewStep {
  readonly fileId: string;
  readonly change: FileReview;
}

type Seen = NonNullable<FileView['verdict']>;

/** What a decision changes in what was said about a file so far. */
export function changeOf({ verdict = {} }: Pick<FileView, 'verdict'>, decision: FileDecision): FileReview {
  switch (decision.kind) {
    case 'keep':
      return { kept: verdict.kept === true ? null : true };
    case 'reject':
      return { kept: verdict.kept === false ? null : false };
    case 'pick':
      return { picked: verdict.isPicked !== true };
    case 'rate':
      return { rating: verdict.rating === decision.rating ? null : decision.rating };
    case 'note':
      return { note: decision.text.trim() === '' ? null : decision.text.trim() };
    default:
      return assertNever(decision);
  }
}

/**
 * The files of a row after a change of one of them, as the engine records it: one at most is picked, and no rejected
 * one.
 */
export function withReview<File extends FileView>(
  files: readonly File[],
  { fileId, change }: ReviewStep,
): readonly File[] {
  const isPick = change.picked === true && change.kept !== false;
  const isUnpicked = change.picked === false || change.kept === false;
  return files.map((file) => {
    const { isPicked, ...said } = file.verdict ?? {};
    if (file.id !== fileId) return isPick ? withVerdict(file, said) : file;
    const kept = isPick && change.kept === undefined && said.kept === false ? null : change.kept;
    return withVerdict(file, {
      kept: after(said.kept, kept),
      rating: after(said.rating, change.rating),
      note: after(said.note, change.note),
      isPicked: isPick || (isPicked === true && !isUnpicked) ? true : undefined,
    });
  });
}

/** The steps that take a change of these files back, in order: what was picked before is picked again. */
export function oppositeOf(files: readonly FileView[], step: ReviewStep): readonly ReviewStep[] {
  const { fileId } = step;
  const before = files.find(({ id }) => id === fileId)?.verdict ?? {};
  const changed = withReview(files, step);
  const now = changed.find(({ id }) => id === fileId)?.verdict ?? {};
  const wasPicked = pickedIn(files);
  const isPicked = pickedIn(changed);
  const own: FileReview = {
    ...(before.kept !== now.kept && { kept: before.kept ?? null }),
    ...(before.rating !== now.rating && { rating: before.rating ?? null }),
    ...(before.note !== now.note && { note: before.note ?? null }),
    ...(wasPicked !== isPicked && wasPicked === fileId && { picked: true }),
    ...(wasPicked !== isPicked && wasPicked === undefined && { picked: false }),
  };
  return [
    ...(wasPicked !== undefined && wasPicked !== isPicked && wasPicked !== fileId
      ? [{ fileId: wasPicked, change: { picked: true } }]
      : []),
    ...(Object.keys(own).length > 0 ? [{ fileId, change: own }] : []),
  ];
}

function pickedIn(files: readonly FileView[]): string | undefined {
  return files.find(({ verdict }) => verdict?.isPicked === true)?.id;
}

function after<T>(before: T | undefined, change: T | null | undefined): T | undefined {
  return change === undefined ? before : (change ?? undefined);
}

function withVerdict<File extends FileView>(
  file: File,
  said: { readonly [K in keyof Seen]: Seen[K] | undefined },
): File {
  const verdict: Seen = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return { ...file, verdict: Object.keys(verdict).length > 0 ? verdict : undefined };
}

/** What a decision is called once it is recorded, for the screen reader. */
export function wordsOf({ kept, rating, note, picked }: FileReview): string {
  const said = words.review.said;
  const parts = [
    kept === undefined ? [] : kept === null ? said.undecided : kept ? said.kept : said.rejected,
    picked === undefined ? [] : picked ? said.picked : said.unpicked,
    rating === undefined ? [] : rating === null ? said.unrated : said.rated(rating),
    note === undefined ? [] : note === null ? said.unnoted : said.noted,
  ];
  return said.all(parts.flat());
}
