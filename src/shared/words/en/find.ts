import { countOf, countText } from '../../domain/base/text.ts';
import { commonWords } from './common.ts';

/** Find and replace, the filters of rows, and the panel of problems. */
export const findWords = {
  title: 'Find and replace',
  find: 'Find',
  matchCase: 'Match case',
  wholeCells: 'Whole cells only',
  pattern: 'Regular expression',
  previous: 'Previous match (Shift+Enter)',
  next: 'Next match (Enter)',
  notFound: 'Not found',
  /** Which of the cells that were found is shown. */
  match: (nth: number, of: number): string => `${countText(nth)} of ${commonWords.cells(of)}`,
  openReplace: 'Replace…',
  replaceWith: 'Replace with',
  replace: 'Replace',
  replaceAll: 'Replace all',
  /** Always several cells. */
  onlyInSelected: (cells: number): string => `Only in the ${countText(cells)} selected cells`,
  inSelection: 'In selection',

  filter: {
    statuses: 'Show only these statuses',
    operation: 'Operation',
    allOperations: 'All operations',
    reason: 'Why it failed',
    allReasons: 'All reasons',
    /** A reason, and how many rows failed for it. */
    reasonOf: (title: string, rows: number): string => `${title} (${countText(rows)})`,
    retry: (rows: number): string => `Retry ${commonWords.rows(rows)}`,
    retryShown: 'Retry the rows that are shown',
    text: 'Find rows',
    clear: 'Clear the text',
  },

  problems: {
    title: 'Problems',
    ofSheet: 'Problems of the sheet',
    close: 'Close the problems',
    none: 'Nothing is wrong with this sheet.',
    more: (n: number): string => `And ${countOf(n, 'more problem')}. They are listed once these are solved.`,
    error: 'Error',
    warning: 'Warning',
    pressAgain: 'Press again for the next one',
    rowGone: { title: 'This row no longer exists', message: 'It was deleted or replaced by a new one.' },
  },
};
export type FindWords = typeof findWords;
