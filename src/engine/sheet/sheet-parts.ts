import type { RawRecord } from '../../shared/domain/sheet-raw.ts';

/**
 * Some records of a sheet on their way from the reader: their texts as one, and where each ends. Two million strings
 * cost as much on every way that they are sent; one of them costs nothing where it is only passed on.
 */
export interface PackedRecords {
  readonly lines: Uint32Array;
  /** How many cells each line has. */
  readonly counts: Uint32Array;
  /** Where the text of each cell ends in `text`. */
  readonly ends: Uint32Array;
  readonly text: string;
}

export function packRecords(records: readonly RawRecord[]): PackedRecords {
  const ends = new Uint32Array(records.reduce((sum, { cells }) => sum + cells.length, 0));
  const texts: string[] = [];
  let cell = 0;
  let end = 0;
  for (const { cells } of records) {
    for (const text of cells) {
      end += text.length;
      ends[cell++] = end;
    }
    texts.push(cells.join(''));
  }
  return {
    lines: Uint32Array.from(records, ({ line }) => line),
    counts: Uint32Array.from(records, ({ cells }) => cells.length),
    ends,
    text: texts.join(''),
  };
}

export function unpackRecords({ lines, counts, ends, text }: PackedRecords): RawRecord[] {
  const records: RawRecord[] = [];
  let cell = 0;
  let start = 0;
  for (const [index, line] of lines.entries()) {
    const cells: string[] = [];
    for (let count = counts[index] ?? 0; count > 0; count--) {
      const end = ends[cell++] ?? start;
      cells.push(text.slice(start, end));
      start = end;
    }
    records.push({ line, cells });
  }
  return records;
}
