import { foldPath } from '../../../shared/domain/files/naming.ts';
import type { Output, OutputState } from '../../../shared/domain/task/task.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { groupBy, IN_LIST, type Database } from '../open/database.ts';

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

/** Outputs between the database and the domain. */
export function openOutputRecords(db: Database) {
  const selectOfTask = db.prepare<OutputColumns>(`
    SELECT position, state, folder, path, sha256, bytes, media_type, rest FROM outputs WHERE task = ? ORDER BY position`);
  const selectOfTasks = db.prepare<OutputColumns & { readonly task: number }>(`
    SELECT task, position, state, folder, path, sha256, bytes, media_type, rest FROM outputs
    WHERE task ${IN_LIST} ORDER BY task, position`);
  const selectPlaces = db.prepare<{
    readonly position: number;
    readonly folder: number | null;
    readonly path: string | null;
  }>(`
    SELECT position, folder, path FROM outputs WHERE task = ?`);
  const selectOwner = db.prepare<{ readonly task: number }>(`
    SELECT task FROM outputs WHERE folder = ? AND folded_path = ?`);
  const removeAll = db.prepare('DELETE FROM outputs WHERE task = ?');
  const insert = db.prepare(`
    INSERT INTO outputs (task, position, state, folder, path, folded_path, sha256, bytes, media_type, url, rest)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);

  /** The folder of each output: the one it is in already, or the batch's current one for a new path. */
  function foldersOf(taskId: number, outputs: readonly Output[], folder: number): readonly number[] {
    const places = selectPlaces.all(taskId);
    return outputs.map(({ index, path }) => {
      const place = places.find((p) => p.position === index);
      return place !== undefined && place.path === path && place.folder !== null ? place.folder : folder;
    });
  }

  return {
    /** In the order of their positions. */
    ofTask: (taskId: number) => selectOfTask.all(taskId).map(outputOf),
    /** The same for many tasks, without those that have no outputs. */
    ofTasks: (taskIds: readonly number[]) =>
      groupBy(selectOfTasks.all(JSON.stringify(taskIds)), ({ task }) => task, outputOf),
    /** True if a path of these outputs occurs twice, or belongs in this folder to an output of another task. */
    isPathTaken(taskId: number, outputs: readonly Output[], folder: number) {
      if (outputs.every((output) => output.path === undefined)) return false;
      const seen = new Set<string>();
      const folders = foldersOf(taskId, outputs, folder);
      return outputs.some(({ path }, i) => {
        if (path === undefined) return false;
        const target = folders[i] ?? folder;
        const folded = foldPath(path);
        const isTwice = seen.has(`${target}/${folded}`);
        seen.add(`${target}/${folded}`);
        const owner = selectOwner.get(target, folded);
        return isTwice || (owner !== undefined && owner.task !== taskId);
      });
    },
    /** Replaces a task's outputs. A file stays in the folder that it was placed in. */
    replace(taskId: number, outputs: readonly Output[], folder: number) {
      const folders = outputs.length === 0 ? [] : foldersOf(taskId, outputs, folder);
      // All of them first, so that two outputs can exchange their paths.
      removeAll.run(taskId);
      outputs.forEach((output, i) => {
        const { index, state, path, sha256, bytes, mediaType, ...rest } = output;
        insert.run(
          taskId,
          index,
          state,
          path === undefined ? null : (folders[i] ?? folder),
          path ?? null,
          path === undefined ? null : foldPath(path),
          sha256 ?? null,
          bytes ?? null,
          mediaType ?? null,
          rest.url ?? null,
          JSON.stringify(rest satisfies OutputRest),
        );
      });
    },
  };
}

function outputOf(columns: OutputColumns): Output {
  return { ...fileOf(columns), ...(JSON.parse(columns.rest) as OutputRest) };
}

/** An output's file, as far as it has come. */
export function fileOf({ position, state, path, sha256, bytes, media_type: mediaType }: FileColumns) {
  return { index: position, state, ...present({ path, sha256, bytes, mediaType }) };
}
