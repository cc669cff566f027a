/**
 * The small pictures of a batch's files: from the cache, or made once, one at a time, while somebody looks. Also how
 * their songs sound, for users who listen to them.
 */
import type { Reply } from '../../shared/ipc/contract.ts';
import { soundView, type SoundView } from '../../shared/ipc/files.ts';
import type { ServedFile } from '../shell/media-protocol.ts';
import type { KeptThumbnail, ThumbnailCache } from './thumbnail-cache.ts';

/** How a file is drawn: pictures and films as they look, sounds as waveforms. */
export type DrawnKind = 'image' | 'video' | 'audio';

/** What is wanted of a file: its small picture, or how it sounds. */
export type Wanted = DrawnKind | 'sound';

/**
 * Makes a small picture of a file, or measures its sound: what is made is then a `SoundView`, as JSON. Never rejects;
 * `unavailable` says nothing about the file.
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
/** Sounds are measured whole, for as many files as a review goes through; the measures are not kept on the disk. */
const MOST_SOUND_BYTES = 256 << 20;
const MOST_MEASURED = 1_000;
/** A user who has moved on no longer waits for what was played before. */
const MOST_TO_MEASURE = 24;

/** Gives small pictures, and makes those that are missing in the order in which they are seen. */
export class Thumbnails {
  readonly #options: ThumbnailsOptions;
  #waiting: Waiting[] = [];
  /** The files on screen; undefined until the window has named them. */
  #inSight: readonly string[] | undefined;
  #isMaking = false;
  #isClosed = false;
  /** By sha256; undefined if the sound cannot be measured. */
  readonly #sounds = new Map<string, SoundView | undefined>();

  constructor(options: ThumbnailsOptions) {
    this.#options = options;
  }

  /** The small picture of a file, as WebP; undefined if it has none, or is no longer looked at. */
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
    if (this.#isClosed) return undefined;
    return new Promise((answer) => {
      this.#waiting.push({ fileId, sha256, file, kind, answer });
      void this.#makeNext();
    });
  }

  /**
   * How a song or a film sounds; undefined if it is too long, cannot be decoded, or many others were asked for since.
   */
  async soundOf(fileId: string): Promise<SoundView | undefined> {
    const located = await this.#options.locate(fileId);
    const file = located.ok ? located.value : undefined;
    const kind = file && drawnKind(file.mediaType);
    const sha256 = digestOf(file);
    if (file === undefined || sha256 === undefined || (kind !== 'audio' && kind !== 'video')) return undefined;
    if (file.bytes > MOST_SOUND_BYTES) return undefined;
    if (this.#sounds.has(sha256)) return this.#sounds.get(sha256);
    if (this.#isClosed) return undefined;
    const made = await new Promise<Uint8Array | undefined>((answer) => {
      // What is listened to now comes first.
      this.#waiting.unshift({ fileId, sha256, file, kind: 'sound', answer });
      const late = this.#waiting.filter((one) => one.kind === 'sound').slice(MOST_TO_MEASURE);
      this.#waiting = this.#waiting.filter((one) => !late.includes(one));
      for (const one of late) one.answer(undefined);
      void this.#makeNext();
    });
    return made === undefined ? undefined : soundIn(made);
  }

  /**
   * These files are on screen, in the order in which they are seen: requests for other files are no longer answered.
   */
  keepOnly(fileIds: readonly string[]): void {
    this.#inSight = fileIds;
    const inSight = new Set(fileIds);
    const isKept = ({ fileId, kind }: Waiting): boolean => kind === 'sound' || inSight.has(fileId);
    const gone = this.#waiting.filter((one) => !isKept(one));
    this.#waiting = this.#waiting.filter(isKept);
    for (const { answer } of gone) answer(undefined);
  }

  /** Nothing is made from now on: a window that is still there would have the maker open its page again. */
  close(): void {
    this.#isClosed = true;
    for (const { answer } of this.#waiting.splice(0)) answer(undefined);
    this.#options.maker.close();
  }

  async #makeNext(): Promise<void> {
    if (this.#isMaking) return;
    const next = this.#next();
    if (next === undefined) return;
    this.#isMaking = true;
    const { maker } = this.#options;
    // A page that cannot be opened costs this picture and no other.
    const made = await maker.make(next.file, next.kind).catch(() => 'unavailable' as const);
    if (made !== 'unavailable') await this.#keep(next, made);
    // Files with the same content have the same picture, and the same sound.
    const isSame = ({ sha256, kind }: Waiting): boolean => sha256 === next.sha256 && kind === next.kind;
    const same = this.#waiting.filter(isSame);
    this.#waiting = this.#waiting.filter((one) => !isSame(one));
    const bytes = made !== 'unavailable' && made.kind === 'made' ? made.bytes : undefined;
    for (const { answer } of [next, ...same]) answer(bytes);
    this.#isMaking = false;
    void this.#makeNext();
  }

  async #keep({ sha256, kind }: Waiting, made: KeptThumbnail): Promise<void> {
    if (kind !== 'sound') return this.#options.cache.put(sha256, made);
    if (this.#sounds.size >= MOST_MEASURED) this.#sounds.clear();
    this.#sounds.set(sha256, made.kind === 'made' ? soundIn(made.bytes) : undefined);
  }

  /** Takes the file that is seen first. */
  #next(): Waiting | undefined {
    const places = new Map((this.#inSight ?? []).map((fileId, place) => [fileId, place]));
    const placeOf = ({ fileId }: Waiting): number => places.get(fileId) ?? places.size;
    const next = this.#waiting.toSorted((a, b) => placeOf(a) - placeOf(b))[0];
    this.#waiting = this.#waiting.filter((one) => one !== next);
    return next;
  }
}

/** What the page says about a sound; undefined if it says anything else. */
export function soundIn(bytes: Uint8Array): SoundView | undefined {
  try {
    return soundView.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data;
  } catch {
    return undefined;
  }
}

/** The digest names the kept file, so it is checked: a store that others write to may hold any text. */
function digestOf(file: ServedFile | undefined): string | undefined {
  return /^[0-9a-f]{64}$/u.exec(file?.sha256 ?? '')?.[0];
}

function drawnKind(mediaType: string): DrawnKind | undefined {
  const kind = mediaType.slice(0, mediaType.indexOf('/'));
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : undefined;
}
