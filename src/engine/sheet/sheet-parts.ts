import { deserialize, serialize } from 'node:v8';
import type { RawRecord } from '../../shared/domain/sheet-raw.ts';

/**
 * Some records of a sheet on their way from the reader, as bytes: millions of strings cost much each time that they are
 * sent, and bytes cost nothing where they are only passed on.
 */
export type PackedRecords = Uint8Array<ArrayBuffer>;

interface RecordColumns {
  readonly lines: readonly number[];
  readonly cells: readonly (readonly string[])[];
}

/** Of the same program only: the format is that of its V8. */
export function packRecords(records: readonly RawRecord[]): PackedRecords {
  const columns: RecordColumns = { lines: records.map(({ line }) => line), cells: records.map(({ cells }) => cells) };
  return new Uint8Array(serialize(columns));
}

export function unpackRecords(part: PackedRecords): RawRecord[] {
  const { lines, cells } = deserialize(part) as RecordColumns;
  return lines.map((line, index) => ({ line, cells: cells[index] ?? [] }));
}
