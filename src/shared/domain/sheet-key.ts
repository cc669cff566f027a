import type { SheetProblem } from './row.ts';
import type { RawRecord, RawSheet } from './sheet-raw.ts';

/**
 * The sheet with the gateway's key blotted out wherever it stands, and an error for each such cell. What is checked,
 * shown, stored and written to the media folder is made of this: a row that is blocked is still kept with its cells.
 */
export function hideKey(raw: RawSheet, key: string): RawSheet {
  const stars = '*'.repeat(key.length);
  const clean = (text: string): string => text.replaceAll(key, stars);
  const headers = raw.headers.map(clean);
  const problems: SheetProblem[] = raw.headers.some((header) => header.includes(key)) ? [holdsKey('A header')] : [];
  const records: RawRecord[] = raw.records.map((record) => {
    if (!record.cells.some((cell) => cell.includes(key))) return record;
    for (const [index, cell] of record.cells.entries()) {
      if (!cell.includes(key)) continue;
      const column = headers[index];
      problems.push({ ...holdsKey('A cell'), line: record.line, ...(column === undefined ? {} : { column }) });
    }
    return { line: record.line, cells: record.cells.map(clean) };
  });
  if (problems.length === 0) return raw;
  const told = raw.problems.map((problem) => ({ ...problem, message: clean(problem.message) }));
  return { ...raw, headers, records, problems: [...told, ...problems] };
}

function holdsKey(what: string): SheetProblem {
  return {
    severity: 'error',
    code: 'contains-key',
    message: `${what} holds your gateway key, which would be sent with the row; it is not kept.`,
    remedy: 'Delete the key from the sheet. It belongs in the settings and nowhere else.',
  };
}
