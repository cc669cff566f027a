import { FAMILIES } from '../../../src/shared/domain/operations/operations.ts';
import type { ShownRows } from '../../../src/renderer/state/batch/typed-cells.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../src/shared/domain/task/task.ts';
import type { GatewayView } from '../../../src/shared/ipc/app.ts';
import type { BatchView } from '../../../src/shared/ipc/batches.ts';
import type { ForecastView } from '../../../src/shared/ipc/forecast.ts';
import type { SheetBeginning, SheetView } from '../../../src/shared/ipc/opening.ts';
import type { RowView } from '../../../src/shared/ipc/rows.ts';
import { ROW_VIEW_STATUSES } from '../../../src/shared/domain/task/row-status.ts';

/** A row; the key of `row-7` is 7. */
export function makeRow(changes: Partial<RowView> = {}): RowView {
  return {
    key: Number(/^row-(?<key>\d+)$/u.exec(changes.row ?? '')?.groups?.['key'] ?? 1),
    row: 'song-1',
    line: 2,
    operation: 'musicgen/music/generate',
    label: 'The owl keeps the night',
    status: 'queued',
    takes: 1,
    takesDone: 0,
    fileCount: 0,
    files: [],
    ...changes,
  };
}

/** Rows `row-0` to `row-<count - 1>`. */
export function makeRows(count: number, changes: Partial<RowView> = {}): RowView[] {
  return Array.from({ length: count }, (_, index) => makeRow({ row: `row-${index}`, line: index + 2, ...changes }));
}

export function makeCounts(music: Partial<Record<TaskStatus, number>> = {}): BatchView['counts'] {
  const none = Object.fromEntries(TASK_STATUSES.map((status) => [status, 0])) as Record<TaskStatus, number>;
  const families = FAMILIES.map((family) => [family, family === 'musicgen' ? { ...none, ...music } : none] as const);
  return Object.fromEntries(families) as BatchView['counts'];
}

/** Rows of a batch by status. */
export function makeRowCounts(rows: Partial<BatchView['rows']> = {}): BatchView['rows'] {
  const none = Object.fromEntries(ROW_VIEW_STATUSES.map((status) => [status, 0])) as BatchView['rows'];
  return { ...none, ...rows };
}

/** A gateway of the settings. */
export function makeGateway(changes: Partial<GatewayView> = {}): GatewayView {
  return {
    profile: 'My gateway',
    baseUrl: '',
    allowPlainHttp: false,
    currencies: [],
    priced: 0,
    requestsPerSecond: 2,
    atOnce: { musicgen: 3, 'videogen-a': 3, 'videogen-b': 3 },
    knownStatuses: [],
    ...changes,
  };
}

export function makeBatch(changes: Partial<BatchView> = {}): BatchView {
  return {
    id: 'batch-1',
    name: 'A night',
    state: 'running',
    rehearsal: true,
    folder: '/home/ada/Nocturne/A night',
    gateway: 'the built-in gateway',
    profile: 'Rehearsal',
    createdAt: 1_000,
    rowCount: 3,
    taskCount: 3,
    rows: makeRowCounts({ queued: 3 }),
    draftSubmits: 0,
    counts: makeCounts({ queued: 3 }),
    files: 0,
    bytes: 0,
    submitsUsed: 0,
    ...changes,
  };
}

export function makeSheet(changes: Partial<SheetView> = {}): SheetView {
  return {
    sheetId: 'sheet-1',
    name: 'night.csv',
    format: 'csv',
    rowCount: 60,
    runnableRows: 60,
    skippedRows: 0,
    submits: 63,
    operations: [{ operation: 'musicgen/music/generate', rows: 60, submits: 63 }],
    errorCount: 0,
    warningCount: 0,
    ignored: [],
    problems: [],
    preview: { headers: ['row'], rows: [['song-1']], bodies: ['{}'] },
    columns: [],
    needsOperation: false,
    variables: {},
    lists: [],
    choices: 'draw',
    choiceCells: 0,
    expandedRows: 60,
    isMappingKept: false,
    cost: [],
    submitsWithoutPrice: 63,
    ...changes,
  };
}

/** What is known of the same sheet by its first rows. */
export function makeBeginning(changes: Partial<SheetBeginning> = {}): SheetBeginning {
  const { sheetId, name, format, preview, columns, needsOperation, variables, lists, choices, isMappingKept } =
    makeSheet();
  const meaning = { columns, needsOperation, variables, lists, choices, isMappingKept };
  return { sheetId, name, format, preview, ...meaning, ...changes };
}

/** The rows with these keys as the grid shows them; undefined before the window knows the view. */
export function shownRows(keys: readonly number[] | undefined): ShownRows {
  const places = new Map(keys?.map((key, place) => [key, place]));
  return {
    total: keys?.length,
    places: keys?.length ?? 0,
    keyAt: (place) => keys?.[place],
    placeOf: (key) => places.get(key),
  };
}

/** A forecast of nothing, with some changes. */
export function makeForecast(changes: Partial<ForecastView> = {}): ForecastView {
  return {
    rows: 0,
    requests: 0,
    cost: [],
    unpriced: [],
    diskBytes: 0,
    begins: 0,
    source: 'defaults',
    kinds: 1,
    beyondLimit: 0,
    dearer: [],
    unsent: 0,
    held: { rows: 0, requests: 0 },
    invalidRows: 0,
    duplicates: { rows: 0, requests: 0, cost: [] },
    ...changes,
  };
}
