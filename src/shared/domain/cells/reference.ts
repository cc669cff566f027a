import type { Json } from '../base/json.ts';

/** Pictures that are made from an output: the last frame of a film, the cover inside a song. */
export type PicturePart = 'lastFrame' | 'cover';

/**
 * What a reference names in another row: `{{intro.taskId}}`, `{{intro.result.musicUrl}}`, `{{intro.output.1.url}}`,
 * `{{intro.output.1.lastFrame}}`.
 */
export type ReferencePath =
  | { readonly kind: 'task-code' }
  /** A path into the record's `result`; list positions are counted from 0, as JSON does. */
  | { readonly kind: 'result'; readonly path: readonly string[] }
  /** The address of an output; outputs are counted from 1. */
  | { readonly kind: 'output-url'; readonly index: number }
  /** The address of a picture that Nocturne makes from an output, in the user's own place for files. */
  | PicturePath;

/** Outputs are counted from 1. */
export interface PicturePath {
  readonly kind: 'picture';
  readonly part: PicturePart;
  readonly index: number;
}

/** A value that another row of the same batch gives once it is done. */
export interface Reference {
  /** The id of the other row. */
  readonly row: string;
  readonly path: ReferencePath;
  /** As written in the cell, without its braces. */
  readonly text: string;
}

/** A text with references in it: literal pieces and values of other rows, in order. */
export type LinkedText = readonly (string | Reference)[];

/** A field whose value is known only when other rows are done. */
export interface LinkedField {
  /** Exact name of the column, dotted for a nested field. */
  readonly column: string;
  /** The one value of the field, or the items of a list. */
  readonly value:
    | { readonly kind: 'text'; readonly text: LinkedText }
    | { readonly kind: 'list'; readonly items: readonly LinkedText[] };
}

/** What a done row can give to others. */
export interface ReferenceSource {
  readonly taskCode: string;
  /** The record's `result`; undefined if it is not known. */
  readonly result: Json | undefined;
  /** Addresses of its outputs, the first at index 0. */
  readonly outputUrls: readonly string[];
  /**
   * Where the result has this address, the first of {@link outputUrls} is meant instead: the user has picked that file.
   */
  readonly inPlaceOf?: string;
  /** Addresses of the pictures that were made from its outputs, by the texts of the references to them. */
  readonly pictures?: ReadonlyMap<string, string>;
}

/** A reference to a picture that is made from an output. */
export interface PictureReference extends Reference {
  readonly path: PicturePath;
}

/** The pictures that must be made for a field. */
export function picturesIn(link: LinkedField): readonly PictureReference[] {
  return referencesIn([link]).filter((reference): reference is PictureReference => reference.path.kind === 'picture');
}

/** Every other row that these fields need, each once. */
export function rowsReferredTo(links: readonly LinkedField[] | undefined): readonly string[] {
  return [...new Set(referencesIn(links).map(({ row }) => row))];
}

/** The rows whose task these fields name: only the account that made it knows it. */
export function rowsOfTasks(links: readonly LinkedField[]): readonly string[] {
  const named = referencesIn(links).filter(({ path }) => path.kind === 'task-code');
  return [...new Set(named.map(({ row }) => row))];
}

/** The ids, as written, of all rows that may be meant: every reading of each reference (see {@link readReference}). */
export function rowsPerhapsMeant(links: readonly LinkedField[] | undefined): readonly string[] {
  const readings = referencesIn(links).flatMap((reference) => [reference, ...readReference(reference.text)]);
  return [...new Set(readings.map(({ row }) => row))];
}

function referencesIn(links: readonly LinkedField[] = []): readonly Reference[] {
  const texts = links.flatMap(({ value }) => (value.kind === 'text' ? [value.text] : value.items));
  return texts.flat().filter((part) => typeof part !== 'string');
}

/**
 * The ways to read the inside of `{{…}}`, the likeliest first; empty if it is not a reference. An id may contain dots,
 * so that `a.result.b.result.c` is about `a.result.b` or about `a`: the one that is a row decides.
 */
export function readReference(written: string): readonly Reference[] {
  const text = written.trim();
  if (text.length > LONGEST_REFERENCE) return [];
  const readings: Reference[] = [];
  const taskId = /^(.+)\.taskId$/su.exec(text);
  if (taskId?.[1]) readings.push({ row: taskId[1].trim(), path: { kind: 'task-code' }, text });
  const output = /^(.+)\.output\.([1-9]\d{0,3})\.url$/su.exec(text);
  if (output?.[1]) {
    readings.push({ row: output[1].trim(), path: { kind: 'output-url', index: Number(output[2]) }, text });
  }
  const picture = /^(.+)\.output\.([1-9]\d{0,3})\.(lastFrame|cover)$/su.exec(text);
  if (picture?.[1]) {
    const path = { kind: 'picture', part: picture[3] as PicturePart, index: Number(picture[2]) } as const;
    readings.push({ row: picture[1].trim(), path, text });
  }
  for (let at = text.lastIndexOf(RESULT); at > 0; at = text.lastIndexOf(RESULT, at - 1)) {
    const path = text.slice(at + RESULT.length).split('.');
    const row = text.slice(0, at).trim();
    if (row !== '' && path.every((name) => name.trim() !== '')) {
      readings.push({ row, path: { kind: 'result', path }, text });
    }
  }
  return readings.filter(({ row }) => row !== '');
}

const RESULT = '.result.';
/** An id has at most 100 characters, and a path into a result hardly more. */
const LONGEST_REFERENCE = 500;
