import { textOf } from '../cells/compose-cell.ts';
import { composeField } from '../cells/compose-field.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Column } from '../operations/operations.ts';
import type { LanguageRow, SheetLanguage } from '../cells/sheet-language.ts';
import { isBlank } from '../base/text.ts';

/** A value that was put into a cell. */
export interface FilledIn {
  /** Exact name of the column. */
  readonly column: string;
  /** As written in the cell, such as `{mood}`. */
  readonly written: string;
  readonly value: string;
}

/** What a line of a sheet sends, for display. */
export interface WrittenBody {
  /** The cells before anything is put in. */
  readonly before: JsonObject;
  readonly filledIn: readonly FilledIn[];
}

/** The cells of a line in the shape of its body, and the values that are put into them. */
export function previewBody(
  line: LanguageRow,
  sent: readonly { readonly column: Column; readonly index: number }[],
  language: SheetLanguage,
): WrittenBody {
  const before: Record<string, Json> = {};
  const filledIn: FilledIn[] = [];
  for (const { column, index } of sent) {
    const cell = line.record.cells[index];
    if (cell === undefined || isBlank(cell)) continue;
    const { object, field } = column;
    if (object === undefined) before[field.name] = cell;
    else before[object] = { ...(before[object] as JsonObject | undefined), [field.name]: cell };
    for (const part of composeField(cell, column, { row: line, language }).parts) {
      if (part.kind !== 'put-in') continue;
      filledIn.push({ column: column.column, written: part.written, value: textOf([part]) });
    }
  }
  return { before, filledIn };
}
