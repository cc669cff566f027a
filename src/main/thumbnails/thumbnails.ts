/** The small pictures of a batch's files: from the cache, or made once, one at a time, while somebody looks. */
import type { Reply } from '../../shared/ipc/contract.ts';
import type { ServedFile } from '../shell/media-protocol.ts';
import type { KeptThumbnail, ThumbnailCache } from './thumbnail-cache.ts';

/** How a file is drawn: pictures and films as they look, sounds as they swing. */
export type DrawnKind = 'image' | 'video' | 'audio';

/** Draws a file small. Never rejects; `unavailable` says nothing about the file. */
export interface ThumbnailMaker {
  make(file: ServedFile, kind: DrawnKind): Promise<KeptThumbnail | 'unavailable'>;
  close(): void;
}

export interface ThumbnailsOptions {
  readonly locate: (fileId: string) => Promise<Reply<ServedFile>>;
  readonly cache: Pick<ThumbnailCache, 'get' | 'put'>;
  readonly maker: ThumbnailMaker;
}

interface Waiting {
  readonly fileId: string;
  readonly sha256: string;
  readonly file: ServedFile;
  readonly kind: DrawnKind;
  readonly answer: (made: Uint8Array<ArrayBuffer> | undefined) => void;
}

/** Sounds and pictures are read whole: one that is larger costs more than it shows. */
const MOST_BYTES: Readonly<Record<DrawnKind, number>> = {
  image: 256 << 20,
  audio: 256 << 20,
  video: Number.POSITIVE_INFINITY,
};

/** Gives small pictures, and makes those that are missing in the order in which they are seen. */
export class Thumbnails {
  readonly #options: ThumbnailsOptions;
  #waiting: Waiting[] = [];
  /** The files on screen; undefined until somebody has said. */
  #inSight: readonly string[] | undefined;
  #isMaking = false;

  constructor(options: ThumbnailsOptions) {
    this.#options = options;
  }

  /** The small picture of a file, as WebP; undefined if it has none, or is not looked at any more. */
  async of(fileId: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { locate, cache } = this.#options;
    const located = await locate(fileId);
    const file = located.ok ? located.value : undefined;
    const kind = file && drawnKind(file.mediaType);
    if (file?.sha256 === undefined || kind === undefined || file.bytes > MOST_BYTES[kind]) return undefined;
    const { sha256 } = file;
    const kept = await cache.get(sha256);
    if (kept !== undefined) return kept.kind === 'made' ? kept.bytes : undefined;
    return new Promise((answer) => {
      this.#waiting.push({ fileId, sha256, file, kind, answer });
      void this.#makeNext();
    });
  }

  /** These files are on screen, the first to be seen first: whoever waits for others gets no answer any more. */
  keepOnly(fileIds: readonly string[]): void {
    this.#inSight = fileIds;
    const kept = new Set(fileIds);
    const gone = this.#waiting.filter(({ fileId }) => !kept.has(fileId));
    this.#waiting = this.#waiting.filter(({ fileId }) => kept.has(fileId));
    for (const { answer } of gone) answer(undefined);
  }

  close(): void {
    this.keepOnly([]);
    this.#options.maker.close();
  }

  async #makeNext(): Promise<void> {
    if (this.#isMaking) return;
    const next = this.#next();
    if (next === undefined) return;
    this.#isMaking = true;
    const { cache, maker } = this.#options;
    const made = await maker.make(next.file, next.kind);
    if (made !== 'unavailable') await cache.put(next.sha256, made);
    // Files with the same content have the same picture.
    const same = this.#waiting.filter(({ sha256 }) => sha256 === next.sha256);
    this.#waiting = this.#waiting.filter(({ sha256 }) => sha256 !== next.sha256);
    const bytes = made !== 'unavailable' && made.kind === 'made' ? made.bytes : undefined;
    for (const { answer } of [next, ...same]) answer(bytes);
    this.#isMaking = false;
    void this.#makeNext();
  }

  /** Takes the one that is seen first. */
  #next(): Waiting | undefined {
    const places = new Map((this.#inSight ?? []).map((fileId, place) => [fileId, place]));
    const placeOf = ({ fileId }: Waiting): number => places.get(fileId) ?? places.size;
    const next = this.#waiting.toSorted((a, b) => placeOf(a) - placeOf(b))[0];
    this.#waiting = this.#waiting.filter((one) => one !== next);
    return next;
  }
}

function drawnKind(mediaType: string): DrawnKind | undefined {
  const kind = mediaType.slice(0, mediaType.indexOf('/'));
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : undefined;
}
