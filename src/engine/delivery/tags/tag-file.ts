/** Tags for one file, by its type. */
import { open } from 'node:fs/promises';
import { xmpPacket, type MediaAbout } from '../../../shared/domain/delivery/media-about.ts';
import { fileSource, type ByteSource } from '../../media-folder/containers/container-check.ts';
import { left, writePieces, type Tagging } from '../splice.ts';
import { carriesCredentials } from './credentials.ts';
import { tagFilm } from './film-tags.ts';
import type { Cover } from './library-tags.ts';
import { tagJpeg, tagPng } from './picture-tags.ts';
import { tagFlac, retagMp3, tagWav } from './sound-tags.ts';

/** The outcome for a file that was to be tagged. */
export type TagOutcome =
  /** A copy with tags is at the given path. */
  | { readonly kind: 'tagged' }
  /** `why` follows the file's name in a sentence. */
  | { readonly kind: 'left'; readonly why: string };

/** The types of files that can get tags. */
export const TAGGED_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'audio/mpeg',
  'audio/flac',
  'audio/wav',
  'audio/mp4',
  'video/mp4',
]);

/** Whether a file carries content credentials. Throws errors of the disk. */
export async function fileCarriesCredentials(path: string): Promise<boolean> {
  return withSourceOf(path, (source) => carriesCredentials(source));
}

/** Writes a copy of a whole file with tags under a name that is free. Throws errors of the disk. */
export async function tagFile(
  path: string,
  to: string,
  mediaType: string,
  about: MediaAbout,
  cover: Cover | undefined,
): Promise<TagOutcome> {
  const file = await open(path, 'r');
  try {
    const source = fileSource(file, (await file.stat()).size);
    const tagging = await taggingOf(path, source, mediaType, about, cover);
    if (tagging.kind === 'left') return tagging;
    await writePieces(file, to, tagging.pieces);
    return { kind: 'tagged' };
  } finally {
    await file.close();
  }
}

async function taggingOf(
  path: string,
  source: ByteSource,
  mediaType: string,
  about: MediaAbout,
  cover: Cover | undefined,
): Promise<Tagging> {
  const unread = left('cannot be read well enough to put tags into it');
  switch (mediaType) {
    case 'image/png':
      return tagPng(source, xmpPacket(about));
    case 'image/jpeg':
      return tagJpeg(source, xmpPacket(about));
    case 'audio/mpeg': {
      const tag = await (await library()).id3Tag(path, about, cover);
      return tag === undefined ? unread : retagMp3(source, tag);
    }
    case 'audio/flac': {
      const made = await (await library()).taggedSample(path, 'flac', about, cover);
      return made === undefined ? unread : tagFlac(source, made);
    }
    case 'audio/wav': {
      const tag = await (await library()).id3Tag(undefined, about, cover);
      return tag === undefined ? unread : tagWav(source, tag, xmpPacket(about));
    }
    case 'audio/mp4':
    case 'video/mp4': {
      const made = await (await library()).taggedSample(path, 'mp4', about, cover);
      return made === undefined ? unread : tagFilm(source, made, xmpPacket(about));
    }
    default:
      return left('is of a kind that gets no tags');
  }
}

/** Large, and needed only for tags in sound and films. */
function library(): Promise<typeof import('./library-tags.ts')> {
  return import('./library-tags.ts');
}

async function withSourceOf<T>(path: string, work: (source: ByteSource) => Promise<T>): Promise<T> {
  const file = await open(path, 'r');
  try {
    return await work(fileSource(file, (await file.stat()).size));
  } finally {
    await file.close();
  }
}
