import { outputIdOf, parseOutputId } from '../../../shared/domain/task/task.ts';
import {
  FILES_AT_ONCE,
  type FileFilter,
  type ViewedFile,
  type SeenVerdict,
} from '../../../shared/domain/task/batch-view.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { wantedText } from '../sheets/row-page-query.ts';
import { IN_LIST, type Database, type SqlValue, type Statement } from '../open/database.ts';
import { SAID_OF_FILE, saidOf } from '../tasks/output-records.ts';

interface FoundFiles {
  /** Lists as JSON, of the same length and in the same order. */
  readonly tasks: string;
  readonly positions: string;
}

interface SeenColumns {
  readonly task: number;
  readonly position: number;
  readonly path: string;
  readonly bytes: number;
  readonly media_type: string;
  readonly said: string | null;
  readonly picked: number;
  readonly superseded: number;
  readonly take: number;
  readonly operation: OperationPath;
  readonly key: number;
  readonly row_id: string;
  readonly label: string;
}

/** Verified files of rows. The rows come in the order of their index: files are sorted only within each row. */
const FILES = `rows CROSS JOIN tasks ON tasks.row = rows.seq CROSS JOIN outputs ON outputs.task = tasks.id`;
const SHOWN = `rows.removed = 0 AND outputs.state = 'verified'
  AND outputs.path IS NOT NULL AND outputs.bytes IS NOT NULL AND outputs.media_type IS NOT NULL`;

const pickedAt = (rest: string): string => `CAST(${rest} ->> '$.verdict.pickedAt' AS DOUBLE PRECISION)`;
/**
 * Few files were ever picked: only these are compared with the other files of their row. Of the row's present picks,
 * the latest counts.
 */
const IS_PICKED = `tasks.superseded = 0 AND outputs.rest LIKE '%"pickedAt":%' AND ${pickedAt('outputs.rest')} = (
  SELECT max(${pickedAt('theirs.rest')}) FROM tasks AS others JOIN outputs AS theirs ON theirs.task = others.id
  WHERE others.row = tasks.row AND others.superseded = 0 AND theirs.state = 'verified'
    AND theirs.rest LIKE '%"pickedAt":%')`;
const KEPT = `CAST(outputs.rest ->> '$.verdict.kept' AS INTEGER)`;

const VERDICTS: Readonly<Record<SeenVerdict, string>> = {
  // Most files have no verdict: their texts are not read as JSON.
  undecided: `(outputs.rest NOT LIKE '%"kept":%' OR ${KEPT} IS NULL)`,
  kept: `outputs.rest LIKE '%"verdict":{%' AND ${KEPT} = 1`,
  rejected: `outputs.rest LIKE '%"verdict":{%' AND ${KEPT} = 0`,
  picked: IS_PICKED,
};

/** The conditions of a filter besides those of every gallery, and their values. The same filter gives the same SQL. */
function filterSql({
  version,
  operation,
  verdict,
  minRating,
  flagged,
  text,
}: FileFilter): readonly (readonly [sql: string, ...values: readonly SqlValue[]])[] {
  const wanted = wantedText({ text });
  return [
    ...(version === undefined ? [] : [['tasks.superseded = ?', version === 'earlier' ? 1 : 0] as const]),
    ...(operation === undefined ? [] : [['tasks.operation = ?', operation] as const]),
    ...(verdict === undefined ? [] : [[VERDICTS[verdict]] as const]),
    ...(minRating === undefined
      ? []
      : [
          [
            `outputs.rest LIKE '%"rating":%' AND CAST(outputs.rest ->> '$.verdict.rating' AS INTEGER) >= ?`,
            minRating,
          ] as const,
        ]),
    ...(flagged === undefined ? [] : [[`outputs.rest LIKE '%"flags":[{%'`] as const]),
    // Compared as stored: in a text within the JSON, the quotes would be escaped.
    ...(flagged === undefined || flagged === 'any'
      ? []
      : [[`instr(outputs.rest ->> '$.flags', ?) > 0`, `"gate":"${flagged}"`] as const]),
    ...(wanted === '' ? [] : [['instr(rows.search, ?) > 0', wanted] as const]),
  ];
}

/** The files of batches, whichever rows they belong to. */
export function openFileViews(db: Database) {
  // One statement for each kind of filter that was used.
  const prepared = new Map<string, Statement<FoundFiles>>();
  const statementOf = (conditions: readonly string[]): Statement<FoundFiles> => {
    const where = ['rows.batch = ?', SHOWN, ...conditions].join(' AND ');
    const statement =
      prepared.get(where) ??
      db.prepare<FoundFiles>(`
      SELECT json_group_array(task) AS tasks, json_group_array(position) AS positions FROM (
        SELECT outputs.task AS task, outputs.position AS position FROM ${FILES} WHERE ${where}
        ORDER BY rows.position, rows.seq, superseded, take, tasks.id, outputs.position) AS found`);
    prepared.set(where, statement);
    return statement;
  };
  statementOf([]);
  const select = db.prepare<SeenColumns>(`
    SELECT outputs.task AS task, outputs.position AS position, outputs.path AS path, bytes, media_type,
      ${SAID_OF_FILE},
      CASE WHEN ${IS_PICKED} THEN 1 ELSE 0 END AS picked,
      superseded, take, tasks.operation AS operation, rows.seq AS key, rows.row_id AS row_id, label
    FROM outputs JOIN tasks ON tasks.id = outputs.task JOIN rows ON rows.seq = tasks.row
    WHERE outputs.task ${IN_LIST} AND rows.batch = ? AND ${SHOWN}`);

  return {
    /** The task and position of each file that passes the filter, one pair after the other. */
    found(batch: number, filter: FileFilter): Float64Array<ArrayBuffer> {
      const conditions = filterSql(filter);
      const statement = statementOf(conditions.map(([one]) => one));
      const lists = statement.get(batch, ...conditions.flatMap(([, ...values]) => values));
      const tasks = JSON.parse(lists?.tasks ?? '[]') as readonly number[];
      const positions = JSON.parse(lists?.positions ?? '[]') as readonly number[];
      return Float64Array.from(
        { length: 2 * tasks.length },
        (_, at) => (at % 2 === 0 ? tasks : positions)[at >> 1] ?? 0,
      );
    },
    /** Those of the files that are there, in the order of `outputIds`. */
    byIds(batch: number, outputIds: readonly string[]): readonly ViewedFile[] {
      const asked = outputIds.slice(0, FILES_AT_ONCE);
      const tasks = new Set(asked.flatMap((id) => parseOutputId(id)?.taskId ?? []));
      const files = new Map(
        select.all(JSON.stringify([...tasks]), batch).map((columns) => {
          const file = seenFile(columns);
          return [file.outputId, file];
        }),
      );
      return asked.flatMap((id) => files.get(id) ?? []);
    },
  };
}

function seenFile(columns: SeenColumns): ViewedFile {
  const { task, position, path, bytes, media_type: mediaType, picked, row_id: row } = columns;
  const { take, operation, key, label, superseded } = columns;
  const { flags = [], seconds, verdict } = saidOf(columns);
  return {
    outputId: outputIdOf(task, position),
    path,
    mediaType,
    bytes,
    ...present({ seconds, verdict }),
    key,
    row,
    label,
    operation,
    take,
    flags,
    ...(picked === 1 && { isPicked: true }),
    ...(superseded === 1 && { isEarlier: true }),
  };
}
