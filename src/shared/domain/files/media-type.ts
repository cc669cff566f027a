import type { OutputKind } from '../operations/operations.ts';

/** A kind of file that the download protocol can verify, with its extension. */
export interface MediaType {
  readonly mediaType: string;
  /** Without a dot. */
  readonly extension: string;
  readonly kind: OutputKind;
}

/** Every kind of file that can be verified. Source: the list, and other types in the same containers. */
export const MEDIA_TYPES = {
  mp3: { mediaType: 'audio/mpeg', extension: 'mp3', kind: 'music' },
  wav: { mediaType: 'audio/wav', extension: 'wav', kind: 'music' },
  m4a: { mediaType: 'audio/mp4', extension: 'm4a', kind: 'music' },
  flac: { mediaType: 'audio/flac', extension: 'flac', kind: 'music' },
  ogg: { mediaType: 'audio/ogg', extension: 'ogg', kind: 'music' },
  weba: { mediaType: 'audio/webm', extension: 'weba', kind: 'music' },
  mp4: { mediaType: 'video/mp4', extension: 'mp4', kind: 'video' },
  mov: { mediaType: 'video/quicktime', extension: 'mov', kind: 'video' },
  webm: { mediaType: 'video/webm', extension: 'webm', kind: 'video' },
  ogv: { mediaType: 'video/ogg', extension: 'ogv', kind: 'video' },
  png: { mediaType: 'image/png', extension: 'png', kind: 'image' },
  jpeg: { mediaType: 'image/jpeg', extension: 'jpg', kind: 'image' },
  webp: { mediaType: 'image/webp', extension: 'webp', kind: 'image' },
  gif: { mediaType: 'image/gif', extension: 'gif', kind: 'image' },
  json: { mediaType: 'application/json', extension: 'json', kind: 'data' },
} as const satisfies Readonly<Record<string, MediaType>>;

/** Name of an entry of {@link MEDIA_TYPES}. */
export type MediaTypeName = keyof typeof MEDIA_TYPES;

const BY_MEDIA_TYPE: ReadonlyMap<string, MediaType> = new Map(
  Object.values(MEDIA_TYPES).map((type) => [type.mediaType, type]),
);

/** What a media type is to the user: something to hear, to watch, to look at, or to read. */
export function kindOfMediaType(mediaType: string): OutputKind {
  return BY_MEDIA_TYPE.get(mediaType)?.kind ?? 'data';
}

/** Extensions that users habitually put at the end of a name template; the real one is added from the file's type. */
export const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set([
  ...Object.values(MEDIA_TYPES).map((type) => type.extension),
  'jpeg',
]);
