/** What the views must say, computed anew from a store's tasks and the rows of its sheet, without any shortcut. */
import type { AtOnce } from '../../src/engine/ports/base.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { idleStatus, ROW_VIEW_STATUSES, type RowViewStatus } from '../../src/shared/domain/task/row-status.ts';
import { failureOfProblem, rowLabel, viewOfRow } from '../../src/shared/domain/task/row-view.ts';
import type { ExportedRow } from '../../src/shared/domain/task/views/exported-row.ts';
import type { RowPage, RowPageQuery, RowSortColumn } from '../../src/shared/domain/task/batch-view.ts';
import type { RowSummary } from '../../src/shared/domain/task/views/row-summary.ts';
import { shownProblem, type SheetProblem } from '../../src/shared/domain/sheet/problems.ts';
import { operationOf } from '../../src/shared/domain/operations/operations.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';

function viewOf(
  store: AtOnce<TaskStore>,
  batchId: string,
  row: Row,
  problems: readonly SheetProblem[],
  key = 0,
): RowSummary {
  const own = problems.filter((p) => p.row === row.id);
  const problem = shownProblem(own);
  const viewed = {
    ...row,
    key,
    label: rowLabel(row),
    idle: idleStatus(row, own, false),
    ...(problem === undefined ? {} : { problem }),
  };
  return viewOfRow(viewed, store.tasksOfRow(batchId, row.id));
}

const SORT_VALUES: Readonly<Record<RowSortColumn, (view: RowSummary) => string | number | undefined>> = {
  line: (view) => view.line,
  row: (view) => view.row,
  operation: (view) => view.operation ?? '',
  label: (view) => view.label,
  status: (view) => view.status,
  submittedAt: (view) => view.submittedAt,
  finishedAt: (view) => view.finishedAt,
};

function compare(a: string | number | undefined, b: string | number | undefined, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a === b ? 0 : sign * (a < b ? -1 : 1);
}

export function modelPage(
  store: AtOnce<TaskStore>,
  batchId: string,
  rows: readonly Row[],
  problems: readonly SheetProblem[],
  firstKey: number,
  { filter = {}, sort = { column: 'line', direction: 'ascending' }, offset, limit }: RowPageQuery,
): RowPage {
  const text = (filter.text ?? '').trim().toLowerCase();
  const sign = sort.direction === 'ascending' ? 1 : -1;
  const valueOf = (row: Row, view: RowSummary): string | number | undefined =>
    sort.column === 'cell' ? row.cells[sort.header] || undefined : SORT_VALUES[sort.column](view);
  const found = rows
    .map((row, i) => ({ row, view: viewOf(store, batchId, row, problems, firstKey + i) }))
    .filter(({ row, view }) => {
      const family = view.operation && operationOf(view.operation).family;
      const texts = [row.id, view.label, row.note, ...Object.values(row.cells)].join('\n').toLowerCase();
      return (
        (filter.status === undefined || filter.status.length === 0 || filter.status.includes(view.status)) &&
        (filter.family === undefined || family === filter.family) &&
        (filter.operation === undefined || view.operation === filter.operation) &&
        texts.includes(text)
      );
    })
    .map(({ row, view }) => ({ view, value: valueOf(row, view) }))
    .toSorted((a, b) => compare(a.value, b.value, sign) || sign * (a.view.line - b.view.line))
    .map(({ view }) => view);
  return { total: found.length, rows: found.slice(offset, offset + limit) };
}

export function modelSummaryRows(
  store: AtOnce<TaskStore>,
  batchId: string,
  rows: readonly Row[],
): Record<RowViewStatus, number> {
  const statuses = rows.map((row) => viewOf(store, batchId, row, []).status);
  return Object.fromEntries(
    ROW_VIEW_STATUSES.map((status) => [status, statuses.filter((s) => s === status).length]),
  ) as Record<RowViewStatus, number>;
}

export function modelExport(
  store: AtOnce<TaskStore>,
  batchId: string,
  rows: readonly Row[],
  problems: readonly SheetProblem[],
): readonly ExportedRow[] {
  return rows.map((row) => {
    const { status, problem, failure: own } = viewOf(store, batchId, row, problems);
    const failure = status === 'invalid' && problem !== undefined ? failureOfProblem(problem) : own;
    const tasks = store.tasksOfRow(batchId, row.id).map((task) => ({
      take: task.take,
      status: task.status,
      ...(task.taskCode === undefined ? {} : { taskCode: task.taskCode }),
      ...(task.submittedAt === undefined ? {} : { submittedAt: task.submittedAt }),
      ...(task.finishedAt === undefined ? {} : { finishedAt: task.finishedAt }),
      ...(task.failure === undefined ? {} : { failure: task.failure }),
      outputs: task.outputs.flatMap(({ index, state, path = '', sha256 = '', bytes = 0, mediaType = '' }) =>
        state === 'verified' ? [{ index, path, sha256, bytes, mediaType }] : [],
      ),
    }));
    return { row, status, ...(failure === undefined ? {} : { failure }), tasks };
  });
}
