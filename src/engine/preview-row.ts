import type { JsonObject } from '../shared/domain/base/json.ts';
import { resolveBody, type SourceOf } from '../shared/domain/cells/cell-language.ts';
import { rowsReferredTo } from '../shared/domain/cells/reference.ts';
import { SheetLanguage } from '../shared/domain/cells/sheet-language.ts';
import { previewBody } from '../shared/domain/sheet/body-preview.ts';
import { operationOf } from '../shared/domain/operations/operations.ts';
import { cellTexts, type Row } from '../shared/domain/sheet/row.ts';
import { layOutColumns, layOutOperation } from '../shared/domain/sheet/sheet-columns.ts';
import { accountNamed } from '../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import type { BodyPreview } from '../shared/ipc/editing.ts';
import { bodyBytes, encodeRequestBody } from './request-body.ts';
import type { ListItems } from './ports/sheet-store.ts';

/**
 * The body of a row as it is in the sheet and as it will be sent.
 * @param account The account that it goes to, by name, if that is settled.
 */
export function previewRow(
  row: Row,
  { headers, sheet, settings }: BatchRecord,
  lists: ListItems,
  sourceOf: SourceOf,
  account = row.account,
): BodyPreview {
  const layout = layOutColumns(headers, sheet.mapping);
  const sent = row.operation === undefined ? [] : layOutOperation(layout, operationOf(row.operation)).sent;
  const line = { record: { line: row.line, cells: cellTexts(row.cells, headers) }, id: row.id };
  const language = new SheetLanguage(layout, { variables: sheet.variables, lists });
  const { before, filledIn } = previewBody(line, sent, language);
  const stored = bodyBytes({ ...row, body: bodyOf(row, sourceOf) });
  const after = new TextDecoder().decode(encodeRequestBody(accountNamed(settings, account).profile, stored));
  return {
    ...(row.operation === undefined ? {} : { operation: row.operation }),
    before: indented(before),
    after: indented(JSON.parse(after)),
    filledIn: filledIn.map((one) => ({ ...one })),
    waitsFor: rowsReferredTo(row.links).filter((id) => sourceOf(id) === undefined),
  };
}

/** With the values of other rows if all of them are known, otherwise as written. */
function bodyOf({ operation, body, links }: Row, sourceOf: SourceOf): JsonObject {
  if (operation === undefined || links === undefined) return body;
  const resolved = resolveBody(operationOf(operation), body, links, sourceOf);
  return resolved.ok ? resolved.value : body;
}

function indented(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
