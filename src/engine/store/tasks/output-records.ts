import { foldPath } from '../../../shared/domain/files/naming.ts';
import type { Output, OutputState } from '../../../shared/domain/task/task.ts';
import { groupBy, present } from '../../../shared/domain/base/result.ts';
import { IN_LIST, type Database } from '../open/database.ts';

/** The columns of an output's file. */
export interface FileColumns {
  readonly position: number;
  readonly state: OutputState;
  readonly path: string | null;
  readonly sha256: string | null;
  readonly bytes: number | null;
  readonly media_type: string | null;
}

interface OutputColumns extends FileColumns {
  readonly rest: string;
}

/** The fields without a column of their own, kept as JSON. */
type OutputRest = Omit<Output, 'index' | 'state' | 'path' | 'sha256' | 'bytes' | 'mediaType'>;

/** What is known about a file besides its columns: its length, and what the gates and the user say about it. */
export type SaidOfFile = Pick<Output, 'seconds' | 'flags' | 'verdict'>;

/** The column `said` of {@link saidOf}: texts are read only if there is something in them. */
export const SAID_OF_FILE = `CASE WHEN outputs.rest LIKE '%"seconds":%' OR outputs.rest LIKE '%"flags":[{%'
  OR outputs.rest LIKE '%"verdict":{%' THEN outputs.rest END AS said`;

/** The columns by which an output is compared; the others follow from them. */
interface StoredColumns extends OutputColumns {
  readonly folder: number | null;
  readonly url: string | null;
}

/** What a change does to the outputs of its task. */
export interface OutputChange {
  /** True if a path occurs twice, or belongs in its folder to an output of another task. */
  isPathTaken(): boolean;
  /** Writes what differs, inside a transaction. */
  write(): void;
}

/** Converts outputs between the database and the domain. */
export function openOutputRecords(db: Database) {
  const selectOfTask = db.prepare<OutputColumns>(`
    SELECT position, state, folder, path, sha256, bytes, media_type, rest FROM outputs WHERE task = ? ORDER BY position`);
  const selectOfTasks = db.prepare<OutputColumns & { readonly task: number }>(`
    SELECT task, position, state, folder, path, sha256, bytes, media_type, rest FROM outputs
    WHERE task ${IN_LIST} ORDER BY task, position`);
  const selectStored = db.prepare<StoredColumns>(`
    SELECT position, state, folder, path, sha256, bytes, media_type, rest, url FROM outputs WHERE task = ?`);
  const selectOwner = db.prepare<{ readonly task: number }>(`
    SELECT task FROM outputs WHERE folder = ? AND folded_path = ?`);
  const remove = db.prepare('DELETE FROM outputs WHERE task = ? AND position = ?');
  const write = db.prepare(`
    INSERT INTO outputs (position, state, folder, path, sha256, bytes, media_type, rest, task, folded_path, url)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (task, position) DO UPDATE SET state = excluded.state, folder = excluded.folder, path = excluded.path,
      sha256 = excluded.sha256, bytes = excluded.bytes, media_type = excluded.media_type, rest = excluded.rest,
      folded_path = excluded.folded_path, url = excluded.url`);
  // SQLite rewrites the index of every column that is set, even if its value stays the same.
  const update = db.prepare(`
    UPDATE outputs SET state = ?, sha256 = ?, bytes = ?, media_type = ?, rest = ? WHERE task = ? AND position = ?`);
  const updatePlace = db.prepare(`
    UPDATE outputs SET folder = ?, path = ?, folded_path = ?, state = ?, sha256 = ?, bytes = ?, media_type = ?, rest = ?
    WHERE task = ? AND position = ?`);

  /** `before`: the columns as stored. */
  function writeChanged(taskId: number, columns: StoredColumns, before: StoredColumns | undefined): void {
    const { position, state, folder, path, sha256, bytes, media_type, rest, url } = columns;
    const folded = path === null ? null : foldPath(path);
    if (before?.url !== url) {
      write.run(position, state, folder, path, sha256, bytes, media_type, rest, taskId, folded, url);
    } else if (before.path !== path || before.folder !== folder) {
      updatePlace.run(folder, path, folded, state, sha256, bytes, media_type, rest, taskId, position);
    } else {
      update.run(state, sha256, bytes, media_type, rest, taskId, position);
    }
  }

  return {
    /** In the order of their positions. */
    ofTask: (taskId: number) => selectOfTask.all(taskId).map(outputOf),
    /** The same for many tasks, without those that have no outputs. */
    ofTasks: (taskIds: readonly number[]) =>
      groupBy(selectOfTasks.all(JSON.stringify(taskIds)), ({ task }) => task, outputOf),
    /**
     * How a task's outputs differ from the stored ones, which exist only if `hasAny`: most changes leave outputs as
     * they are. A file stays in the folder that it was placed in, even if it is moved within it; a file that is placed
     * now has its path in `folder`.
     */
    compare(taskId: number, outputs: readonly Output[], folder: number, hasAny: boolean): OutputChange {
      const stored = new Map((hasAny ? selectStored.all(taskId) : []).map((columns) => [columns.position, columns]));
      const wanted = outputs.map((output) => storedColumns(output, stored.get(output.index), folder));
      const changed = wanted.filter((columns) => !isSame(columns, stored.get(columns.position)));
      const kept = new Set(wanted.map(({ position }) => position));
      const gone = [...stored.keys()].filter((position) => !kept.has(position));
      return {
        isPathTaken() {
          const places = wanted.flatMap(({ folder: its, path }) => (path === null ? [] : `${its}/${foldPath(path)}`));
          if (new Set(places).size < places.length) return true;
          return changed.some(({ position, folder: its, path }) => {
            if (path === null || stored.get(position)?.path === path) return false;
            const owner = selectOwner.get(its, foldPath(path));
            return owner !== undefined && owner.task !== taskId;
          });
        },
        write() {
          // Other outputs of the task are first moved out of the way, so that two of them can exchange their paths.
          const leaving = changed.length > 1 ? changed.map(({ position }) => position) : [];
          for (const position of [...gone, ...leaving]) remove.run(taskId, position);
          for (const columns of changed) {
            writeChanged(taskId, columns, leaving.length > 0 ? undefined : stored.get(columns.position));
          }
        },
      };
    },
  };
}

function storedColumns(output: Output, before: StoredColumns | undefined, folder: number): StoredColumns {
  const { index, state, path = null, sha256 = null, bytes = null, mediaType = null, ...rest } = output;
  const isOfBefore = before?.path === path || (before?.state === 'verified' && state === 'verified');
  const place = isOfBefore ? (before?.folder ?? folder) : folder;
  return {
    position: index,
    state,
    folder: path === null ? null : place,
    path,
    sha256,
    bytes,
    media_type: mediaType,
    rest: JSON.stringify(rest satisfies OutputRest),
    url: rest.url ?? null,
  };
}

function isSame(columns: StoredColumns, before: StoredColumns | undefined): boolean {
  if (before === undefined) return false;
  return (Object.keys(columns) as (keyof StoredColumns)[]).every((name) => columns[name] === before[name]);
}

function outputOf(columns: OutputColumns): Output {
  return { ...fileOf(columns), ...(JSON.parse(columns.rest) as OutputRest) };
}

export function saidOf({ said }: { readonly said: string | null }): SaidOfFile {
  if (said === null) return {};
  const { seconds, flags, verdict } = JSON.parse(said) as OutputRest;
  return present({ seconds, flags, verdict });
}

/** An output's file, as far as it has got. */
export function fileOf({ position, state, path, sha256, bytes, media_type: mediaType }: FileColumns) {
  return { index: position, state, ...present({ path, sha256, bytes, mediaType }) };
}
