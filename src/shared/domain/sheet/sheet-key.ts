import { domainWords } from '../../words/domain-words.ts';
import type { KeyFinder } from '../base/key-finder.ts';
import type { SheetProblem } from './problems.ts';
import type { RawRecord, RawSheet } from './sheet-raw.ts';

/**
 * The sheet with the gateway's key blotted out everywhere, and an error for each cell that held the key. Checks, the
 * window, the store and the media folder only see this version: a blocked row is still kept with its cells.
 */
export function hideKey(raw: RawSheet, finder: KeyFinder): RawSheet {
  const headers = raw.headers.map((header) => finder.hide(header));
  const problems: SheetProblem[] = raw.headers.some((header) => finder.finds(header)) ? [holdsKey('header')] : [];
  const records: RawRecord[] = raw.records.map((record) => {
    const hidden = hideKeyInRecord(record, headers, finder);
    problems.push(...hidden.problems);
    return hidden.record;
  });
  if (problems.length === 0) return raw;
  const told = raw.problems.map((problem) => ({ ...problem, message: finder.hide(problem.message) }));
  return { ...raw, headers, records, problems: [...told, ...problems] };
}

/** One line with the key blotted out, and an error for each cell that held it. */
export function hideKeyInRecord(
  record: RawRecord,
  headers: readonly string[],
  finder: KeyFinder,
): { readonly record: RawRecord; readonly problems: readonly SheetProblem[] } {
  // One search for all cells: nearly every line is without a key, and there may be a million of them.
  if (!finder.finds(record.cells.join('\n'))) return { record, problems: [] };
  const problems = record.cells.flatMap((cell, index): SheetProblem[] => {
    const column = headers[index];
    if (!finder.finds(cell)) return [];
    return [{ ...holdsKey('cell'), line: record.line, ...(column === undefined ? {} : { column }) }];
  });
  return { record: { ...record, cells: record.cells.map((cell) => finder.hide(cell)) }, problems };
}

/** The error for a text that holds the key. */
export function holdsKey(where: Parameters<typeof domainWords.problems.row.holdsKey>[0]): SheetProblem {
  return {
    severity: 'error',
    code: 'contains-key',
    ...domainWords.problems.row.holdsKey(where),
  };
}
