import type { Json } from '../base/json.ts';

/** What of another row a reference names: `{{intro.taskId}}`, `{{intro.result.musicUrl}}`, `{{intro.output.1.url}}`. */
export type ReferencePath =
  | { readonly kind: 'task-code' }
  /** A path into the record's `result`; list positions are counted from 0, as JSON does. */
  | { readonly kind: 'result'; readonly path: readonly string[] }
  /** The address of an output; outputs are counted from 1. */
  | { readonly kind: 'output-url'; readonly index: number };

/** A value that another row of the same batch gives once it is done. */
export interface Reference {
  /** The id of the other row. */
  readonly row: string;
  readonly path: ReferencePath;
  /** As it stands in the cell, without its braces. */
  readonly text: string;
}

/** A text with references in it: what is literal and what another row gives, in order. */
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

/** What a row that is done can give to others. */
export interface ReferenceSource {
  readonly taskCode: string;
  /** The record's `result`; undefined where it is not known. */
  readonly result: Json | undefined;
  /** Addresses of its outputs, the first at index 0. */
  readonly outputUrls: readonly string[];
}

/** Every other row that these fields need, each once. */
export function rowsReferredTo(links: readonly LinkedField[] | undefined): readonly string[] {
  const rows = new Set<string>();
  for (const { value } of links ?? []) {
    for (const text of value.kind === 'text' ? [value.text] : value.items) {
      for (const part of text) if (typeof part !== 'string') rows.add(part.row);
    }
  }
  return [...rows];
}
