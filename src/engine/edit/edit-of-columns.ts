/** Edits of the header line, of how it is understood, and of what is said about it: only a new column changes rows. */
import { assertNever, err, ok, type Result } from '../../shared/domain/base/result.ts';
import { layOutColumns } from '../../shared/domain/sheet/sheet-columns.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { SheetEdit } from '../../shared/ipc/editing.ts';
import { domainWords } from '../../shared/words/domain-words.ts';
import type { EditByRow, NamedEdit, RowEdit } from './edit-by-row.ts';

const MOST_COLUMNS = 512;

type ColumnEdit = Extract<
  SheetEdit,
  {
    kind:
      | ('add-column' | 'remove-column' | 'move-column' | 'map-column' | 'set-variables' | 'set-default-operation')
      | 'ignore-warnings';
  }
>;

/** What such an edit does to a batch, named for the undo list; the error says in words what prevents it. */
export function editOfColumns(edit: ColumnEdit, batch: BatchRecord): Result<NamedEdit, string> {
  const meant = meantBy(edit, batch);
  const refusal = meant.ok ? whyIdsStay(edit.kind, meant.value.edit, batch) : undefined;
  return refusal === undefined ? meant : err(refusal);
}

function meantBy(edit: ColumnEdit, { headers, sheet }: BatchRecord): Result<NamedEdit, string> {
  const { mapping, variables, defaultOperation } = sheet;
  const settings = { mapping, variables, ...(defaultOperation === undefined ? {} : { defaultOperation }) };
  if ('header' in edit && edit.kind !== 'add-column' && !headers.includes(edit.header))
    return err(noColumn(edit.header));
  switch (edit.kind) {
    case 'add-column': {
      const name = edit.header.trim();
      if (name === '') return err(domainWords.problems.edits.needsName);
      if (headers.some((known) => known.trim() === name)) return err(domainWords.problems.edits.columnExists(name));
      if (headers.length >= MOST_COLUMNS) return err(domainWords.problems.edits.mostColumns(MOST_COLUMNS));
      const label = (): string => domainWords.problems.edits.labels.addColumn(name);
      const placed = place(label, name, headers, edit.after, headers.length);
      const rows = (edit.cells ?? []).map(({ key, text }): RowEdit => {
        return { kind: 'cells', key, cells: new Map([[name, text]]) };
      });
      return placed.ok ? ok({ ...placed.value, edit: { ...placed.value.edit, rows } }) : placed;
    }
    case 'move-column': {
      const { header, after } = edit;
      const rest = headers.filter((known) => known !== header);
      return place(() => domainWords.problems.edits.labels.moveColumn(header), header, rest, after, 0);
    }
    case 'remove-column': {
      if (headers.length === 1) return err(domainWords.problems.edits.lastColumn);
      const { header } = edit;
      const rest = headers.filter((known) => known !== header);
      return named(() => domainWords.problems.edits.labels.removeColumn(header), { headers: rest });
    }
    case 'map-column': {
      const { header, column } = edit;
      const label = (): string =>
        column === ''
          ? domainWords.problems.edits.labels.doNotSend(header)
          : domainWords.problems.edits.labels.mapColumn(header, column);
      return named(label, { sheet: { ...settings, mapping: { ...mapping, [header]: column } } });
    }
    case 'set-variables':
      return named(() => domainWords.problems.edits.labels.setVariables, {
        sheet: { ...settings, variables: edit.variables },
      });
    case 'set-default-operation': {
      const { operation } = edit;
      const chosen = operation === undefined ? {} : { defaultOperation: operation };
      return named(() => domainWords.problems.edits.labels.setOperation, { sheet: { mapping, variables, ...chosen } });
    }
    case 'ignore-warnings': {
      const { kinds, isIgnored } = edit;
      return named(() => domainWords.problems.edits.labels[isIgnored ? 'ignoreWarnings' : 'countWarnings'], {
        ignoring: { kinds, isIgnored },
      });
    }
    default:
      return assertNever(edit);
  }
}

/**
 * Rows are known by their ids, also to a re-import: a column with other ids would make every row of the file a new one, to
 * be paid for again. A sheet without ids may get a column for them, which is blank.
 */
function whyIdsStay(
  kind: ColumnEdit['kind'],
  { headers, sheet }: EditByRow,
  batch: Pick<BatchRecord, 'headers' | 'sheet'>,
): string | undefined {
  const before = idHeaderOf(batch.headers, batch.sheet.mapping);
  const after = idHeaderOf(headers ?? batch.headers, sheet?.mapping ?? batch.sheet.mapping);
  if (after === before || (before === undefined && kind === 'add-column')) return undefined;
  return domainWords.problems.edits.idsStay(before, after);
}

function idHeaderOf(headers: readonly string[], mapping: Readonly<Record<string, string>>): string | undefined {
  const layout = layOutColumns(headers, mapping);
  return layout.headers[layout.indexes.get('row') ?? -1]?.trim();
}

/** Puts a header behind another one or, if there is none, where `otherwise` says. */
function place(
  label: () => string,
  header: string,
  others: readonly string[],
  after: string | undefined,
  otherwise: number,
): Result<NamedEdit, string> {
  if (after !== undefined && !others.includes(after)) return err(noColumn(after));
  const at = after === undefined ? otherwise : others.indexOf(after) + 1;
  return named(label, { headers: others.toSpliced(at, 0, header) });
}

function named(labelOf: () => string, edit: Omit<EditByRow, 'rows'>): Result<NamedEdit, string> {
  return ok({ labelOf, edit: { ...edit, rows: [] } });
}

export function noColumn(header: string): string {
  return domainWords.problems.edits.noColumn(header);
}
