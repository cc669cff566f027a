/** Makes what a page shows in place of files, if it is not kept yet. */
import { join } from 'node:path';
import type { ExportedRow } from '../../../../shared/domain/task/views/exported-row.ts';
import { assertNever } from '../../../../shared/domain/base/result.ts';
import { kindOfMediaType } from '../../../../shared/domain/files/media-type.ts';
import type { Clock } from '../../../ports/base.ts';
import type { FileToMeasure, Preview, PreviewMaker } from '../../../ports/file-looks.ts';
import { isWhat, readSmall, type KeptPreviews, type PreviewBytes } from './kept-previews.ts';

/** What makes previews, and for how long. */
export interface PreviewMaking {
  readonly maker: PreviewMaker;
  readonly clock: Clock;
  /** Ends the making: the documents are written with what is there. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit in milliseconds; without it, all are made. */
  readonly withinMs?: number | undefined;
  /** Called once, when the first is being made: making all that are missing may take minutes. */
  readonly onFirst?: (() => void) | undefined;
  /** Where the window keeps its own small pictures: `ab/<sha256>.webp`. */
  readonly windowFolder?: string | undefined;
}

/** The folders of an export. */
interface Folders {
  /** What is kept in the folder of the page. */
  readonly kept: KeptPreviews;
  /** The media folder of the batch, in which its files are. */
  readonly own: string;
  /** What is kept there, if the page is written somewhere else. */
  readonly ownKept?: KeptPreviews;
}

/** As many as the maker handles at once, and as many waiting for it. */
const STARTED_AT_ONCE = 4;
/** After this many refusals in a row, a disk is not tried further: it is full, or nobody may write there. */
const MOST_REFUSED = 3;

/** Notes what is missing while rows are written, and makes it afterwards. */
export class MissingPreviews {
  readonly #folders: Folders;
  readonly #making: PreviewMaking;
  readonly #seen = new Set<string>();
  readonly #missing: FileToMeasure[] = [];
  #hasMade = false;
  #refusedInARow = 0;

  constructor(folders: Folders, making: PreviewMaking) {
    this.#folders = folders;
    this.#making = making;
  }

  async note({ tasks, isRemoved }: ExportedRow): Promise<void> {
    for (const { path, sha256, bytes, mediaType } of tasks.flatMap((task) => task.outputs)) {
      if (this.#seen.has(sha256)) continue;
      this.#seen.add(sha256);
      if (isRemoved === true || kindOfMediaType(mediaType) === 'data') continue;
      if ((await this.#folders.kept.get(sha256)) !== undefined) continue;
      this.#missing.push({ folder: this.#folders.own, path, sha256, bytes, mediaType });
    }
  }

  /**
   * Called once all rows were noted: removes what is kept for files that are gone, such as those that were deleted for
   * good.
   */
  clear(): Promise<void> {
    return this.#folders.kept.keepOnly(this.#seen);
  }

  /** Makes what is missing, in the order of the rows, as long as there is time. Returns whether anything was made. */
  async make(): Promise<boolean> {
    const { clock, signal, withinMs } = this.#making;
    const late = new AbortController();
    const stop = AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])]);
    const cancel = withinMs === undefined ? () => undefined : clock.setTimer(withinMs, () => late.abort());
    if (withinMs === 0) late.abort();
    const left = this.#missing.values();
    const makeNext = async (): Promise<void> => {
      for (const file of left) {
        if (stop.aborted || this.#refusedInARow >= MOST_REFUSED) return;
        await this.#make(file, stop);
      }
    };
    try {
      await Promise.all(Array.from({ length: STARTED_AT_ONCE }, makeNext));
    } finally {
      cancel();
    }
    return this.#hasMade;
  }

  async #make(file: FileToMeasure, stop: AbortSignal): Promise<void> {
    const { sha256 } = file;
    const { kept, ownKept } = this.#folders;
    const there = (await ownKept?.read(sha256)) ?? (await this.#ofWindow(file));
    const bytes = there ?? bytesOf(await this.#making.maker.make(file, stop));
    if (bytes === undefined) return;
    const isKept = await kept.keep(sha256, bytes);
    this.#refusedInARow = isKept ? 0 : this.#refusedInARow + 1;
    if (!isKept) return;
    if (!this.#hasMade) this.#making.onFirst?.();
    this.#hasMade = true;
  }

  /** For a song, the window keeps a picture; the page draws its measured sound instead. */
  async #ofWindow({ sha256, mediaType }: FileToMeasure): Promise<PreviewBytes | undefined> {
    const { windowFolder } = this.#making;
    if (windowFolder === undefined || kindOfMediaType(mediaType) === 'music') return undefined;
    const bytes = await readSmall(join(windowFolder, sha256.slice(0, 2), `${sha256}.webp`));
    return bytes !== undefined && isWhat('webp', bytes) ? { extension: 'webp', bytes } : undefined;
  }
}

function bytesOf(made: Preview | undefined): PreviewBytes | undefined {
  switch (made?.kind) {
    case undefined:
      return undefined;
    case 'picture':
      // Any program may be called ffmpeg, so its output is checked.
      return isWhat('jpg', made.jpeg)
        ? { extension: 'jpg', bytes: made.jpeg }
        : { extension: 'none', bytes: new Uint8Array() };
    case 'sound':
      return { extension: 'json', bytes: Buffer.from(JSON.stringify(made.sound)) };
    case 'none':
      return { extension: 'none', bytes: new Uint8Array() };
    default:
      return assertNever(made);
  }
}
