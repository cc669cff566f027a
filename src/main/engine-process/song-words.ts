/**
 * What is sung in a song and when: its lyrics as they were sent, and what rows that refer to its take have found out.
 */
import { readFile } from 'node:fs/promises';
import type { TaskReader } from '../../engine/index.ts';
import { parseLossless, type Json } from '../../shared/domain/base/json.ts';
import { present } from '../../shared/domain/base/result.ts';
import { readReference } from '../../shared/domain/cells/reference.ts';
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import { beatsIn, lyricsSent, songMeant, sungWordsIn } from '../../shared/domain/review/timed-lyrics.ts';
import { PAGE_LIMIT, type BatchViews } from '../../shared/domain/task/batch-view.ts';
import type { RowSummary } from '../../shared/domain/task/views/row-summary.ts';
import type { TaskDetail } from '../../shared/domain/task/views/full-row.ts';
import type { SongWordsView } from '../../shared/ipc/files.ts';
import { locateFile } from '../services/batch-files.ts';

const NOTHING: SongWordsView = { words: [], beats: [] };
/** A batch with more rows of this kind is not searched to its end: this is asked for with every song. */
const MOST_PAGES = 5;
/** At most this many of the rows that refer to a song are read. */
const MOST_ROWS = 10;
const LONGEST_DOCUMENT = 4 << 20;

interface Sources {
  readonly views: Pick<BatchViews, 'rowDetail' | 'rowPage' | 'outputFile'>;
  readonly store: Pick<TaskReader, 'attempts'>;
}

/** The words of a row's song; nothing for a file that is not a song. */
export async function songWords(
  sources: Sources,
  { batchId, key, fileId }: { readonly batchId: string; readonly key: number; readonly fileId: string },
): Promise<SongWordsView> {
  const row = await sources.views.rowDetail(batchId, key);
  const task = row?.tasks.find(({ outputs }) => outputs.some(({ outputId }) => outputId === fileId));
  if (row === undefined || task === undefined || row.view.operation !== 'musicgen/music/generate') return NOTHING;
  const lyrics = present({ lyrics: lyricsSent(await sentBody(sources, task)) });
  // A task code means the first song of its take: the others are sung differently.
  const first = task.outputs.find(({ mediaType, state }) => state === 'verified' && mediaType?.startsWith('audio/'));
  if (task.taskCode === undefined || first?.outputId !== fileId) return { ...NOTHING, ...lyrics };
  const said = async <T>(operation: OperationPath, read: (document: unknown) => readonly T[]): Promise<T[]> => {
    for (const other of await rowsAbout(sources, batchId, operation, row.view.row, task.taskCode ?? '')) {
      const found = await firstSaid(sources, batchId, other, task.taskCode ?? '', read);
      if (found.length > 0) return found;
    }
    return [];
  };
  return {
    ...lyrics,
    words: await said('musicgen/music/timing', sungWordsIn),
    beats: await said('musicgen/music/downbeats', beatsIn),
  };
}

/** The rows of an operation whose cells name a row, or the task code that its take has. */
async function rowsAbout(
  { views }: Sources,
  batchId: string,
  operation: OperationPath,
  row: string,
  taskCode: string,
): Promise<readonly RowSummary[]> {
  const found: RowSummary[] = [];
  for (let page = 0; page < MOST_PAGES && found.length < MOST_ROWS; page += 1) {
    const query = { filter: { operation }, offset: page * PAGE_LIMIT, limit: PAGE_LIMIT, withCells: true } as const;
    const { rows, total } = await views.rowPage(batchId, query);
    found.push(...rows.filter(({ sheet }) => sheet?.cells.some((cell) => isAbout(cell, row, taskCode)) === true));
    if (query.offset + PAGE_LIMIT >= total) break;
  }
  return found.slice(0, MOST_ROWS);
}

function isAbout(cell: string, row: string, taskCode: string): boolean {
  if (cell.trim() === taskCode) return true;
  const inside = cell.matchAll(/\{\{([^{}]*)\}\}/gu);
  return [...inside].some(([, text = '']) => readReference(text).some((reference) => reference.row === row));
}

/** What the first of the rows' documents that was made for this very take says. */
async function firstSaid<T>(
  sources: Sources,
  batchId: string,
  { key }: RowSummary,
  taskCode: string,
  read: (document: unknown) => readonly T[],
): Promise<T[]> {
  const row = await sources.views.rowDetail(batchId, key);
  for (const task of row?.tasks ?? []) {
    if (songMeant(await sentBody(sources, task)) !== taskCode) continue;
    for (const { outputId, mediaType } of task.outputs) {
      const found = mediaType === 'application/json' ? read(await documentOf(sources, outputId)) : [];
      if (found.length > 0) return [...found];
    }
  }
  return [];
}

/** What was last sent for a take. */
async function sentBody({ store }: Sources, { taskId }: TaskDetail): Promise<Json | undefined> {
  const body = (await store.attempts(taskId)).at(-1)?.body;
  return body === undefined ? undefined : parseLossless(new TextDecoder().decode(body));
}

async function documentOf({ views }: Sources, outputId: string): Promise<unknown> {
  const file = await views.outputFile(outputId);
  const located = file === undefined || isBucketAddress(file.folder) ? undefined : await locateFile(file);
  if (located === undefined || located.bytes > LONGEST_DOCUMENT) return undefined;
  const text = await readFile(located.path, 'utf8').catch(() => '');
  return parseLossless(text);
}
