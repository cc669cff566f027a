/** The places for files of this computer, and a check of the files that cells name. Runs in the engine's process. */
import path from 'node:path';
import { checkLocalFiles, readFilesPlace, whyNoPictures, type Engine } from '../../engine/index.ts';
import { ok, present } from '../../shared/domain/base/result.ts';
import { asSentence, visibleLine } from '../../shared/domain/base/text.ts';
import { putFilesText, type FilesPlace } from '../../shared/domain/places/files-place.ts';
import type { Row } from '../../shared/domain/sheet/row.ts';
import { FILES_NAMED, type BatchView, type LocalFilesView } from '../../shared/ipc/batches.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import { noSuchBatch, type ServiceContext } from './batch-reader.ts';
import type { EngineHandlers, EngineInput } from './engine-protocol.ts';
import { localFilesSum } from '../services/sheet-views.ts';
import { words } from '../../shared/words/words.ts';

/** The limit for checking files if no place says how large they may be. */
const ANY_PLACE = { maxMegabytes: 200 };
const WORDS_LENGTH = 2000;

/** The place that a file describes, which the user has just chosen: from now on it is accepted on this computer. */
export async function namePlace(engine: Engine, file: string): Promise<Reply<FilesPlace>> {
  const read = readFilesPlace(file, process.env);
  if (!read.ok) {
    const problem = words.desktop.withRemedy({ ...read.error, message: asSentence(read.error.message) });
    return refuse('refused', visibleLine(problem.replaceAll(file, path.basename(file)), WORDS_LENGTH), 'place');
  }
  await engine.allowFilesPlace(read.value);
  return ok(read.value);
}

/** Gives batches their places, and checks their files. */
export function filesPlaceHandlers({ engine, batches }: ServiceContext) {
  return {
    'batch.place': async ({ batchId, path: file }): Promise<Reply<BatchView>> => {
      const batch = await engine.store.batch(batchId);
      if (batch === undefined) return noSuchBatch();
      const place = await namePlace(engine, file);
      if (!place.ok) return place;
      const filesPlace = place.value;
      const configure = (): Promise<void> =>
        engine.config.configure(batchId, ({ settings }) => ({ ...settings, filesPlace }));
      // Without a place, a cell that names a file is an error of its row.
      if (batch.settings.filesPlace === undefined) await engine.editor.checkAfter(batchId, configure);
      else await configure();
      return batches.reply(batchId);
    },
    'batch.localFiles': (input) => localFiles(engine, input),
  } satisfies Partial<EngineHandlers>;
}

async function localFiles(
  engine: Engine,
  { batchId, rows: keys }: EngineInput<'batch.localFiles'>,
): Promise<Reply<LocalFilesView>> {
  const batch = await engine.store.batch(batchId);
  if (batch === undefined) return noSuchBatch();
  const { settings, sheetPath, headers } = batch;
  const stored = keys === undefined ? engine.rows.allRows(batchId) : await engine.rows.rowsByKeys(batchId, keys);
  const rows: Row[] = [];
  const keyOf = new Map<string, number>();
  for await (const { key, row } of stored) {
    rows.push(row);
    keyOf.set(row.id, key);
  }
  const folder = sheetPath === undefined ? undefined : path.dirname(sheetPath);
  const { sheet, files } = await checkLocalFiles(
    { headers, mapping: batch.sheet.mapping, rows, problems: [] },
    settings.filesPlace ?? ANY_PLACE,
    folder,
    whyNoPictures(settings.folder),
  );
  // The rows that wait for others are not at fault.
  const problems = sheet.problems.filter(({ code }) => code === 'local-file');
  const put = putFilesText(settings.filesPlace, await engine.putFilesOf(batch));
  return ok({
    ...(localFilesSum(files) ?? { count: 0, bytes: 0 }),
    files: files.slice(0, FILES_NAMED).map(({ row, column, written, bytes, mediaType }) => {
      return { row, column, written, bytes, mediaType };
    }),
    problemCount: problems.length,
    problems: problems.slice(0, FILES_NAMED).map(({ row = '', column = '', message }) => {
      return { row, column, message, ...present({ key: keyOf.get(row) }) };
    }),
    ...present({ put }),
  });
}
