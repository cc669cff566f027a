import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import type { LinkedField, Reference, ReferencePath } from '../../src/shared/domain/cells/reference.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';

/** Rows of all four kinds of output, one or two files to a row. */
const MIXTURE: readonly OperationPath[] = [
  'videogen-b/image/generate',
  'musicgen/music/wav',
  'musicgen/music/generate',
  'musicgen/music/lyrics',
  'videogen-b/image/generate',
  'musicgen/music/mp4',
];

/** A sheet in which no two rows ask for the same, so that every charge shows the row that it is for. */
export function mixedRows(count: number): readonly Row[] {
  return rowsInTurn(count, MIXTURE);
}

/**
 * The same without the only kind of music that is long: in full detail, all music is then short, and all films stream.
 */
export function rowsWithoutWav(count: number): readonly Row[] {
  return rowsInTurn(
    count,
    MIXTURE.filter((operation) => operation !== 'musicgen/music/wav'),
  );
}

function rowsInTurn(count: number, operations: readonly OperationPath[]): readonly Row[] {
  return Array.from({ length: count }, (_, i) => rowOf(i, operations[i % operations.length] ?? 'musicgen/music/wav'));
}

/**
 * Rows that refer to rows, over all families: songs of lyrics, what is made of a song, videos of an image. As many as
 * wanted of {@link CHAIN}, one after the other, each with its own beginnings.
 */
export function chainedRows(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, i) => {
    const { operation, hasPrompt, link } = CHAIN[i % CHAIN.length] ?? { operation: 'musicgen/music/lyrics' };
    const row = rowOf(i, operation);
    if (link === undefined) return row;
    const start = i - (i % CHAIN.length);
    const field = linkedField(link, `row${start + link.step}`);
    // A body sent as it is written here is no row's request: a charge for it reveals an unresolved reference.
    const written = field.value.kind === 'list' ? ['{{as written}}'] : '{{as written}}';
    return { ...row, body: { ...(hasPrompt ? row.body : {}), [field.column]: written }, links: [field] };
  });
}

/** A song, and what is made of it by its task code alone, which is known long before the song is. */
export function songRows(): readonly Row[] {
  const made: readonly OperationPath[] = ['musicgen/music/wav', 'musicgen/music/mp4'];
  const links = [linkedField({ column: 'clip_id', step: 1, path: TASK }, 'row1')];
  const rows = made.map((operation, i) => ({ ...rowOf(i + 1, operation), body: { clip_id: '{{as written}}' }, links }));
  return [rowOf(0, 'musicgen/music/generate'), ...rows];
}

interface ChainLink {
  readonly column: string;
  readonly isList?: true;
  /** Which step of the chain it refers to, from 1. */
  readonly step: number;
  readonly path: ReferencePath;
}

const TASK: ReferencePath = { kind: 'task-code' };
const FIRST_FILE: ReferencePath = { kind: 'output-url', index: 1 };

const CHAIN: readonly { readonly operation: OperationPath; readonly hasPrompt?: true; readonly link?: ChainLink }[] = [
  { operation: 'musicgen/music/lyrics' },
  {
    operation: 'musicgen/music/generate',
    link: { column: 'prompt', step: 1, path: { kind: 'result', path: ['text'] } },
  },
  { operation: 'musicgen/music/wav', link: { column: 'clip_id', step: 2, path: TASK } },
  { operation: 'videogen-b/image/generate' },
  {
    operation: 'videogen-b/video/generate',
    hasPrompt: true,
    link: { column: 'imageList', isList: true, step: 4, path: FIRST_FILE },
  },
  { operation: 'musicgen/music/upload', link: { column: 'audioUrl', isList: true, step: 3, path: FIRST_FILE } },
  {
    operation: 'videogen-a/video/generate',
    hasPrompt: true,
    link: { column: 'images', isList: true, step: 4, path: FIRST_FILE },
  },
];

function linkedField({ column, isList, path }: ChainLink, row: string): LinkedField {
  const reference: Reference = { row, path, text: `${row}.${path.kind}` };
  return isList === true
    ? { column, value: { kind: 'list', items: [[reference]] } }
    : { column, value: { kind: 'text', text: [reference] } };
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
