/**
 * The small pictures of a batch's files: from the cache, or made once, one at a time, while somebody looks. And how loud their
 * sounds are, for who compares them.
 */
import type { Reply } from '../../shared/ipc/contract.ts';
import type { ServedFile } from '../shell/media-protocol.ts';
import type { KeptThumbnail, ThumbnailCache } from './thumbnail-cache.ts';

/** How a file is drawn: pictures and films as they look, sounds as they swing. */
export type DrawnKind = 'image' | 'video' | 'audio';

/** What is asked of a file: its small picture, or how loud it is. */
export type Wanted = DrawnKind | 'loudness';

/**
 * Draws a file small, or measures it: then what is made is a number of LUFS, as text. Never rejects; `unavailable` says nothing
 * about the file.
 */
export interface ThumbnailMaker {
  make(file: ServedFile, wanted: Wanted): Promise<KeptThumbnail | 'unavailable'>;
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
  readonly kind: Wanted;
  readonly answer: (made: Uint8Array<ArrayBuffer> | undefined) => void;
}

/** Sounds and pictures are read whole: one that is larger costs more than it shows. */
const MOST_BYTES: Readonly<Record<DrawnKind, number>> = {
  image: 256 << 20,
  audio: 256 << 20,
  video: Number.POSITIVE_INFINITY,
};
/** Measured whole, for as many as a review goes through; nothing of it is kept on the disk. */
const MOST_SOUND_BYTES = 256 << 20;
const MOST_MEASURED = 10_000;

/** Gives small pictures, and makes those that are missing in the order in which they are seen. */
export class Thumbnails {
  readonly #options: ThumbnailsOptions;
  #waiting: Waiting[] = [];
  /** The files on screen; undefined until somebody has said. */
  #inSight: readonly string[] | undefined;
  #isMaking = false;
  /** In LUFS, by sha256; undefined where it cannot be measured. */
  readonly #loudness = new Map<string, number | undefined>();

  constructor(options: ThumbnailsOptions) {
    this.#options = options;
  }

  /** The small picture of a file, as WebP; undefined if it has none, or is not looked at any more. */
  async of(fileId: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { locate, cache } = this.#options;
    const located = await locate(fileId);
    const file = located.ok ? located.value : undefined;
    const kind = file && drawnKind(file.mediaType);
    const sha256 = digestOf(file);
    if (file === undefined || sha256 === undefined || kind === undefined) return undefined;
    if (file.bytes > MOST_BYTES[kind]) return undefined;
    const kept = await cache.get(sha256);
    if (kept !== undefined) return kept.kind === 'made' ? kept.bytes : undefined;
    return new Promise((answer) => {
      this.#waiting.push({ fileId, sha256, file, kind, answer });
      void this.#makeNext();
    });
  }

  /** How loud a song or a film is by EBU R128, in LUFS; undefined if it is silent, too long, or cannot be decoded. */
  async loudnessOf(fileId: string): Promise<number | undefined> {
    const located = await this.#options.locate(fileId);
    const file = located.ok ? located.value : undefined;
    const kind = file && drawnKind(file.mediaType);
    const sha256 = digestOf(file);
    if (file === undefined || sha256 === undefined || (kind !== 'audio' && kind !== 'video')) return undefined;
    if (file.bytes > MOST_SOUND_BYTES) return undefined;
    if (this.#loudness.has(sha256)) return this.#loudness.get(sha256);
    const made = await new Promise<Uint8Array | undefined>((answer) => {
      this.#waiting.push({ fileId, sha256, file, kind: 'loudness', answer });
      void this.#makeNext();
    });
    const lufs = made === undefined ? Number.NaN : Number(new TextDecoder().decode(made));
    return Number.isFinite(lufs) ? lufs : undefined;
  }

  /** These files are on screen, the first to be seen first: whoever waits for others gets no answer any more. */
  keepOnly(fileIds: readonly string[]): void {
    this.#inSight = fileIds;
    const inSight = new Set(fileIds);
    const isKept = ({ fileId, kind }: Waiting): boolean => kind === 'loudness' || inSight.has(fileId);
    const gone = this.#waiting.filter((one) => !isKept(one));
    this.#waiting = this.#waiting.filter(isKept);
    for (const { answer } of gone) answer(undefined);
  }

  close(): void {
    for (const { answer } of this.#waiting.splice(0)) answer(undefined);
    this.#options.maker.close();
  }

  async #makeNext(): Promise<void> {
    if (this.#isMaking) return;
    const next = this.#next();
    if (next === undefined) return;
    this.#isMaking = true;
    const { maker } = this.#options;
    // A page that cannot be opened costs this one, and no other.
    const made = await maker.make(next.file, next.kind).catch(() => 'unavailable' as const);
    if (made !== 'unavailable') await this.#keep(next, made);
    // Files with the same content have the same picture, and are as loud.
    const isSame = ({ sha256, kind }: Waiting): boolean => sha256 === next.sha256 && kind === next.kind;
    const same = this.#waiting.filter(isSame);
    this.#waiting = this.#waiting.filter((one) => !isSame(one));
    const bytes = made !== 'unavailable' && made.kind === 'made' ? made.bytes : undefined;
    for (const { answer } of [next, ...same]) answer(bytes);
    this.#isMaking = false;
    void this.#makeNext();
  }

  async #keep({ sha256, kind }: Waiting, made: KeptThumbnail): Promise<void> {
    if (kind !== 'loudness') return this.#options.cache.put(sha256, made);
    if (this.#loudness.size >= MOST_MEASURED) this.#loudness.clear();
    this.#loudness.set(sha256, made.kind === 'made' ? Number(new TextDecoder().decode(made.bytes)) : undefined);
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

/** What is kept is named by it: a store that others write to may hold any text. */
function digestOf(file: ServedFile | undefined): string | undefined {
  return /^[0-9a-f]{64}$/u.exec(file?.sha256 ?? '')?.[0];
}

function drawnKind(mediaType: string): DrawnKind | undefined {
  const kind = mediaType.slice(0, mediaType.indexOf('/'));
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : undefined;
}
