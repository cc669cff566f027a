/** What a delivered file gets from other rows: the lyrics of a song, and its cover. */
import { readFile, rm } from 'node:fs/promises';
import { valueAt } from '../../shared/domain/cells/result-path.ts';
import type { Json } from '../../shared/domain/base/json.ts';
import type { DeliveryItem } from '../../shared/domain/delivery/delivery-item.ts';
import type { MediaAbout } from '../../shared/domain/delivery/media-about.ts';
import type { ManifestFile } from '../../shared/domain/files/manifest.ts';
import type { DeliveryFolder } from './delivery-folder.ts';
import type { DeliveryFiles } from './delivery-source.ts';
import type { Cover } from './tags/library-tags.ts';

/** A larger picture makes every copy of a song that much larger. */
const MAX_COVER_BYTES = 10 << 20;
/** Lyrics are a page; a larger document is something else. */
const MAX_DOCUMENT_BYTES = 4 << 20;

/** Reads the files of the rows that a file's own row names. Throws errors of the disk, and of a bucket. */
export interface Referred {
  /** Includes the lyrics from another row. */
  aboutOf(item: DeliveryItem): Promise<MediaAbout>;
  /** The picture of the first named row that has one. Only sound and films have covers. */
  coverOf(item: DeliveryItem): Promise<Cover | undefined>;
}

/** For the files of one delivery. */
export function createReferred(files: DeliveryFiles, folder: DeliveryFolder): Referred {
  /** Songs of one row share a cover, and come one after the other. */
  let last: { readonly sha256: string; readonly bytes: Buffer | undefined } | undefined;

  async function bytesOf({ sha256 }: ManifestFile, find: () => ManifestFile | undefined): Promise<Buffer | undefined> {
    if (last?.sha256 === sha256) return last.bytes;
    const part = folder.newPart();
    try {
      const copied = await files.copyTo(part, find);
      // A song without its cover is better than no song.
      const bytes = copied.ok && copied.value ? await readFile(part) : undefined;
      last = { sha256, bytes };
      return bytes;
    } finally {
      await rm(part, { force: true });
    }
  }

  return {
    async aboutOf({ about, words, file }) {
      const find = (): ManifestFile | undefined => words && files.list.documents.get(words.row);
      const document = find();
      if (words === undefined || document === undefined || document.bytes > MAX_DOCUMENT_BYTES) return about;
      if (!/^(?:audio|video)\//u.test(file.mediaType) || about.lyrics !== undefined) return about;
      const text = textIn(await bytesOf(document, find), words.path);
      return text === undefined ? about : { ...about, lyrics: text };
    },
    async coverOf({ named, file }) {
      if (!/^(?:audio|video)\//u.test(file.mediaType)) return undefined;
      const find = (): ManifestFile | undefined =>
        named.map((row) => files.list.pictures.get(row)).find((found) => found !== undefined);
      const picture = find();
      if (picture === undefined || picture.bytes > MAX_COVER_BYTES) return undefined;
      const { mediaType } = picture;
      if (mediaType !== 'image/png' && mediaType !== 'image/jpeg') return undefined;
      const data = await bytesOf(picture, find);
      return data === undefined ? undefined : { data, mediaType };
    },
  };
}

function textIn(bytes: Buffer | undefined, path: readonly string[]): string | undefined {
  if (bytes === undefined) return undefined;
  try {
    const found = valueAt(JSON.parse(bytes.toString('utf8')) as Json, path);
    return found.ok && typeof found.value === 'string' && found.value.trim() !== '' ? found.value : undefined;
  } catch {
    // A document that is not JSON says nothing here.
    return undefined;
  }
}
