import { deserialize, serialize } from 'node:v8';
import type { RawRecord } from '../../../shared/domain/sheet/sheet-raw.ts';

/**
 * Some records of a sheet on their way from the reader, as bytes: each transfer of millions of strings is expensive,
 * and passing bytes on is free.
 */
export type PackedRecords = Uint8Array<ArrayBuffer>;

/** Each text occurs once: most cells of a sheet repeat others, and share one text after unpacking. */
interface RecordColumns {
  readonly lines: readonly number[];
  /** How many cells each record has. */
  readonly widths: Uint32Array;
  readonly texts: readonly string[];
  /** For each cell, record by record, the index of its text. */
  readonly indexes: Uint32Array;
}

/** Unpack only in the same program: the format depends on its V8. */
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
  // One list for all records, each of which gets a copy: a growing list takes up to twice the memory it needs.
  const cells: string[] = [];
  let at = 0;
  return lines.map((line, record) => {
    const width = widths[record] ?? 0;
    for (let cell = 0; cell < width; cell++) cells[cell] = texts[indexes[at++] ?? 0] ?? '';
    return { line, cells: cells.slice(0, width) };
  });
}
