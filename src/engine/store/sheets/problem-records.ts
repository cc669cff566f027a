import { groupBy } from '../../../shared/domain/base/result.ts';
import {
  kindText,
  type IgnoredWarnings,
  type SheetProblem,
  type WarningKind,
} from '../../../shared/domain/sheet/problems.ts';
import { IN_LIST, IN_TEXTS, type Database } from '../open/database.ts';

/** How many problems there are. */
export interface ProblemCounts {
  readonly errors: number;
  readonly warnings: number;
}

/** A problem with the place of its row, whose line may have changed since the problem was found. */
export interface PlacedProblem {
  readonly problem: SheetProblem;
  /** Undefined for a problem of the whole sheet. */
  readonly row: { readonly key: number; readonly position: number; readonly line: number } | undefined;
}

interface PlacedColumns {
  readonly problem: string;
  readonly row: number | null;
  readonly position: number | null;
  readonly line: number | null;
}

/** The problems of a sheet. */
export type ProblemRecords = ReturnType<typeof openProblemRecords>;

export function openProblemRecords(db: Database) {
  const insert = db.prepare('INSERT INTO problems (batch, row, problem) VALUES (?, ?, ?)');
  const removeOfRow = db.prepare<{ readonly severity: string }>(`
    DELETE FROM problems WHERE row = ? RETURNING problem ->> '$.severity' AS severity`);
  const removeOfSheet = db.prepare<{ readonly severity: string }>(`
    DELETE FROM problems WHERE batch = ? AND row IS NULL RETURNING problem ->> '$.severity' AS severity`);
  const selectOfBatch = db.prepare<PlacedColumns>(`
    SELECT problems.problem AS problem, problems.row AS row, position, line FROM problems LEFT JOIN rows ON rows.seq = problems.row
    WHERE problems.batch = ? ORDER BY position NULLS FIRST, problems.seq LIMIT ?`);
  // In the form of `kindText`.
  const kindSql = `(problems.problem ->> '$.code') || ' ' || coalesce(problems.problem ->> '$.column', '')`;
  const selectCounted = db.prepare<PlacedColumns>(`
    SELECT problems.problem AS problem, problems.row AS row, position, line FROM problems LEFT JOIN rows ON rows.seq = problems.row
    WHERE problems.batch = ? AND NOT (problems.problem ->> '$.severity' = 'warning' AND ${kindSql} ${IN_TEXTS})
    ORDER BY position NULLS FIRST, problems.seq LIMIT ?`);
  const countOfKinds = db.prepare<{ readonly kind: string; readonly count: number }>(`
    SELECT ${kindSql} AS kind, count(*) AS count FROM problems
    WHERE batch = ? AND problem ->> '$.severity' = 'warning' AND ${kindSql} ${IN_TEXTS} GROUP BY 1`);
  const countOfRows = db.prepareColumn<number>(`
    SELECT count(DISTINCT row) FROM problems WHERE batch = ? AND problem ->> '$.code' = ?`);
  const selectOfSheet = db.prepare<{ readonly problem: string }>(`
    SELECT problem FROM problems WHERE batch = ? AND row IS NULL ORDER BY seq`);
  const selectOfRows = db.prepare<{ readonly row: number; readonly problem: string }>(`
    SELECT row, problem FROM problems WHERE row ${IN_LIST} ORDER BY seq`);

  function insertAll(batch: number, row: number | undefined, problems: readonly SheetProblem[]): void {
    for (const problem of problems) insert.run(batch, row ?? null, JSON.stringify(problem));
  }

  return {
    /** Replaces the problems of a row, or those of the whole sheet; returns how many more there are now. */
    replace(batch: number, row: number | undefined, problems: readonly SheetProblem[]) {
      const removed = row === undefined ? removeOfSheet.all(batch) : removeOfRow.all(row);
      insertAll(batch, row, problems);
      const errors = countErrors(problems) - countErrors(removed);
      return { errors, warnings: problems.length - removed.length - errors };
    },
    insert: insertAll,
    /** In the order of the sheet, with those of the whole sheet first. */
    ofBatch: (batch: number, limit: number) => selectOfBatch.all(batch, limit).map(placedProblem),
    /** The same without warnings of these kinds. */
    ofBatchBut: (batch: number, limit: number, ignored: readonly WarningKind[]) =>
      selectCounted.all(batch, JSON.stringify(ignored.map(kindText)), limit).map(placedProblem),
    /** How many warnings of each of these kinds there are. */
    countIgnored(batch: number, ignored: readonly WarningKind[]): readonly IgnoredWarnings[] {
      const kinds = countOfKinds.all(batch, JSON.stringify(ignored.map(kindText)));
      const counts = new Map(kinds.map(({ kind, count }) => [kind, count]));
      return ignored.map((kind) => ({ ...kind, count: counts.get(kindText(kind)) ?? 0 }));
    },
    /** How many rows have a problem of this kind, ignored or not. */
    countRowsWith: (batch: number, code: SheetProblem['code']): number => countOfRows(batch, code)[0] ?? 0,
    /** The problems of the whole sheet. */
    ofSheet: (batch: number) => selectOfSheet.all(batch).map(parsedProblem),
    ofRows: (rows: readonly number[]) =>
      groupBy(selectOfRows.all(JSON.stringify(rows)), ({ row }) => row, parsedProblem),
  };
}

/** How many of these are errors. */
export function countErrors(problems: readonly { readonly severity: string }[]): number {
  return problems.filter((problem) => problem.severity === 'error').length;
}

function parsedProblem({ problem }: { readonly problem: string }): SheetProblem {
  return JSON.parse(problem) as SheetProblem;
}

function placedProblem({ row, position, line, ...columns }: PlacedColumns): PlacedProblem {
  const place = row === null || position === null || line === null ? undefined : { key: row, position, line };
  return { problem: parsedProblem(columns), row: place };
}
