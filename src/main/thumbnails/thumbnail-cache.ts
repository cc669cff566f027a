/**
 * Small pictures of files, kept by the sha256 of their content in a folder of the application's own. The folder may be
 * deleted at any time, in whole or in part: what is missing is made again.
 */
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../engine/whole-file.ts';

/** What is known about the small picture of a content. */
export type KeptThumbnail =
  | { readonly kind: 'made'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** None can be made from it: that was tried. */
  | { readonly kind: 'failed' };

interface Entry {
  readonly isFailed: boolean;
  /** What it takes on the disk. */
  readonly size: number;
  /** When its file was last used, as its time of change says; milliseconds since the epoch. */
  readonly usedAt: number;
}

const NAME = /^(?<sha256>[0-9a-f]{64})\.(?<kind>webp|none)$/u;
/** A disk does not give out less than this. */
const BLOCK = 4_096;
/** A use is noted on the disk no more often than this. */
const USE_NOTED_MS = 3_600_000;
/** What failed on a busy day may succeed on another. */
const FAILED_FOR_MS = 24 * 3_600_000;
/** When there is no room, files are deleted down to this share: not just one for each new file in a full folder. */
const KEPT_SHARE = 0.9;

export interface ThumbnailCacheOptions {
  readonly folder: string;
  /** The most that the cache takes on the disk; what was used longest ago goes first. */
  readonly mostBytes: number;
  readonly now: () => number;
}

/** Keeps small pictures. Never rejects: if the disk refuses, a picture must be made again. */
export class ThumbnailCache {
  readonly #options: ThumbnailCacheOptions;
  /** By sha256, those used longest ago first; read from the disk once. */
  #entries: Promise<Map<string, Entry>> | undefined;
  #size = 0;

  constructor(options: ThumbnailCacheOptions) {
    this.#options = options;
  }

  async get(sha256: string): Promise<KeptThumbnail | undefined> {
    const entries = await this.#known();
    const entry = entries.get(sha256);
    if (entry === undefined) return undefined;
    const now = this.#options.now();
    if (entry.isFailed) return now - entry.usedAt < FAILED_FOR_MS ? { kind: 'failed' } : undefined;
    const path = this.#pathOf(sha256, entry);
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes === undefined) {
      // Somebody has deleted it.
      this.#forget(entries, sha256);
      return undefined;
    }
    const isNoted = now - entry.usedAt < USE_NOTED_MS;
    entries.delete(sha256);
    entries.set(sha256, isNoted ? entry : { ...entry, usedAt: now });
    if (!isNoted) await utimes(path, now / 1_000, now / 1_000).catch(() => undefined);
    return { kind: 'made', bytes };
  }

  /** Keeps a picture, or that there is none. */
  async put(sha256: string, kept: KeptThumbnail): Promise<void> {
    const entries = await this.#known();
    const bytes = kept.kind === 'made' ? kept.bytes : new Uint8Array();
    const entry = { isFailed: kept.kind === 'failed', size: sizeOnDisk(bytes.length), usedAt: this.#options.now() };
    const path = this.#pathOf(sha256, entry);
    try {
      await mkdir(join(path, '..'), { recursive: true });
      await writeWhole(path, bytes, 0o600);
    } catch {
      return;
    }
    const before = entries.get(sha256);
    if (before !== undefined && before.isFailed !== entry.isFailed) await this.#remove(sha256, before);
    this.#forget(entries, sha256);
    entries.set(sha256, entry);
    this.#size += entry.size;
    await this.#makeRoom(entries);
  }

  async #makeRoom(entries: Map<string, Entry>): Promise<void> {
    const { mostBytes } = this.#options;
    if (this.#size <= mostBytes) return;
    for (const [sha256, entry] of entries) {
      if (this.#size <= mostBytes * KEPT_SHARE) return;
      this.#forget(entries, sha256);
      await this.#remove(sha256, entry);
    }
  }

  #forget(entries: Map<string, Entry>, sha256: string): void {
    this.#size -= entries.get(sha256)?.size ?? 0;
    entries.delete(sha256);
  }

  #remove(sha256: string, entry: Entry): Promise<void> {
    return rm(this.#pathOf(sha256, entry), { force: true }).catch(() => undefined);
  }

  /** Files are spread over 256 folders: one folder with everything is slow on some disks. */
  #pathOf(sha256: string, { isFailed }: Pick<Entry, 'isFailed'>): string {
    return join(this.#options.folder, sha256.slice(0, 2), `${sha256}.${isFailed ? 'none' : 'webp'}`);
  }

  #known(): Promise<Map<string, Entry>> {
    return (this.#entries ??= this.#read());
  }

  async #read(): Promise<Map<string, Entry>> {
    const { folder } = this.#options;
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const found: (readonly [string, Entry])[] = [];
    for (const name of names) {
      const { sha256, kind } = NAME.exec(name.slice(3))?.groups ?? {};
      if (sha256 === undefined) continue;
      const stats = await stat(join(folder, name)).catch(() => undefined);
      // An empty file that was left behind is not a picture.
      if (stats === undefined || (kind === 'webp' && stats.size === 0)) continue;
      found.push([sha256, { isFailed: kind === 'none', size: sizeOnDisk(stats.size), usedAt: stats.mtimeMs }]);
    }
    this.#size = found.reduce((sum, [, { size }]) => sum + size, 0);
    return new Map(found.toSorted(([, a], [, b]) => a.usedAt - b.usedAt));
  }
}

function sizeOnDisk(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BLOCK)) * BLOCK;
}
