import type { OperationPath } from '../../src/shared/domain/operations.ts';
import type { Row } from '../../src/shared/domain/row.ts';

/** Rows of all four kinds of output; small files, one or two to a row. */
const MIXTURE: readonly OperationPath[] = [
  'videogen-b/image/generate',
  'musicgen/music/wav',
  'musicgen/music/generate',
  'musicgen/music/lyrics',
  'videogen-b/image/generate',
  'musicgen/music/mp4',
];

/** A sheet in which no two rows ask for the same, so that every charge tells the row that it is for. */
export function mixedRows(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, i) => rowOf(i, MIXTURE[i % MIXTURE.length] ?? 'musicgen/music/wav'));
}

/** One row of one operation. */
export function singleRow(operation: OperationPath): readonly Row[] {
  return [rowOf(0, operation)];
}

function rowOf(i: number, operation: OperationPath): Row {
  const id = `row${i + 1}`;
  const isClip = operation === 'musicgen/music/wav' || operation === 'musicgen/music/mp4';
  return {
    id,
    line: i + 2,
    operation,
    body: isClip ? { clip_id: `clip of ${id}` } : { prompt: `${id} at night` },
    takes: 1,
    priority: 0,
    filename: undefined,
    note: undefined,
    skip: false,
    cells: { row: id },
  };
}
