/** Pictures of other rows' files: each is made, and put where the gateway can read it, before anything is paid. */
import { failure } from '../../../shared/domain/base/failure.ts';
import { reason } from '../../../shared/domain/base/reason.ts';
import { quoteCell } from '../../../shared/domain/cells/cell-value.ts';
import { picturesIn, type PictureReference } from '../../../shared/domain/cells/reference.ts';
import type { Output, Task } from '../../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../../shared/domain/task/task-event.ts';
import type { FileAnswer } from '../../ports/file-places.ts';
import type { QueuedTask } from '../../ports/task-store.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import type { Night } from '../night.ts';
import { outputMeant } from '../row-source.ts';
import { answerFor, awaits, FILE_HOLDS_KEY } from './placed-files.ts';

/** Addresses of pictures by the texts that refer to them, or what happens to their task instead. */
export type PlacedPictures =
  | { readonly kind: 'placed'; readonly pictures: ReadonlyMap<string, string> }
  | { readonly kind: 'not-ready'; readonly event: TaskEvent };

/** The tasks whose results the rows give, and their picked outputs, by row. */
interface GivenTasks {
  readonly done: ReadonlyMap<string, Task>;
  readonly picks: ReadonlyMap<string, number>;
}

/**
 * Makes the pictures that a task needs, and returns their addresses. An output that its row does not have is left out.
 */
export async function placePictures(
  night: Night,
  batch: NightBatch,
  queued: QueuedTask,
  { done, picks }: GivenTasks,
): Promise<PlacedPictures> {
  const answers = new Map<string, FileAnswer>();
  for (const link of queued.links) {
    for (const picture of picturesIn(link)) {
      const source = done.get(picture.row);
      const output = source && outputMeant(source, picture.path.index, picks.get(picture.row));
      if (output === undefined || answers.has(picture.text)) continue;
      answers.set(picture.text, await answerOf(night, batch, link.column, picture, output));
    }
  }
  const event = awaits(night, queued, [...answers.values()]);
  if (event !== undefined) return { kind: 'not-ready', event };
  const there = [...answers].flatMap(([text, answer]) =>
    answer.kind === 'there' ? [[text, answer.address] as const] : [],
  );
  if (night.holdsKey(JSON.stringify(there)))
    return { kind: 'not-ready', event: { kind: 'reference-unresolved', failure: FILE_HOLDS_KEY } };
  return { kind: 'placed', pictures: new Map(there) };
}

async function answerOf(
  night: Night,
  batch: NightBatch,
  column: string,
  { row, text, path: { part } }: PictureReference,
  { path, sha256, mediaType, state }: Output,
): Promise<FileAnswer> {
  const written = `{{${text}}}`;
  if (state !== 'verified' || path === undefined || sha256 === undefined || mediaType === undefined) {
    const why = reason('fileGone', column, quoteCell(written), quoteCell(row), state === 'deleted');
    return { kind: 'refused', failure: failure('DEPENDENCY_FAILED', why, { row }) };
  }
  const { folder } = batch.record.settings;
  return answerFor(night, batch, { column, media: 'image', written }, { part, folder, path, sha256, mediaType });
}
