import { GridCellKind, type GridCell } from '@glideapps/glide-data-grid';
import { moneyText } from '../../../shared/domain/base/money.ts';
import type { RowSortBy } from '../../../shared/domain/task/batch-view.ts';
import type { OutputKind } from '../../../shared/domain/operations/operations.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { ColumnView } from '../../../shared/ipc/opening.ts';
import type { FileView, RowView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { rowLook, STATUS_LOOKS } from '../../design/status-look.ts';
import { formatDuration, formatNearby } from '../../format/times.ts';
import { shownLine } from '../../format/shown-text.ts';
import { fileKind, lengthWords } from '../../format/phrases.ts';
import { reasonOf, type HoldingUp } from '../../state/batch/why-waiting.ts';
import { lineCell, lineNumberCell, pictureCell, takesCell } from '../grid/grid-cells.ts';
import type { GridLayout } from '../grid/grid-layout.ts';
import type { GridPalette } from '../grid/grid-palette.ts';

/** The cell of the sheet that a grid column shows: its header, its index among a row's cells, and its mapping. */
export interface SheetColumn {
  readonly header: string;
  readonly cell: number;
  readonly view: ColumnView;
}

/** A column of the grid: its width, what it sorts rows by if it can, and what it shows of a row. */
export interface RowColumn {
  /** Never changes: the window stores widths by it. */
  readonly id: string;
  readonly title: string;
  readonly width: number;
  readonly sortBy?: RowSortBy;
  /** Its column in the sheet, which can be edited; absent for a column that Nocturne fills in. */
  readonly sheet?: SheetColumn;
  /** For a column of results: what it says. Such a column can be hidden, as those of the sheet can. */
  readonly help?: string;
  /** The same as text, for copying. */
  readonly text?: (row: RowView, batch: HoldingUp) => string;
  /** What Nocturne shows of a row; the grid itself draws cells of the sheet. */
  readonly cell?: (row: RowView, palette: GridPalette, now: number, batch: HoldingUp) => GridCell;
}

/** The same icons as on the page, for the canvas: lines in a square of 16 units. */
const FILE_GLYPHS: Readonly<Record<OutputKind, string>> = {
  music:
    'M6 12.2V3.4l7-1.2v8.7 M6 12.2a1.9 1.9 0 1 1-3.8 0 1.9 1.9 0 0 1 3.8 0Z M13 10.9a1.9 1.9 0 1 1-3.8 0 1.9 1.9 0 0 1 3.8 0Z',
  video: 'M2 3.2h12v9.6H2V3.2Z M6.6 5.8v4.4L10.2 8 6.6 5.8Z',
  image: 'M2 2.6h12v10.8H2V2.6Z M2.4 11.4 6 7.8l4.8 5 M9.2 11l2-2 2.6 2.4 M10.6 5.6v.05',
  data: 'M6 2.6c-3 0-.8 4.6-3.4 5.4 2.6.8.4 5.4 3.4 5.4 M10 2.6c3 0 .8 4.6 3.4 5.4-2.6.8-.4 5.4-3.4 5.4',
};

export const LINE_COLUMN_ID = 'line';
export const ADD_COLUMN_ID = 'add';
/** Columns that stay in place before the sheet's own: line, id, status. */
const FIRST_COLUMNS = 3;

const LINE: RowColumn = {
  id: LINE_COLUMN_ID,
  title: '#',
  width: 58,
  sortBy: { column: 'line' },
  text: ({ line }) => String(line),
  cell: (row, palette) =>
    lineNumberCell(row.line, palette.inkFaint, row.locked === undefined ? undefined : STATUS_LOOKS[row.status].word),
};

const ROW_ID: RowColumn = {
  id: 'row',
  title: 'row',
  width: 112,
  sortBy: { column: 'row' },
  text: ({ row }) => row,
  cell: (row, palette) => lineCell(shownLine(row.row), palette.ink, { isStrong: true }),
};

const STATUS: RowColumn = {
  id: 'status',
  title: words.grid.results.status,
  width: 122,
  sortBy: { column: 'status' },
  text: (row) => rowLook(row).word,
  cell: (row, palette) => {
    const { word, glyph } = rowLook(row);
    return lineCell(word, palette.status[row.status], { glyph, isStrong: true });
  },
};

const ADD: RowColumn = { id: ADD_COLUMN_ID, title: '+', width: 40, cell: (_row, palette) => lineCell('', palette.ink) };

/** The column of a row's files, with the small picture of the first one. */
export const FILES_COLUMN_ID = 'files';

/**
 * The file that this column shows for a row: the first or, if the row is to be rendered again, the first that it had.
 */
export function fileInCell({ files, earlier }: Pick<RowView, 'files' | 'earlier'>): FileView | undefined {
  return files[0] ?? earlier?.files[0];
}

/** The results of a row, the most wanted first. */
const RESULTS: readonly RowColumn[] = [
  {
    id: FILES_COLUMN_ID,
    title: words.grid.results.file,
    width: 112,
    help: words.grid.results.fileHelp,
    text: ({ files }) => files.map(({ name }) => name).join(', '),
    cell: (row, palette) => {
      const first = fileInCell(row);
      if (first === undefined) return lineCell('', palette.inkSoft);
      const { earlier } = row;
      const { fileCount } = earlier ?? row;
      return pictureCell({
        fileId: first.id,
        name: shownLine(first.name),
        length: lengthWords(first) ?? '',
        more: fileCount > 1 ? `+${fileCount - 1}` : '',
        glyph: FILE_GLYPHS[fileKind(first)],
        color: earlier === undefined ? palette.inkSoft : palette.inkFaint,
        isEarlier: earlier !== undefined,
      });
    },
  },
  {
    id: 'reason',
    title: words.grid.results.reason,
    width: 188,
    help: words.grid.results.reasonHelp,
    text: (row, batch) => reasonOf(row, batch, Date.now()),
    cell: (row, palette, now, batch) =>
      lineCell(shownLine(reasonOf(row, batch, now)), row.failure === undefined ? palette.inkFaint : palette.inkSoft),
  },
  {
    id: 'took',
    title: words.grid.results.took,
    width: 96,
    help: words.grid.results.tookHelp,
    text: tookWords,
    cell: (row, palette) => lineCell(tookWords(row), palette.inkFaint),
  },
  {
    id: 'cost',
    title: words.grid.results.cost,
    width: 80,
    help: words.grid.results.costHelp,
    text: ({ cost }) => (cost === undefined ? '' : moneyText(cost)),
    cell: ({ cost }, palette) => lineCell(cost === undefined ? '' : moneyText(cost), palette.inkFaint),
  },
  {
    id: 'finished',
    title: words.grid.results.finished,
    width: 84,
    help: words.grid.results.finishedHelp,
    sortBy: { column: 'finishedAt' },
    text: ({ finishedAt }) => (finishedAt === undefined ? '' : new Date(finishedAt).toISOString()),
    cell: (row, palette, now) =>
      lineCell(row.finishedAt === undefined ? '' : formatNearby(row.finishedAt, now), palette.inkFaint),
  },
  {
    id: 'takes',
    title: words.grid.results.takes,
    width: 74,
    help: words.grid.results.takesHelp,
    text: ({ takes, takesDone }) => words.grid.takesDone(takesDone, takes),
    cell: (row, palette) => takesCell(row.takesDone, row.takes, palette.status.done, palette.line),
  },
];

function tookWords({ submittedAt, tookMs }: RowView): string {
  return submittedAt === undefined || tookMs === undefined ? '' : formatDuration(tookMs);
}

/** Long texts get more room, switches less. */
const WIDTHS: Readonly<Record<string, number>> = {
  operation: 104,
  prompt: 280,
  gpt_description_prompt: 240,
  infill_lyrics: 240,
  continued_aligned_prompt: 240,
  title: 168,
  tags: 180,
  negative_tags: 160,
  takes: 64,
  priority: 72,
  skip: 60,
  note: 168,
};
const USUAL_WIDTH = 136;

/**
 * The columns of a batch's grid: the row's id and status, the results, and the sheet's columns, without those that are
 * hidden. Before the first start there are no results: their columns are at the end then. Columns of the sheet that
 * stay in place come before them.
 */
export function gridColumns(
  views: readonly ColumnView[],
  layout: GridLayout,
  { state, rehearsal }: Pick<BatchView, 'state' | 'rehearsal'>,
): readonly RowColumn[] {
  const sheet = views.map((view, cell): SheetColumn => ({ header: view.header, cell, view }));
  const idColumn = sheet.find(({ view }) => view.column === 'row');
  const shown = sheet.filter((column) => column !== idColumn && !layout.hidden.includes(column.header));
  const rowId = idColumn === undefined ? ROW_ID : { ...ROW_ID, title: idColumn.header, ...ofSheet(idColumn) };
  const results = resultColumns(rehearsal).filter(({ id }) => !layout.hiddenResults.includes(id));
  const own = shown.map(sheetColumn);
  const inPlace = state === 'ready' ? own.length : 1 + shown.findIndex(({ header }) => header === layout.frozenUpTo);
  const end = state === 'ready' ? [ADD, ...results] : [...results, ...own.slice(inPlace), ADD];
  return [LINE, rowId, STATUS, ...own.slice(0, inPlace), ...end];
}

/** The columns of results that a batch has, hidden or not: a rehearsal costs nothing. */
export function resultColumns(isRehearsal: boolean): readonly RowColumn[] {
  return isRehearsal ? RESULTS.filter(({ id }) => id !== 'cost') : RESULTS;
}

function sheetColumn(sheet: SheetColumn): RowColumn {
  return {
    id: `sheet:${sheet.header}`,
    title: sheet.header.trim() === '' ? words.grid.header.noName : shownLine(sheet.header),
    width: WIDTHS[sheet.view.column] ?? USUAL_WIDTH,
    ...ofSheet(sheet),
  };
}

function ofSheet(sheet: SheetColumn): Pick<RowColumn, 'sheet' | 'sortBy'> {
  return { sheet, sortBy: { column: 'cell', header: sheet.header } };
}

/** How many columns stay in place: the first ones, and the sheet's own up to the one that the user chose. */
export function frozenCount(columns: readonly RowColumn[], layout: GridLayout): number {
  const last = columns.findIndex(({ sheet }) => sheet !== undefined && sheet.header === layout.frozenUpTo);
  return Math.max(FIRST_COLUMNS, last + 1);
}

/** A cell of a row that is still being fetched. */
export const LOADING_CELL: GridCell = { kind: GridCellKind.Loading, allowOverlay: false };
