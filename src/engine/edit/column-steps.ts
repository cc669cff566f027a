import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import type { SheetEdit } from '../../shared/ipc/sheet-views.ts';
import type { NamedStep } from './edit-steps.ts';

/** Edits of the header line, and of how it is understood. */
export type ColumnEdit = Extract<
  SheetEdit,
  { kind: 'add-column' | 'remove-column' | 'move-column' | 'map-column' | 'set-variables' | 'set-default-operation' }
>;

const MOST_COLUMNS = 512;

/** The step of such an edit; the error says what keeps it, in words. */
export function columnStep(edit: ColumnEdit, { headers, sheet }: BatchRecord): Result<NamedStep, string> {
  const settings = (changed: NonNullable<NamedStep['step']['sheet']>, label: string): Result<NamedStep, string> =>
    ok({ label, step: { sheet: changed, rows: [] } });
  const { mapping, variables, defaultOperation } = sheet;
  const kept = { mapping, variables, ...(defaultOperation === undefined ? {} : { defaultOperation }) };
  switch (edit.kind) {
    case 'add-column':
      return addColumn(edit.header, edit.after, headers);
    case 'remove-column': {
      if (!headers.includes(edit.header)) return err(noColumn(edit.header));
      if (headers.length === 1) return err('A sheet has at least one column.');
      const rest = headers.filter((header) => header !== edit.header);
      return ok({ label: `Remove the column “${edit.header}”`, step: { headers: rest, rows: [] } });
    }
    case 'move-column':
      return moveColumn(edit.header, edit.after, headers);
    case 'map-column':
      if (!headers.includes(edit.header)) return err(noColumn(edit.header));
      return settings(
        { ...kept, mapping: { ...mapping, [edit.header]: edit.column } },
        edit.column === '' ? `Do not send “${edit.header}”` : `Take “${edit.header}” for “${edit.column}”`,
      );
    case 'set-variables':
      return settings({ ...kept, variables: edit.variables }, 'Set the variables');
    case 'set-default-operation': {
      const { operation } = edit;
      const chosen = { mapping, variables, ...(operation === undefined ? {} : { defaultOperation: operation }) };
      return settings(chosen, 'Set the operation of the sheet');
    }
  }
}

function addColumn(header: string, after: string | undefined, headers: readonly string[]): Result<NamedStep, string> {
  const name = header.trim();
  if (name === '') return err('A column needs a name.');
  if (headers.some((known) => known.trim() === name)) return err(`There is a column “${name}” already.`);
  if (headers.length >= MOST_COLUMNS) return err(`A sheet has at most ${MOST_COLUMNS} columns.`);
  const at = after === undefined ? headers.length : headers.indexOf(after) + 1;
  if (after !== undefined && at === 0) return err(noColumn(after));
  return ok({ label: `Add the column “${name}”`, step: { headers: headers.toSpliced(at, 0, name), rows: [] } });
}

function moveColumn(header: string, after: string | undefined, headers: readonly string[]): Result<NamedStep, string> {
  if (!headers.includes(header)) return err(noColumn(header));
  const rest = headers.filter((known) => known !== header);
  const at = after === undefined ? 0 : rest.indexOf(after) + 1;
  if (after !== undefined && at === 0) return err(noColumn(after));
  return ok({ label: `Move the column “${header}”`, step: { headers: rest.toSpliced(at, 0, header), rows: [] } });
}

function noColumn(header: string): string {
  return `The sheet has no column “${header}” any more: look at it again.`;
}
