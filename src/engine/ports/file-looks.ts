/** Finished files, as they are measured for the gates and shown. */
import type { MeasuredFile } from '../../shared/domain/gates/measured-file.ts';

/** A verified file of a media folder. */
export interface FileToMeasure {
  readonly folder: string;
  /** Inside the folder, with `/`. */
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Measures files for the gates (see `askGates`). */
export interface FileMeasurer {
  /**
   * Takes as long as decoding does, and waits for other files; an aborted signal ends it. Says what could not be
   * measured.
   */
  measure(file: FileToMeasure, signal: AbortSignal): Promise<MeasuredFile>;
}

/** How a song sounds, for display. */
export interface SongSound {
  readonly seconds: number;
  /** The loudest moment in each of several equal parts, relative to the loudest of all: from 0 to 1. */
  readonly levels: readonly number[];
  /** Loudness by EBU R128, in LUFS; absent if the song is silent, or too short to be measured. */
  readonly lufs?: number;
  /** The loudest sample, in dB relative to full scale; absent if the song is silent. */
  readonly peakDb?: number;
}

/** What is shown in place of a file. */
export type Preview =
  | { readonly kind: 'picture'; readonly jpeg: Uint8Array }
  | { readonly kind: 'sound'; readonly sound: SongSound }
  /** It was tried, but nothing can be shown. */
  | { readonly kind: 'none' };

/** Makes small pictures of files in a media folder, and for songs shows how they sound. */
export interface PreviewMaker {
  /**
   * Waits for other files; undefined if nothing was tried: there is no ffmpeg or no such file, or the signal ended it.
   */
  make(file: FileToMeasure, signal: AbortSignal): Promise<Preview | undefined>;
}
