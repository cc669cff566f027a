/** The small pictures of files in the grid: only of rows that stay in sight, and never in the way of scrolling. */

export interface GridPicturesPorts {
  /** A file's small picture; undefined if it has none. */
  readonly load: (fileId: string) => Promise<ImageBitmap | undefined>;
  /** Says which files are in sight, the first to be seen first: no pictures of others are made. */
  readonly tellInSight: (fileIds: string[]) => void;
  /** Calls back once after a time; returns a function that cancels it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
  /** Called when the picture of a file has arrived. */
  readonly onLoaded: (fileId: string) => void;
}

/** Pictures of rows that only fly past are not asked for. */
const SETTLED_MS = 120;
const LOADS_AT_ONCE = 4;
/** Enough for some screens: 2 MB. */
export const PICTURES_KEPT = 400;

export class GridPictures {
  readonly #ports: GridPicturesPorts;
  /** The least recently wanted first; `none` for a file of which no picture can be made. */
  readonly #pictures = new Map<string, ImageBitmap | 'none'>();
  readonly #loading = new Set<string>();
  /** Files whose pictures are under way, but which are no longer in sight. */
  readonly #dropped = new Set<string>();
  #wanted: readonly string[] = [];
  #stopWaiting: (() => void) | undefined;
  /** Counts how often everything was forgotten: pictures asked for before that are not kept. */
  #generation = 0;

  constructor(ports: GridPicturesPorts) {
    this.#ports = ports;
  }

  /** The picture of a file, if it is there. Asks for nothing: it is called for every cell that is drawn. */
  readonly of = (fileId: string): ImageBitmap | undefined => {
    const picture = this.#pictures.get(fileId);
    return picture === 'none' ? undefined : picture;
  };

  /** These files are in sight now; they are asked for once that has not changed for a moment. */
  want(fileIds: readonly string[]): void {
    if (fileIds.length === this.#wanted.length && fileIds.every((id, place) => id === this.#wanted[place])) return;
    this.#wanted = fileIds;
    this.#stopWaiting?.();
    this.#stopWaiting = this.#ports.schedule(() => this.#settle(), SETTLED_MS);
  }

  /** Forgets everything: the grid is gone. */
  close(): void {
    this.#generation += 1;
    this.#stopWaiting?.();
    this.#wanted = [];
    this.#ports.tellInSight([]);
    for (const picture of this.#pictures.values()) if (picture !== 'none') picture.close();
    this.#pictures.clear();
  }

  #settle(): void {
    this.#stopWaiting = undefined;
    for (const fileId of this.#wanted) {
      const picture = this.#pictures.get(fileId);
      if (picture === undefined) continue;
      this.#pictures.delete(fileId);
      this.#pictures.set(fileId, picture);
    }
    const unknown = this.#wanted.filter((fileId) => !this.#pictures.has(fileId));
    if (unknown.length === 0) return;
    this.#ports.tellInSight(unknown);
    for (const fileId of this.#loading) if (!unknown.includes(fileId)) this.#dropped.add(fileId);
    this.#loadMore();
  }

  #loadMore(): void {
    if (this.#stopWaiting !== undefined) return;
    const missing = this.#wanted.filter((fileId) => !this.#pictures.has(fileId) && !this.#loading.has(fileId));
    for (const fileId of missing.slice(0, LOADS_AT_ONCE - this.#loading.size)) void this.#load(fileId);
  }

  async #load(fileId: string): Promise<void> {
    const generation = this.#generation;
    this.#loading.add(fileId);
    const picture = await this.#ports.load(fileId);
    this.#loading.delete(fileId);
    const wasDropped = this.#dropped.delete(fileId);
    if (generation !== this.#generation) {
      picture?.close();
      return;
    }
    // If the file went out of sight meanwhile, no picture was made, though one may be possible.
    if (picture !== undefined || !wasDropped) this.#pictures.set(fileId, picture ?? 'none');
    this.#forget();
    if (picture !== undefined) this.#ports.onLoaded(fileId);
    this.#loadMore();
  }

  #forget(): void {
    for (const [fileId, picture] of this.#pictures) {
      if (this.#pictures.size <= PICTURES_KEPT) return;
      if (this.#wanted.includes(fileId)) continue;
      if (picture !== 'none') picture.close();
      this.#pictures.delete(fileId);
    }
  }
}
