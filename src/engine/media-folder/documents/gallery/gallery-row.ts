/** What the gallery's script gets for each row: the page consists of these as JSON (resources/gallery). */
import type { RowViewStatus } from '../../../../shared/domain/task/row-status.ts';
import type { OutputKind } from '../../../../shared/domain/operations/operations.ts';

/** What a row asks for, or asked for when one of its files was made; texts without control characters. */
export interface GalleryRequest {
  /** The operation's title. */
  readonly operation: string;
  readonly label: string;
  readonly prompt: string;
  /** The request's fields with dotted names, as text. */
  readonly fields: readonly (readonly [name: string, text: string])[];
}

/** A verified file of a row. */
export interface GalleryFile {
  /** Inside the media folder, with `/`. */
  readonly path: string;
  /** The path as an address relative to the page. */
  readonly url: string;
  readonly mediaType: string;
  readonly kind: OutputKind;
  readonly bytes: number;
  readonly take: number;
  readonly index: number;
  readonly sha256: string;
  /** Empty if there is none. */
  readonly taskCode: string;
  /** The text of a document. */
  readonly text: string;
  /** What the user has said about it: kept or rejected, a rating from 0 to 5, a note, whether it is picked. */
  readonly kept?: boolean;
  readonly rating?: number;
  readonly said?: string;
  readonly picked?: true;
  /** Why gates flag it: the title of each gate, and what it says. */
  readonly flags?: readonly (readonly [gate: string, words: string])[];
  /** Present if it has a small picture, under its sha256 with this extension. */
  readonly picture?: 'jpg' | 'webp';
  readonly sound?: GallerySound;
  /** What is sung in it. */
  readonly sung?: GallerySung;
  /** Present if it was made for an earlier content of the row. */
  readonly earlier?: true;
  /** What it was made for, if the row asks for something else now. */
  readonly asked?: GalleryRequest;
}

/** How a song sounds. */
export interface GallerySound {
  /** The loudest moment in each of several equal parts, as a digit from 0 to z. */
  readonly levels: string;
  readonly lufs?: number;
  readonly peakDb?: number;
}

/** What is sung in a song; times in seconds. */
export interface GallerySung {
  /** Line by line; without a time if none is known. */
  readonly lines: readonly (readonly [text: string, start?: number])[];
  /** When its bars begin; empty if that is not known. */
  readonly beats: readonly number[];
}

/** What the page gets besides its rows. */
export interface GalleryBatch {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The folder beside the page in which small pictures are: `ab/<sha256>.jpg`. */
  readonly previews: string;
}

export interface GalleryRow extends GalleryRequest {
  readonly id: string;
  readonly line: number;
  readonly status: RowViewStatus;
  readonly note: string;
  readonly failure?: { readonly title: string; readonly remedy: string; readonly message: string };
  /** The current files first, then those of earlier contents of the row. */
  readonly files: readonly GalleryFile[];
}
