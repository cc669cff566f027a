import { BEST_RATING } from '../../shared/domain/review/verdict.ts';
import { GATE_CODES, GATES } from '../../shared/domain/gates/gates.ts';
import { OPERATIONS } from '../../shared/domain/operations/operations.ts';
import { FILE_VERSIONS, SEEN_VERDICTS, type SeenVerdict } from '../../shared/domain/task/batch-view.ts';
import { words } from '../../shared/words/words.ts';
import { joinClasses } from '../design/join-classes.ts';
import { Select } from '../design/Select.tsx';
import { OPERATION_OPTIONS, TextFilter } from '../batch/find/FilterBar.tsx';
import type { GalleryFilter } from '../state/gallery/gallery-mode.ts';
import styles from './GalleryScreen.module.css';

const ALL = 'all';
const VERDICT_WORDS: Readonly<Record<SeenVerdict, string>> = words.review.verdicts;
const VERDICT_OPTIONS = [
  { value: ALL, words: words.gallery.filters.anyVerdict },
  ...SEEN_VERDICTS.map((value) => ({ value, words: VERDICT_WORDS[value] })),
];
const RATINGS = Array.from({ length: BEST_RATING }, (_, at) => at + 1);
const RATING_OPTIONS = [
  { value: ALL, words: words.gallery.filters.anyRating },
  ...RATINGS.map((rating) => ({
    value: String(rating),
    words: rating === BEST_RATING ? words.gallery.filters.stars(rating) : words.gallery.filters.starsOrMore(rating),
  })),
];
const FLAGGED = ['any', ...GATE_CODES] as const;
const FLAG_OPTIONS = [
  { value: ALL, words: words.gallery.filters.flaggedOrNot },
  ...FLAGGED.map((value) => ({
    value,
    words: value === 'any' ? words.gallery.filters.flaggedByAny : GATES[value].title,
  })),
];
const VERSION_OPTIONS = [
  { value: ALL, words: words.gallery.filters.allVersions },
  ...FILE_VERSIONS.map((value) => ({ value, words: words.gallery.filters[value] })),
];

interface GalleryFiltersProps {
  readonly filter: GalleryFilter;
  readonly onFilter: (filter: GalleryFilter) => void;
}

/** Which files are shown: by operation, verdict, rating, gate, version and text. */
export function GalleryFilters({ filter, onFilter }: GalleryFiltersProps) {
  const { operation, verdict, minRating, flagged, version, text } = filter;
  return (
    <div className={joinClasses('row wrap', styles.filters)}>
      <Select
        label={words.gallery.filters.operation}
        value={operation ?? ALL}
        options={OPERATION_OPTIONS}
        onChoose={(value) => onFilter({ ...filter, operation: OPERATIONS.find(({ path }) => path === value)?.path })}
      />
      <Select
        label={words.gallery.filters.verdict}
        value={verdict ?? ALL}
        options={VERDICT_OPTIONS}
        onChoose={(value) => onFilter({ ...filter, verdict: SEEN_VERDICTS.find((one) => one === value) })}
      />
      <Select
        label={words.gallery.filters.rating}
        value={minRating === undefined ? ALL : String(minRating)}
        options={RATING_OPTIONS}
        onChoose={(value) => onFilter({ ...filter, minRating: RATINGS.find((rating) => String(rating) === value) })}
      />
      <Select
        label={words.gallery.filters.gates}
        value={flagged ?? ALL}
        options={FLAG_OPTIONS}
        onChoose={(value) => onFilter({ ...filter, flagged: FLAGGED.find((one) => one === value) })}
      />
      <Select
        label={words.gallery.filters.versions}
        value={version ?? ALL}
        options={VERSION_OPTIONS}
        onChoose={(value) => onFilter({ ...filter, version: FILE_VERSIONS.find((one) => one === value) })}
      />
      <TextFilter
        label={words.gallery.filters.find}
        applied={text ?? ''}
        onApply={(wanted) => onFilter({ ...filter, text: wanted })}
      />
    </div>
  );
}

/** Whether every file passes. */
export function isAll(filter: GalleryFilter): boolean {
  return Object.values(filter).every((one) => one === undefined);
}
