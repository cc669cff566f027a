import {
  gatewayKey,
  PLAIN_SHEET,
  type AccountStops,
  type BatchPause,
  type BatchRecord,
  type BatchSettings,
  type BatchState,
  type SheetSettings,
  type StateChange,
} from '../../../shared/domain/task/batch.ts';
import { accountsOf } from '../../../shared/domain/task/accounts/account.ts';
import type { ForecastRecord } from '../../../shared/domain/task/forecast/forecast-record.ts';
import { trimEnd } from '../../../shared/domain/base/text.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { Database } from '../open/database.ts';
import { CellColumns } from '../sheets/cell-columns.ts';
import type { Random } from '../../ports/base.ts';

interface BatchColumns {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly sheet_path: string | null;
  readonly headers: string;
  readonly sheet: string;
  readonly settings: string;
  readonly folder: number;
  readonly state: BatchState;
  readonly pause: string | null;
  /** Missing in a store of an older version, which is read as it is. */
  readonly stops?: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly run_started_at: number | null;
  /** Missing in a store of an older version, which is read as it is. */
  readonly resumed_at?: number | null;
  readonly finished_at: number | null;
  /** Missing as well. */
  readonly forecast?: string | null;
  readonly row_count: number;
  readonly task_count: number;
  readonly error_count: number;
  readonly warning_count: number;
  readonly revision: number;
  readonly row_revision: number;
  /** Missing in a store of an older version, which is read as it is. */
  readonly cell_columns?: string;
}

/** A batch with what only the store knows about it. */
export interface StoredBatch {
  readonly seq: number;
  /** The key of its media folder. */
  readonly folder: number;
  readonly record: BatchRecord;
  readonly problems: { readonly errors: number; readonly warnings: number };
  /** Incremented when its rows come, go or move. */
  readonly rowRevision: number;
  readonly columns: CellColumns;
}

/** What is recorded about a batch when it is imported; its counts follow once its rows are written. */
export interface BatchBeginning {
  readonly record: Omit<BatchRecord, 'rowCount' | 'taskCount' | 'revision'>;
  readonly problems: { readonly errors: number; readonly warnings: number };
}

/**
 * All batches, in memory: there are few, and every question about a task needs its batch. The database is written
 * first; {@link BatchRecords.reload} reads what was committed.
 */
export type BatchRecords = ReturnType<typeof openBatchRecords>;

export function openBatchRecords(db: Database) {
  const selectAll = db.prepare<BatchColumns>('SELECT * FROM batches ORDER BY seq');
  const selectOne = db.prepare<BatchColumns>('SELECT * FROM batches WHERE seq = ?');
  const insert = db.prepare(`
    INSERT INTO batches (id, name, sheet_path, headers, sheet, settings, folder, gateway, state, created_at, row_count, task_count,
    error_count, warning_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)`);
  const updateRowsOf = db.prepare('UPDATE batches SET row_count = ?, task_count = ?, cell_columns = ? WHERE seq = ?');
  const updateSheet = db.prepare(`
    UPDATE batches SET sheet_path = ?, headers = ?, sheet = ?, row_count = ?, task_count = ?, error_count = ?,
    warning_count = ?, revision = revision + 1, row_revision = ?, cell_columns = ? WHERE seq = ?`);
  const updateRows = db.prepare(`
    UPDATE batches SET revision = revision + 1, row_revision = row_revision + 1 WHERE seq = ?`);
  const updateState = db.prepare(`
    UPDATE batches SET state = ?, pause = ?, stops = ?, started_at = ?, run_started_at = ?, resumed_at = ?, finished_at = ?, revision = revision + 1
    WHERE id = ?`);
  const insertChange = db.prepare(`
    INSERT INTO batch_changes (batch, at, state, pause) SELECT seq, ?2, ?3, ?4 FROM batches WHERE id = ?1`);
  const updateSettings = db.prepare(`
    UPDATE batches SET settings = ?, folder = ?, gateway = ?, name = ?, revision = revision + 1 WHERE id = ?`);
  const updateRemoved = db.prepare(`
    UPDATE batches SET sheet_path = NULL, headers = '[]', cell_columns = '[]', sheet = ?, settings = ?, state = 'finished',
      pause = NULL, stops = NULL, forecast = NULL, error_count = 0, warning_count = 0, revision = revision + 1,
      row_revision = row_revision + 1 WHERE seq = ?`);
  const updateForecast = db.prepare('UPDATE batches SET forecast = ?, revision = revision + 1 WHERE id = ?');
  const insertForecast = db.prepare(`
    INSERT INTO forecasts (batch, night, forecast) SELECT seq, ?, forecast FROM batches WHERE id = ? AND forecast IS NOT NULL
      AND CAST(forecast ->> '$.at' AS DOUBLE PRECISION) >= coalesce((SELECT max(at) FROM batch_changes WHERE batch = batches.seq), 0)
    ON CONFLICT DO NOTHING`);
  const selectRevisions = db.prepare<Pick<BatchColumns, 'seq' | 'revision'>>('SELECT seq, revision FROM batches');
  const insertFolder = db.prepare('INSERT INTO folders (path) VALUES (?) ON CONFLICT DO NOTHING');
  const selectFolder = db.prepare<{ readonly seq: number }>('SELECT seq FROM folders WHERE path = ?');

  const bySeq = new Map<number, StoredBatch>();
  const byId = new Map<string, StoredBatch>();

  function folderSeq(folder: string): number {
    const path = folderKey(folder);
    insertFolder.run(path);
    const found = selectFolder.get(path);
    if (found === undefined) throw new Error(`Folder not recorded: ${path}`);
    return found.seq;
  }

  function reload(seq?: number): void {
    if (seq === undefined) {
      bySeq.clear();
      byId.clear();
    }
    for (const columns of seq === undefined ? selectAll.all() : selectOne.all(seq)) {
      const batch = storedBatch(columns);
      bySeq.set(batch.seq, batch);
      byId.set(batch.record.id, batch);
    }
  }
  reload();

  function known(id: string): StoredBatch {
    const batch = byId.get(id);
    if (batch === undefined) throw new Error(`Unknown batch: ${id}`);
    return batch;
  }

  const isThere = ({ record }: StoredBatch): boolean => record.settings.shelf?.is !== 'removed';

  return {
    /** The batches that the user sees; removed ones are known only where payments are added up. */
    all: () => [...bySeq.values()].filter(isThere),
    byId(id: string) {
      const batch = byId.get(id);
      return batch !== undefined && isThere(batch) ? batch : undefined;
    },
    /** Includes batches whose rows were removed, for the ledger. */
    everById: (id: string) => byId.get(id),
    removed: () => [...bySeq.values()].filter((batch) => !isThere(batch)),
    /** The batch with this id, which must exist. */
    known,
    /** Records a media folder, inside a transaction; returns its key. */
    folderSeq,
    /** Identifies the gateway of a batch, or of one of its accounts. */
    gatewayOf: (id: string, account?: string) => gatewayKey(id, known(id).record.settings, account),
    /** The accounts of batches with several that are at a gateway. */
    accountsAt: (gateway: string) =>
      [...bySeq.values()].flatMap(({ seq, record: { id, settings } }) => {
        if (settings.accounts === undefined) return [];
        const at = accountsOf(settings).filter(({ name }) => gatewayKey(id, settings, name) === gateway);
        return at.map(({ name: account }) => ({ seq, account }));
      }),
    bySeq(seq: number) {
      const batch = bySeq.get(seq);
      if (batch === undefined) throw new Error(`Unknown batch number: ${seq}`);
      return batch;
    },
    /**
     * Writes a batch without rows, inside a transaction; returns its key. The batch is not in memory before `reload`.
     */
    insert({ record, problems }: BatchBeginning) {
      return insert.insert(
        record.id,
        record.name,
        record.sheetPath ?? null,
        JSON.stringify(record.headers),
        JSON.stringify(record.sheet),
        JSON.stringify(record.settings),
        folderSeq(record.settings.folder),
        gatewayKey(record.id, record.settings),
        record.state,
        record.createdAt,
        problems.errors,
        problems.warnings,
      );
    },
    /** Writes what follows from a batch's rows. */
    writeRows: (seq: number, rowCount: number, taskCount: number, { names }: CellColumns) =>
      void updateRowsOf.run(rowCount, taskCount, JSON.stringify(names), seq),
    /** Writes what an edit of the sheet can change. */
    writeSheet({ seq, record, problems, rowRevision, columns }: StoredBatch) {
      const { sheetPath, headers, sheet, rowCount, taskCount } = record;
      const { errors, warnings } = problems;
      updateSheet.run(
        sheetPath ?? null,
        JSON.stringify(headers),
        JSON.stringify(sheet),
        rowCount,
        taskCount,
        errors,
        warnings,
        rowRevision,
        JSON.stringify(columns.names),
        seq,
      );
    },
    /** Notes that the rows of a batch have moved. */
    noteMoved: (seq: number) => void updateRows.run(seq),
    writeState({ state, pause, stops, startedAt, runStartedAt, resumedAt, finishedAt, id }: BatchRecord) {
      const times = [startedAt ?? null, runStartedAt ?? null, resumedAt ?? null, finishedAt ?? null] as const;
      const why = [pause ? JSON.stringify(pause) : null, stops ? JSON.stringify(stops) : null] as const;
      updateState.run(state, ...why, ...times, id);
    },
    writeForecast: (id: string, forecast: ForecastRecord) => void updateForecast.run(JSON.stringify(forecast), id),
    /** Notes for a night the forecast made since the batch last stood still; the first forecast for a night stands. */
    noteForecast: (id: string, night: number) => void insertForecast.run(night, id),
    /** Notes changes of a batch's state, oldest first: ledgers say when it stood still, and why. */
    noteChanges(id: string, changes: readonly StateChange[]) {
      for (const { at, state, pause } of changes) insertChange.run(id, at, state, pause ? JSON.stringify(pause) : null);
    },
    /** Leaves nothing of what the user wrote: neither its columns nor where its sheet came from. */
    writeRemoved(seq: number, settings: BatchSettings) {
      updateRemoved.run(JSON.stringify(PLAIN_SHEET), JSON.stringify(settings), seq);
    },
    writeSettings: (id: string, settings: BatchSettings, name: string) =>
      void updateSettings.run(JSON.stringify(settings), folderSeq(settings.folder), gatewayKey(id, settings), name, id),
    /** Reads what was committed, for one batch or for all. */
    reload,
    /** Reads what another connection has committed; returns the batches whose rows have moved. */
    follow() {
      const changed = selectRevisions.all().filter(({ seq, revision }) => bySeq.get(seq)?.record.revision !== revision);
      return changed.flatMap(({ seq }) => {
        const before = bySeq.get(seq);
        reload(seq);
        const after = bySeq.get(seq);
        return before?.rowRevision === after?.rowRevision ? [] : [seq];
      });
    },
  };
}

function storedBatch(columns: BatchColumns): StoredBatch {
  const record: BatchRecord = {
    id: columns.id,
    name: columns.name,
    ...present({ sheetPath: columns.sheet_path }),
    headers: JSON.parse(columns.headers) as readonly string[],
    sheet: JSON.parse(columns.sheet) as SheetSettings,
    settings: JSON.parse(columns.settings) as BatchSettings,
    state: columns.state,
    ...(columns.pause === null ? {} : { pause: JSON.parse(columns.pause) as BatchPause }),
    ...(typeof columns.stops === 'string' ? { stops: JSON.parse(columns.stops) as AccountStops } : {}),
    createdAt: columns.created_at,
    ...present({
      startedAt: columns.started_at,
      runStartedAt: columns.run_started_at,
      resumedAt: columns.resumed_at,
      finishedAt: columns.finished_at,
    }),
    ...(typeof columns.forecast === 'string' ? { forecast: JSON.parse(columns.forecast) as ForecastRecord } : {}),
    rowCount: columns.row_count,
    taskCount: columns.task_count,
    revision: columns.revision,
  };
  const problems = { errors: columns.error_count, warnings: columns.warning_count };
  const { seq, folder, row_revision: rowRevision } = columns;
  const names = JSON.parse(columns.cell_columns ?? '[]') as readonly string[];
  return { seq, folder, record, problems, rowRevision, columns: new CellColumns(names, record.headers) };
}

/** Without letters and digits that look alike. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

/**
 * A batch's id, such as `20250725-160743-k7q`: its UTC time, so that ids sort by age, and three characters that
 * distinguish batches of the same second. `isTaken` rejects an id that is already in use.
 */
export function newBatchId(createdAt: number, random: Random, isTaken: (id: string) => boolean): string {
  const time = new Date(createdAt).toISOString().replace(/[-:]/g, '').slice(0, 15).replace('T', '-');
  for (let length = 3; ; length += 1) {
    const id = `${time}-${randomText(length, random)}`;
    if (!isTaken(id)) return id;
  }
}

/** `length` random characters that a person can read aloud. */
export function randomText(length: number, random: Random): string {
  return Array.from({ length }, () => ALPHABET[Math.floor(random.next() * ALPHABET.length)]).join('');
}

/** A media folder's path as the store compares it: without a separator at its end, unless it is a root. */
export function folderKey(folder: string): string {
  const trimmed = trimEnd(folder, (char) => char === '/' || char === '\\');
  return trimmed === '' || trimmed.endsWith(':') ? folder.slice(0, trimmed.length + 1) : trimmed;
}
