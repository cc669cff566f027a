import type { Row } from '../../../shared/domain/sheet/row.ts';

/** The body of a row's request as it is kept: UTF-8 JSON. */
export function bodyBytes(row: Row): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(row.body));
}
