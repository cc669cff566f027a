/** What all the tests of a delivery share. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach } from 'vitest';
import { deliver, type DeliveryRun, type DeliveryWish } from '../../../../src/engine/delivery/deliver.ts';
import { ownMark } from '../../../../src/engine/own-mark.ts';
import type { Failure } from '../../../../src/shared/domain/base/failure.ts';
import type { DataPackage } from '../../../../src/shared/domain/delivery/data-package.ts';
import { PLAIN_SHEET, type BatchRecord } from '../../../../src/shared/domain/task/batch.ts';
import type { ExportedRow, ExportedTask } from '../../../../src/shared/domain/task/views/exported-row.ts';
import { DEFAULT_PROFILE } from '../../../../src/shared/domain/gateway/profile.ts';
import type { Verdict } from '../../../../src/shared/domain/review/verdict.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

export const MEDIA = new URL('../../../fixtures/media/', import.meta.url);
export const [MP3, MP4, PNG] = ['tone-cbr.mp3', 'clip.mp4', 'picture.png'].map((name) =>
  readFileSync(new URL(name, MEDIA)),
);

/** A number that no system gives to a process. */
export const NO_PROCESS = 4_194_304;

/** How another process of this machine names what is unfinished. */
export function markOf(pid: number): string {
  return ownMark().replace(`-${process.pid}-`, `-${pid}-`);
}

interface Given {
  readonly operation?: ExportedRow['row']['operation'];
  readonly body?: ExportedRow['row']['body'];
  readonly links?: ExportedRow['row']['links'];
  readonly cells?: Readonly<Record<string, string>>;
  readonly takes: readonly (Partial<ExportedTask> & {
    readonly path: string;
    readonly bytes: Buffer | undefined;
    readonly mediaType: string;
    readonly verdict?: Verdict;
  })[];
  readonly isRemoved?: true;
}

export const song = (path: string, verdict?: Verdict): Given['takes'][number] => ({
  path,
  bytes: MP3,
  mediaType: 'audio/mpeg',
  ...(verdict === undefined ? {} : { verdict }),
});

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Every file, inside the folder; what is hidden counts. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

export function packageIn(folder: string): DataPackage {
  return JSON.parse(readFileSync(join(folder, 'datapackage.json'), 'utf8')) as DataPackage;
}

/** Where the files of the batch lie, and where they are delivered to. */
interface Folders {
  readonly media: string;
  readonly out: string;
}

/** Gives each test folders of its own; returns what tests do in those that they have chosen by then. */
export function deliveryForEach(give: (folders: Folders) => void, folders: () => Folders) {
  beforeEach(() => {
    give({ media: temporaryFolder(), out: join(temporaryFolder(), 'delivered') });
  });

  function batch(): BatchRecord {
    return {
      id: 'b1',
      name: 'Night',
      headers: ['row', 'operation', 'title', 'prompt', 'mood'],
      sheet: PLAIN_SHEET,
      settings: { folder: folders().media, profile: DEFAULT_PROFILE, filename: '{row}-{slug}', rehearsal: true },
      state: 'finished',
      createdAt: 0,
      rowCount: 4,
      revision: 0,
      taskCount: 4,
    };
  }

  /** A row whose files lie in the media folder. */
  function rowOf(
    id: string,
    { operation = 'musicgen/music/generate', body = {}, links, cells = {}, takes, isRemoved }: Given,
  ): ExportedRow {
    const { media } = folders();
    const tasks = takes.map(({ path, bytes = Buffer.alloc(0), mediaType, verdict, ...task }, at): ExportedTask => {
      mkdirSync(dirname(join(media, path)), { recursive: true });
      writeFileSync(join(media, path), bytes);
      const output = { index: 1, path, sha256: sha256(bytes), bytes: bytes.length, mediaType };
      return {
        take: at + 1,
        taskCode: `${id}-code-${at}`,
        status: 'done',
        outputs: [verdict === undefined ? output : { ...output, verdict }],
        ...task,
      };
    });
    return {
      row: {
        id,
        line: 2,
        operation,
        body,
        takes: takes.length,
        priority: 0,
        filename: undefined,
        note: undefined,
        skip: false,
        cells: { row: id, ...cells },
        ...(links === undefined ? {} : { links }),
      },
      status: 'done',
      tasks,
      ...(isRemoved === undefined ? {} : { isRemoved }),
    };
  }

  function run(
    rows: readonly ExportedRow[] | (() => readonly ExportedRow[]),
    wish: Partial<DeliveryWish> = {},
    given: Partial<DeliveryRun> = {},
  ): ReturnType<typeof deliver> {
    const all = {
      folder: folders().out,
      isKeptOnly: false,
      hasTags: false,
      hasSidecars: false,
      hasTimeline: false,
      isZip: false,
    };
    async function* exportRows(): AsyncIterable<ExportedRow> {
      yield* typeof rows === 'function' ? rows() : rows;
    }
    return deliver(batch(), { exportRows }, {}, { ...all, ...wish }, { now: 0, batches: [batch()], ...given });
  }

  async function reportOf(rows: readonly ExportedRow[], wish: Partial<DeliveryWish> = {}) {
    const delivered = await run(rows, wish);
    if (!delivered.ok) throw new Error(delivered.error.message);
    return delivered.value;
  }

  async function failureOf(rows: readonly ExportedRow[], wish: Partial<DeliveryWish> = {}): Promise<Failure> {
    const delivered = await run(rows, wish);
    if (delivered.ok) throw new Error('It was delivered');
    return delivered.error;
  }

  return { batch, rowOf, run, reportOf, failureOf };
}
