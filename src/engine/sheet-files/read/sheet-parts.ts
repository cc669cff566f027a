import { deserialize, serialize } from 'node:v8';
import type { RawRecord } from '../../../shared/domain/sheet/sheet-raw.ts';

/**
 * Some records of a sheet on their way from the reader, as bytes: millions of strings cost much each time that they are
 * sent, and bytes cost nothing where they are only passed on.
 */
export type PackedRecords = Uint8Array<ArrayBuffer>;

/** Each text is there once: most cells of a sheet are the same as others, and stay one text where they are unpacked. */
interface RecordColumns {
  readonly lines: readonly number[];
  /** How many cells each record has. */
  readonly widths: Uint32Array;
  readonly texts: readonly string[];
  /** For each cell, record by record, the index of its text. */
  readonly indexes: Uint32Array;
}

/** Of the same program only: the format is that of its V8. */
export function packRecords(records: readonly RawRecord[]): PackedRecords {
  const widths = Uint32Array.from(records, ({ cells }) => cells.length);
  const indexes = new Uint32Array(widths.reduce((sum, width) => sum + width, 0));
  const indexOfText = new Map<string, number>();
  let at = 0;
  for (const { cells } of records) {
    for (const text of cells) {
      const known = indexOfText.get(text);
      indexes[at++] = known ?? indexOfText.size;
      if (known === undefined) indexOfText.set(text, indexOfText.size);
    }
  }
  const lines = records.map(({ line }) => line);
  return new Uint8Array(serialize({ lines, widths, texts: [...indexOfText.keys()], indexes } satisfies RecordColumns));
}

export function unpackRecords(part: PackedRecords): RawRecord[] {
  const { lines, widths, texts, indexes } = deserialize(part) as RecordColumns;
  // One list for all records, of which each gets a copy: a list that grows takes up to twice the room it needs.
  const cells: string[] = [];
  let at = 0;
  return lines.map((line, record) => {
    const width = widths[record] ?? 0;
    for (let cell = 0; cell < width; cell++) cells[cell] = texts[indexes[at++] ?? 0] ?? '';
    return { line, cells: cells.slice(0, width) };
  });
}
