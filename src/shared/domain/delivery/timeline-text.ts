/** A timeline of delivered files for an editing program. Source: OpenTimelineIO, serialized schemas. */
import { present } from '../base/result.ts';
import { kindOfMediaType } from '../files/media-type.ts';
import type { Delivered } from './data-package.ts';

/** Its name in the folder of a delivery. */
export const TIMELINE = 'timeline.otio';

/** A delivered film or song whose length is known. */
export type TimedFile = Delivered & { readonly length: NonNullable<Delivered['length']> };

/** True for what a timeline can hold: films and songs, but not pictures, which have no length. */
export function hasLength(file: Delivered): boolean {
  const kind = kindOfMediaType(file.mediatype);
  return kind === 'video' || kind === 'music';
}

/**
 * The timeline in OpenTimelineIO's JSON: films one after the other on a video track, songs on an audio track, in the
 * order given, each as long as it is. Files are named relative to the timeline.
 */
export function timelineText(name: string, files: readonly TimedFile[]): string {
  const of = (kind: 'video' | 'music'): readonly TimedFile[] =>
    files.filter(({ mediatype }) => kindOfMediaType(mediatype) === kind);
  const timeline = {
    OTIO_SCHEMA: 'Timeline.1',
    metadata: {},
    name,
    global_start_time: null,
    tracks: {
      OTIO_SCHEMA: 'Stack.1',
      ...partOf('tracks'),
      children: [track('Video', of('video')), track('Audio', of('music'))],
    },
  };
  return `${JSON.stringify(timeline, undefined, 1)}\n`;
}

/** What every item of a timeline has. */
function partOf(name: string, metadata: object = {}): object {
  return { metadata, name, source_range: null, effects: [], markers: [], enabled: true };
}

function track(kind: 'Video' | 'Audio', files: readonly TimedFile[]): object {
  return { OTIO_SCHEMA: 'Track.1', ...partOf(kind), kind, children: files.map(clip) };
}

function clip(file: TimedFile): object {
  const { row, take, index, prompt, title, model } = file;
  const whole = rangeOf(file.length);
  const name = typeof title === 'string' && title !== '' ? title : `${row}${take > 1 ? ` take ${take}` : ''}`;
  return {
    OTIO_SCHEMA: 'Clip.2',
    ...partOf(name, { nocturne: { row, take, index, ...present({ prompt, model }) } }),
    source_range: whole,
    media_references: {
      DEFAULT_MEDIA: {
        OTIO_SCHEMA: 'ExternalReference.1',
        metadata: {},
        name,
        available_range: whole,
        available_image_bounds: null,
        target_url: file.path.split('/').map(encodeURIComponent).join('/'),
      },
    },
    active_media_reference_key: 'DEFAULT_MEDIA',
  };
}

/** In whole pictures of a film, in whole samples of a song. */
function rangeOf({ seconds, rate }: TimedFile['length']): object {
  const time = (value: number): object => ({ OTIO_SCHEMA: 'RationalTime.1', rate, value });
  return { OTIO_SCHEMA: 'TimeRange.1', duration: time(Math.round(seconds * rate)), start_time: time(0) };
}
