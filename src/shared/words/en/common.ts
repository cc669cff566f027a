import { countOf } from '../../domain/base/text.ts';

/** Words that several screens share. A count says its noun: `1 row`, `2,000 rows`. */
export const commonWords = {
  /** The language's own tag, for dates and numbers (BCP 47). */
  locale: 'en-GB',
  /** Whole sentences, one after the other. */
  sentences: (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' '),
  /** `a, b and c` */
  and: (items: readonly string[]): string => listed(items, 'and'),
  or: (items: readonly string[]): string => listed(items, 'or'),
  /** Between quotation marks: a name, or what somebody wrote. */
  quoted: (text: string): string => `“${text}”`,

  rows: (n: number): string => countOf(n, 'row'),
  takes: (n: number): string => countOf(n, 'take'),
  files: (n: number): string => countOf(n, 'file'),
  cells: (n: number): string => countOf(n, 'cell'),
  columns: (n: number): string => countOf(n, 'column'),
  batches: (n: number): string => countOf(n, 'batch', 'batches'),
  requests: (n: number): string => countOf(n, 'request'),
  paidRequests: (n: number): string => countOf(n, 'paid request'),
  errors: (n: number): string => countOf(n, 'error'),
  warnings: (n: number): string => countOf(n, 'warning'),
  problems: (n: number): string => countOf(n, 'problem'),
  times: (n: number): string => countOf(n, 'time'),
  take: (n: number): string => `take ${n}`,

  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  add: 'Add',
  remove: 'Remove',
  delete: 'Delete',
  rename: 'Rename',
  duplicate: 'Duplicate',
  open: 'Open',
  back: 'Back',
  retry: 'Retry',
  undo: 'Undo',
  redo: 'Redo',
  copy: 'Copy',
  yes: 'Yes',
  no: 'No',
  none: 'None',
  name: 'Name',
  more: 'More',
};
export type CommonWords = typeof commonWords;

function listed(items: readonly string[], word: string): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1) ?? ''}`;
}
