import { GridCellKind, type GridCell } from '@glideapps/glide-data-grid';
import type { RowView } from '../../shared/ipc/views.ts';
import type { OutputKind } from '../../shared/domain/operations.ts';
import { STATUS_LOOKS } from '../design/status-look.ts';
import { formatNearby } from '../format/times.ts';
import { visibleLine } from '../format/visible-text.ts';
import { fileKind, operationTitle, rowReason } from '../format/words.ts';
import type { SortColumn } from '../state/rows-view.ts';
import { lineCell, takesCell } from './grid-cells.ts';
import type { GridPalette } from './grid-palette.ts';

/** A column of the grid: how wide, whether the rows can be sorted by it, and what it shows of a row. */
export interface RowColumn {
  readonly id: 'row' | 'operation' | 'label' | 'status' | 'takes' | 'files' | 'finished' | 'reason';
  readonly title: string;
  readonly width: number;
  readonly grow?: number;
  readonly sortBy?: SortColumn;
  readonly cell: (row: RowView, palette: GridPalette, now: number) => GridCell;
}

/** The same drawings as the page's icons have, for the canvas: lines in a square of 16 units. */
const FILE_GLYPHS: Readonly<Record<OutputKind, string>> = {
  music:
    'M6 12.2V3.4l7-1.2v8.7 M6 12.2a1.9 1.9 0 1 1-3.8 0 1.9 1.9 0 0 1 3.8 0Z M13 10.9a1.9 1.9 0 1 1-3.8 0 1.9 1.9 0 0 1 3.8 0Z',
  video: 'M2 3.2h12v9.6H2V3.2Z M6.6 5.8v4.4L10.2 8 6.6 5.8Z',
  image: 'M2 2.6h12v10.8H2V2.6Z M2.4 11.4 6 7.8l4.8 5 M9.2 11l2-2 2.6 2.4 M10.6 5.6v.05',
  data: 'M6 2.6c-3 0-.8 4.6-3.4 5.4 2.6.8.4 5.4 3.4 5.4 M10 2.6c3 0 .8 4.6 3.4 5.4-2.6.8-.4 5.4-3.4 5.4',
};

export const ROW_COLUMNS: readonly RowColumn[] = [
  {
    id: 'row',
    title: 'Row',
    width: 112,
    sortBy: 'row',
    cell: (row, palette) => lineCell(visibleLine(row.row), palette.ink, { isStrong: true }),
  },
  {
    id: 'operation',
    title: 'Operation',
    width: 104,
    sortBy: 'operation',
    cell: (row, palette) => lineCell(operationTitle(row.operation), palette.inkSoft),
  },
  {
    id: 'label',
    title: 'Label',
    width: 164,
    grow: 2,
    cell: (row, palette) => lineCell(visibleLine(row.label), palette.ink),
  },
  {
    id: 'status',
    title: 'Status',
    width: 128,
    sortBy: 'status',
    cell: ({ status }, palette) => {
      const { word, glyph } = STATUS_LOOKS[status];
      return lineCell(word, palette.status[status], { glyph, isStrong: true });
    },
  },
  {
    id: 'takes',
    title: 'Takes',
    width: 74,
    cell: (row, palette) => takesCell(row.takesDone, row.takes, palette.status.done, palette.line),
  },
  {
    id: 'files',
    title: 'File',
    width: 168,
    grow: 1,
    cell: (row, palette) => {
      const [first] = row.files;
      if (first === undefined) return lineCell('', palette.inkSoft);
      const more = row.fileCount > 1 ? `+${row.fileCount - 1}  ` : '';
      const cell = lineCell(`${more}${visibleLine(first.name)}`, palette.inkSoft, {
        glyph: FILE_GLYPHS[fileKind(first)],
      });
      return { ...cell, cursor: 'pointer' };
    },
  },
  {
    id: 'finished',
    title: 'Finished',
    width: 84,
    sortBy: 'finishedAt',
    cell: (row, palette, now) =>
      lineCell(row.finishedAt === undefined ? '' : formatNearby(row.finishedAt, now), palette.inkFaint),
  },
  {
    id: 'reason',
    title: 'Reason',
    width: 150,
    grow: 1,
    cell: (row, palette) =>
      lineCell(visibleLine(rowReason(row)), row.failure === undefined ? palette.inkFaint : palette.inkSoft),
  },
];

/** A cell of a row that is on its way. */
export const LOADING_CELL: GridCell = { kind: GridCellKind.Loading, allowOverlay: false };
